/* Models of the calls that leave the program: the functions of rehearse.h, and LLVM's own (libc: flow_libc.c).
 *
 * A call without a model is treated as if it could mix up everything that it is given: the result may be any argument,
 * the memory behind one argument may be copied behind another, and functions among the arguments may be called.  A note
 * names it. */
#include <rehearse.h>
#include <stdio.h>
#include <string.h>

#include "target/flow_site.h"

/* ---- what calls have in common ----------------------------------------------------------------------------------- */

static uint32_t ref_node(struct analysis *a, uint32_t actor)
{
    uint32_t n = flow__node(a, NODE_REF, actor, 0);
    flow__add(a, n, flow__atom(a, ATOM_REF, actor, 0));
    return n;
}

/* The global variables that an argument may point to, one after the other: *at counts. NULL behind the last. */
static LLVMValueRef next_global(const struct site *s, uint32_t node, uint32_t *at)
{
    const struct analysis *a = s->a;
    while (*at < a->sets[node].count) {
        uint32_t atom = a->sets[node].at[(*at)++];
        if (flow__atom_kind(a, atom) != ATOM_POINTER)
            continue;
        const uint64_t *key = a->objects.keys[flow__atom_what(a, atom)];
        if (key[0] == OBJECT_GLOBAL)
            return (LLVMValueRef)(uintptr_t)key[1];
    }
    return NULL;
}

/* The message types that an argument may name, as a set of indices; the caller releases it. */
static struct rh__set messages_of(const struct site *s, uint32_t node)
{
    struct rh__set found = { 0 };
    uint32_t at = 0;
    for (LLVMValueRef g; (g = next_global(s, node, &at));) {
        uint32_t m = rh__program_message_of(s->a->program, g);
        if (m != RH__NO_INDEX)
            rh__set_add(&found, m);
    }
    return found;
}

/* The nodes of the graph that a set of references may name; an unknown value may name every actor that is present. */
static struct rh__set actors_of(struct analysis *a, uint32_t node)
{
    struct rh__set found = { 0 };
    for (uint32_t i = 0; i < a->sets[node].count; i++) {
        uint32_t atom = a->sets[node].at[i];
        if (flow__atom_kind(a, atom) == ATOM_REF)
            rh__set_add(&found, flow__atom_what(a, atom));
        for (uint32_t k = 0; k < a->flow->node_count && flow__atom_kind(a, atom) == ATOM_UNKNOWN; k++)
            if (a->flow->present[k])
                rh__set_add(&found, k);
    }
    return found;
}

uint32_t flow__message_object(struct analysis *a, uint32_t receiver, uint32_t message)
{
    if (!a->optimised)
        message = CONTEXT_MERGED;
    return flow__object(a, OBJECT_MESSAGE, receiver, message,
                        message == CONTEXT_MERGED ? 0 : a->program->messages[message].size);
}

uint32_t flow__senders(struct analysis *a, uint32_t receiver, uint32_t message)
{
    return flow__node(a, NODE_SENDERS, receiver, a->optimised ? message : CONTEXT_MERGED);
}

static uint32_t tail_object(struct analysis *a, uint32_t receiver, uint32_t message)
{
    return flow__object(a, OBJECT_TAIL, receiver, a->optimised ? message : CONTEXT_MERGED, 0);
}

static void arrive(struct analysis *a, uint32_t receiver, uint32_t message)
{
    bool *flag = &a->arrived[receiver * a->program->message_count + message];
    a->changed |= !*flag;
    *flag = true;
}

/* A message from `from` (which the receiver sees as `senders`) to each of `to`.  Nodes; `value` and `tail` may be
 * RH__NO_INDEX. */
static void deliver(const struct site *s, uint32_t from, uint32_t senders, uint32_t to, uint32_t message,
                    uint32_t value, uint32_t tail)
{
    struct analysis *a = s->a;
    struct rh__set receivers = actors_of(a, to);
    for (uint32_t i = 0; i < receivers.count; i++) {
        uint32_t r = receivers.at[i];
        flow__edge(a, RH__FLOW_SEND, from, r, message);
        if (r == a->flow->outside_node)
            continue;
        arrive(a, r, message);
        flow__to(a, senders, flow__senders(a, r, message));
        if (value != RH__NO_INDEX)
            flow__copy_into(a, flow__message_object(a, r, message), value, a->program->messages[message].size);
        if (tail != RH__NO_INDEX)
            flow__copy_into(a, tail_object(a, r, message), tail, 0);
    }
    rh__set_release(&receivers);
}

