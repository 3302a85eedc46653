/* The checker of histories against a table over all sets of operations: which states can the objects be in when exactly
 * these operations have happened?  The table knows nothing of keys: all objects are one state, so that it also judges
 * that each key can be checked alone.  Clients have several operations open at once, give up and go on, or are gone;
 * servers apply operations late, twice, never, and answer from the past.  Longer histories than check.c has, behind
 * operations of which nobody doubts the order, so that sets need several words. */
#include "history/history.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/few.h"

enum { KEYS = 3, VALUES = 4, STATES = 64, MOST = 10, BEFORE = 70, CLIENTS = 3 };
_Static_assert(STATES == VALUES * VALUES * VALUES, "a state is a number below STATES");

RH_MESSAGE(write, int value;);
RH_MESSAGE(read);
RH_MESSAGE(swap, int expected; int value;);
RH_MESSAGE(add, int value;); /* modulo VALUES; says nothing */
RH_MESSAGE(take);            /* what is there, which becomes 0; there must be something */
RH_MESSAGE(done, int value;);

/* ---- what the checker is given ----------------------------------------------------------------------------------- */

static bool apply(void *state, const struct rh_operation *o)
{
    int *cell = state, old = *cell;
    const struct done *d = rh_as(&o->result, done);
    const struct write *w = rh_as(&o->call, write);
    const struct swap *s = rh_as(&o->call, swap);
    const struct add *a = rh_as(&o->call, add);
    if (w || a) {
        *cell = w ? w->value : (old + a->value) % VALUES;
        return true;
    }
    if (s) {
        *cell = old == s->expected ? s->value : old;
        return !d || d->value == (old == s->expected);
    }
    if (rh_as(&o->call, take)) {
        *cell = 0;
        return old != 0 && (!d || d->value == old);
    }
    return !d || d->value == old;
}
static bool cells_equal(const void *a, const void *b)
{
    return *(const int *)a == *(const int *)b;
}
RH_HISTORY(cells, .state_size = sizeof(int), .apply = apply);
RH_HISTORY(equal_cells, .state_size = sizeof(int), .apply = apply, .equal = cells_equal);
RH_HISTORY(weak_cells, .state_size = sizeof(int), .consistency = RH_SEQUENTIAL, .apply = apply);

/* ---- the same operations as numbers, and what they do ------------------------------------------------------------ */

enum kind { WRITE, READ, SWAP, ADD, TAKE, KINDS };
struct op {
    enum kind kind;
    int key, value, expected, result; /* result: -1 if there is none */
    uint32_t client, called, returned;
};

/* The value after the operation, and in *result what it says; -1: it cannot happen. */
static int after(const struct op *o, int value, int *result)
{
    const int then[KINDS] = { [WRITE] = o->value,
                              [READ] = value,
                              [SWAP] = value == o->expected ? o->value : value,
                              [ADD] = (value + o->value) % VALUES,
                              [TAKE] = value ? 0 : -1 };
    *result = o->kind == SWAP ? value == o->expected : o->kind == READ || o->kind == TAKE ? value : 0;
    return then[o->kind];
}

static const int power[KEYS + 1] = { 1, VALUES, VALUES *VALUES, STATES };

/* A set of states, a bit for each, after the operation. */
static uint64_t all_after(const struct op *o, uint64_t states)
{
    uint64_t then = 0;
    for (; states; states &= states - 1) {
        int state = __builtin_ctzll(states), value = state / power[o->key] % VALUES, says;
        int next = after(o, value, &says);
        if (next >= 0 && (o->result < 0 || o->kind == WRITE || o->kind == ADD || o->result == says))
            then |= (uint64_t)1 << (state + (next - value) * power[o->key]);
    }
    return then;
}

static bool precedes(const struct op *a, const struct op *b, bool sequential)
{
    return a->returned != RH__NOT_RETURNED && a->returned < b->called && (!sequential || a->client == b->client);
}

/* `loose`: may happen at any time, or never. */
static bool has_order(const struct op *ops, uint32_t count, uint32_t loose, int first, bool sequential)
{
    static uint64_t reached[1u << MOST];
    uint32_t before[MOST] = { 0 }, needed = 0;
    for (uint32_t i = 0; i < count; i++) {
        needed |= (uint32_t)(ops[i].returned != RH__NOT_RETURNED && !(loose >> i & 1)) << i;
        for (uint32_t k = 0; k < count; k++)
            if (!((loose >> i | loose >> k) & 1) && precedes(&ops[k], &ops[i], sequential))
                before[i] |= 1u << k;
    }
    memset(reached, 0, sizeof *reached << count);
    reached[0] = (uint64_t)1 << first;
    for (uint32_t set = 0; set < 1u << count; set++) {
        if (reached[set] && (set & needed) == needed)
            return true;
        for (uint32_t i = 0; reached[set] && i < count; i++)
            if (!(set >> i & 1) && !(before[i] & ~set))
                reached[set | 1u << i] |= all_after(&ops[i], reached[set]);
    }
    return false;
}

