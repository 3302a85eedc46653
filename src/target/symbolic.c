/* See symbolic.h: instructions, branches, calls.  A path that comes to a branch which can go several ways is copied. */
#include "target/symbolic.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "target/symbolic_path.h"

/* The effort of the solver for one question is in its own units: a limit by the clock would give different results on
 * a busy machine. */
enum { MOST_TURNS = 8, MOST_STEPS = 20000, SOLVER_EFFORT = 3000000 };

double sym__processor_seconds(void)
{
    struct rusage own, children;
    getrusage(RUSAGE_SELF, &own);
    getrusage(RUSAGE_CHILDREN, &children);
    return (double)(own.ru_utime.tv_sec + children.ru_utime.tv_sec) +
           (double)(own.ru_utime.tv_usec + children.ru_utime.tv_usec) / 1e6;
}

/* ---- paths ------------------------------------------------------------------------------------------------------- */

/* Small numbers are the most readable answer: asks for words of four bytes within bounds first. */
static void answer(struct sym_run *r, const struct sym_path *p, uint32_t block)
{
    static const uint32_t bounds[] = { 8, 128, 32768, 0 };
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds && !r->a->found; i++) {
        Z3_solver_push(r->z, r->solver);
        Z3_solver_assert(r->z, r->solver, p->condition);
        for (uint32_t k = 0; bounds[i] && k + 4 <= r->q->message_size; k += 4) {
            Z3_ast word = Z3_mk_concat(r->z, Z3_mk_concat(r->z, r->message[k + 3], r->message[k + 2]),
                                       Z3_mk_concat(r->z, r->message[k + 1], r->message[k]));
            if (Z3_is_numeral_ast(r->z, Z3_simplify(r->z, word)))
                continue; /* of a reference */
            Z3_solver_assert(r->z, r->solver, Z3_mk_bvsle(r->z, word, sym__number(r, bounds[i], 32)));
            Z3_solver_assert(r->z, r->solver, Z3_mk_bvsge(r->z, word, sym__number(r, 0u - bounds[i], 32)));
        }
        r->a->queries++;
        if (Z3_solver_check(r->z, r->solver) == Z3_L_TRUE) {
            Z3_model m = Z3_solver_get_model(r->z, r->solver);
            for (uint32_t k = 0; k < r->q->message_size; k++) {
                Z3_ast byte;
                uint64_t n = 0;
                if (Z3_model_eval(r->z, m, r->message[k], true, &byte))
                    sym__is_constant(r, byte, &n);
                r->a->message[k] = (uint8_t)n;
            }
            r->a->found = true;
            r->a->block = block;
        }
        Z3_solver_pop(r->z, r->solver, 1);
    }
}

void sym__add_visit(struct sym_path *p, struct sym_visit v)
{
    if (p->visit_count % 64 == 0)
        p->visits = sym__must(realloc(p->visits, (p->visit_count + 64) * sizeof *p->visits));
    p->visits[p->visit_count++] = v;
}

/* Goes to a block; its phi nodes take their values at once.  False if the path ends here. */
bool sym__enter(struct sym_run *r, struct sym_path *p, LLVMBasicBlockRef block)
{
    struct sym_frame *f = &p->frames[p->depth - 1];
    LLVMBasicBlockRef from = f->block;
    bool stops = p->stop == block && p->stop_depth == p->depth;
    for (uint32_t i = 0; i < p->origin_count; i++)
        if (!stops && p->origins[i].block == block && p->origins[i].depth == p->depth)
            return false; /* a loop */
    if (r->hooks && !r->accepted && !stops)
        sym__add_visit(p, (struct sym_visit){ block, p->clause_count, p->effect_count, NULL });
    for (uint32_t i = 0; !r->accepted && !stops && i < r->q->block_count; i++)
        if (r->q->blocks[i] == block) {
            answer(r, p, i);
            return false;
        }
    struct sym_value values[64];
    LLVMValueRef first = LLVMGetFirstInstruction(block), i = first;
    uint32_t n = 0;
    for (; i && LLVMGetInstructionOpcode(i) == LLVMPHI; i = LLVMGetNextInstruction(i), n++) {
        unsigned k = 0;
        while (k < LLVMCountIncoming(i) && LLVMGetIncomingBlock(i, k) != from)
            k++;
        if (n == 64 || k == LLVMCountIncoming(i) || !sym__value_of(r, p, LLVMGetIncomingValue(i, k), &values[n]))
            return sym__give_up(r, "a phi node that is not known");
    }
    i = first;
    for (uint32_t k = 0; k < n; k++, i = LLVMGetNextInstruction(i))
        *sym__slot(f, i) = values[k];
    f->previous = from;
    f->block = block;
    f->next = i;
    p->arrived = stops;
    return true;
}