static void send(const struct site *s, uint32_t to, uint32_t type, uint32_t value, uint32_t tail)
{
    struct rh__set messages = messages_of(s, type);
    for (uint32_t i = 0; i < messages.count; i++)
        deliver(s, s->who.actor, ref_node(s->a, s->who.actor), to, messages.at[i], value, tail);
    rh__set_release(&messages);
}

/* The message types that the context may be handling: one for a handler, all that arrived for a process. */
static struct rh__set handled(const struct site *s)
{
    struct rh__set found = { 0 };
    uint32_t count = s->a->program->message_count;
    if (s->who.message < count)
        rh__set_add(&found, s->who.message);
    else
        for (uint32_t m = 0; m < count; m++)
            if (s->a->arrived[s->who.actor * count + m])
                rh__set_add(&found, m);
    return found;
}

/* Who may have sent what the context handles, as a node. */
static uint32_t my_senders(const struct site *s)
{
    struct analysis *a = s->a;
    if (s->who.message < a->program->message_count || !a->optimised)
        return flow__senders(a, s->who.actor, s->who.message);
    uint32_t all = flow__node(a, NODE_SENDERS, s->who.actor, CONTEXT_BODY);
    struct rh__set messages = handled(s);
    for (uint32_t i = 0; i < messages.count; i++)
        flow__to(a, flow__senders(a, s->who.actor, messages.at[i]), all);
    rh__set_release(&messages);
    return all;
}

/* A message of the world itself, about `about`. */
static void notify(const struct site *s, uint32_t from, uint32_t receiver, const char *name, uint32_t about)
{
    struct analysis *a = s->a;
    uint32_t m = rh__program_message_named(a->program, name);
    if (m == RH__NO_INDEX || receiver == a->flow->outside_node)
        return;
    flow__edge(a, RH__FLOW_SEND, from, receiver, m);
    arrive(a, receiver, m);
    flow__to(a, ref_node(a, from), flow__senders(a, receiver, m));
    uint32_t object = flow__message_object(a, receiver, m), pointer = flow__node(a, NODE_REF, object, 1);
    flow__add(a, pointer, flow__atom(a, ATOM_POINTER, object, 0));
    flow__store(a, pointer, CELL_BYTES, ref_node(a, about)); /* the field `who` is the first */
}

/* ---- actors ------------------------------------------------------------------------------------------------------ */

static void watch(const struct site *s, uint32_t who, bool links, bool monitors)
{
    struct rh__set others = actors_of(s->a, who);
    for (uint32_t i = 0; i < others.count; i++) {
        if (monitors)
            notify(s, others.at[i], s->who.actor, "rh_down", others.at[i]);
        if (links) {
            notify(s, others.at[i], s->who.actor, "rh_exited", others.at[i]);
            notify(s, s->who.actor, others.at[i], "rh_exited", s->who.actor);
        }
    }
    rh__set_release(&others);
}

static bool lists_start(const struct rh__program *p, uint32_t actor, uint32_t start)
{
    const struct rh__program_actor *x = &p->actors[actor];
    return x->kind == RH_KIND_PROCESS || (x->first != RH__NO_INDEX && rh__program_entry(p, x->first, start));
}

static void spawn(const struct site *s)
{
    struct analysis *a = s->a;
    uint32_t at = 0, type = argument(s, 0), start = rh__program_message_named(a->program, "rh_start");
    for (LLVMValueRef g; (g = next_global(s, type, &at));) {
        uint32_t x = rh__program_actor_of(a->program, g);
        if (x == RH__NO_INDEX)
            continue;
        a->changed |= !a->flow->present[x];
        a->flow->present[x] = true;
        flow__edge(a, RH__FLOW_CREATE, s->who.actor, x, RH__NO_INDEX);
        flow__add(a, result(s), flow__atom(a, ATOM_REF, x, 0));
        flow__copy_into(a, flow__object(a, OBJECT_STATE, x, 0, a->program->actors[x].size), argument(s, 1),
                        a->program->actors[x].size);
        if (start != RH__NO_INDEX && lists_start(a->program, x, start))
            deliver(s, s->who.actor, ref_node(a, s->who.actor), ref_node(a, x), start, RH__NO_INDEX, RH__NO_INDEX);
    }
}

