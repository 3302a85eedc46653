/* Crashes inside a handler (world/crash_points.h): found where they matter, counted by hand, the same in all
 * explorers. */
#include "explore/explorers.h"
#include "explore/support/runs.h"

/* ---- a newcomer's two-phase commit ------------------------------------------------------------------------------- */

/* The coordinator tells the participants to commit.  If it crashes between the two messages, one participant commits
 * and the other never does, unless the decision was durable before: then a restarted coordinator tells both again. */
RH_MESSAGE(prepare);
RH_MESSAGE(vote);
RH_MESSAGE(commit);
RH_MESSAGE(committed);

RH_ACTOR(participant, bool committed;);
RH_HANDLER(participant, prepare)
{
    rh_reply(vote);
}
RH_HANDLER(participant, commit)
{
    if (!state->committed)
        rh_announce(committed);
    state->committed = true;
}
RH_BEHAVIOUR(participant, ready, prepare, commit);

RH_ACTOR(coordinator, rh_ref participants[2]; int votes; bool durable;);
static void tell(const struct coordinator *state)
{
    for (int i = 0; i < 2; i++)
        rh_send(state->participants[i], commit);
}
RH_HANDLER(coordinator, rh_start)
{
    if (state->durable) {
        rh_store_open("coordinator");
        if (rh_store_get("commit", NULL, 0) >= 0)
            tell(state);
    }
    for (int i = 0; i < 2 && !msg->restarts; i++)
        rh_send(state->participants[i], prepare);
}
RH_HANDLER(coordinator, vote)
{
    if (++state->votes < 2)
        return;
    if (state->durable)
        rh_store_put_sync("commit", "", 1);
    tell(state);
}
RH_BEHAVIOUR(coordinator, voting, rh_start, vote);

RH_MONITOR(agreement, int committed;);
RH_HANDLER(agreement, committed)
{
    if (++state->committed == 1)
        rh_become(agreement, one_has_committed);
    else
        rh_become(agreement, both_or_none);
}
RH_BEHAVIOUR(agreement, both_or_none, committed);
RH_HOT_BEHAVIOUR(agreement, one_has_committed, committed);

static void commit_in_two_phases(bool durable)
{
    rh_observe(agreement);
    rh_ref one = rh_spawn(participant), two = rh_spawn(participant);
    rh_spawn(coordinator, .participants = { one, two }, .durable = durable);
}
RH_TEST(undurable_decision, .crashes = 1, .restarts = 1, .may_crash = RH_ACTORS(coordinator))
{
    commit_in_two_phases(false);
}
RH_TEST(durable_decision, .crashes = 1, .restarts = 1, .may_crash = RH_ACTORS(coordinator))
{
    commit_in_two_phases(true);
}

/* The same in the order of time: the decision is due some time after the votes, and a participant asks no one. */
RH_MESSAGE(decide);
RH_ACTOR(decider, rh_ref participants[2];);
RH_HANDLER(decider, rh_start)
{
    rh_timer("decide", 10, decide);
}
RH_HANDLER(decider, decide)
{
    for (int i = 0; i < 2; i++)
        rh_send(state->participants[i], commit);
}
RH_BEHAVIOUR(decider, waiting, rh_start, decide);
RH_TEST(decision_in_time, .time = RH_TIME_ORDERED, .crashes = 1, .may_crash = RH_ACTORS(decider))
{
    rh_observe(agreement);
    rh_ref one = rh_spawn(participant), two = rh_spawn(participant);
    rh_spawn(decider, .participants = { one, two });
}
RH_TEST(votes_in_time, .time = RH_TIME_ORDERED, .crashes = 1, .may_crash = RH_ACTORS(coordinator))
{
    commit_in_two_phases(false);
}

/* ---- exploring --------------------------------------------------------------------------------------------------- */

struct counted {
    uint64_t runs, distinct, failed;
    enum rh_verdict verdict;
};

static struct counted count_as_is(const char *test, const char *explorer, struct rh_semantics s, uint64_t runs)
{
    struct rh_world *w = world_of(test, &s, NULL, 0);
    struct rh_exploration *x = explored(w, explorer, 1, runs);
    struct counted c = { x->results->count.runs, x->results->distinct.count, x->results->count.failed,
                         rh__exploration_verdict(x) };
    rh__exploration_free(x);
    rh_world_free(w);
    return c;
}

