/* See order.h. */
#include "history/order.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/hash.h"

enum { NONE = 0xffffffffu, MOST_BYTES = 64 << 20 };

struct buffer {
    void *at;
    size_t size;
};

/* A set of operations in some order, and the state after them.  Behind it are the set, for each lane two positions, and
 * the state. */
struct node {
    uint64_t bits; /* of the set without the operations that need not be in it: a sum of numbers */
    uint64_t hash; /* of that and the state */
    uint32_t next; /* in the list of nodes of the same cost that are to be continued */
    uint32_t cost; /* operations that need not be in the set, and are */
    uint32_t done; /* the others in the set */
};

struct returned {
    uint64_t when; /* lane, moment */
    uint32_t op;
};

struct rh__order {
    struct buffer nodes, table, waiting, lanes, slots, by_call, by_return, starts, twins, hashes, from, state, found;
    const struct rh__order_problem *p;
    uint32_t count, words, lane_count, slot_count, needed;
    uint32_t node_count, table_mask;
    uint32_t cheapest; /* no node of lower cost is waiting */
    uint32_t reached;
    size_t slot_size, state_size, node_size, lane_at, state_at;
    bool failed; /* no memory, too many nodes, or stopped */
};

struct rh__order *rh__order_new(void)
{
    return rh__alloc_array(1, sizeof(struct rh__order));
}

#define BUFFERS(X)                                                                                                     \
    X(nodes)                                                                                                           \
    X(table) X(waiting) X(lanes) X(slots) X(by_call) X(by_return) X(starts) X(twins) X(hashes) X(from) X(state) X(found)

void rh__order_free(struct rh__order *s)
{
    if (!s)
        return;
#define RH_X(name) rh__free(s->name.at);
    BUFFERS(RH_X)
#undef RH_X
    rh__free(s);
}

/* Room for so many bytes; what was there stays. */
static void *room(struct rh__order *s, struct buffer *b, size_t bytes)
{
    if (bytes > b->size) {
        size_t size = bytes + bytes / 2 + 256;
        void *at = rh__realloc(b->at, size);
        if (!at) {
            s->failed = true;
            return b->at;
        }
        b->at = at;
        b->size = size;
    }
    return b->at;
}

/* ---- operations -------------------------------------------------------------------------------------------------- */

static bool is_loose(const struct rh__order *s, uint32_t op)
{
    return s->p->loose && s->p->loose[op];
}

/* Whether the operation must be in the order. */
static bool is_needed(const struct rh__order *s, uint32_t op)
{
    return s->p->ops[op].returned != RH__NOT_RETURNED && !is_loose(s, op);
}

static uint32_t call_of(const struct rh__order *s, uint32_t op)
{
    return is_loose(s, op) ? 0 : s->p->ops[op].called;
}

/* Numbers operations by what is equal in them: the clients, or the keys. */
static uint32_t number(const struct rh__order *s, uint32_t *numbers, bool by_client)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        const struct rh__history_op *o = &s->p->ops[i];
        uint32_t k = 0;
        while (k < i &&
               (by_client ? s->p->ops[k].client != o->client : strcmp(s->p->ops[k].seen.key, o->seen.key) != 0))
            k++;
        numbers[i] = k < i ? numbers[k] : count++;
    }
    return count;
}

static int by_moment(const void *a, const void *b)
{
    uint64_t x = ((const struct returned *)a)->when, y = ((const struct returned *)b)->when;
    return x < y ? -1 : x > y;
}

/* The operations of each lane by their calls, the loose ones first, and those that must be in the order by their
 * returns.  starts[2 * lane], starts[2 * lane + 1]: where the lane begins in both. */
static void sort_lanes(struct rh__order *s)
{
    uint32_t *lanes = s->lanes.at, *by_call = s->by_call.at, *starts = s->starts.at, calls = 0, returns = 0;
    struct returned *by_return = s->by_return.at;
    for (uint32_t i = 0; i < s->count; i++)
        if (is_needed(s, i))
            by_return[returns++] = (struct returned){ (uint64_t)lanes[i] << 32 | s->p->ops[i].returned, i };
    s->needed = returns;
    qsort(by_return, returns, sizeof *by_return, by_moment);
    returns = 0;
    for (uint32_t lane = 0; lane < s->lane_count; lane++) {
        starts[2 * lane] = calls;
        starts[2 * lane + 1] = returns;
        for (uint32_t i = 0; i < s->count; i++)
            if (lanes[i] == lane && is_loose(s, i))
                by_call[calls++] = i;
        for (uint32_t i = 0; i < s->count; i++)
            if (lanes[i] == lane && !is_loose(s, i))
                by_call[calls++] = i;
        while (returns < s->needed && by_return[returns].when >> 32 == lane)
            returns++;
    }
    starts[2 * s->lane_count] = calls;
    starts[2 * s->lane_count + 1] = returns;
}