static void spawn_watched(const struct site *s)
{
    LLVMValueRef how = LLVMGetOperand(s->call, 2);
    uint64_t n = LLVMIsAConstantInt(how) ? LLVMConstIntGetZExtValue(how) : 3;
    spawn(s);
    watch(s, result(s), n == RH_WATCH_LINK || n == 3, n == RH_WATCH_MONITOR || n == 3);
}

static void observe(const struct site *s)
{
    uint32_t at = 0, type = argument(s, 0);
    spawn(s);
    for (LLVMValueRef g; (g = next_global(s, type, &at));) {
        uint32_t x = rh__program_actor_of(s->a->program, g);
        if (x == RH__NO_INDEX)
            continue;
        s->a->changed |= !s->a->observed[x];
        s->a->observed[x] = true;
    }
}

static void become(const struct site *s)
{
    uint32_t at = 0, behaviour = argument(s, 0);
    for (LLVMValueRef g; (g = next_global(s, behaviour, &at));) {
        uint32_t b = rh__program_behaviour_of(s->a->program, g);
        if (b == RH__NO_INDEX || s->a->active[b])
            continue;
        s->a->active[b] = s->a->changed = true;
    }
}

static void self(const struct site *s)
{
    flow__to(s->a, ref_node(s->a, s->who.actor), result(s));
}

static void sender(const struct site *s)
{
    flow__to(s->a, my_senders(s), result(s));
}

static void link_to(const struct site *s)
{
    watch(s, argument(s, 0), true, false);
}

static void monitor(const struct site *s)
{
    watch(s, argument(s, 0), false, true);
}

/* The result of a function that gives the message of type `m`. */
static void give_message(const struct site *s, uint32_t m)
{
    flow__add(s->a, result(s), flow__atom(s->a, ATOM_POINTER, flow__message_object(s->a, s->who.actor, m), 0));
}

static void join(const struct site *s)
{
    uint32_t m = rh__program_message_named(s->a->program, "rh_down");
    watch(s, argument(s, 0), false, true);
    if (m != RH__NO_INDEX)
        give_message(s, m);
}

static void kill_other(const struct site *s)
{
    struct rh__set others = actors_of(s->a, argument(s, 0));
    for (uint32_t i = 0; i < others.count; i++)
        notify(s, s->who.actor, others.at[i], "rh_exited", s->who.actor);
    rh__set_release(&others);
}

static void return_result(const struct site *s)
{
    struct rh__set messages = messages_of(s, argument(s, 0));
    for (uint32_t i = 0; i < messages.count; i++)
        flow__copy_into(
            s->a, flow__object(s->a, OBJECT_RESULT, messages.at[i], 0, s->a->program->messages[messages.at[i]].size),
            argument(s, 1), 0);
    rh__set_release(&messages);
}

