/* The checker of histories against brute force: all orders of all choices of operations, which share no code with it.
 * */
#include "history/history.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/few.h"

RH_MESSAGE(write, int value;);
RH_MESSAGE(read);
RH_MESSAGE(swap, int expected; int value;);
RH_MESSAGE(push, int value;);
RH_MESSAGE(pop);
RH_MESSAGE(done, int value;);

/* ---- models ------------------------------------------------------------------------------------------------------ */

static uint64_t applied;

/* A register: write, read, and swap, which tells whether it found what it expected. */
static bool apply_cell(void *state, const struct rh_operation *o)
{
    int *cell = state;
    const struct write *w = rh_as(&o->call, write);
    const struct swap *s = rh_as(&o->call, swap);
    const struct done *d = rh_as(&o->result, done);
    int result = *cell;
    applied++;
    if (s)
        result = *cell == s->expected;
    if (w || (s && result))
        *cell = w ? w->value : s->value;
    return w || !d || d->value == result;
}
RH_HISTORY(cells, .state_size = sizeof(int), .apply = apply_cell);
RH_HISTORY(weak_cells, .state_size = sizeof(int), .consistency = RH_SEQUENTIAL, .apply = apply_cell);

/* A queue of at most four; a pop of an empty one gives 0.  What is behind its end is not part of the state. */
struct queue {
    int count, at[4];
};
static bool apply_queue(void *state, const struct rh_operation *o)
{
    struct queue *q = state;
    const struct push *p = rh_as(&o->call, push);
    const struct done *d = rh_as(&o->result, done);
    if (p) {
        if (q->count == 4)
            return false;
        q->at[q->count++] = p->value;
        return true;
    }
    int result = q->count ? q->at[0] : 0;
    if (q->count) {
        q->count--;
        for (int i = 0; i < 3; i++)
            q->at[i] = q->at[i + 1];
    }
    return !d || d->value == result;
}
static bool queues_equal(const void *a, const void *b)
{
    const struct queue *x = a, *y = b;
    return x->count == y->count && memcmp(x->at, y->at, sizeof *x->at * (size_t)x->count) == 0;
}
static uint64_t queue_hash(const void *state)
{
    return (uint64_t)((const struct queue *)state)->count;
}
RH_HISTORY(queues, .state_size = sizeof(struct queue), .apply = apply_queue, .equal = queues_equal);
RH_HISTORY(hashed_queues, .state_size = sizeof(struct queue), .apply = apply_queue, .equal = queues_equal,
           .hash = queue_hash);

/* ---- generated histories ----------------------------------------------------------------------------------------- */

enum { MOST = 6 };

struct generated {
    uint32_t count;
    struct rh__history_op ops[MOST];
    union {
        struct write write;
        struct swap swap;
        struct push push;
        struct done done;
        struct read read;
    } call[MOST], result[MOST];
};

static uint64_t below(uint64_t *random, uint64_t n)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return (*random >> 33) % n;
}

static void make_call(struct generated *g, uint32_t i, bool queue, uint64_t *random)
{
    struct rh_envelope *call = &g->ops[i].seen.call;
    call->value = &g->call[i];
    uint64_t kind = below(random, 5);
    if (queue) {
        call->type = kind < 3 ? &rh_message_push : &rh_message_pop;
        g->call[i].push.value = 1 + (int)below(random, 3);
    } else if (kind == 0) {
        call->type = &rh_message_swap;
        g->call[i].swap = (struct swap){ (int)below(random, 3), (int)below(random, 3) };
    } else {
        call->type = kind < 3 ? &rh_message_write : &rh_message_read;
        g->call[i].write.value = (int)below(random, 3);
    }
}

