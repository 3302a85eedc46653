/* Models of calls without code, for summaries: rehearse.h, and a part of libc. */
#include <stdlib.h>
#include <string.h>

#include "target/summary.h"

enum { MOST_COMPARED = 64, LONGEST_NAME = 128 };

static struct sum_making *making(struct sym_run *r)
{
    return r->user;
}

static bool operand(struct sym_run *r, struct sym_path *p, LLVMValueRef call, uint32_t n, struct sym_value *v)
{
    return n < LLVMGetNumArgOperands(call) && sym__value_of(r, p, LLVMGetOperand(call, n), v);
}

static void set_result(struct sym_path *p, LLVMValueRef call, Z3_ast bits)
{
    *sym__slot(&p->frames[p->depth - 1], call) = (struct sym_value){ .bits = bits };
}

static struct sym_effect *add_effect(struct sym_path *p, enum sym_effect_kind kind, uint32_t type)
{
    p->effects = sym__must(realloc(p->effects, (p->effect_count + 1) * sizeof *p->effects));
    p->effects[p->effect_count] = (struct sym_effect){ .kind = kind, .type = type };
    return &p->effects[p->effect_count++];
}

/* The bytes that a value has in memory; NULL as a pointer means zero.  They live as long as the models. */
static bool bytes_of(struct sym_run *r, struct sym_path *p, struct sym_value pointer, uint32_t size, Z3_ast **bytes)
{
    uint64_t n;
    uint32_t at = 0;
    *bytes = sym__must(calloc(size + 1, sizeof(Z3_ast)));
    if (!pointer.object && sym__is_constant(r, pointer.bits, &n) && !n) {
        for (uint32_t i = 0; i < size; i++)
            (*bytes)[i] = sym__number(r, 0, 8);
        return true;
    }
    if (!size)
        return true;
    if (!sym__is_constant(r, pointer.bits, &n)) { /* one element of an array */
        struct sym_value copy = { sym__number(r, 0, 64), sym__object_new(r, p, size, true) };
        if (!sym__copy_bytes(r, p, copy, pointer, size)) {
            free(*bytes);
            return false;
        }
        pointer = copy;
    }
    if (!sym__offset_of(r, p, pointer, size, &at)) {
        free(*bytes);
        return false;
    }
    const struct sym_object *o = &p->objects[pointer.object];
    for (uint32_t i = 0; i < size; i++)
        (*bytes)[i] = o->pointers[(at + i) / 8].bits ? sym__unknown(r, 8) : o->bytes[at + i];
    for (uint32_t i = 0; i < size; i++)
        if (!Z3_is_numeral_ast(r->z, (*bytes)[i]))
            (*bytes)[i] = Z3_simplify(r->z, (*bytes)[i]);
    return true;
}

static uint32_t message_type(struct sym_run *r, LLVMValueRef v)
{
    return rh__program_message_of(making(r)->models->program, rh__program_strip(v));
}

/* The tail of a message, at these operands: its bytes and its size. */
static bool tail_of(struct sym_run *r, struct sym_path *p, LLVMValueRef call, uint32_t at, struct sym_effect *e)
{
    struct sym_value tail, size;
    uint64_t n = SUM_TAIL_BYTES + 1;
    uint32_t offset;
    if (at + 1 >= LLVMGetNumArgOperands(call) || !operand(r, p, call, at, &tail) || !operand(r, p, call, at + 1, &size))
        return true;
    if (sym__is_constant(r, size.bits, &n) && !n)
        return true;
    if (!tail.object || !sym__offset_of(r, p, tail, 0, &offset))
        return sym__give_up(r, "a message with a tail that is not known");
    uint32_t room = p->objects[tail.object].size - offset;
    e->tail_count = room < SUM_TAIL_BYTES ? room : SUM_TAIL_BYTES;
    if (!sym__require(r, p, Z3_mk_bvule(r->z, size.bits, sym__number(r, e->tail_count, 64))))
        return sym__give_up(r, "a message with a long tail");
    if (sym__is_constant(r, size.bits, &n))
        e->tail_count = (uint32_t)n;
    e->tail_size = size.bits;
    return bytes_of(r, p, tail, e->tail_count, &e->tail);
}