/* ---- histories --------------------------------------------------------------------------------------------------- */

static uint32_t below(uint64_t *random, uint32_t n)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*random >> 33) % n);
}

struct service {
    int now[KEYS], past[KEYS];
    uint32_t faults; /* one in so many answers is wrong; 0: none */
};

static void serve(struct service *s, struct op *o, uint64_t *random)
{
    int says, times = 1, *cell = &s->now[o->key];
    uint32_t fault = s->faults ? below(random, s->faults) : 9;
    if (fault == 0)
        times = (int)below(random, 3); /* lost, or applied twice */
    if (after(o, *cell, &says) < 0)
        says = 1 + (int)below(random, VALUES - 1);
    if (fault == 1)
        after(o, s->past[o->key], &says);
    o->result = says;
    for (; times > 0; times--) {
        int ignored, then = after(o, *cell, &ignored);
        s->past[o->key] = *cell;
        *cell = then < 0 ? 0 : then;
    }
}

static struct op new_op(uint64_t *random, uint32_t keys)
{
    return (struct op){ .kind = (enum kind)below(random, KINDS),
                        .key = (int)below(random, keys),
                        .value = (int)below(random, VALUES),
                        .expected = (int)below(random, VALUES),
                        .result = -1,
                        .returned = RH__NOT_RETURNED };
}

/* Calls, effects and returns in a random order.  An operation that its client has given up may still have its effect,
 * also after later ones of that client. */
static uint32_t make(struct op *ops, uint64_t *random, uint32_t keys, uint32_t moment)
{
    uint32_t count = 3 + below(random, MOST - 2), called = 0, lazy = below(random, 3);
    bool effective[MOST] = { false }, open[MOST] = { false };
    struct service s = { .faults = below(random, 2) ? 0 : 8 + below(random, 8) };
    for (int step = 0; step < 400; step++) {
        uint32_t i = called ? below(random, called) : 0, what = below(random, 4 + lazy);
        if (what == 0 && called < count) {
            ops[called] = new_op(random, keys);
            ops[called].client = below(random, CLIENTS);
            ops[called].called = moment++;
            open[called++] = true;
        } else if (what == 1 && called && !effective[i]) {
            effective[i] = true;
            serve(&s, &ops[i], random);
        } else if (what == 2 && called && open[i] && effective[i]) {
            ops[i].returned = moment++;
            open[i] = false;
        } else if (what == 3 && called && open[i] && below(random, 6) == 0) {
            open[i] = false;
        }
    }
    for (uint32_t i = 0; i < called; i++)
        if (ops[i].returned == RH__NOT_RETURNED)
            ops[i].result = -1;
    return called;
}

struct memory {
    union {
        struct write write;
        struct swap swap;
        struct add add;
        struct done done;
    } call, result;
};

static struct rh__history_op shown(const struct op *o, struct memory *m, uint32_t index)
{
    static const char *const names[KEYS] = { "a", "b", "c" };
    static const struct rh_message_type *const types[KINDS] = { &rh_message_write, &rh_message_read, &rh_message_swap,
                                                                &rh_message_add, &rh_message_take };
    struct rh__history_op h = { .client = o->client, .called = o->called, .returned = o->returned, .index = index };
    memset(m, 0, sizeof *m);
    m->result.done.value = o->result;
    if (o->kind == SWAP)
        m->call.swap = (struct swap){ o->expected, o->value };
    else
        m->call.write.value = o->value;
    h.seen.key = names[o->key];
    h.seen.call = (struct rh_envelope){ .type = types[o->kind], .value = &m->call };
    if (o->returned != RH__NOT_RETURNED)
        h.seen.result = (struct rh_envelope){ .type = &rh_message_done, .value = &m->result };
    return h;
}