/* Each client makes one operation after the other.  Results are those of some order, or any. */
static void make(struct generated *g, uint64_t seed, const struct rh_history *h, bool queue, uint32_t keys)
{
    static const char *const names[] = { "a", "b" };
    uint64_t random = seed * 2654435761u + 1;
    uint32_t clients = 2 + (uint32_t)below(&random, 2), open[3] = { MOST, MOST, MOST }, moment = 1, called = 0;
    bool honest = below(&random, 3) != 0, made_done[MOST] = { false };
    _Alignas(16) char state[2][64] = { { 0 } };
    memset(g, 0, sizeof *g);
    g->count = 2 + (uint32_t)below(&random, MOST - 1);
    for (int step = 0; step < 200; step++) {
        uint32_t c = (uint32_t)below(&random, clients), i = open[c];
        if (i > MOST)
            continue;
        if (i == MOST && called < g->count) {
            i = open[c] = called++;
            make_call(g, i, queue, &random);
            g->ops[i].seen.key = names[below(&random, keys)];
            g->ops[i].client = c;
            g->ops[i].index = i;
            g->ops[i].called = moment++;
            g->ops[i].returned = RH__NOT_RETURNED;
        } else if (i != MOST && !made_done[i]) { /* it takes effect here */
            made_done[i] = true;
            g->result[i].done.value = (int)below(&random, 3);
            for (int v = 0; honest && v < 4; v++) {
                char copy[64];
                struct rh_operation o = g->ops[i].seen;
                g->result[i].done.value = v;
                o.result = (struct rh_envelope){ .type = &rh_message_done, .value = &g->result[i] };
                memcpy(copy, state[*o.key - 'a'], sizeof copy);
                if (h->model.apply(copy, &o)) {
                    memcpy(state[*o.key - 'a'], copy, sizeof copy);
                    break;
                }
            }
            if (below(&random, 8) == 0)
                g->result[i].done.value = (int)below(&random, 3);
        } else if (i != MOST) {
            if (below(&random, 6) == 0) { /* the client gives up and is gone */
                open[c] = MOST + 1;
                continue;
            }
            g->ops[i].returned = moment++;
            g->ops[i].seen.result = (struct rh_envelope){ .type = &rh_message_done, .value = &g->result[i] };
            open[c] = MOST;
        }
    }
    g->count = called;
}

/* ---- brute force ------------------------------------------------------------------------------------------------- */

static bool precedes(const struct rh__history_op *a, const struct rh__history_op *b, const struct rh_history *h)
{
    bool lane = h->model.consistency == RH_LINEARIZABLE || a->client == b->client;
    return lane && a->returned != RH__NOT_RETURNED && a->returned < b->called;
}

/* Whether this order of these operations is one. */
static bool is_order(const struct rh_history *h, const struct rh__history_op *ops, const uint32_t *order, uint32_t n,
                     uint32_t loose)
{
    _Alignas(16) char state[2][64] = { { 0 } };
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = i + 1; k < n; k++)
            if (!((loose >> order[i] | loose >> order[k]) & 1) && precedes(&ops[order[k]], &ops[order[i]], h))
                return false;
    for (uint32_t i = 0; i < n; i++) {
        const struct rh_operation *o = &ops[order[i]].seen;
        if (!h->model.apply(state[*o->key - 'a'], o))
            return false;
    }
    return true;
}

static bool permute(const struct rh_history *h, const struct rh__history_op *ops, uint32_t *order, uint32_t n,
                    uint32_t fixed, uint32_t loose)
{
    if (fixed == n)
        return is_order(h, ops, order, n, loose);
    for (uint32_t i = fixed; i < n; i++) {
        uint32_t swapped = order[i];
        order[i] = order[fixed];
        order[fixed] = swapped;
        if (permute(h, ops, order, n, fixed + 1, loose))
            return true;
        order[fixed] = order[i];
        order[i] = swapped;
    }
    return false;
}

/* `loose`: set of operations that may happen at any time or never. */
static bool brute_force(const struct rh_history *h, const struct rh__history_op *ops, uint32_t count, uint32_t loose)
{
    uint32_t needed = 0, order[MOST];
    for (uint32_t i = 0; i < count; i++)
        if (ops[i].returned != RH__NOT_RETURNED && !(loose >> i & 1))
            needed |= 1u << i;
    for (uint32_t set = 0; set < 1u << count; set++) {
        uint32_t n = 0;
        if ((set & needed) != needed)
            continue;
        for (uint32_t i = 0; i < count; i++)
            if (set >> i & 1)
                order[n++] = i;
        /* What has not returned is not before anything, but a loose operation that precedes a needed one may be left
         * out, and so may one that has not returned. */
        if (permute(h, ops, order, n, 0, loose))
            return true;
    }
    return false;
}

