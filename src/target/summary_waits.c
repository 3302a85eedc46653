/* Code that waits, in summaries: a process, or a handler that asks.
 *
 * At a wait the path is cut.  What the code keeps (values that are used later, and what their pointers lead to) goes
 * into the actor's vector, behind its struct; the place says where the code goes on.  Two paths are at the same place
 * if their call stacks are the same, and their live pointers lead to the same objects: then only bytes differ. */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "target/summary.h"

enum { MOST_WAITS = 64, MOST_KEPT = 4096, MOST_TYPES = 32, ENVELOPE = 40, FILTER = 56 };

struct sum_wait {
    struct sym_path *shape;
    LLVMValueRef call;
    bool asks, sleeps, any;
    uint32_t types[MOST_TYPES], type_count;
    LLVMValueRef match;
    struct sym_value argument; /* of match */
    bool timed;
    bool *is_global; /* of each object of the shape */
    uint32_t first;  /* of its bytes in the vector */
    uint32_t kept;   /* how many they are */
};

/* ---- what is used later ------------------------------------------------------------------------------------------ */

static bool comes_later(LLVMValueRef user, LLVMBasicBlockRef block, LLVMValueRef next, const LLVMBasicBlockRef *later,
                        uint32_t count)
{
    LLVMBasicBlockRef in = LLVMGetInstructionParent(user);
    for (uint32_t i = 0; i < count; i++)
        if (later[i] == in)
            return true;
    for (LLVMValueRef i = in == block ? next : NULL; i; i = LLVMGetNextInstruction(i))
        if (i == user)
            return true;
    return false;
}

static uint32_t blocks_later(LLVMBasicBlockRef from, LLVMBasicBlockRef *later, uint32_t most)
{
    uint32_t count = 0;
    LLVMBasicBlockRef at = from;
    for (uint32_t next = 0;; at = later[next++]) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(at);
        for (unsigned i = 0; end && i < LLVMGetNumSuccessors(end); i++) {
            LLVMBasicBlockRef to = LLVMGetSuccessor(end, i);
            uint32_t k = 0;
            while (k < count && later[k] != to)
                k++;
            if (k == count && count < most)
                later[count++] = to;
        }
        if (next == count)
            return count;
    }
}

static bool is_used(LLVMValueRef v, const struct sym_frame *f, const LLVMBasicBlockRef *later, uint32_t count)
{
    for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (LLVMIsAInstruction(user) && comes_later(user, f->block, f->next, later, count))
            return true;
    }
    return false;
}

/* ---- a path without what is not needed --------------------------------------------------------------------------- */

struct pruning {
    struct sym_run *r;
    const struct sym_path *from;
    struct sym_path *to;
    uint32_t *numbers; /* of each old object: its new one; 0 for none yet */
    bool failed;
};

static LLVMValueRef global_of(const struct sym_path *p, uint32_t object)
{
    const struct sym_frame *f = &p->frames[0];
    for (uint32_t i = 0; i < f->known_count; i++)
        if (f->known[i].value.object == object &&
            (LLVMIsAGlobalVariable(f->known[i].of) || LLVMIsAFunction(f->known[i].of)))
            return f->known[i].of;
    return NULL;
}

static uint32_t move_object(struct pruning *x, uint32_t object);

static struct sym_value move_value(struct pruning *x, struct sym_value v)
{
    uint64_t n;
    if (!v.bits || !v.object)
        return v;
    if (!sym__is_constant(x->r, v.bits, &n)) {
        sym__give_up(x->r, "a wait with a pointer that depends on a value");
        x->failed = true;
        return v;
    }
    return (struct sym_value){ sym__number(x->r, n, 64), move_object(x, v.object) };
}

static uint32_t move_object(struct pruning *x, uint32_t object)
{
    if (x->numbers[object])
        return x->numbers[object];
    LLVMValueRef global = global_of(x->from, object);
    if (global) {
        struct sym_value v;
        sym__value_of(x->r, x->to, global, &v);
        return x->numbers[object] = v.object;
    }
    const struct sym_object *o = &x->from->objects[object];
    uint32_t number = sym__object_new(x->r, x->to, o->size, true);
    x->numbers[object] = number;
    memcpy(x->to->objects[number].bytes, o->bytes, o->size * sizeof *o->bytes);
    for (uint32_t i = 0; i < o->size / 8; i++) {
        struct sym_value v = move_value(x, o->pointers[i]);
        x->to->objects[number].pointers[i] = v; /* after the move: it may have made objects */
    }
    return number;
}

