/* Work of symmetry(optimal) that goes from one explorer to another: the item says which actor decides the order of
 * alike ones, so that all who share the work leave out the same runs.  Whoever goes on, every order up to exchange
 * is found. */
#include "cluster/mover.h"

#include "explore/support/runs.h"

RH_MESSAGE(ask, int unused;);
RH_MESSAGE(granted, int unused;);
RH_MESSAGE(spawn_all, int unused;);

enum { ROUNDS = 2, MOST_CLIENTS = 4 };
RH_ACTOR(server, uint32_t count; rh_ref who[ROUNDS * MOST_CLIENTS]; uint32_t fails;);
RH_ACTOR(auditor, uint32_t count; rh_ref who[MOST_CLIENTS];);
RH_ACTOR(client, rh_ref server; rh_ref auditor; uint32_t asked;);
RH_ACTOR(starter, rh_ref server; rh_ref auditor; uint32_t clients;);

/* In which order clients came, numbered by when they first came. */
static uint64_t add_order(uint64_t order, const rh_ref *who, uint32_t count, uint64_t *first, uint32_t *known)
{
    for (uint32_t k = 0; k < count; k++) {
        uint32_t number = 0;
        while (number < *known && first[number] != who[k].id)
            number++;
        if (number == *known)
            first[(*known)++] = who[k].id;
        order = order * 8 + number + 1;
    }
    return order;
}

RH_HANDLER(server, ask)
{
    uint64_t first[MOST_CLIENTS];
    uint32_t known = 0;
    state->who[state->count++] = rh_sender();
    /* The first client is served twice before the others.  Under every permutation of the clients this fails alike. */
    rh_assert(!state->fails || state->count != 2 || !rh_same(state->who[0], state->who[1]), "twice in a row");
    if (add_order(0, state->who, state->count, first, &known) == (uint64_t)rh_param("named", 0))
        rh_log("%s", rh_name(rh_sender())); /* tells the clients apart */
    rh_send(rh_sender(), granted);
}
RH_BEHAVIOUR(server, serving, ask);

/* Another one that could decide in which order clients come. */
RH_HANDLER(auditor, ask)
{
    state->who[state->count++] = rh_sender();
}
RH_BEHAVIOUR(auditor, auditing, ask);

RH_HANDLER(client, granted)
{
    if (state->asked++ >= ROUNDS)
        return;
    rh_send(state->server, ask);
    if (state->asked == 1 && !rh_is_nobody(state->auditor))
        rh_send(state->auditor, ask);
}
RH_BEHAVIOUR(client, asking, granted);

RH_HANDLER(starter, spawn_all)
{
    for (uint32_t i = 0; i < state->clients; i++)
        rh_send(rh_spawn(client, .server = state->server, .auditor = state->auditor), granted);
}
RH_BEHAVIOUR(starter, starting, spawn_all);

RH_TEST(served)
{
    rh_ref s = rh_spawn(server, .fails = (uint32_t)rh_param("fails", 0));
    rh_ref a = { 0 };
    if (rh_param("audited", 0))
        a = rh_spawn(auditor);
    rh_send(rh_spawn(starter, .server = s, .auditor = a, .clients = (uint32_t)rh_param("n", 3)), spawn_all);
}

/* In which order the server and the auditor heard the clients, numbered by when they were first heard. */
static uint64_t order_of(const struct rh_world *w)
{
    uint64_t order = 0, first[MOST_CLIENTS];
    uint32_t known = 0;
    for (uint32_t i = 0; i < rh_world_actor_count(w); i++) {
        bool serves = rh_world_actor_type(w, i) == &rh_actor_server;
        if (!serves && rh_world_actor_type(w, i) != &rh_actor_auditor)
            continue;
        const struct server *s = rh_world_actor_state(w, i);
        const struct auditor *a = rh_world_actor_state(w, i);
        order = add_order(order, serves ? s->who : a->who, serves ? s->count : a->count, first, &known);
    }
    return order;
}

static void order_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    struct spy *s = state;
    spied->behaviour[spied->count++] = order_of(w);
    spied->failed += rh_outcome_failed(run->outcome);
    rh_inner_end(&s->inner, w, run);
}
SPY(orders, "notes in which order clients were served", order_end)

static uint64_t moves, splits;