/* Sends: the type, the value and the tail at these operands. */
static enum sym_outcome send_to(struct sym_run *r, struct sym_path *p, LLVMValueRef call, uint32_t at, Z3_ast to,
                                uint32_t kind)
{
    struct sym_effect with = { .kind = (enum sym_effect_kind)kind };
    struct sym_value value;
    uint32_t type = message_type(r, LLVMGetOperand(call, at));
    Z3_ast *bytes;
    if (type == RH__NO_INDEX || !operand(r, p, call, at + 1, &value)) {
        sym__give_up(r, "a message of unknown type");
        return SYM_ENDS;
    }
    if (kind == SYM_SEND && !tail_of(r, p, call, at + 2, &with))
        return SYM_ENDS;
    uint32_t size = making(r)->models->program->messages[type].size;
    if (!bytes_of(r, p, value, size, &bytes))
        return SYM_ENDS;
    struct sym_effect *e = add_effect(p, kind, type);
    *e = with;
    e->type = type;
    e->to = to;
    e->bytes = bytes;
    e->size = size;
    return SYM_GOES_ON;
}

static enum sym_outcome forward(struct sym_run *r, struct sym_path *p, LLVMValueRef call)
{
    struct sym_value to;
    uint32_t size = p->objects[p->message].size;
    if (!operand(r, p, call, 0, &to) || making(r)->message == RH__NO_INDEX)
        return SYM_ENDS;
    struct sym_effect *e = add_effect(p, SYM_SEND, making(r)->message);
    e->to = to.bits;
    e->from = p->sender;
    e->passes_tail = true;
    e->size = size;
    e->bytes = sym__must(calloc(size + 1, sizeof(Z3_ast)));
    for (uint32_t i = 0; i < size; i++)
        e->bytes[i] = p->objects[p->message].bytes[i];
    return SYM_GOES_ON;
}

static enum sym_outcome spawn(struct sym_run *r, struct sym_path *p, LLVMValueRef call)
{
    const struct rh__program *program = making(r)->models->program;
    uint32_t type = rh__program_actor_of(program, rh__program_strip(LLVMGetOperand(call, 0)));
    struct sym_value state;
    Z3_ast *bytes;
    if (type == RH__NO_INDEX || !operand(r, p, call, 1, &state) ||
        !bytes_of(r, p, state, program->actors[type].size, &bytes)) {
        sym__give_up(r, "a spawn of an unknown type");
        return SYM_ENDS;
    }
    struct sym_effect *e = add_effect(p, SYM_SPAWN, type);
    e->bytes = bytes;
    e->size = program->actors[type].size;
    e->result = sym__unknown(r, 64);
    set_result(p, call, e->result);
    return SYM_GOES_ON;
}

static enum sym_outcome set_timer(struct sym_run *r, struct sym_path *p, LLVMValueRef call)
{
    const char *name = sym__text_of(LLVMGetOperand(call, 0));
    char text[LONGEST_NAME];
    struct sym_value at;
    if (!name && operand(r, p, call, 0, &at) && sum__text_at(r, p, at, text, sizeof text))
        name = sum__keep_text(making(r)->models, text);
    if (!name) {
        sym__give_up(r, "a timer whose name is not known");
        return SYM_ENDS;
    }
    enum sym_outcome o = send_to(r, p, call, 2, p->self, SYM_TIMER);
    if (o == SYM_GOES_ON)
        p->effects[p->effect_count - 1].name = name;
    return o;
}