static struct counted count(const char *test, const char *explorer, struct rh_semantics s, uint64_t runs)
{
    s.granularity = RH_GRAIN_OBJECT;
    return count_as_is(test, explorer, s, runs);
}

static const char *const complete[] = { "optimal", "dfs", "dpor", "stateful" };
enum { COMPLETE = sizeof complete / sizeof *complete };

static struct rh_semantics semantics_of(const char *name)
{
    return test_named(name)->semantics;
}

static void an_undurable_decision_is_found(void **unused)
{
    (void)unused;
    static const char *const samplers[] = { "random", "weighted", "swarm", "phases", "pos", "pct", "pctcp", "auto" };
    for (uint32_t i = 0; i < COMPLETE; i++) {
        struct counted bad = count("undurable_decision", complete[i], semantics_of("undurable_decision"), 0);
        struct counted good = count("durable_decision", complete[i], semantics_of("durable_decision"), 0);
        printf("%-8s undurable %llu runs, %llu failed; durable %llu runs\n", complete[i], (unsigned long long)bad.runs,
               (unsigned long long)bad.failed, (unsigned long long)good.runs);
        assert_true(bad.failed > 0);
        assert_int_equal(good.failed, 0);
        assert_int_equal(good.verdict, RH_VERDICT_EXHAUSTIVE);
    }
    for (uint32_t i = 0; i < sizeof samplers / sizeof *samplers; i++)
        assert_true(count("undurable_decision", samplers[i], semantics_of("undurable_decision"), 500).failed > 0);
}

/* With the semantics of the test and the granularity that the tool chooses for auto. */
static void the_default_finds_it_with_ordered_time(void **unused)
{
    (void)unused;
    static const char *const tests[] = { "decision_in_time", "votes_in_time" };
    for (uint32_t i = 0; i < 2; i++)
        for (uint64_t seed = 1; seed <= 5; seed++) {
            struct rh_semantics s = semantics_of(tests[i]);
            s.granularity = rh__explorer_prefers_object("auto") ? RH_GRAIN_OBJECT : RH_GRAIN_HANDLER;
            struct rh_world *w = world_of(tests[i], &s, NULL, 0);
            struct rh_exploration *x = explored(w, "auto", seed, 500);
            assert_true(x->results->finding_count > 0);
            assert_int_equal(x->results->findings[0].outcome.kind, RH_OUTCOME_MONITOR);
            rh__exploration_free(x);
            rh_world_free(w);
            s.granularity = RH_GRAIN_HANDLER; /* no crash inside a handler: nothing to find */
            assert_int_equal(count_as_is(tests[i], "dfs", s, 0).failed, 0);
        }
}

/* Where a test says that crashes strike between handlers only, it is as with granularity handler. */
static void between_handlers_it_is_not(void **unused)
{
    (void)unused;
    struct rh_semantics s = semantics_of("undurable_decision");
    s.crash_points = RH_CRASH_BETWEEN_HANDLERS;
    for (uint32_t i = 0; i < COMPLETE; i++) {
        struct counted c = count("undurable_decision", complete[i], s, 0),
                       d = count("durable_decision", complete[i], s, 0);
        printf("%-8s undurable %llu runs; durable %llu runs\n", complete[i], (unsigned long long)c.runs,
               (unsigned long long)d.runs);
        assert_int_equal(c.failed, 0);
        assert_int_equal(c.verdict, RH_VERDICT_EXHAUSTIVE);
    }
    s.crash_points = RH_CRASH_ANYWHERE;
    s.restarts = 0;
    s.kept_restarts = 1; /* nothing is kept of a handler that was not finished, so there are no crashes inside */
    assert_int_equal(count("undurable_decision", "optimal", s, 0).failed, 0);
}

/* An actor that yields is inside its handler, whatever the granularity. */
RH_ACTOR(yielder);
RH_HANDLER(yielder, rh_start)
{
    rh_announce(committed);
    rh_yield();
    rh_announce(committed);
}
RH_BEHAVIOUR(yielder, yielding, rh_start);
RH_TEST(yields, .crashes = 1, .may_crash = RH_ACTORS(yielder))
{
    rh_observe(agreement);
    rh_spawn(yielder);
}