static void read_result(const struct site *s)
{
    struct rh__set messages = messages_of(s, argument(s, 1));
    for (uint32_t i = 0; i < messages.count; i++)
        flow__add(s->a, result(s),
                  flow__atom(s->a, ATOM_POINTER,
                             flow__object(s->a, OBJECT_RESULT, messages.at[i], 0,
                                          s->a->program->messages[messages.at[i]].size),
                             0));
    rh__set_release(&messages);
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

static void send_call(const struct site *s)
{
    send(s, argument(s, 0), argument(s, 1), argument(s, 2), argument(s, 3));
}

static void reply(const struct site *s)
{
    send(s, my_senders(s), argument(s, 0), argument(s, 1), argument(s, 2));
}

static void reply_to(const struct site *s) /* a request is passed as two integers */
{
    send(s, argument(s, 0), argument(s, 2), argument(s, 3), argument(s, 4));
}

static void timer(const struct site *s)
{
    send(s, ref_node(s->a, s->who.actor), argument(s, 2), argument(s, 3), RH__NO_INDEX);
}

static void forward(const struct site *s)
{
    struct analysis *a = s->a;
    struct rh__set messages = handled(s);
    for (uint32_t i = 0; i < messages.count; i++) {
        uint32_t m = messages.at[i], pointer, tail, o = flow__message_object(a, s->who.actor, m);
        pointer = flow__node(a, NODE_REF, o, 1);
        flow__add(a, pointer, flow__atom(a, ATOM_POINTER, o, 0));
        o = tail_object(a, s->who.actor, m);
        tail = flow__node(a, NODE_REF, o, 1);
        flow__add(a, tail, flow__atom(a, ATOM_POINTER, o, 0));
        /* The receiver sees the original sender, and so does a run: edges from both. */
        struct rh__set from = actors_of(a, flow__senders(a, s->who.actor, m));
        for (uint32_t k = 0; k < from.count; k++)
            deliver(s, from.at[k], flow__senders(a, s->who.actor, m), argument(s, 0), m, pointer, tail);
        deliver(s, s->who.actor, flow__senders(a, s->who.actor, m), argument(s, 0), m, pointer, tail);
        rh__set_release(&from);
    }
    rh__set_release(&messages);
}

static void ask(const struct site *s)
{
    struct rh__set replies = messages_of(s, argument(s, 3));
    send(s, argument(s, 0), argument(s, 1), argument(s, 2), RH__NO_INDEX);
    for (uint32_t i = 0; i < replies.count; i++)
        give_message(s, replies.at[i]);
    rh__set_release(&replies);
}

static void send_from(const struct site *s)
{
    struct rh__set messages = messages_of(s, argument(s, 2)), from = actors_of(s->a, argument(s, 0));
    for (uint32_t i = 0; i < messages.count; i++)
        for (uint32_t k = 0; k < from.count; k++)
            deliver(s, from.at[k], ref_node(s->a, from.at[k]), argument(s, 1), messages.at[i], argument(s, 3),
                    RH__NO_INDEX);
    rh__set_release(&messages);
    rh__set_release(&from);
}

/* Every eight bytes of the message may refer to whatever the outside knows. */
static void open_to_outside(const struct site *s)
{
    struct analysis *a = s->a;
    struct rh__set messages = messages_of(s, argument(s, 1));
    uint32_t outside = a->flow->outside_node, known = flow__node(a, NODE_OPENED, 0, 0);
    flow__to(a, ref_node(a, outside), known);
    flow__to(a, argument(s, 0), known);
    uint32_t bytes = flow__node(a, NODE_OPENED, 1, 0); /* a pointer to such bytes */
    flow__add(a, bytes, flow__atom(a, ATOM_POINTER, flow__object(a, OBJECT_RESULT, RH__NO_INDEX, 0, 0), ANY_OFFSET));
    flow__store(a, bytes, CELL_BYTES, known);
    for (uint32_t i = 0; i < messages.count; i++)
        deliver(s, outside, ref_node(a, outside), argument(s, 0), messages.at[i], bytes, RH__NO_INDEX);
    rh__set_release(&messages);
}

static void external(const struct site *s)
{
    flow__to(s->a, ref_node(s->a, s->a->flow->outside_node), result(s));
}

static void announce(const struct site *s)
{
    struct analysis *a = s->a;
    struct rh__set messages = messages_of(s, argument(s, 0));
    for (uint32_t i = 0; i < messages.count; i++)
        for (uint32_t x = 0; x < a->program->actor_count; x++) {
            bool lists = false;
            for (uint32_t b = 0; b < a->program->behaviour_count; b++)
                lists |= a->program->behaviours[b].actor == x && rh__program_entry(a->program, b, messages.at[i]);
            if (a->observed[x] && lists)
                deliver(s, s->who.actor, ref_node(a, s->who.actor), ref_node(a, x), messages.at[i], argument(s, 1),
                        RH__NO_INDEX);
        }
    rh__set_release(&messages);
}

static void tail(const struct site *s)
{
    struct rh__set messages = handled(s);
    for (uint32_t i = 0; i < messages.count; i++)
        flow__add(s->a, result(s), flow__atom(s->a, ATOM_POINTER, tail_object(s->a, s->who.actor, messages.at[i]), 0));
    rh__set_release(&messages);
}

/* The messages that a receive may give: those its filter names, or all that arrive. */
static struct rh__set filtered(const struct site *s, uint32_t filter)
{
    struct analysis *a = s->a;
    uint32_t type = flow__node(a, NODE_VALUE, s->context, (uintptr_t)s->call | 1);
    uint32_t list = flow__node(a, NODE_VALUE, s->context, (uintptr_t)s->call | 2);
    uint32_t types = flow__node(a, NODE_VALUE, s->context, (uintptr_t)s->call | 3);
    struct rh__set pointers = flow__copy_set(a, filter);
    for (uint32_t i = 0; i < pointers.count; i++) {
        if (flow__atom_kind(a, pointers.at[i]) != ATOM_POINTER)
            continue;
        uint32_t one = flow__node(a, NODE_REF, pointers.at[i], 2), two = flow__node(a, NODE_REF, pointers.at[i], 3);
        uint32_t at = flow__atom_offset(a, pointers.at[i]), object = flow__atom_what(a, pointers.at[i]);
        bool any = at == ANY_OFFSET;
        flow__add(a, one, pointers.at[i]);
        flow__add(a, two,
                  any ? pointers.at[i]
                      : flow__atom(a, ATOM_POINTER, object, at + (uint32_t)offsetof(struct rh_filter, types)));
        flow__load(a, one, CELL_BYTES, type);
        flow__load(a, two, CELL_BYTES, list);
    }
    rh__set_release(&pointers);
    struct rh__set arrays = flow__copy_set(a, list);
    for (uint32_t i = 0; i < arrays.count; i++)
        if (flow__atom_kind(a, arrays.at[i]) == ATOM_POINTER) {
            uint32_t any = flow__node(a, NODE_REF, arrays.at[i], 4);
            flow__add(a, any, flow__atom(a, ATOM_POINTER, flow__atom_what(a, arrays.at[i]), ANY_OFFSET));
            flow__load(a, any, CELL_BYTES, types);
        }
    rh__set_release(&arrays);
    struct rh__set found = messages_of(s, type), more = messages_of(s, types);
    rh__set_add_all(&found, &more);
    rh__set_release(&more);
    if (!found.count || !a->optimised) {
        rh__set_release(&found);
        found = handled(s);
    }
    return found;
}

/* Bytes of the envelope, of struct rh_envelope. */
static void set_field(struct analysis *a, uint32_t envelope, size_t offset, uint32_t from)
{
    uint32_t pointer = flow__node(a, NODE_REF, envelope, 16 + offset);
    flow__add(a, pointer, flow__atom(a, ATOM_POINTER, envelope, (uint32_t)offset));
    flow__store(a, pointer, CELL_BYTES, from);
}

/* `match` of the filter is called with the envelope. */
static void call_match(const struct site *s, uint32_t filter, uint32_t envelope_node)
{
    struct analysis *a = s->a;
    struct rh__set pointers = flow__copy_set(a, filter);
    uint32_t functions = flow__node(a, NODE_VALUE, s->context, (uintptr_t)s->call | 5);
    uint32_t arg = flow__node(a, NODE_VALUE, s->context, (uintptr_t)s->call | 6);
    for (uint32_t i = 0; i < pointers.count; i++) {
        uint32_t at = flow__atom_offset(a, pointers.at[i]), object = flow__atom_what(a, pointers.at[i]);
        if (flow__atom_kind(a, pointers.at[i]) != ATOM_POINTER || at == ANY_OFFSET)
            continue;
        uint32_t one = flow__node(a, NODE_REF, pointers.at[i], 5), two = flow__node(a, NODE_REF, pointers.at[i], 6);
        flow__add(a, one, flow__atom(a, ATOM_POINTER, object, at + (uint32_t)offsetof(struct rh_filter, match)));
        flow__add(a, two, flow__atom(a, ATOM_POINTER, object, at + (uint32_t)offsetof(struct rh_filter, arg)));
        flow__load(a, one, CELL_BYTES, functions);
        flow__load(a, two, CELL_BYTES, arg);
    }
    rh__set_release(&pointers);
    struct rh__set found = flow__copy_set(a, functions);
    for (uint32_t i = 0; i < found.count; i++) {
        LLVMValueRef f = (LLVMValueRef)(uintptr_t)a->atoms.keys[found.at[i]][1];
        const uint32_t arguments[] = { envelope_node, arg };
        if (flow__atom_kind(a, found.at[i]) == ATOM_FUNCTION && LLVMGetFirstBasicBlock(f))
            flow__call(a, s->context, f, arguments, 2);
    }
    rh__set_release(&found);
}

/* Message m as an envelope at this offset. */
static void put_envelope(const struct site *s, uint32_t envelope, size_t at, uint32_t m)
{
    struct analysis *a = s->a;
    uint32_t o = flow__message_object(a, s->who.actor, m), value, bytes;
    value = flow__node(a, NODE_REF, o, 1);
    flow__add(a, value, flow__atom(a, ATOM_POINTER, o, 0));
    set_field(a, envelope, at + offsetof(struct rh_envelope, type), flow__value(a, 0, a->program->messages[m].global));
    set_field(a, envelope, at + offsetof(struct rh_envelope, value), value);
    set_field(a, envelope, at + offsetof(struct rh_envelope, sender), flow__senders(a, s->who.actor, m));
    o = tail_object(a, s->who.actor, m);
    bytes = flow__node(a, NODE_REF, o, 1);
    flow__add(a, bytes, flow__atom(a, ATOM_POINTER, o, 0));
    set_field(a, envelope, at + offsetof(struct rh_envelope, tail), bytes);
}

/* A set, whose filter is the second of three arguments, is mostly read by a variable index, which finds all of its
 * first envelopes. */
static void receive(const struct site *s)
{
    struct analysis *a = s->a;
    bool set = LLVMGetNumArgOperands(s->call) == 3;
    uint32_t filter = argument(s, set), most = set ? 16 : 1;
    size_t size = sizeof(struct rh_envelope);
    uint32_t envelope = flow__object(a, OBJECT_ENVELOPE, s->context, (uintptr_t)s->call, (uint32_t)(most * size));
    struct rh__set messages = filtered(s, filter);
    for (uint32_t i = 0; i < messages.count; i++)
        for (uint32_t k = 0; k < most; k++)
            put_envelope(s, envelope, k * size, messages.at[i]);
    rh__set_release(&messages);
    flow__add(a, result(s), flow__atom(a, ATOM_POINTER, envelope, 0));
    call_match(s, filter, result(s));
}

/* ---- names, tables, stores --------------------------------------------------------------------------------------- */

/* A hash of a constant text; 0 if the argument is none. */
static uint64_t text_of(LLVMValueRef v)
{
    LLVMValueRef g = rh__program_strip(v), init = g && LLVMIsAGlobalVariable(g) ? LLVMGetInitializer(g) : NULL;
    size_t length;
    uint64_t h = 1469598103934665603u;
    if (!init || !LLVMIsGlobalConstant(g) || !LLVMIsAConstantDataSequential(init) || !LLVMIsConstantString(init))
        return 0;
    const char *text = LLVMGetAsString(init, &length);
    for (size_t i = 0; i < length; i++)
        h = (h ^ (unsigned char)text[i]) * 1099511628211u;
    return h | 3;
}

enum { NAME_UNKNOWN = 0, NAME_ALL = 1 };

static void register_name(const struct site *s)
{
    uint64_t name = text_of(LLVMGetOperand(s->call, 0));
    flow__to(s->a, argument(s, 1), flow__node(s->a, NODE_NAME, name ? name : NAME_UNKNOWN, 0));
    flow__to(s->a, argument(s, 1), flow__node(s->a, NODE_NAME, NAME_ALL, 0));
}

static uint32_t named(const struct site *s)
{
    uint64_t name = text_of(LLVMGetOperand(s->call, 0));
    uint32_t node = flow__node(s->a, NODE_NAME, name ? name : NAME_ALL, 0);
    flow__to(s->a, flow__node(s->a, NODE_NAME, NAME_UNKNOWN, 0), node);
    return node;
}

static void whereis(const struct site *s)
{
    flow__to(s->a, named(s), result(s));
}

static void send_to_name(const struct site *s)
{
    send(s, named(s), argument(s, 1), argument(s, 2), RH__NO_INDEX);
}

static void put(const struct site *s, uint32_t value)
{
    uint32_t at = 0;
    for (LLVMValueRef g; (g = next_global(s, argument(s, 0), &at));)
        flow__copy_into(s->a, flow__object(s->a, OBJECT_TABLE, (uintptr_t)g, 0, 0), argument(s, value), 0);
}

static void table_put(const struct site *s)
{
    put(s, 2);
}

static void table_swap(const struct site *s)
{
    put(s, 4);
}

static void copy_out(const struct site *s, uint32_t object, uint32_t buffer)
{
    uint32_t pointer = flow__node(s->a, NODE_REF, object, 1);
    flow__add(s->a, pointer, flow__atom(s->a, ATOM_POINTER, object, 0));
    flow__copy(s->a, buffer, pointer, 0);
}

static void table_get(const struct site *s)
{
    uint32_t at = 0;
    for (LLVMValueRef g; (g = next_global(s, argument(s, 0), &at));)
        copy_out(s, flow__object(s->a, OBJECT_TABLE, (uintptr_t)g, 0, 0), argument(s, 2));
}

static void store_put_sync(const struct site *s)
{
    flow__copy_into(s->a, flow__object(s->a, OBJECT_STORE, 0, 0, 0), argument(s, 1), 0);
}

static void store_put(const struct site *s)
{
    uint32_t m = rh__program_message_named(s->a->program, "rh_stored");
    store_put_sync(s);
    if (m != RH__NO_INDEX)
        deliver(s, s->who.actor, ref_node(s->a, s->who.actor), ref_node(s->a, s->who.actor), m, RH__NO_INDEX,
                RH__NO_INDEX);
}

static void store_get(const struct site *s)
{
    copy_out(s, flow__object(s->a, OBJECT_STORE, 0, 0, 0), argument(s, 1));
}

static void join_operands(const struct site *s)
{
    for (uint32_t i = 0; i < LLVMGetNumArgOperands(s->call); i++)
        if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(s->call, i))) != LLVMMetadataTypeKind)
            flow__to(s->a, argument(s, i), result(s));
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