/* How often the path has been in a block. */
static uint32_t times_in(const struct sym_path *p, LLVMBasicBlockRef block)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->visit_count; i++)
        n += p->visits[i].block == block;
    return n;
}

/* Whether the path may divide: a limit may be met, or all be over. */
static bool may_divide(struct sym_run *r, const struct sym_path *p)
{
    if (r->until > 0 && sym__processor_seconds() > r->until)
        r->over = true;
    if (r->a->found || r->over)
        return false;
    if (r->a->paths >= r->q->most_paths)
        return sym__give_up(r, "more than %u paths", r->q->most_paths);
    return !r->most_forks || p->forks < r->most_forks || sym__give_up(r, "a loop that goes on for too long");
}

/* Follows a copy of the path into the block, if the condition is possible there. */
static void try_block(struct sym_run *r, const struct sym_path *p, Z3_ast condition, LLVMBasicBlockRef block)
{
    if (!may_divide(r, p))
        return;
    if (r->most_forks && times_in(p, block) > MOST_TURNS) {
        sym__give_up(r, "a loop that goes on for too long");
        return;
    }
    struct sym_path *c = sym__path_copy(p);
    c->forks++;
    c->done = false;
    if (sym__require(r, c, condition)) {
        if (sym__enter(r, c, block))
            sym__follow(r, c);
        else if (r->hooks && !r->accepted)
            r->hooks->failed(r, c);
    }
    sym__path_free(c);
}

/* One of two pointers, by a condition that is not known: the path divides, as at a branch.  True if it goes on. */
static bool select_pointer(struct sym_run *r, struct sym_path *p, LLVMValueRef i, bool *divides)
{
    struct sym_value c, v[2];
    uint64_t n;
    *divides = false;
    if (!r->hooks || LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMPointerTypeKind ||
        !sym__value_of(r, p, LLVMGetOperand(i, 0), &c) || sym__is_constant(r, c.bits, &n) ||
        !sym__value_of(r, p, LLVMGetOperand(i, 1), &v[0]) || !sym__value_of(r, p, LLVMGetOperand(i, 2), &v[1]) ||
        v[0].object == v[1].object)
        return true;
    *divides = true;
    if (p->stop) /* a way that is to be merged does not divide */
        return false;
    p->done = true;
    for (unsigned k = 0; k < 2 && may_divide(r, p); k++) {
        Z3_ast is = sym__truth(r, c.bits);
        struct sym_path *way = sym__path_copy(p);
        way->forks++;
        way->done = false;
        *sym__slot(&way->frames[way->depth - 1], i) = v[k];
        if (sym__require(r, way, k ? Z3_mk_not(r->z, is) : is))
            sym__follow(r, way);
        sym__path_free(way);
    }
    return false;
}

/* The block where merged ways have met runs, whichever was taken; it may be a goal. */
static void note_met(struct sym_run *r, struct sym_path *p)
{
    LLVMBasicBlockRef block = p->frames[p->depth - 1].block;
    if (r->hooks && !r->accepted)
        sym__add_visit(p, (struct sym_visit){ block, p->clause_count, p->effect_count, NULL });
    for (uint32_t i = 0; !r->accepted && i < r->q->block_count; i++)
        if (r->q->blocks[i] == block)
            answer(r, p, i);
}

/* A way that is to be merged does not divide: false, unless only one side of the branch is possible. */
static bool take_only_way(struct sym_run *r, struct sym_path *p, Z3_ast is, LLVMValueRef i)
{
    Z3_ast is_not = Z3_mk_not(r->z, is);
    bool yes = sym__may_be(r, p, is);
    if (yes && sym__may_be(r, p, is_not))
        return false;
    return sym__require(r, p, yes ? is : is_not) && sym__enter(r, p, LLVMGetSuccessor(i, yes ? 0 : 1));
}