static enum sym_outcome become(struct sym_run *r, struct sym_path *p, LLVMValueRef call)
{
    const struct rh__program *program = making(r)->models->program;
    uint32_t b = rh__program_behaviour_of(program, rh__program_strip(LLVMGetOperand(call, 0))), place = 0;
    if (b == RH__NO_INDEX) {
        sym__give_up(r, "a behaviour that is not constant");
        return SYM_ENDS;
    }
    for (uint32_t i = 0; i < b; i++)
        place += program->behaviours[i].actor == program->behaviours[b].actor;
    p->place = place;
    return SYM_GOES_ON;
}

static enum sym_outcome choose(struct sym_run *r, struct sym_path *p, LLVMValueRef call)
{
    struct sym_value most;
    uint64_t n;
    if (!operand(r, p, call, 0, &most) || !sym__is_constant(r, most.bits, &n) || !n) {
        sym__give_up(r, "rh_choose of an unknown number");
        return SYM_ENDS;
    }
    struct sym_effect *e = add_effect(p, SYM_CHOOSE, 0);
    e->most = n;
    e->result = sym__unknown(r, 32);
    set_result(p, call, e->result);
    sym__require(r, p, Z3_mk_bvult(r->z, e->result, sym__number(r, n, 32)));
    return SYM_GOES_ON;
}

/* The end of this actor, at once. */
static enum sym_outcome end_actor(struct sym_run *r, struct sym_path *p)
{
    p->stops = true;
    p->done = true;
    r->a->paths++;
    sum__add_path(making(r), p, true);
    return SYM_ENDS;
}

/* The buffer at operand `n` gets bytes that are not known, as many as operand `n + 1` says. */
static enum sym_outcome fill_unknown(struct sym_run *r, struct sym_path *p, LLVMValueRef call, uint32_t n)
{
    struct sym_value buffer, size;
    uint64_t count;
    uint32_t at;
    if (!operand(r, p, call, n, &buffer) || !operand(r, p, call, n + 1, &size))
        return SYM_ENDS;
    if (!sym__is_constant(r, size.bits, &count) || !sym__offset_of(r, p, buffer, count, &at)) {
        sym__give_up(r, "a buffer of unknown size");
        return SYM_ENDS;
    }
    for (uint32_t i = 0; i < count; i++) {
        p->objects[buffer.object].bytes[at + i] = sym__unknown(r, 8);
        p->objects[buffer.object].pointers[(at + i) / 8].bits = NULL;
    }
    return SYM_UNKNOWN; /* the result is any */
}

static enum sym_outcome read_tail(struct sym_run *r, struct sym_path *p, LLVMValueRef call)
{
    struct sym_value size;
    LLVMTypeRef word = LLVMInt64TypeInContext(making(r)->models->program->bitcode.context);
    if (p->tail_lost) {
        sym__give_up(r, "rh_tail behind a wait");
        return SYM_ENDS;
    }
    if (!p->tail && !sum__any_tail(making(r)->models, p))
        return SYM_ENDS;
    if (operand(r, p, call, 0, &size) && size.object)
        sym__store(r, p, size, (struct sym_value){ .bits = p->tail_size }, word);
    *sym__slot(&p->frames[p->depth - 1], call) = (struct sym_value){ sym__number(r, 0, 64), p->tail };
    return SYM_GOES_ON;
}

static enum sym_outcome allocate(struct sym_run *r, struct sym_path *p, LLVMValueRef call, bool zero)
{
    struct sym_value size, count = { .bits = sym__number(r, 1, 64) };
    uint64_t a, b;
    if ((zero && !operand(r, p, call, 0, &count)) || !operand(r, p, call, zero ? 1 : 0, &size) ||
        !sym__is_constant(r, size.bits, &a) || !sym__is_constant(r, count.bits, &b) || a > 1 << 16 || b > 1 << 16)
        return SYM_UNKNOWN;
    uint32_t object = sym__object_new(r, p, a * b, zero);
    *sym__slot(&p->frames[p->depth - 1], call) = (struct sym_value){ sym__number(r, 0, 64), object };
    return SYM_GOES_ON;
}