static const struct flow_model models[] = {
    { "rh_spawn_", 2, spawn },
    { "rh_spawn_watched_", 3, spawn_watched },
    { "rh_observe_", 2, observe },
    { "rh_become_", 1, become },
    { "rh_self", 0, self },
    { "rh_sender", 0, sender },
    { "rh_link_", 1, link_to },
    { "rh_monitor_", 1, monitor },
    { "rh_join_", 1, join },
    { "rh_kill_", 1, kill_other },
    { "rh_return_", 2, return_result },
    { "rh_result_", 2, read_result },
    { "rh_send_", 4, send_call },
    { "rh_reply_", 3, reply },
    { "rh_keep_request_", 0, sender },
    { "rh_reply_to_", 5, reply_to },
    { "rh_timer_", 4, timer },
    { "rh_forward_", 1, forward },
    { "rh_ask_", 4, ask },
    { "rh_send_from_", 4, send_from },
    { "rh_external_", 1, external },
    { "rh_open_", 3, open_to_outside },
    { "rh_announce_", 2, announce },
    { "rh_tail", 1, tail },
    { "rh_receive_", 1, receive },
    { "rh_receive_set_", 3, receive },
    { "rh_register_", 2, register_name },
    { "rh_whereis_", 1, whereis },
    { "rh_send_to_name_", 3, send_to_name },
    { "rh_table_put_", 3, table_put },
    { "rh_table_insert_new_", 3, table_put },
    { "rh_table_swap_", 5, table_swap },
    { "rh_table_get_", 3, table_get },
    { "rh_store_put_", 2, store_put },
    { "rh_store_put_sync_", 2, store_put_sync },
    { "rh_store_get_", 2, store_get },
};

