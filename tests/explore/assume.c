/* rh_assume: runs in which it does not hold are no runs; all others are explored as if there were none of those. */
#include "explore/support/runs.h"

RH_MESSAGE(first);
RH_MESSAGE(second);
RH_MESSAGE(third);

static bool bug; /* written only between worlds */

static struct rh_world *world_for(const char *test, const char *explorer)
{
    struct rh_semantics s = test_named(test)->semantics;
    if (rh__explorer_needs_object_granularity(explorer))
        s.granularity = RH_GRAIN_OBJECT;
    return world_of(test, &s, NULL, 0);
}

/* ---- who comes first --------------------------------------------------------------------------------------------- */
RH_ACTOR(judge, int seen; int order;);
static void judge_sees(struct judge *state, int who)
{
    state->order = state->order * 4 + who;
    if (++state->seen == 1)
        rh_assume(who == 2);
    if (state->seen == 3)
        rh_assert(!bug || state->order != 2 * 16 + 3 * 4 + 1, "the order that the assumption leaves");
}
RH_HANDLER(judge, first)
{
    judge_sees(state, 1);
}
RH_HANDLER(judge, second)
{
    judge_sees(state, 2);
}
RH_HANDLER(judge, third)
{
    judge_sees(state, 3);
}
RH_BEHAVIOUR(judge, open, first, second, third);
RH_PROCESS(sender, rh_ref to; const struct rh_message_type *what;);
RH_BODY(sender)
{
    struct first none = { 0 };
    rh_send_(state->to, state->what, &none, NULL, 0, RH_HERE);
}
RH_TEST(who_comes_first)
{
    rh_ref j = rh_spawn(judge);
    rh_spawn(sender, .to = j, .what = &rh_message_first);
    rh_spawn(sender, .to = j, .what = &rh_message_second);
    rh_spawn(sender, .to = j, .what = &rh_message_third);
}

/* Of six orders the second comes first in two. */
static void check_orders(const char *explorer)
{
    for (int with = 0; with < 2; with++) {
        bug = with;
        struct rh_world *w = world_for("who_comes_first", explorer);
        struct rh_exploration *x = explored(w, explorer, 1, 100000);
        assert_int_equal(x->results->distinct.count, 2);
        assert_int_equal(x->results->count.failed != 0, with);
        assert_int_equal(x->results->finding_count, with);
        assert_true(x->results->count.assumed > 0);
        assert_true(rh__exploration_counted(x) >= 2);
        assert_int_equal(rh__exploration_verdict(x), RH_VERDICT_EXHAUSTIVE);
        rh__exploration_free(x);
        rh_world_free(w);
    }
}

static void dfs_leaves_out_what_is_assumed_away(void **unused)
{
    (void)unused;
    check_orders("dfs");
}

static void dpor_leaves_out_what_is_assumed_away(void **unused)
{
    (void)unused;
    check_orders("dpor");
}

static void optimal_leaves_out_what_is_assumed_away(void **unused)
{
    (void)unused;
    check_orders("optimal:private-globals");
}

/* ---- what others do does not depend on where the run ended ------------------------------------------------------- */
RH_PROCESS(doubter);
RH_BODY(doubter)
{
    rh_receive(first);
    rh_assume(false);
}
RH_PROCESS(failing);
RH_BODY(failing)
{
    rh_receive(second);
    rh_assert(false, "on its own");
}
RH_TEST(two_strangers)
{
    rh_send(rh_spawn(doubter), first);
    rh_send(rh_spawn(failing), second);
}
static void a_failure_that_needs_no_assumption_is_found(void **unused)
{
    (void)unused;
    const char *explorers[] = { "dfs", "dpor", "optimal" };
    for (int i = 0; i < 3; i++) {
        struct rh_world *w = world_for("two_strangers", explorers[i]);
        struct rh_exploration *x = explored(w, explorers[i], 1, 1000);
        assert_int_equal(x->results->finding_count, 1);
        assert_int_equal(x->results->findings[0].outcome.kind, RH_OUTCOME_ASSERTION);
        assert_true(x->results->count.assumed > 0);
        rh__exploration_free(x);
        rh_world_free(w);
    }
}

/* ---- values, properties ------------------------------------------------------------------------------------------ */
RH_TEST(even_numbers)
{
    uint32_t n = rh_choose(10);
    rh_sometimes("odd", n % 2 == 1);
    rh_assume(n % 2 == 0);
    rh_sometimes("even", n % 2 == 0);
}
static void nothing_of_such_a_run_counts(void **unused)
{
    (void)unused;
    struct rh_world *w = world_for("even_numbers", "dfs");
    struct rh_exploration *x = explored(w, "dfs", 1, 1000);
    assert_int_equal(rh__exploration_counted(x), 5);
    assert_int_equal(x->results->count.assumed, 5);
    assert_int_equal(x->results->distinct.count, 5);
    assert_int_equal(x->results->count.failed + x->results->count.cut + x->results->count.blocked, 0);
    assert_int_equal(x->results->properties[0].held, 0);
    assert_int_equal(x->results->properties[1].held, 5);
    rh__exploration_free(x);
    rh_world_free(w);
}

RH_TEST(impossible)
{
    rh_assume(rh_choose(3) > 3);
}
RH_TEST(impossible_at_once)
{
    rh_assume(false);
}
/* Also explorers that know no end of their own come to one. */
static void a_test_without_a_run_comes_to_its_end(void **unused)
{
    (void)unused;
    const char *explorers[] = { "dfs", "dpor", "optimal", "random", "cover:pr", "symmetry:dfs", "bound:5,dfs" };
    const char *tests[] = { "impossible", "impossible_at_once" };
    for (size_t i = 0; i < 2 * sizeof explorers / sizeof *explorers; i++) {
        struct rh_world *w = world_for(tests[i % 2], explorers[i / 2]);
        struct rh_exploration *x = explored(w, explorers[i / 2], 1, 50);
        if (x->results->count.assumed == 0 || rh__exploration_counted(x) || x->results->distinct.count ||
            x->results->count.failed)
            fail_msg("%s, %s: %llu runs, %llu assumed away", tests[i % 2], explorers[i / 2],
                     (unsigned long long)x->results->count.runs, (unsigned long long)x->results->count.assumed);
        rh__exploration_free(x);
        rh_world_free(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(dfs_leaves_out_what_is_assumed_away),
        EXPLORE_TEST(dpor_leaves_out_what_is_assumed_away),
        EXPLORE_TEST(optimal_leaves_out_what_is_assumed_away),
        EXPLORE_TEST(a_failure_that_needs_no_assumption_is_found),
        EXPLORE_TEST(nothing_of_such_a_run_counts),
        EXPLORE_TEST(a_test_without_a_run_comes_to_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