static bool same_call(const struct rh__history_op *a, const struct rh__history_op *b)
{
    const struct rh_envelope *x = &a->seen.call, *y = &b->seen.call, *u = &a->seen.result, *v = &b->seen.result;
    return x->type == y->type && memcmp(x->value, y->value, x->type->size) == 0 && u->type == v->type &&
           (!u->type || memcmp(u->value, v->value, u->type->size) == 0) && strcmp(a->seen.key, b->seen.key) == 0;
}

static uint64_t hash_call(const struct rh_operation *o)
{
    uint64_t h = rh__hash(o->call.value, o->call.type->size, (uintptr_t)o->call.type);
    return o->result.type ? rh__mix(h, rh__hash(o->result.value, o->result.type->size, 1)) : h;
}

/* Of loose operations that are alike, the first that is left is as good as any: twins[i] is the one before i. */
static void find_twins(struct rh__order *s)
{
    uint32_t *twins = s->twins.at;
    uint64_t *hashes = s->hashes.at;
    for (uint32_t i = 0; i < s->count; i++) {
        twins[i] = NONE;
        hashes[i] = 0;
        if (!is_loose(s, i))
            continue;
        hashes[i] = hash_call(&s->p->ops[i].seen) | 1;
        for (uint32_t k = i; k-- && twins[i] == NONE;)
            if (hashes[k] == hashes[i] && same_call(&s->p->ops[k], &s->p->ops[i]))
                twins[i] = k;
    }
}