/* The frames of the path with what is used later; NULL if it cannot be kept. */
static struct sym_path *prune(struct sym_run *r, const struct sym_path *p, bool **is_global, struct sym_value *argument)
{
    enum { MOST_BLOCKS = 2048 };
    struct sym_path *to = sym__path_new(r);
    struct pruning x = { .r = r, .from = p, .to = to };
    x.numbers = sym__must(calloc(p->object_count + 1, sizeof *x.numbers));
    LLVMBasicBlockRef *later = sym__must(malloc(MOST_BLOCKS * sizeof *later));
    to->depth = p->depth;
    for (uint32_t i = 0; i < p->depth; i++) {
        to->frames[i] = p->frames[i];
        to->frames[i].known = NULL;
        to->frames[i].known_count = to->frames[i].known_room = 0;
    }
    to->state = move_object(&x, p->state);
    to->message = move_object(&x, p->message);
    to->tail = p->tail ? move_object(&x, p->tail) : 0;
    to->tail_size = p->tail_size;
    for (uint32_t i = 0; i < p->depth && !x.failed; i++) {
        const struct sym_frame *f = &p->frames[i];
        uint32_t count = blocks_later(f->block, later, MOST_BLOCKS);
        for (uint32_t k = 0; k < f->known_count; k++) {
            LLVMValueRef v = f->known[k].of;
            if (LLVMIsAGlobalVariable(v) || LLVMIsAFunction(v) || !f->known[k].value.bits ||
                !is_used(v, f, later, count))
                continue;
            struct sym_value moved = move_value(&x, f->known[k].value);
            *sym__slot(&to->frames[i], v) = moved;
        }
    }
    *argument = move_value(&x, *argument);
    free(later);
    free(x.numbers);
    if (x.failed) {
        sym__path_free(to);
        return NULL;
    }
    *is_global = sym__must(calloc(to->object_count + 1, sizeof **is_global));
    for (uint32_t i = 0; i < to->frames[0].known_count; i++) {
        LLVMValueRef v = to->frames[0].known[i].of;
        if (LLVMIsAGlobalVariable(v) || LLVMIsAFunction(v))
            (*is_global)[to->frames[0].known[i].value.object] = true;
    }
    return to;
}

/* ---- bytes that are kept ----------------------------------------------------------------------------------------- */

/* Goes over the kept bytes of a path, and reads or writes them. */
struct keeping {
    struct sym_run *r;
    Z3_ast *bytes;
    uint32_t count;
    bool writes; /* into the path */
};

static void keep_number(struct keeping *k, Z3_ast *number, uint32_t width)
{
    struct sym_run *r = k->r;
    uint32_t size = (width + 7) / 8;
    if (k->count + size > MOST_KEPT)
        return;
    if (size == 1 && width == 8) {
        if (k->writes)
            *number = k->bytes[k->count];
        else
            k->bytes[k->count] = Z3_is_numeral_ast(r->z, *number) ? *number : Z3_simplify(r->z, *number);
    } else if (!k->writes) {
        Z3_ast wide = width < 8 * size ? Z3_mk_zero_ext(r->z, 8 * size - width, *number) : *number;
        for (uint32_t i = 0; i < size; i++)
            k->bytes[k->count + i] = Z3_simplify(r->z, Z3_mk_extract(r->z, 8 * i + 7, 8 * i, wide));
    } else {
        Z3_ast all = k->bytes[k->count];
        for (uint32_t i = 1; i < size; i++)
            all = Z3_mk_concat(r->z, k->bytes[k->count + i], all);
        *number = Z3_simplify(r->z, width < 8 * size ? Z3_mk_extract(r->z, width - 1, 0, all) : all);
    }
    k->count += size;
}

