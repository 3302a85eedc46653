/* auto: who has the first turn, what it says at the end, and that no member starves. */
#include "explore/support/program.h"
#include "explore/support/runs.h"
#include "explore/support/senders.h"

#include <string.h>

static struct rh_param seven[] = { { "n", "7" } }, four[] = { { "n", "4" } }, ten[] = { { "n", "10" } };

/* A test that is made in the first slice has the runs of the exhaustive member, and no others. */
static void a_small_test_is_made_once(void **unused)
{
    (void)unused;
    static const enum rh_granularity grains[] = { RH_GRAIN_OBJECT, RH_GRAIN_HANDLER };
    for (size_t i = 0; i < sizeof grains / sizeof *grains; i++) {
        struct rh_semantics s = { .granularity = grains[i] };
        struct rh_world *w = world_of("senders", &s, four, 1);
        struct rh_exploration *x = explored(w, "auto", 1, 0);
        assert_int_equal(x->results->count.runs, 24); /* 4! */
        assert_int_equal(x->results->distinct.count, 24);
        assert_int_equal(rh__exploration_verdict(x), RH_VERDICT_EXHAUSTIVE);
        rh__exploration_free(x);
        rh_world_free(w);
    }
}

/* 5,040 runs of 7 steps take many slices, so the exhaustive member is interrupted often and goes on each time. */
static void slices_lose_no_run(void **unused)
{
    (void)unused;
    static const char *const explorers[] = { "auto", "auto(shared)" };
    for (int i = 0; i < 8; i++) {
        struct rh_semantics s = { .granularity = i % 2 ? RH_GRAIN_OBJECT : RH_GRAIN_HANDLER,
                                  .model = i / 2 % 2 ? RH_BAG : RH_FIFO };
        struct rh_world *w = world_of("senders", &s, seven, 1);
        struct rh_exploration *x = explored(w, explorers[i / 4], 1, 0);
        assert_int_equal(x->results->distinct.count, 5040); /* 7! */
        assert_true(x->results->count.runs > 5040);         /* samplers had their turns */
        assert_int_equal(rh__exploration_verdict(x), RH_VERDICT_EXHAUSTIVE);
        rh__exploration_free(x);
        rh_world_free(w);
    }
}

/* A reduction whose runs are cut promises nothing.  dfs does: every run within the limit. */
static void cut_runs_are_bounded(void **unused)
{
    (void)unused;
    struct rh_semantics s = { .max_steps = 3, .granularity = RH_GRAIN_OBJECT };
    struct rh_world *w = world_of("senders", &s, four, 1);
    struct rh_exploration *x = explored(w, "auto", 1, 0);
    assert_int_equal(rh__exploration_verdict(x), RH_VERDICT_BOUNDED);
    rh__exploration_free(x);
    rh_world_free(w);
}

/* ---- global variables -------------------------------------------------------------------------------------------- */

static int total;
RH_MESSAGE(add_to_global, int amount;);
RH_ACTOR(adder, int unused;);
RH_HANDLER(adder, add_to_global)
{
    (void)state;
    total = total * 10 + msg->amount;
    rh_assert(total != 21, "the second one came first");
}
RH_BEHAVIOUR(adder, adding, add_to_global);
RH_TEST(global_order)
{
    for (int i = 1; i <= 2; i++)
        rh_send(rh_spawn(adder), add_to_global, .amount = i);
}
RH_TEST(global_sum)
{
    for (int i = 1; i <= 3; i++)
        rh_send(rh_spawn(adder), add_to_global, .amount = 3);
}

/* To a reduction the two orders are one run. */
static void orders_at_a_global_variable_are_explored(void **unused)
{
    (void)unused;
    struct rh_semantics s = { .granularity = RH_GRAIN_OBJECT };
    struct rh_world *w = world_of("global_order", &s, NULL, 0);
    struct rh_exploration *x = explored(w, "auto", 1, 0);
    assert_int_equal(x->results->finding_count, 1);
    rh__exploration_free(x);
    rh_world_free(w);
    w = world_of("global_sum", &s, NULL, 0);
    x = explored(w, "auto", 1, 0);
    assert_int_equal(x->results->finding_count, 0);
    assert_int_equal(rh__exploration_verdict(x), RH_VERDICT_EXHAUSTIVE);
    assert_true(x->results->count.runs >= 6); /* 3! orders, all by dfs */
    assert_false(x->is_reduction);
    rh__exploration_free(x);
    rh_world_free(w);
}

/* ---- turns ------------------------------------------------------------------------------------------------------- */

static uint64_t runs_by(const char *notes, const char *member)
{
    char wanted[64];
    snprintf(wanted, sizeof wanted, " by %s", member);
    const char *at = strstr(notes, wanted);
    if (!at)
        return 0;
    while (at > notes && at[-1] >= '0' && at[-1] <= '9')
        at--;
    return strtoull(at, NULL, 10);
}

/* The floor of random is a fortieth of all steps, at most, and nothing new comes after the first runs. */
static void every_member_has_its_turns(void **unused)
{
    (void)unused;
    static const char *const members[] = { "optimal", "pctcp", "swarm", "pos", "phases", "weighted", "random" };
    struct rh_semantics s = { .granularity = RH_GRAIN_OBJECT };
    char notes[2][4096];
    for (int i = 0; i < 2; i++) {
        struct rh_world *w = world_of("senders", &s, ten, 1);
        struct rh_exploration *x = explored(w, "auto", 1, 20000);
        assert_int_equal(rh__exploration_verdict(x), RH_VERDICT_SAMPLED);
        rh_inner_notes(&x->explorer, notes[i], sizeof notes[i]);
        rh__exploration_free(x);
        rh_world_free(w);
    }
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (runs_by(notes[0], members[i]) < 20000 / 50)
            fail_msg("%s has %llu of 20,000 runs: %s", members[i], (unsigned long long)runs_by(notes[0], members[i]),
                     notes[0]);
    assert_string_equal(notes[0], notes[1]); /* the same seed, the same turns */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(a_small_test_is_made_once),  EXPLORE_TEST(slices_lose_no_run),
        EXPLORE_TEST(cut_runs_are_bounded),       EXPLORE_TEST(orders_at_a_global_variable_are_explored),
        EXPLORE_TEST(every_member_has_its_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