static bool prepare(struct rh__order *s, const struct rh__order_problem *p)
{
    bool sequential = p->model->consistency == RH_SEQUENTIAL;
    size_t n = p->count;
    s->p = p;
    s->count = p->count;
    s->failed = false;
    s->words = (uint32_t)(n + 63) / 64;
    uint32_t *lanes = room(s, &s->lanes, n * sizeof *lanes), *slots = room(s, &s->slots, n * sizeof *slots);
    room(s, &s->by_call, n * sizeof(uint32_t));
    room(s, &s->by_return, n * sizeof(struct returned));
    room(s, &s->twins, n * sizeof(uint32_t));
    room(s, &s->hashes, n * sizeof(uint64_t));
    room(s, &s->found, n * sizeof(uint32_t));
    room(s, &s->waiting, (n + 1) * sizeof(uint32_t));
    if (s->failed)
        return false;
    s->lane_count = s->slot_count = 1;
    memset(lanes, 0, n * sizeof *lanes);
    memset(slots, 0, n * sizeof *slots);
    if (sequential) {
        s->lane_count = number(s, lanes, true);
        s->slot_count = number(s, slots, false);
    }
    room(s, &s->starts, 2 * (s->lane_count + (size_t)1) * sizeof(uint32_t));
    s->slot_size = ((size_t)p->model->state_size + 15) & ~(size_t)15;
    s->state_size = s->slot_size * s->slot_count;
    s->lane_at = sizeof(struct node) + s->words * sizeof(uint64_t);
    s->state_at = (s->lane_at + 2 * s->lane_count * sizeof(uint32_t) + 15) & ~(size_t)15;
    s->node_size = s->state_at + s->state_size;
    room(s, &s->from, s->node_size);
    room(s, &s->state, s->state_size);
    if (s->failed)
        return false;
    sort_lanes(s);
    if (p->loose)
        find_twins(s);
    return true;
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static struct node *node_at(const struct rh__order *s, uint32_t i)
{
    return (struct node *)(void *)((char *)s->nodes.at + i * s->node_size);
}

static uint64_t *set_of(const struct node *n)
{
    return (uint64_t *)(void *)((char *)(uintptr_t)n + sizeof *n);
}

static uint32_t *positions_of(const struct rh__order *s, const struct node *n)
{
    return (uint32_t *)(void *)((char *)(uintptr_t)n + s->lane_at);
}

static char *state_of(const struct rh__order *s, const struct node *n)
{
    return (char *)(uintptr_t)n + s->state_at;
}

static bool has(const uint64_t *set, uint32_t op)
{
    return set[op / 64] >> op % 64 & 1;
}

static uint64_t hash_state(const struct rh__order *s, const char *state)
{
    const struct rh_sequential_model *m = s->p->model;
    uint64_t h = 0;
    if (!m->hash)
        return m->equal ? 0 : rh__hash(state, s->state_size, 0);
    for (uint32_t i = 0; i < s->slot_count; i++)
        h = rh__mix(h, m->hash(state + i * s->slot_size));
    return h;
}

static bool slots_equal(const struct rh__order *s, const char *a, const char *b)
{
    return s->p->model->equal ? s->p->model->equal(a, b) : memcmp(a, b, s->slot_size) == 0;
}

static bool states_equal(const struct rh__order *s, const char *a, const char *b)
{
    bool equal = true;
    for (uint32_t i = 0; i < s->slot_count && equal; i++)
        equal = slots_equal(s, a + i * s->slot_size, b + i * s->slot_size);
    return equal;
}

/* Whether `old` has the same needed operations as `set`, and no more of the others. */
static bool is_no_worse(const struct rh__order *s, const uint64_t *old, const uint64_t *set)
{
    for (uint32_t w = 0; w < s->words; w++)
        for (uint64_t differ = old[w] ^ set[w]; differ; differ &= differ - 1) {
            uint32_t op = w * 64 + (uint32_t)__builtin_ctzll(differ);
            if (is_needed(s, op) || has(old, op))
                return false;
        }
    return true;
}

/* Whether a node is known from which at least the same can follow.  Otherwise *slot is where the new one goes. */
static bool is_known(const struct rh__order *s, uint64_t hash, const uint64_t *set, const char *state, uint32_t *slot)
{
    const uint32_t *table = s->table.at;
    uint32_t i = (uint32_t)hash & s->table_mask;
    for (; table[i] != NONE; i = (i + 1) & s->table_mask) {
        const struct node *n = node_at(s, table[i]);
        if (n->hash == hash && is_no_worse(s, set_of(n), set) && states_equal(s, state_of(s, n), state))
            return true;
    }
    *slot = i;
    return false;
}

static void make_table(struct rh__order *s, uint32_t size)
{
    uint32_t *table = room(s, &s->table, size * sizeof *table);
    if (s->failed)
        return;
    memset(table, 0xff, size * sizeof *table);
    s->table_mask = size - 1;
    for (uint32_t k = 0; k < s->node_count; k++) {
        uint32_t i = (uint32_t)node_at(s, k)->hash & s->table_mask;
        while (table[i] != NONE)
            i = (i + 1) & s->table_mask;
        table[i] = k;
    }
}

/* Adds the node that follows s->from by this operation, with the state in s->state, unless it is known. */
static void add(struct rh__order *s, uint32_t op)
{
    struct node *from = s->from.at;
    const char *state = s->state.at;
    uint64_t *set = set_of(from);
    bool needed = is_needed(s, op);
    uint64_t bits = from->bits + (needed ? rh__mix(op + (uint64_t)1, 7) : 0);
    uint64_t hash = rh__mix(bits, hash_state(s, state));
    uint32_t slot;
    set[op / 64] |= (uint64_t)1 << op % 64;
    if (!is_known(s, hash, set, state, &slot)) {
        if (s->node_count >= s->p->max_nodes || (s->node_count + (size_t)1) * s->node_size > MOST_BYTES)
            s->failed = true;
        room(s, &s->nodes, (s->node_count + (size_t)1) * s->node_size);
        if (!s->failed) {
            struct node *n = node_at(s, s->node_count);
            uint32_t *waiting = s->waiting.at;
            memcpy(n, from, s->state_at);
            if (s->state_size)
                memcpy(state_of(s, n), state, s->state_size);
            n->bits = bits;
            n->hash = hash;
            n->cost += !needed;
            n->done += needed;
            n->next = waiting[n->cost];
            waiting[n->cost] = s->node_count;
            if (n->cost < s->cheapest)
                s->cheapest = n->cost;
            ((uint32_t *)s->table.at)[slot] = s->node_count++;
            if (s->node_count * 2 > s->table_mask)
                make_table(s, (s->table_mask + 1) * 2);
        }
    }
    set[op / 64] &= ~((uint64_t)1 << op % 64);
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

/* Makes the operation next, if the model can. */
static void try(struct rh__order *s, uint32_t op)
{
    const struct node *from = s->from.at;
    size_t slot = ((const uint32_t *)s->slots.at)[op] * s->slot_size;
    char *state = s->state.at;
    if (s->state_size) /* a model may have no state, and then no memory for one */
        memcpy(state, state_of(s, from), s->state_size);
    bool can = s->p->model->apply(state + slot, &s->p->ops[op].seen);
    if ((s->p->stopped && s->p->stopped(s->p->arg)) || (s->p->budget && !*s->p->budget))
        s->failed = true;
    if (s->p->budget && *s->p->budget)
        --*s->p->budget;
    /* What need not be in the order is only of use if it changes something. */
    if (can && !s->failed && (is_needed(s, op) || !slots_equal(s, state_of(s, from) + slot, state + slot)))
        add(s, op);
}

/* Finds the operations that may come next. */
static uint32_t find_next(struct rh__order *s)
{
    struct node *from = s->from.at;
    const uint32_t *by_call = s->by_call.at, *starts = s->starts.at, *twins = s->twins.at;
    const struct returned *by_return = s->by_return.at;
    uint32_t *at = positions_of(s, from), *found = s->found.at, count = 0;
    const uint64_t *set = set_of(from);
    for (uint32_t lane = 0; lane < s->lane_count; lane++, starts += 2, at += 2) {
        while (at[0] < starts[2] && has(set, by_call[at[0]]))
            at[0]++;
        while (at[1] < starts[3] && has(set, by_return[at[1]].op))
            at[1]++;
        uint32_t limit = at[1] < starts[3] ? (uint32_t)by_return[at[1]].when : RH__NOT_RETURNED;
        if (limit > s->reached && limit != RH__NOT_RETURNED)
            s->reached = limit;
        for (uint32_t i = at[0]; i < starts[2] && call_of(s, by_call[i]) < limit; i++) {
            uint32_t op = by_call[i];
            bool after_twin = is_loose(s, op) && twins[op] != NONE && !has(set, twins[op]);
            if (!has(set, op) && !after_twin)
                found[count++] = op;
        }
    }
    return count;
}

/* The newest node of the lowest cost that waits; NONE if none does. */
static uint32_t take(struct rh__order *s)
{
    uint32_t *waiting = s->waiting.at;
    while (s->cheapest <= s->count && waiting[s->cheapest] == NONE)
        s->cheapest++;
    if (s->cheapest > s->count)
        return NONE;
    uint32_t i = waiting[s->cheapest];
    waiting[s->cheapest] = node_at(s, i)->next;
    return i;
}

static void begin(struct rh__order *s)
{
    struct node *from = s->from.at;
    char *state = state_of(s, from);
    memset(s->waiting.at, 0xff, (s->count + (size_t)1) * sizeof(uint32_t));
    memset(from, 0, s->node_size);
    for (uint32_t i = 0; i < s->slot_count && s->p->model->init; i++)
        s->p->model->init(state + i * s->slot_size);
    for (uint32_t lane = 0; lane < s->lane_count; lane++)
        memcpy(positions_of(s, from) + 2 * (size_t)lane, (uint32_t *)s->starts.at + 2 * (size_t)lane,
               2 * sizeof(uint32_t));
    s->node_count = s->reached = 0;
    s->cheapest = NONE;
    make_table(s, 64);
}

enum rh__history_verdict rh__order_search(struct rh__order *s, const struct rh__order_problem *p, uint32_t *reached)
{
    if (!prepare(s, p))
        return RH__HISTORY_UNDECIDED;
    begin(s);
    bool explained = s->needed == 0;
    for (bool first = true; !explained && !s->failed; first = false) {
        uint32_t i = first ? NONE : take(s);
        if (!first && i == NONE)
            break;
        if (!first)
            memcpy(s->from.at, node_at(s, i), s->node_size);
        explained = ((const struct node *)s->from.at)->done == s->needed;
        if (explained)
            break;
        for (uint32_t k = find_next(s); k-- && !s->failed;) /* what was called first is continued first */
            try(s, ((const uint32_t *)s->found.at)[k]);
    }
    if (reached)
        *reached = s->reached;
    return explained ? RH__HISTORY_EXPLAINED : s->failed ? RH__HISTORY_UNDECIDED : RH__HISTORY_UNEXPLAINED;
}