/* One after the other; the last ones leave zeros. */
static uint32_t make_before(struct op *ops, uint64_t *random, uint32_t keys, uint32_t count)
{
    struct service s = { .faults = 0 };
    for (uint32_t i = 0; i < count; i++) {
        ops[i] = new_op(random, keys);
        if (i + KEYS >= count)
            ops[i] = (struct op){ .kind = WRITE, .key = (int)(count - 1 - i) };
        if (ops[i].kind == TAKE && !s.now[ops[i].key])
            ops[i].kind = READ;
        serve(&s, &ops[i], random);
        ops[i].client = CLIENTS;
        ops[i].called = 2 * i + 1;
        ops[i].returned = 2 * i + 2;
    }
    return count;
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

/* Nothing of the core can be left out, and the others do not matter.  (Only without operations before: those can be
 * part of a core.) */
static void look_at_core(const struct rh_history *h, const struct op *ops, uint32_t count,
                         const struct rh__history_core *core, uint64_t seed)
{
    static struct op some[MOST];
    bool sequential = h->model.consistency == RH_SEQUENTIAL;
    uint32_t n = 0, loose = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool in = false;
        for (uint32_t k = 0; k < core->count; k++)
            in |= core->ops[k].index == i;
        if (sequential || ops[i].key == core->ops[0].seen.key[0] - 'a') {
            loose |= (uint32_t)!in << n;
            some[n++] = ops[i];
        }
    }
    assert_int_equal(n - core->count, core->others);
    if (has_order(some, n, loose, 0, sequential))
        fail_msg("%s, seed %llu: the core has an order", h->name, (unsigned long long)seed);
    for (uint32_t i = 0; i < n; i++)
        if (!(loose >> i & 1) && !has_order(some, n, loose | 1u << i, 0, sequential))
            fail_msg("%s, seed %llu: the core is not minimal", h->name, (unsigned long long)seed);
}

static void compare(const struct rh_history *h, uint32_t keys, bool long_ones, uint64_t seeds)
{
    static struct op ops[BEFORE + MOST];
    static struct memory memory[BEFORE + MOST];
    static struct rh__history_op given[BEFORE + MOST];
    struct rh__history_checker *c = rh__history_checker_new();
    uint32_t without = 0, pending = 0;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        uint64_t random = seed * 0x9e3779b97f4a7c15u + keys;
        uint32_t before = long_ones ? make_before(ops, &random, keys, BEFORE - below(&random, 10)) : 0;
        uint32_t count = make(ops + before, &random, keys, 2 * before + 1);
        struct rh__history_core core;
        for (uint32_t i = 0; i < before + count; i++) {
            given[i] = shown(&ops[i], &memory[i], i);
            pending += ops[i].returned == RH__NOT_RETURNED;
        }
        bool explained = has_order(ops + before, count, 0, 0, h->model.consistency == RH_SEQUENTIAL);
        enum rh__history_verdict v = rh__history_check(c, h, given, before + count, NULL, NULL, &core);
        if (v != (explained ? RH__HISTORY_EXPLAINED : RH__HISTORY_UNEXPLAINED))
            fail_msg("%s, %u keys, seed %llu: the table says %d, the checker %d", h->name, keys,
                     (unsigned long long)seed, explained, v);
        without += !explained;
        if (!explained && !before)
            look_at_core(h, ops, count, &core, seed);
    }
    print_message("%s, %u keys: %llu histories, %u without an order, %u operations that did not return\n", h->name,
                  keys, (unsigned long long)seeds, without, pending);
    assert_true(without > seeds / 20 && without < seeds * 9 / 10 && pending > seeds / 2);
    rh__history_checker_free(c);
}

static void objects_are_linearizable_if_the_table_says_so(void **unused)
{
    (void)unused;
    for (uint32_t keys = 1; keys <= KEYS; keys++) {
        compare(&rh_history_of_cells, keys, false, MANY_OR_FEW(100, 30));
        compare(&rh_history_of_equal_cells, keys, false, MANY_OR_FEW(30, 20));
    }
}

static void also_behind_many_operations(void **unused)
{
    (void)unused;
    for (uint32_t keys = 1; keys <= KEYS; keys++)
        compare(&rh_history_of_cells, keys, true, MANY_OR_FEW(50, 20));
}

static void objects_are_sequentially_consistent_if_the_table_says_so(void **unused)
{
    (void)unused;
    for (uint32_t keys = 1; keys <= KEYS; keys++)
        compare(&rh_history_of_weak_cells, keys, false, MANY_OR_FEW(100, 30));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_are_linearizable_if_the_table_says_so),
        cmocka_unit_test(also_behind_many_operations),
        cmocka_unit_test(objects_are_sequentially_consistent_if_the_table_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