/* The core has no order, whatever the others did, and every operation of it is needed for that. */
static void look_at_core(const struct rh_history *h, const struct generated *g, const struct rh__history_core *core,
                         uint64_t seed)
{
    struct rh__history_op ops[MOST];
    uint32_t count = 0, loose = 0;
    const char *key = core->ops[0].seen.key;
    for (uint32_t i = 0; i < g->count; i++) {
        bool in = false;
        for (uint32_t k = 0; k < core->count; k++)
            in |= core->ops[k].index == g->ops[i].index;
        if (h->model.consistency == RH_LINEARIZABLE && strcmp(g->ops[i].seen.key, key) != 0) {
            assert_false(in);
            continue;
        }
        loose |= (uint32_t)!in << count;
        ops[count++] = g->ops[i];
    }
    assert_int_equal(count - core->count, core->others);
    if (brute_force(h, ops, count, loose))
        fail_msg("%s, seed %llu: the core has an order", h->name, (unsigned long long)seed);
    for (uint32_t i = 0; i < count; i++)
        if (!(loose >> i & 1) && !brute_force(h, ops, count, loose | 1u << i))
            fail_msg("%s, seed %llu: the core is not minimal", h->name, (unsigned long long)seed);
}

static uint32_t compare(const struct rh_history *h, bool queue, uint32_t keys, uint64_t seeds)
{
    struct rh__history_checker *c = rh__history_checker_new();
    uint32_t unexplained = 0, with_others = 0, open = 0;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        static struct generated g;
        struct rh__history_op ops[MOST];
        struct rh__history_core core;
        make(&g, seed, h, queue, keys);
        memcpy(ops, g.ops, sizeof ops);
        enum rh__history_verdict v = rh__history_check(c, h, ops, g.count, NULL, NULL, &core);
        bool explained = brute_force(h, g.ops, g.count, 0);
        if ((v == RH__HISTORY_EXPLAINED) != explained || v == RH__HISTORY_UNDECIDED)
            fail_msg("%s, seed %llu: brute force says %d, the checker %d", h->name, (unsigned long long)seed, explained,
                     v);
        for (uint32_t i = 0; i < g.count; i++)
            open += g.ops[i].returned == RH__NOT_RETURNED;
        if (!explained) {
            look_at_core(h, &g, &core, seed);
            unexplained++;
            with_others += core.others > 0;
        }
    }
    print_message("%s: %llu histories, %u without an order, %u of them with a smaller core, %u open operations\n",
                  h->name, (unsigned long long)seeds, unexplained, with_others, open);
    rh__history_checker_free(c);
    assert_true(unexplained > seeds / 20 && unexplained < seeds * 9 / 10 && with_others > seeds / 100);
    return unexplained;
}

static void registers_are_linearizable_if_brute_force_says_so(void **unused)
{
    (void)unused;
    compare(&rh_history_of_cells, false, 1, MANY_OR_FEW(6000, 600));
    compare(&rh_history_of_cells, false, 2, MANY_OR_FEW(3000, 300));
}

static void registers_are_sequentially_consistent_if_brute_force_says_so(void **unused)
{
    (void)unused;
    compare(&rh_history_of_weak_cells, false, 1, MANY_OR_FEW(3000, 300));
    compare(&rh_history_of_weak_cells, false, 2, MANY_OR_FEW(3000, 300));
}

static void queues_with_their_own_equality_are_too(void **unused)
{
    (void)unused;
    uint32_t a = compare(&rh_history_of_queues, true, 1, MANY_OR_FEW(3000, 300));
    uint32_t b = compare(&rh_history_of_hashed_queues, true, 1, MANY_OR_FEW(3000, 300));
    assert_int_equal(a, b);
}

/* ---- long histories ---------------------------------------------------------------------------------------------- */

enum { LONG = 1000, CLIENTS = 10 };

static struct {
    struct rh__history_op ops[LONG];
    struct write call[LONG];
    struct done result[LONG];
} long_one;