/* A terminator.  True if the path goes on; a path that divides ends, and its copies go on. */
static bool branch(struct sym_run *r, struct sym_path *p, LLVMValueRef i)
{
    struct sym_value c;
    uint64_t n;
    if (LLVMGetInstructionOpcode(i) == LLVMBr && !LLVMIsConditional(i))
        return sym__enter(r, p, LLVMGetSuccessor(i, 0));
    if (!sym__value_of(r, p, LLVMGetInstructionOpcode(i) == LLVMBr ? LLVMGetCondition(i) : LLVMGetOperand(i, 0), &c) ||
        c.object)
        return false;
    if (LLVMGetInstructionOpcode(i) == LLVMBr) {
        if (sym__is_constant(r, c.bits, &n))
            return sym__enter(r, p, LLVMGetSuccessor(i, n ? 0 : 1));
        switch (sym__merge(r, p, sym__truth(r, c.bits), LLVMGetSuccessor(i, 0), LLVMGetSuccessor(i, 1))) {
        case SYM_MERGED:
            note_met(r, p);
            return true;
        case SYM_ARRIVED:
            return true;
        case SYM_DIVIDES:
            break;
        }
        if (p->stop)
            return take_only_way(r, p, sym__truth(r, c.bits), i);
        p->done = true;
        unsigned first = times_in(p, LLVMGetSuccessor(i, 0)) > times_in(p, LLVMGetSuccessor(i, 1)); /* out of a loop */
        for (unsigned k = 0; k < 2; k++) {
            Z3_ast is = sym__truth(r, c.bits);
            try_block(r, p, k == first ? is : Z3_mk_not(r->z, is), LLVMGetSuccessor(i, k == first ? 0 : 1));
        }
        return false;
    }
    if (p->stop && !sym__is_constant(r, c.bits, &n))
        return false;
    p->done = true;
    Z3_ast none = Z3_mk_true(r->z); /* operands of a switch: value, default, then pairs of case and block */
    for (int k = 2; k + 1 < LLVMGetNumOperands(i); k += 2) {
        Z3_ast is = Z3_mk_eq(
            r->z, c.bits,
            sym__number(r, LLVMConstIntGetZExtValue(LLVMGetOperand(i, (unsigned)k)), sym__width_of(r, c.bits)));
        try_block(r, p, is, LLVMValueAsBasicBlock(LLVMGetOperand(i, (unsigned)k + 1)));
        none = sym__and_of(r, none, Z3_mk_not(r->z, is));
    }
    try_block(r, p, none, LLVMGetSwitchDefaultDest(i));
    return false;
}

/* One instruction.  True if the path goes on behind it; a call and a branch have set where. */
static bool step(struct sym_run *r, struct sym_path *p, LLVMValueRef i)
{
    struct sym_value a, b, result = { 0 };
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMBr:
    case LLVMSwitch:
        return branch(r, p, i);
    case LLVMRet:
        return sym__return(r, p, i);
    case LLVMUnreachable:
        return false;
    case LLVMCall:
        return sym__call(r, p, i);
    case LLVMStore:
        return sym__value_of(r, p, LLVMGetOperand(i, 0), &a) && sym__value_of(r, p, LLVMGetOperand(i, 1), &b) &&
               sym__store(r, p, b, a, LLVMTypeOf(LLVMGetOperand(i, 0)));
    case LLVMLoad:
        if (!sym__value_of(r, p, LLVMGetOperand(i, 0), &a) || !sym__load(r, p, a, LLVMTypeOf(i), &result))
            return false;
        break;
    case LLVMAlloca:
        result.object = sym__object_new(r, p, sym__type_bytes(r, LLVMGetAllocatedType(i)), false);
        result.bits = sym__number(r, 0, 64);
        break;
    case LLVMGetElementPtr:
        if (!sym__value_of(r, p, LLVMGetOperand(i, 0), &a) || !sym__offset_in(r, p, i, a, &result))
            return false;
        break;
    case LLVMExtractValue:
        if (!sym__extract(r, p, i, &result))
            return false;
        break;
    case LLVMInsertValue:
        if (!sym__insert(r, p, i, &result))
            return false;
        break;
    case LLVMSelect: {
        bool divides;
        if (!select_pointer(r, p, i, &divides) || divides || !sym__compute(r, p, i, &result))
            return false;
        break;
    }
    default:
        if (!sym__compute(r, p, i, &result))
            return false;
        break;
    }
    *sym__slot(&p->frames[p->depth - 1], i) = result;
    return true;
}

void sym__follow(struct sym_run *r, struct sym_path *p)
{
    while (!r->a->found && !r->over && !p->arrived) {
        struct sym_frame *f = &p->frames[p->depth - 1];
        LLVMValueRef i = f->next;
        if (r->until > 0 && p->steps % 1024 == 1023 && sym__processor_seconds() > r->until)
            r->over = true;
        if (!i || ++p->steps > (r->hooks ? MOST_STEPS * 20 : MOST_STEPS)) {
            sym__give_up(r, "a path of more than %d steps", MOST_STEPS);
            break;
        }
        f->next = LLVMGetNextInstruction(i); /* before the step: a call returns there, a branch sets another */
        if (!step(r, p, i))
            break;
    }
    if (r->hooks && !r->accepted && !p->done && !p->stop)
        r->hooks->failed(r, p);
}