static void keep_all(struct keeping *k, struct sym_path *p, const bool *is_global, Z3_ast *behaviour, Z3_ast *from)
{
    for (uint32_t i = 0; i < p->depth; i++)
        for (uint32_t n = 0; n < p->frames[i].known_count; n++) {
            struct sym_known *x = &p->frames[i].known[n];
            if (!LLVMIsAGlobalVariable(x->of) && !LLVMIsAFunction(x->of) && !x->value.object)
                keep_number(k, &x->value.bits, sym__width_of(k->r, x->value.bits));
        }
    for (uint32_t i = 1; i < p->object_count; i++)
        for (uint32_t n = 0; i != p->state && !is_global[i] && n < p->objects[i].size; n++)
            keep_number(k, &p->objects[i].bytes[n], 8);
    keep_number(k, &p->sender, 64);
    if (p->tail)
        keep_number(k, &p->tail_size, 64);
    keep_number(k, behaviour, 8);
    keep_number(k, from, 64);
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

static bool same_value(struct sym_run *r, struct sym_value a, struct sym_value b)
{
    if (!a.bits || !b.bits)
        return !a.bits && !b.bits;
    if (a.object != b.object)
        return false;
    return a.object ? Z3_is_eq_ast(r->z, a.bits, b.bits) : sym__width_of(r, a.bits) == sym__width_of(r, b.bits);
}

static bool same_shape(struct sym_run *r, const struct sym_path *a, const struct sym_path *b)
{
    if (a->depth != b->depth || a->object_count != b->object_count || a->state != b->state ||
        a->message != b->message || a->tail != b->tail)
        return false;
    for (uint32_t i = 0; i < a->depth; i++) {
        const struct sym_frame *f = &a->frames[i], *g = &b->frames[i];
        if (f->next != g->next || f->call != g->call || f->block != g->block || f->known_count != g->known_count)
            return false;
        for (uint32_t k = 0; k < f->known_count; k++)
            if (f->known[k].of != g->known[k].of || !same_value(r, f->known[k].value, g->known[k].value))
                return false;
    }
    for (uint32_t i = 1; i < a->object_count; i++) {
        if (a->objects[i].size != b->objects[i].size)
            return false;
        for (uint32_t k = 0; k < a->objects[i].size / 8; k++)
            if (!same_value(r, a->objects[i].pointers[k], b->objects[i].pointers[k]))
                return false;
    }
    return true;
}

static bool same_wait(struct sym_run *r, const struct sum_wait *a, const struct sum_wait *b)
{
    return a->call == b->call && a->match == b->match && a->timed == b->timed && a->any == b->any &&
           a->type_count == b->type_count && memcmp(a->types, b->types, a->type_count * sizeof *a->types) == 0 &&
           same_value(r, a->argument, b->argument) && same_shape(r, a->shape, b->shape);
}

void sum__wait_free(struct sum_wait *w)
{
    if (w->shape)
        sym__path_free(w->shape);
    free(w->is_global);
    free(w);
}

/* The number of the place, which may be new; RH__NO_INDEX if there are too many. */
static uint32_t place_of(struct sym_run *r, struct sum_actor *a, struct sum_wait *w, Z3_ast *const kept)
{
    for (uint32_t i = 0; i < a->wait_count; i++)
        if (same_wait(r, a->waits[i], w)) {
            sum__wait_free(w);
            return i;
        }
    if (a->wait_count == MOST_WAITS) {
        sum__wait_free(w);
        sym__give_up(r, "too many places at which the code waits");
        return RH__NO_INDEX;
    }
    a->waits = sym__must(realloc(a->waits, (a->wait_count + 1) * sizeof(struct sum_wait *)));
    a->waits[a->wait_count] = w;
    w->first = a->width;
    sum__set_known(a, a->width + w->kept);
    uint64_t n;
    for (uint32_t i = 0; i < w->kept; i++) /* as the first path leaves them, until others say otherwise */
        a->known[w->first + i] = sym__is_constant(r, kept[i], &n) ? kept[i] : NULL;
    return a->wait_count++;
}

/* ---- what it waits for ------------------------------------------------------------------------------------------- */

static bool add_type(struct sum_models *m, struct sum_wait *w, const struct sym_path *p, struct sym_value pointer)
{
    LLVMValueRef global = pointer.object ? global_of(p, pointer.object) : NULL;
    uint32_t type = global ? rh__program_message_of(m->program, global) : RH__NO_INDEX;
    if (type == RH__NO_INDEX || w->type_count == MOST_TYPES)
        return false;
    w->types[w->type_count++] = type;
    return true;
}

static bool read_filter(struct sym_run *r, struct sym_path *p, LLVMValueRef call, struct sum_models *m,
                        struct sum_wait *w, Z3_ast *from)
{
    LLVMTypeRef word = LLVMInt64TypeInContext(m->program->bitcode.context);
    struct sym_value filter, v[6];
    uint64_t n;
    if (!sym__value_of(r, p, LLVMGetOperand(call, 0), &filter) || !filter.object ||
        p->objects[filter.object].size < FILTER)
        return sym__give_up(r, "a filter that is not known");
    for (uint32_t i = 0; i < 6; i++) {
        struct sym_value at = { Z3_simplify(r->z, Z3_mk_bvadd(r->z, filter.bits, sym__number(r, 8 * i, 64))),
                                filter.object };
        if (!sym__load(r, p, at, word, &v[i]))
            return false;
    }
    if (v[0].object && !add_type(m, w, p, v[0]))
        return sym__give_up(r, "a filter that is not known");
    for (uint32_t i = 0; v[1].object && i <= MOST_TYPES; i++) {
        struct sym_value type,
            at = { Z3_simplify(r->z, Z3_mk_bvadd(r->z, v[1].bits, sym__number(r, 8 * i, 64))), v[1].object };
        if (!sym__load(r, p, at, word, &type))
            return false;
        if (!type.object)
            break;
        if (!add_type(m, w, p, type))
            return sym__give_up(r, "a filter that is not known");
    }
    w->any = !v[0].object && !v[1].object;
    *from = v[2].bits;
    if (v[3].object && !(w->match = global_of(p, v[3].object)))
        return sym__give_up(r, "a filter that is not known");
    w->argument = v[4];
    w->timed = !sym__is_constant(r, v[5].bits, &n) || n;
    return true;
}

static bool read_ask(struct sym_run *r, struct sym_path *p, LLVMValueRef call, struct sum_models *m, struct sum_wait *w)
{
    struct sym_value to, value, timeout;
    uint64_t n;
    uint32_t type = rh__program_message_of(m->program, rh__program_strip(LLVMGetOperand(call, 1)));
    uint32_t reply = rh__program_message_of(m->program, rh__program_strip(LLVMGetOperand(call, 3))), at = 0;
    if (type == RH__NO_INDEX || reply == RH__NO_INDEX || !sym__value_of(r, p, LLVMGetOperand(call, 0), &to) ||
        !sym__value_of(r, p, LLVMGetOperand(call, 2), &value) ||
        !sym__value_of(r, p, LLVMGetOperand(call, 4), &timeout))
        return sym__give_up(r, "rh_ask with an unknown type");
    uint32_t size = m->program->messages[type].size;
    if (value.object && !sym__offset_of(r, p, value, size, &at))
        return false;
    p->effects = sym__must(realloc(p->effects, (p->effect_count + 1) * sizeof *p->effects));
    struct sym_effect *e = &p->effects[p->effect_count++];
    *e = (struct sym_effect){ .kind = SYM_SEND, .type = type, .to = to.bits, .size = size };
    e->bytes = sym__must(calloc(size + 1, sizeof(Z3_ast)));
    for (uint32_t i = 0; i < size; i++)
        e->bytes[i] = value.object ? p->objects[value.object].bytes[at + i] : sym__number(r, 0, 8);
    w->asks = true;
    w->types[w->type_count++] = reply;
    w->timed = !sym__is_constant(r, timeout.bits, &n) || n;
    return true;
}

/* The behaviour in which the path began; as a number if there is only one. */
static Z3_ast only_place(struct sym_run *r, struct sym_path *p, const struct sum_making *x)
{
    Z3_ast place = sum__entry_byte(x->models, x->actor, x->actor->size), only = NULL;
    if (p->returns)
        return p->returns;
    for (uint32_t b = 0; b < SUM_NEW; b++) {
        Z3_ast is = sym__number(r, b, 8);
        if (!x->actor->reached[b] || !sym__may_be(r, p, Z3_mk_eq(r->z, place, is)))
            continue;
        if (only)
            return place;
        only = is;
    }
    return only ? only : place;
}

/* ---- cutting and going on ---------------------------------------------------------------------------------------- */

enum sym_outcome sum__wait(struct sym_run *r, struct sym_path *p, LLVMValueRef call, const char *name)
{
    struct sum_making *x = r->user;
    struct sum_actor *a = x->actor;
    struct sum_wait *w = sym__must(calloc(1, sizeof *w));
    Z3_ast from = sym__number(r, 0, 64), kept[MOST_KEPT];
    w->call = call;
    w->sleeps = strcmp(name, "rh_sleep_") == 0;
    w->timed = w->sleeps;
    bool good = w->sleeps || (strcmp(name, "rh_ask_") == 0 ? read_ask(r, p, call, x->models, w)
                                                           : read_filter(r, p, call, x->models, w, &from));
    if (good)
        w->shape = prune(r, p, &w->is_global, &w->argument);
    if (!w->shape) {
        sum__wait_free(w);
        return SYM_ENDS;
    }
    struct keeping k = { .r = r, .bytes = kept };
    /* The behaviour to which a handler returns. */
    bool is_process = x->models->program->actors[a->type].body;
    Z3_ast behaviour = p->place != RH__NO_INDEX ? sym__number(r, p->place, 8)
                       : is_process             ? sym__number(r, 0, 8)
                                                : only_place(r, p, x);
    w->shape->sender = p->sender;
    keep_all(&k, w->shape, w->is_global, &behaviour, &from);
    w->kept = k.count;
    uint32_t place = k.count < MOST_KEPT ? place_of(r, a, w, kept) : (sum__wait_free(w), RH__NO_INDEX);
    if (place == RH__NO_INDEX)
        return SYM_ENDS;
    w = a->waits[place];
    p->place = SUM_WAITS + place;
    p->done = true;
    r->a->paths++;
    struct sum_path *s = sum__add_path(x, p, true);
    for (uint32_t i = 0; s && i < k.count; i++) {
        if (Z3_is_eq_ast(r->z, kept[i], sum__entry_byte(x->models, a, w->first + i)))
            continue;
        s->post[w->first + i] = kept[i];
        sum__collect(x->models, kept[i], &s->vars, &s->var_count);
    }
    return SYM_ENDS;
}

/* The object that a receive returns: see struct rh_envelope. */
static struct sym_value envelope_of(struct sym_run *r, struct sym_path *p, struct sum_models *m, uint32_t type,
                                    uint32_t message)
{
    struct sym_value global, zero = { .bits = sym__number(r, 0, 64) };
    uint32_t object = sym__object_new(r, p, ENVELOPE, true);
    sym__value_of(r, p, m->program->messages[type].global, &global);
    struct sym_object *o = &p->objects[object];
    o->pointers[0] = global;
    o->pointers[1] = (struct sym_value){ zero.bits, message };
    for (uint32_t i = 0; i < 8; i++)
        o->bytes[16 + i] = Z3_mk_extract(r->z, 8 * i + 7, 8 * i, p->sender);
    return (struct sym_value){ zero.bits, object };
}

/* Under which condition the filter's predicate accepts the envelope. */
static Z3_ast matches(struct sym_run *r, const struct sym_path *p, const struct sum_wait *w, struct sym_value envelope)
{
    struct sym_path *c = sym__path_copy(p);
    for (uint32_t i = 1; i < c->depth; i++)
        free(c->frames[i].known);
    c->depth = 1;
    struct sym_frame *f = &c->frames[0];
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->known_count; i++)
        if (LLVMIsAGlobalVariable(f->known[i].of) || LLVMIsAFunction(f->known[i].of))
            f->known[count++] = f->known[i];
    f->known_count = count;
    const struct sym_value arguments[] = { envelope, w->argument };
    r->accepted = Z3_mk_false(r->z);
    sym__begin(r, w->match, arguments, 2, c);
    sym__path_free(c);
    Z3_ast all = r->accepted;
    r->accepted = NULL;
    return all;
}