/* Ten clients at once; each operation takes effect at some moment between its call and its return. */
static void make_long(uint64_t seed)
{
    uint64_t random = seed;
    uint32_t open[CLIENTS], moment = 1, called = 0, ended = 0;
    bool effective[LONG] = { false };
    int cell = 0;
    for (uint32_t c = 0; c < CLIENTS; c++)
        open[c] = LONG;
    while (ended < LONG) {
        uint32_t c = (uint32_t)below(&random, CLIENTS), i = open[c];
        if (i == LONG && called < LONG) {
            i = open[c] = called++;
            long_one.call[i].value = (int)below(&random, 5);
            long_one.ops[i] = (struct rh__history_op){
                .seen = { .key = "",
                          .call = { .type = below(&random, 2) ? &rh_message_write : &rh_message_read,
                                    .value = &long_one.call[i] } },
                .client = c,
                .called = moment++,
                .index = i,
            };
        } else if (i < LONG && !effective[i]) {
            effective[i] = true;
            if (long_one.ops[i].seen.call.type == &rh_message_write)
                cell = long_one.call[i].value;
            long_one.result[i].value = cell;
        } else if (i < LONG) {
            long_one.ops[i].seen.result =
                (struct rh_envelope){ .type = &rh_message_done, .value = &long_one.result[i] };
            long_one.ops[i].returned = moment++;
            open[c] = LONG;
            ended++;
        }
    }
}

/* Model applications instead of seconds: a million takes about 0.02 s. */
static void a_thousand_operations_need_few_steps(void **unused)
{
    (void)unused;
    struct rh__history_checker *c = rh__history_checker_new();
    struct rh__history_core core;
    uint64_t most = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        make_long(seed);
        applied = 0;
        assert_int_equal(rh__history_check(c, &rh_history_of_cells, long_one.ops, LONG, NULL, NULL, &core),
                         RH__HISTORY_EXPLAINED);
        most = applied > most ? applied : most;
    }
    print_message("1,000 operations of 10 clients: at most %llu applications of the model\n", (unsigned long long)most);
    assert_true(most < 1000000);
    rh__history_checker_free(c);
}

/* A value that was never written is read near the end: only that read is shown. */
static void the_core_of_a_long_history_is_small(void **unused)
{
    (void)unused;
    struct rh__history_checker *c = rh__history_checker_new();
    struct rh__history_core core;
    uint32_t victim = 900;
    make_long(1);
    while (long_one.ops[victim].seen.call.type != &rh_message_read)
        victim++;
    long_one.result[victim].value = 77;
    applied = 0;
    assert_int_equal(rh__history_check(c, &rh_history_of_cells, long_one.ops, LONG, NULL, NULL, &core),
                     RH__HISTORY_UNEXPLAINED);
    print_message("a core of %u operations, %llu applications\n", core.count, (unsigned long long)applied);
    assert_int_equal(core.count, 1);
    assert_int_equal(core.ops[0].index, victim);
    assert_int_equal(core.others, LONG - 1);
    assert_true(applied < 40000000);
    rh__history_checker_free(c);
}

/* ---- drawing ----------------------------------------------------------------------------------------------------- */

static void say_client(void *arg, uint64_t client, struct rh__text *to)
{
    (void)arg;
    rh__text_add(to, "client#%llu", (unsigned long long)client);
}

static void say_value(void *arg, const struct rh_message_type *type, const void *value, struct rh__text *to)
{
    (void)arg;
    rh__text_add(to, "%s", type->name);
    if (type == &rh_message_write || type == &rh_message_done)
        rh__text_add(to, " %d", *(const int *)value);
}

static const struct rh__history_words words = { say_client, say_value, NULL };

static struct rh__history_op operation(uint32_t client, const struct rh_message_type *type, const void *call,
                                       uint32_t called, const struct done *result, uint32_t returned)
{
    struct rh__history_op o = { .seen = { .key = "x", .call = { .type = type, .value = call } },
                                .client = client,
                                .called = called,
                                .returned = returned };
    if (result)
        o.seen.result = (struct rh_envelope){ .type = &rh_message_done, .value = result };
    return o;
}