static bool byte_at(struct sym_run *r, struct sym_path *p, struct sym_value s, uint64_t i, Z3_ast *byte)
{
    uint64_t at;
    if (!s.object || !sym__is_constant(r, s.bits, &at) || at + i >= p->objects[s.object].size)
        return false;
    *byte = p->objects[s.object].bytes[at + i];
    return true;
}

/* memcmp, strcmp and strncmp: the difference of the first bytes that differ; texts end at zero. */
static enum sym_outcome compare_bytes(struct sym_run *r, struct sym_path *p, LLVMValueRef call, bool text, bool limited)
{
    struct sym_value a, b, n = { 0 };
    uint64_t most = MOST_COMPARED;
    if (!operand(r, p, call, 0, &a) || !operand(r, p, call, 1, &b) || (limited && !operand(r, p, call, 2, &n)))
        return SYM_ENDS;
    if (limited && (!sym__is_constant(r, n.bits, &most) || most > MOST_COMPARED))
        return SYM_UNKNOWN;
    Z3_ast bytes[MOST_COMPARED][2], all = sym__number(r, 0, 32);
    uint64_t count = 0;
    while (count < most && byte_at(r, p, a, count, &bytes[count][0]) && byte_at(r, p, b, count, &bytes[count][1])) {
        uint64_t x, y;
        count++;
        if (text && ((sym__is_constant(r, bytes[count - 1][0], &x) && !x) ||
                     (sym__is_constant(r, bytes[count - 1][1], &y) && !y)))
            break;
    }
    for (uint64_t i = count; i-- > 0;) {
        Z3_ast difference =
            Z3_mk_bvsub(r->z, Z3_mk_zero_ext(r->z, 24, bytes[i][0]), Z3_mk_zero_ext(r->z, 24, bytes[i][1]));
        Z3_ast same = Z3_mk_eq(r->z, bytes[i][0], bytes[i][1]);
        if (text) /* equal and zero: the end */
            all = Z3_mk_ite(r->z, Z3_mk_eq(r->z, bytes[i][0], sym__number(r, 0, 8)), sym__number(r, 0, 32), all);
        all = Z3_mk_ite(r->z, same, all, difference);
    }
    set_result(p, call, Z3_simplify(r->z, all));
    return SYM_GOES_ON;
}

static enum sym_outcome length_of(struct sym_run *r, struct sym_path *p, LLVMValueRef call)
{
    struct sym_value s;
    Z3_ast bytes[MOST_COMPARED], all;
    uint64_t count = 0, n;
    if (!operand(r, p, call, 0, &s))
        return SYM_ENDS;
    while (count < MOST_COMPARED && byte_at(r, p, s, count, &bytes[count])) {
        count++;
        if (sym__is_constant(r, bytes[count - 1], &n) && !n)
            break;
    }
    all = sym__number(r, count, 64);
    for (uint64_t i = count; i-- > 0;)
        all = Z3_mk_ite(r->z, Z3_mk_eq(r->z, bytes[i], sym__number(r, 0, 8)), sym__number(r, i, 64), all);
    set_result(p, call, Z3_simplify(r->z, all));
    return SYM_GOES_ON;
}

static enum sym_outcome call_libc(struct sym_run *r, struct sym_path *p, LLVMValueRef call, const char *name)
{
    if (strcmp(name, "memcmp") == 0 || strcmp(name, "bcmp") == 0)
        return compare_bytes(r, p, call, false, true);
    if (strcmp(name, "strcmp") == 0)
        return compare_bytes(r, p, call, true, false);
    if (strcmp(name, "strncmp") == 0)
        return compare_bytes(r, p, call, true, true);
    if (strcmp(name, "strlen") == 0)
        return length_of(r, p, call);
    if (strcmp(name, "malloc") == 0 || strcmp(name, "calloc") == 0)
        return allocate(r, p, call, *name == 'c');
    if (strcmp(name, "snprintf") == 0) {
        uint32_t length;
        if (!sum__print(r, p, call, &length))
            return fill_unknown(r, p, call, 0);
        set_result(p, call, sym__number(r, length, 32));
        return SYM_GOES_ON;
    }
    return SYM_UNKNOWN;
}