static void a_yield_is_inside(void **unused)
{
    (void)unused;
    struct rh_semantics s = semantics_of("yields");
    s.granularity = RH_GRAIN_OBJECT;
    assert_int_not_equal(count_as_is("yields", "dfs", s, 0).failed, 0);
    s.crash_points = RH_CRASH_BETWEEN_HANDLERS;
    assert_int_equal(count_as_is("yields", "dfs", s, 0).failed, 0);
    s.granularity = RH_GRAIN_HANDLER;
    assert_int_equal(count_as_is("yields", "dfs", s, 0).failed, 0);
    s.kept_restarts = 1;
    assert_int_equal(count_as_is("yields", "dfs", s, 0).failed, 0);
}

/* ---- counted by hand --------------------------------------------------------------------------------------------- */

enum { SENDS = 3 };
RH_MESSAGE(item);
RH_ACTOR(sink);
RH_HANDLER(sink, item)
{
}
RH_BEHAVIOUR(sink, open, item);

RH_ACTOR(fan, rh_ref sink;);
RH_HANDLER(fan, rh_start)
{
    for (int i = 0; i < SENDS; i++)
        rh_send(state->sink, item);
}
RH_HANDLER(fan, item)
{
    rh_send(state->sink, item);
    rh_send(state->sink, item);
}
RH_BEHAVIOUR(fan, spreading, rh_start, item);
RH_TEST(fan_out, .may_crash = RH_ACTORS(fan))
{
    rh_spawn(fan, .sink = rh_spawn(sink));
}

RH_ACTOR(relay, rh_ref sink;);
RH_HANDLER(relay, item)
{
    rh_send(state->sink, item);
    rh_send(state->sink, item);
}
RH_BEHAVIOUR(relay, relaying, item);
RH_TEST(relayed, .may_crash = RH_ACTORS(relay))
{
    rh_ref r = rh_spawn(relay, .sink = rh_spawn(sink));
    rh_send(r, item);
}

static void each_prefix_is_one_run(void **unused)
{
    (void)unused;
    for (int model = 0; model < (int)RH_ROWS(RH_MODELS); model++) {
        struct rh_semantics s = { .model = (enum rh_model)model, .crashes = 1, .may_crash = RH_ACTORS(fan) };
        if (s.model == RH_BAG)
            continue; /* the sink tells the orders of items apart */
        /* No crash; one before the start, one after each send. */
        assert_int_equal(count("fan_out", "optimal", s, 0).runs, 1 + 1 + SENDS);
        s.restarts = 1;
        assert_int_equal(count("fan_out", "optimal", s, 0).runs, 1 + 1 + SENDS);
        /* No crash; before the item is taken, after the first and the second send.  With a restart also after the item
         * was taken, before the first send: then the next life does not see it. */
        s = (struct rh_semantics){ .model = (enum rh_model)model, .crashes = 1, .may_crash = RH_ACTORS(relay) };
        assert_int_equal(count("relayed", "optimal", s, 0).runs, 1 + 3);
        s.restarts = 1;
        assert_int_equal(count("relayed", "optimal", s, 0).runs, 1 + 4);
    }
}

/* ---- every kind of effect ---------------------------------------------------------------------------------------- */

RH_TABLE(board);
RH_PROCESS(clerk, rh_ref sink;);
RH_BODY(clerk)
{
    rh_store_open("clerk");
    rh_store_put("a", "x", 1);
    rh_send(state->sink, item);
    rh_table_put(board, "k", "v", 1);
    rh_store_put_sync("b", "y", 1);
    rh_exit("normal");
}
RH_PROCESS(reader);
RH_BODY(reader)
{
    char value[4];
    if (rh_table_get(board, "k", value, sizeof value) >= 0)
        rh_log("it is there");
}
RH_TEST(office)
{
    rh_spawn(clerk, .sink = rh_spawn(sink));
    rh_spawn(reader);
}

RH_PROCESS(herald, rh_ref sink;);
RH_BODY(herald)
{
    rh_announce(committed);
    rh_register("herald", self);
    rh_monitor(state->sink);
    rh_spawn(sink);
}
RH_TEST(heralds)
{
    rh_observe(agreement);
    rh_spawn(herald, .sink = rh_spawn(sink));
    rh_whereis("herald");
}