static void a_stale_read_is_drawn_with_both_writes(void **unused)
{
    (void)unused;
    static const struct write one = { 1 }, two = { 2 };
    static const struct read look;
    static const struct done old = { 1 }, fresh = { 2 };
    struct rh__history_op ops[] = {
        operation(1, &rh_message_write, &one, 1, &fresh, 2),
        operation(2, &rh_message_read, &look, 3, &old, 4),
        operation(1, &rh_message_write, &two, 5, &fresh, 7),
        operation(3, &rh_message_read, &look, 6, &fresh, 8),
        operation(2, &rh_message_read, &look, 9, &old, 10),
        operation(3, &rh_message_write, &one, 11, NULL, RH__NOT_RETURNED),
        operation(1, &rh_message_read, &look, 12, &old, 13),
    };
    char text[1024];
    struct rh__text t;
    struct rh__history_core core;
    struct rh__history_checker *c = rh__history_checker_new();
    assert_int_equal(rh__history_check(c, &rh_history_of_cells, ops, 7, NULL, NULL, &core), RH__HISTORY_UNEXPLAINED);
    rh__text_init(&t, text, sizeof text);
    rh__history_draw(&rh_history_of_cells, &core, &words, &t);
    assert_string_equal(text, "cells is not linearizable: no order of these operations on \"x\" explains them\n"
                              "client#1  write 1: done 2  |===|\n"
                              "client#1  write 2: done 2          |===|\n"
                              "client#2  read: done 1                     |===|\n"
                              "client#3  write 1                                  |>\n"
                              "(whatever the other 3 operations did, and when)");
    rh__history_checker_free(c);
}

/* Many operations, long names: no line is too long. */
static void no_line_is_longer_than_the_terminal(void **unused)
{
    (void)unused;
    static struct write calls[40];
    static struct done results[40];
    struct rh__history_op ops[40];
    for (uint32_t n = 1; n <= 40; n++) {
        for (uint32_t i = 0; i < n; i++) {
            calls[i].value = 1000000000;
            results[i].value = (int)i - 1000000000;
            ops[i] = operation(4000000000u - i, &rh_message_write, &calls[i], 2 * i + 1, &results[i], 2 * i + 2);
        }
        struct rh__history_core core = { ops, n, 3 };
        char text[4096];
        struct rh__text t;
        rh__text_init(&t, text, sizeof text);
        rh__history_draw(&rh_history_of_cells, &core, &words, &t);
        for (const char *line = strchr(text, '\n'); line; line = strchr(line + 1, '\n'))
            if (strcspn(line + 1, "\n") > RH__HISTORY_COLUMNS)
                fail_msg("%zu columns with %u operations:%.*s", strcspn(line + 1, "\n"), n,
                         (int)strcspn(line + 1, "\n") + 1, line);
    }
}

static void say_at_length(void *arg, const struct rh_message_type *type, const void *value, struct rh__text *to)
{
    say_value(arg, type, value, to);
    if (type == &rh_message_write)
        rh__text_add(to, " with fields that take more room than there is");
}

/* The result is what contradicts the other operations. */
static void a_long_call_gives_way_to_its_result(void **unused)
{
    (void)unused;
    static const struct rh__history_words at_length = { say_client, say_at_length, NULL };
    static const struct write one = { 1 };
    static const struct done old = { -271828 };
    struct rh__history_op ops[] = { operation(1, &rh_message_write, &one, 1, &old, 2) };
    struct rh__history_core core = { ops, 1, 0 };
    char text[1024];
    struct rh__text t;
    rh__text_init(&t, text, sizeof text);
    rh__history_draw(&rh_history_of_cells, &core, &at_length, &t);
    assert_non_null(strstr(text, "..: done -271828  |"));
    assert_non_null(strstr(text, "write 1 with fields"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_are_linearizable_if_brute_force_says_so),
        cmocka_unit_test(registers_are_sequentially_consistent_if_brute_force_says_so),
        cmocka_unit_test(queues_with_their_own_equality_are_too),
        cmocka_unit_test(a_thousand_operations_need_few_steps),
        cmocka_unit_test(the_core_of_a_long_history_is_small),
        cmocka_unit_test(a_stale_read_is_drawn_with_both_writes),
        cmocka_unit_test(a_long_call_gives_way_to_its_result),
        cmocka_unit_test(no_line_is_longer_than_the_terminal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