static uint32_t orders_of(const char *n, const char *more, const char *explorer, uint64_t seed, uint32_t *runs,
                          uint64_t *failed)
{
    struct rh_semantics s = { .granularity = RH_GRAIN_OBJECT };
    const struct rh_param params[] = { { "n", n }, { *more ? more : "fails", *more ? "1" : "0" } };
    struct rh_world *w = world_of("served", &s, params, 2);
    spied = record_new();
    struct rh_exploration *x = explored(w, explorer, seed, 0);
    assert_true(x->end.exhausted && !x->results->diverged);
    assert_int_equal(rh__exploration_verdict(x), RH_VERDICT_EXHAUSTIVE);
    *runs = spied->count;
    *failed = spied->failed;
    uint32_t different = distinct(spied->behaviour, spied->count);
    moves += moving ? moving->moves : 0;
    splits += moving ? moving->splits : 0;
    moving = NULL;
    rh__exploration_free(x);
    rh_world_free(w);
    record_free(spied);
    return different;
}

/* n clients with two requests each: (2n)! / 2^n orders, of which each n! are one up to exchange. */
static void each_order_is_found_once(void **unused)
{
    (void)unused;
    static const struct {
        const char *n;
        uint32_t orders, runs;
    } known[] = { { "2", 3, 6 }, { "3", 15, 90 }, { "4", 105, 2520 } };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        uint32_t runs;
        uint64_t failed;
        assert_int_equal(orders_of(known[i].n, "", "orders:optimal", 1, &runs, &failed), known[i].orders);
        assert_int_equal(runs, known[i].runs);
        assert_int_equal(orders_of(known[i].n, "", "orders:symmetry:optimal", 1, &runs, &failed), known[i].orders);
        assert_int_equal(runs, known[i].orders);
    }
}

static void work_that_is_moved_leaves_out_the_same(void **unused)
{
    (void)unused;
    static const char *const more[] = { "", "fails", "audited" };
    uint64_t failed;
    uint32_t runs, all = 0;
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        uint32_t different = orders_of("3", more[i], "orders:optimal", 1, &runs, &failed), most = runs;
        for (uint64_t seed = 1; seed <= 40; seed++) {
            longest_stay = (uint32_t)(1 + seed % 8);
            assert_int_equal(orders_of("3", more[i], "orders:mover:symmetry:optimal", seed, &runs, &failed), different);
            assert_in_range(runs, different, most);
            assert_int_equal(failed > 0, i == 1);
            all += runs;
        }
    }
    print_message("%u runs, %llu moves, %llu splits\n", all, (unsigned long long)moves, (unsigned long long)splits);
    assert_in_range(moves, 80, 1u << 30);
    assert_in_range(splits, 40, 1u << 30);
}

static struct rh_exploration *exploration(const char *named, uint64_t max_runs)
{
    struct rh_semantics s = { .granularity = RH_GRAIN_OBJECT };
    static struct rh_param params[] = { { "n", "3" }, { "named", NULL } }; /* the world keeps them */
    params[1].value = named;
    struct rh_world *w = world_of("served", &s, params, 2);
    struct rh__limits limits = { .max_runs = max_runs, .keep_going = true };
    char error[256] = "";
    struct rh_exploration *x = rh__exploration_new(w, "orders(symmetry(optimal))", 1, &limits, error, sizeof error);
    assert_non_null(x);
    return x;
}

static void release(struct rh_exploration *x)
{
    struct rh_world *w = x->world;
    rh__exploration_free(x);
    rh_world_free(w);
    record_free(spied);
}

/* The last run asks for a name, and another process makes it, which has left out nothing itself.  It has to begin again
 * without symmetry all the same. */
static void what_others_left_out_counts(void **unused)
{
    (void)unused;
    static unsigned char item[ROOM];
    char last[32];
    spied = record_new();
    struct rh_exploration *x = exploration("0", 0);
    assert_true(rh__explore(x));
    assert_int_equal(spied->count, 15);
    snprintf(last, sizeof last, "%llu", (unsigned long long)spied->behaviour[14]);
    release(x);

    spied = record_new();
    x = exploration(last, 14);
    assert_true(rh__explore(x));
    assert_int_equal(spied->count, 14);
    size_t size = rh_inner_pack(&x->explorer, item, sizeof item, false);
    assert_in_range(size, 10, sizeof item);
    release(x);

    spied = record_new();
    x = exploration(last, 0);
    x->work.given = true; /* no root item */
    assert_true(rh_inner_unpack(&x->explorer, x->world, item, size));
    assert_true(rh__explore(x));
    assert_int_equal(spied->count, 1 + 90);
    release(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(each_order_is_found_once),
        EXPLORE_TEST(work_that_is_moved_leaves_out_the_same),
        EXPLORE_TEST(what_others_left_out_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