/* Goes on behind the wait with a message of this type; RH__NO_INDEX: the time is over. */
static void resume(struct sum_models *m, struct sum_actor *a, uint32_t wait, uint32_t type)
{
    struct sum_wait *w = a->waits[wait];
    struct sym_run *r = &m->run;
    struct sum_making x = { .models = m, .actor = a, .message = type, .place = SUM_WAITS + wait, .is_reply = w->asks };
    Z3_ast kept[MOST_KEPT], behaviour = NULL, from = NULL;
    struct keeping k = { .r = r, .bytes = kept, .writes = true };
    struct sym_path *p = sym__path_copy(w->shape);
    m->run.user = &x;
    m->answer.paths = 0;
    m->answer.trouble[0] = 0;
    m->handlers++;
    for (uint32_t i = 0; i < w->kept; i++)
        kept[i] = sum__entry_byte(m, a, w->first + i);
    for (uint32_t i = 0; i < a->size; i++)
        p->objects[p->state].bytes[i] = sum__entry_byte(m, a, i);
    keep_all(&k, p, w->is_global, &behaviour, &from);
    p->self = a->self;
    sym__set_condition(p, Z3_mk_true(r->z));
    p->done = false;
    bool possible =
        sym__require(r, p, Z3_mk_eq(r->z, sum__entry_byte(m, a, a->size), sym__number(r, SUM_WAITS + wait, 8)));
    possible = possible && sym__require(r, p, Z3_mk_eq(r->z, sum__entry_byte(m, a, a->size + 1), sym__number(r, 1, 8)));
    uint64_t n;
    if (!m->program->actors[a->type].body && sym__is_constant(r, behaviour, &n))
        p->place = (uint32_t)n; /* where a handler returns to */
    else if (!m->program->actors[a->type].body)
        p->returns = behaviour;
    struct sym_value result = { .bits = sym__number(r, 0, 64) };
    if (type != RH__NO_INDEX && possible) {
        uint32_t object = sym__object_new(r, p, m->program->messages[type].size, true);
        for (uint32_t i = 0; i < p->objects[object].size; i++)
            p->objects[object].bytes[i] = sum__message_var(m, i);
        Z3_ast before = p->sender;
        p->sender = sum__sender_var(m);
        result = w->asks ? (struct sym_value){ result.bits, object } : envelope_of(r, p, m, type, object);
        const Z3_ast either[] = { Z3_mk_eq(r->z, from, sym__number(r, 0, 64)), Z3_mk_eq(r->z, from, p->sender) };
        possible = sym__require(r, p, Z3_mk_or(r->z, 2, either));
        if (possible && w->match)
            possible = sym__require(r, p, matches(r, p, w, result));
        p->tail_lost = !w->asks || !p->tail;
        if (w->asks) /* rh_sender and rh_reply are still about the message that is being handled */
            p->sender = before;
        else
            p->message = object;
    }
    if (possible) {
        if (!w->sleeps)
            *sym__slot(&p->frames[p->depth - 1], w->call) = result;
        sym__follow(r, p);
    }
    if (m->answer.trouble[0] && !a->trouble[0])
        memcpy(a->trouble, m->answer.trouble, sizeof a->trouble);
    sym__path_free(p);
}

void sum__resume_all(struct sum_models *m, struct sum_actor *a, uint32_t wait)
{
    const struct sum_wait *w = a->waits[wait];
    m->run.over = false;
    if (!a->reached[SUM_WAITS + wait])
        return;
    for (uint32_t i = 0; i < (w->any ? m->program->message_count : w->type_count) && !m->run.over; i++)
        resume(m, a, wait, w->any ? i : w->types[i]);
    if (w->timed && !m->run.over)
        resume(m, a, wait, RH__NO_INDEX);
}