/* ---- a question -------------------------------------------------------------------------------------------------- */

/* Whether these eight bytes are a reference that a world has given: see REF_BASE in world/state.h. */
static bool is_reference(const uint8_t *at)
{
    uint64_t n;
    memcpy(&n, at, sizeof n);
    return n >> 32 == 0x72656600u;
}

void sym__begin(struct sym_run *r, LLVMValueRef function, const struct sym_value *arguments, uint32_t count,
                struct sym_path *p)
{
    struct sym_frame f = { 0 };
    uint32_t k = 0;
    if (p->depth) { /* globals that are there */
        f.known = p->frames[0].known;
        f.known_count = p->frames[0].known_count;
        f.known_room = p->frames[0].known_room;
    }
    for (LLVMValueRef x = LLVMGetFirstParam(function); x && k < count; x = LLVMGetNextParam(x))
        *sym__slot(&f, x) = arguments[k++];
    p->frames[0] = f;
    p->depth = 1;
    if (sym__enter(r, p, LLVMGetEntryBasicBlock(function)))
        sym__follow(r, p);
}

struct sym_path *sym__path_new(struct sym_run *r)
{
    struct sym_path *p = sym__must(calloc(1, sizeof *p));
    p->object_count = 1;
    p->objects = sym__must(calloc(1, sizeof *p->objects));
    p->condition = Z3_mk_true(r->z);
    p->z = r->z;
    p->place = RH__NO_INDEX;
    return p;
}

static struct sym_path *path_new(struct sym_run *r, Z3_ast condition, uint32_t *state, uint32_t *message)
{
    const struct rh__symbolic_question *q = r->q;
    struct sym_path *p = sym__path_new(r);
    p->condition = condition;
    *state = sym__object_new(r, p, q->state_size, true);
    for (uint32_t i = 0; i < q->state_size; i++)
        p->objects[*state].bytes[i] = sym__number(r, q->state[i], 8);
    *message = sym__object_new(r, p, q->message_size, true);
    memcpy(p->objects[*message].bytes, r->message, q->message_size * sizeof(Z3_ast));
    return p;
}

/* Under which condition the predicate of the test accepts the message. */
static Z3_ast acceptance(struct sym_run *r)
{
    uint32_t state, message;
    if (!r->q->when)
        return Z3_mk_true(r->z);
    struct sym_path *p = path_new(r, Z3_mk_true(r->z), &state, &message);
    const struct sym_value arguments[] = { { sym__number(r, 0, 64), message } };
    r->accepted = Z3_mk_false(r->z);
    sym__begin(r, r->q->when, arguments, 1, p);
    sym__path_free(p);
    Z3_ast all = r->accepted;
    r->accepted = NULL;
    return all;
}

void rh__symbolic_solve(const struct rh__symbolic_question *q, struct rh__symbolic_answer *a)
{
    Z3_config config = Z3_mk_config();
    struct sym_run r = { .q = q, .a = a, .z = Z3_mk_context(config) };
    Z3_del_config(config);
    Z3_set_error_handler(r.z, NULL);
    r.solver = Z3_mk_solver_for_logic(r.z, Z3_mk_string_symbol(r.z, "QF_BV"));
    Z3_solver_inc_ref(r.z, r.solver);
    Z3_params params = Z3_mk_params(r.z);
    Z3_params_inc_ref(r.z, params);
    Z3_params_set_uint(r.z, params, Z3_mk_string_symbol(r.z, "rlimit"), SOLVER_EFFORT);
    Z3_solver_set_params(r.z, r.solver, params);
    r.message = sym__must(calloc(q->message_size + 1, sizeof *r.message));
    for (uint32_t i = 0; i < q->message_size; i++) {
        bool kept = i / 8 * 8 + 8 <= q->message_size && is_reference(q->message + i / 8 * 8);
        r.message[i] = kept ? sym__number(&r, q->message[i], 8) : sym__unknown(&r, 8);
    }
    uint32_t state, message;
    struct sym_path *p = path_new(&r, acceptance(&r), &state, &message);
    const struct sym_value arguments[] = { { sym__unknown(&r, 64), 0 },
                                           { sym__number(&r, 0, 64), state },
                                           { sym__number(&r, 0, 64), message } };
    sym__begin(&r, q->handler, arguments, 3, p);
    sym__path_free(p);
    free(r.message);
    free(r.meetings);
    free(r.addresses);
    Z3_params_dec_ref(r.z, params);
    Z3_solver_dec_ref(r.z, r.solver);
    Z3_del_context(r.z);
}