/* Calls that pass no reference on. */
static const char harmless[] =
    " rh_unlink_ rh_demonitor_ rh_trap_exits_ rh_alive_ rh_yield_ rh_info_ rh_restarts rh_name rh_stop_ rh_exit_ "
    "rh_unregister_ rh_wanted_ rh_advance_time_ rh_state_of_"
    " rh_turn_to_ rh_timer_cancel_ rh_now_ms rh_sleep_ rh_choose_ rh_random rh_store_open_ rh_store_sync_"
    " rh_table_remove_ rh_table_add_ rh_table_count_ rh_table_next_ rh_assert_failed_ rh_assume_failed_"
    " rh_to_nobody_ __ubsan_handle_type_mismatch_minimal_abort __ubsan_handle_out_of_bounds_minimal_abort"
    " rh_property_ rh_abstract_ rh_history_call_ rh_history_return_ rh_log rh_param rh_param_text rh_bug "
    "rh_result_type_ free abort "
    "exit printf fprintf"
    " sprintf snprintf vsnprintf vprintf vfprintf puts putchar fputs fputc fflush strlen strnlen strcmp"
    " strncmp strcasecmp strcoll memcmp atoi atol strtol strtoul strtoll strtoull strtod sscanf rand srand"
    " random time clock_gettime abs labs sqrt fabs pow exp log sin cos floor ceil round fmod isdigit"
    " isspace isalpha isalnum toupper tolower strspn strcspn strerror"
    " ";