/* A request: two words. */
static enum sym_outcome reply_to(struct sym_run *r, struct sym_path *p, LLVMValueRef call)
{
    struct sym_value who;
    return operand(r, p, call, 0, &who) ? send_to(r, p, call, 2, who.bits, SYM_SEND) : SYM_ENDS;
}

/* The request of the message: who sent it, and a ticket that only the world knows. */
static enum sym_outcome keep_request(struct sym_run *r, struct sym_path *p, LLVMValueRef call)
{
    const struct sym_value kept = { sym__number(r, 0, 64), sym__object_new(r, p, 16, false) };
    for (uint32_t i = 0; i < 8; i++)
        p->objects[kept.object].bytes[i] = Z3_simplify(r->z, Z3_mk_extract(r->z, 8 * i + 7, 8 * i, p->sender));
    *sym__slot(&p->frames[p->depth - 1], call) = kept;
    return SYM_GOES_ON;
}

enum sym_outcome sum__call(struct sym_run *r, struct sym_path *p, LLVMValueRef call, const char *name)
{
    static const char *const waits[] = { "rh_receive_", "rh_ask_", "rh_sleep_" };
    struct sym_value v;
    if (strncmp(name, "rh_", 3) != 0)
        return call_libc(r, p, call, name);
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
        if (strcmp(name, waits[i]) == 0)
            return sum__wait(r, p, call, name);
    if (strcmp(name, "rh_send_") == 0)
        return operand(r, p, call, 0, &v) ? send_to(r, p, call, 1, v.bits, SYM_SEND) : SYM_ENDS;
    if (strcmp(name, "rh_reply_") == 0)
        return send_to(r, p, call, 0, p->sender, SYM_SEND);
    if (strcmp(name, "rh_reply_to_") == 0)
        return reply_to(r, p, call);
    if (strcmp(name, "rh_keep_request_") == 0)
        return keep_request(r, p, call);
    if (strcmp(name, "rh_forward_") == 0)
        return forward(r, p, call);
    if (strcmp(name, "rh_spawn_") == 0 || strcmp(name, "rh_spawn_watched_") == 0)
        return spawn(r, p, call);
    if (strcmp(name, "rh_announce_") == 0)
        return send_to(r, p, call, 0, sym__number(r, 0, 64), SUM_ANNOUNCE);
    if (strcmp(name, "rh_timer_") == 0)
        return set_timer(r, p, call);
    if (strcmp(name, "rh_become_") == 0)
        return become(r, p, call);
    if (strcmp(name, "rh_choose_") == 0)
        return choose(r, p, call);
    if (strcmp(name, "rh_stop_") == 0) {
        p->stops = true;
        return SYM_GOES_ON;
    }
    if (strcmp(name, "rh_exit_") == 0 || strcmp(name, "rh_return_") == 0)
        return end_actor(r, p);
    if (strcmp(name, "rh_self") == 0 || strcmp(name, "rh_sender") == 0) {
        set_result(p, call, name[4] == 'e' && name[5] == 'l' ? p->self : p->sender);
        return SYM_GOES_ON;
    }
    if (strcmp(name, "rh_tail") == 0)
        return read_tail(r, p, call);
    if (strcmp(name, "rh_table_get_") == 0)
        return fill_unknown(r, p, call, 2);
    if (strcmp(name, "rh_store_get_") == 0)
        return fill_unknown(r, p, call, 1);
    return SYM_UNKNOWN;
}