static uint32_t behaviours(const char *test, const char *explorer, struct rh_semantics s, uint64_t *list)
{
    struct rh_world *w;
    s.granularity = RH_GRAIN_OBJECT;
    w = world_of(test, &s, NULL, 0);
    struct record *r = spied = record_new();
    if (explorer) {
        struct rh_exploration *x = explored(w, explorer, 1, 0);
        assert_int_equal(rh__exploration_verdict(x), RH_VERDICT_EXHAUSTIVE);
        rh__exploration_free(x);
    } else {
        assert_true(brute_force(w, r, MOST_RUNS));
    }
    uint32_t n = 0;
    distinct(r->behaviour, r->count);
    for (uint32_t i = 0; i < r->count; i++)
        if (!n || list[n - 1] != r->behaviour[i])
            list[n++] = r->behaviour[i];
    record_free(r);
    rh_world_free(w);
    return n;
}

/* Brute force and dfs consider all choices everywhere, at crash points, too.  With restarts that takes too long for
 * some: there the two reductions are compared with each other. */
static void narrowing_loses_nothing(void **unused)
{
    (void)unused;
    static uint64_t all[MOST_RUNS], some[MOST_RUNS];
    static const char *const tests[] = { "fan_out", "relayed", "office", "heralds" };
    static const char *const explorers[] = { "spy:dfs", "spy:dpor", "spy:optimal" };
    for (uint32_t i = 0; i < 8; i++) {
        struct rh_semantics s = { .crashes = 1, .restarts = i / 4, .may_crash = RH_ACTORS(fan, relay, clerk, herald) };
        uint32_t n = behaviours(tests[i % 4], i < 6 ? NULL : "spy:dpor", s, all);
        for (uint32_t k = i < 6 ? 0 : 2; k < 3; k++) {
            uint32_t m = behaviours(tests[i % 4], explorers[k], s, some);
            if (m != n || memcmp(all, some, n * sizeof *all) != 0)
                fail_msg("%s, %u restarts, %s: %u behaviours, not the %u of brute force", tests[i % 4], s.restarts,
                         explorers[k], m, n);
        }
    }
}

static void compare_with_brute_force(const char *test, struct rh_semantics s, const char *const *explorers,
                                     uint32_t count)
{
    static uint64_t all[MOST_RUNS], some[MOST_RUNS];
    uint32_t n = behaviours(test, NULL, s, all);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t m = behaviours(test, explorers[k], s, some);
        if (m != n || memcmp(all, some, n * sizeof *all) != 0)
            fail_msg("%s, %s: %u behaviours, not the %u of brute force", test, explorers[k], m, n);
    }
}

/* A put once failed at crash points, too, and dfs left that out. */
static void a_put_fails_between_handlers_only(void **unused)
{
    (void)unused;
    static const char *const explorers[] = { "spy:dfs", "spy:dpor", "spy:optimal" };
    struct rh_semantics s = { .crashes = 1, .failed_puts = 1, .may_crash = RH_ACTORS(clerk) };
    compare_with_brute_force("office", s, explorers, 3);
}

/* dfs once let nobody else move at a crash point.  That costs an event, which matters as soon as events are counted (a
 * bound, a quiet phase). */
static void dfs_makes_every_sequence_of_choices(void **unused)
{
    (void)unused;
    static const char *const tests[] = { "fan_out", "relayed", "office", "heralds" };
    for (uint32_t i = 0; i < 4; i++) {
        struct rh_semantics s = { .granularity = RH_GRAIN_OBJECT,
                                  .crashes = 1,
                                  .may_crash = RH_ACTORS(fan, relay, clerk, herald) };
        struct rh_world *w = world_of(tests[i], &s, NULL, 0);
        struct record *r = record_new();
        assert_true(brute_force(w, r, MOST_RUNS));
        rh_world_free(w);
        assert_int_equal(count(tests[i], "dfs", s, 0).runs, r->count);
        record_free(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(an_undurable_decision_is_found),
        EXPLORE_TEST(the_default_finds_it_with_ordered_time),
        EXPLORE_TEST(between_handlers_it_is_not),
        EXPLORE_TEST(a_yield_is_inside),
        EXPLORE_TEST(each_prefix_is_one_run),
        EXPLORE_TEST(narrowing_loses_nothing),
        EXPLORE_TEST(a_put_fails_between_handlers_only),
        EXPLORE_TEST(dfs_makes_every_sequence_of_choices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