static bool is_harmless(const char *name)
{
    size_t n = strlen(name);
    for (const char *at = harmless; (at = strstr(at, name)); at += n)
        if (at[-1] == ' ' && at[n] == ' ')
            return true;
    return false;
}

/* A function of which nothing is known. */
static void anything(const struct site *s, const char *name)
{
    struct analysis *a = s->a;
    uint32_t count = LLVMGetNumArgOperands(s->call);
    uint32_t all = flow__node(a, NODE_VALUE, s->context, (uintptr_t)s->call | 1);
    flow__note(a, "%s has no model: what it does with references is guessed", name);
    for (uint32_t i = 0; i < count; i++)
        flow__to(a, argument(s, i), all);
    flow__copy(a, all, all, 0);
    flow__add(a, all, flow__atom(a, ATOM_UNKNOWN, 0, 0));
    flow__to(a, all, result(s));
    struct rh__set found = flow__copy_set(a, all);
    for (uint32_t i = 0; i < found.count; i++) {
        LLVMValueRef f = (LLVMValueRef)(uintptr_t)a->atoms.keys[found.at[i]][1];
        const uint32_t arguments[] = { all, all, all, all, all, all };
        if (flow__atom_kind(a, found.at[i]) == ATOM_FUNCTION && LLVMGetFirstBasicBlock(f))
            flow__call(a, s->context, f, arguments, 6);
    }
    rh__set_release(&found);
}

bool flow__apply(const struct flow_model *rows, size_t row_count, const struct site *s, const char *name,
                 uint32_t arguments)
{
    for (size_t i = 0; i < row_count; i++)
        if (strcmp(name, rows[i].name) == 0 && arguments >= rows[i].arguments) {
            rows[i].apply(s);
            return true;
        }
    return false;
}

void flow__outer_call(struct analysis *a, uint32_t context, LLVMValueRef call, const char *name)
{
    struct site s = { a, context, flow__context_of(a, context), call };
    uint32_t count = LLVMGetNumArgOperands(call);
    if (strncmp(name, "llvm.", 5) == 0) {
        if (strncmp(name, "llvm.memcpy", 11) == 0 || strncmp(name, "llvm.memmove", 12) == 0)
            flow__libc_call(&s, "memcpy", count);
        else if (LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMVoidTypeKind)
            join_operands(&s);
        return;
    }
    if (flow__apply(models, sizeof models / sizeof *models, &s, name, count) || flow__libc_call(&s, name, count))
        return;
    if (!is_harmless(name))
        anything(&s, name);
}
