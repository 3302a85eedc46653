/* grow: runs that do not end are cut at a limit that grows; runs that end are not. */
#include "explore/support/runs.h"

/* ---- a clock that never stops, and shows a bug late -------------------------------------------------------------- */

RH_PARAM(late, "0", "the bug shows at this tick");
RH_MESSAGE(tick);
RH_ACTOR(clock_, int ticks; int late;);
RH_HANDLER(clock_, rh_start)
{
    rh_timer("tick", 1, tick);
}
RH_HANDLER(clock_, tick)
{
    rh_assert(++state->ticks != state->late);
    rh_timer("tick", 1, tick);
}
RH_BEHAVIOUR(clock_, ticking, rh_start, tick);
RH_TEST(endless)
{
    rh_spawn(clock_, .late = (int)rh_param("late", 0));
}

static struct rh_exploration *ticks(const char *explorer, const char *late, uint64_t runs, struct rh_world **w)
{
    static struct rh_param params[1] = { { "late", NULL } };
    params[0].value = late;
    *w = world_of("endless", NULL, params, 1);
    return explored(*w, explorer, 1, runs);
}

/* 32 runs of 100 events, 32 of 300, then of 1,000. */
static void the_limit_grows_while_runs_are_cut(void **unused)
{
    (void)unused;
    struct rh_world *w;
    struct rh_exploration *x = ticks("grow(random)", "0", 65, &w);
    char notes[512];
    rh_inner_notes(&x->explorer, notes, sizeof notes);
    print_message("%s\n", notes);
    assert_int_equal(x->results->count.runs, 65);
    assert_int_equal(x->results->count.cut, 65);
    assert_int_equal(x->results->count.steps, 32 * 100 + 32 * 300 + 1000);
    assert_non_null(strstr(notes, "cut after 1000 events"));
    assert_int_equal(rh__exploration_verdict(x), RH_VERDICT_SAMPLED);
    rh__exploration_free(x);
    rh_world_free(w);
}

static void a_late_bug_is_found(void **unused)
{
    (void)unused;
    struct rh_world *w;
    struct rh_exploration *x = ticks("grow(random)", "700", 100, &w);
    assert_int_equal(x->results->finding_count, 1);
    assert_int_equal(x->results->count.cut, 64);
    assert_int_equal(x->results->count.failed, 36);
    rh__exploration_free(x);
    rh_world_free(w);
}

/* dfs promises every run; with runs cut at different depths nobody does. */
static void nothing_is_promised(void **unused)
{
    (void)unused;
    struct rh_world *w;
    struct rh_exploration *x = ticks("grow(dfs)", "0", 0, &w);
    assert_int_equal(x->results->count.cut, 1);
    assert_int_equal(rh__exploration_verdict(x), RH_VERDICT_SAMPLED);
    rh__exploration_free(x);
    rh_world_free(w);
}

/* No member makes runs of 100,000 events before the others have had short ones, and what the exhaustive member has made
 * within its own bound is no promise. */
static void auto_makes_short_runs_of_a_program_that_never_ends(void **unused)
{
    (void)unused;
    struct rh_world *w;
    struct rh_exploration *x = ticks("auto(grow)", "0", 200, &w);
    char notes[1024];
    rh_inner_notes(&x->explorer, notes, sizeof notes);
    print_message("%s\n", notes);
    assert_int_equal(x->results->count.runs, 200);
    assert_int_equal(x->results->count.cut, 200);
    assert_true(x->results->count.steps < 100000);
    assert_non_null(strstr(notes, "were cut: by bound after 100 events, by grow after 100 at first"));
    assert_int_equal(rh__exploration_verdict(x), RH_VERDICT_SAMPLED);
    rh__exploration_free(x);
    rh_world_free(w);
    x = ticks("auto(grow)", "700", 1000, &w);
    assert_int_equal(x->results->finding_count, 1);
    rh__exploration_free(x);
    rh_world_free(w);
}

/* ---- in rounds --------------------------------------------------------------------------------------------------- */

RH_MESSAGE(again);
RH_ACTOR(endless, int n;);
RH_HANDLER(endless, again)
{
    rh_send(self, again);
}
RH_BEHAVIOUR(endless, going, again);
RH_TEST(goes_on)
{
    rh_send(rh_spawn(endless), again);
}

static uint32_t *lengths; /* shared memory: of each run */
static void length_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    lengths[run->number] = run->events - 1;
    rh_inner_end(&((struct spy *)state)->inner, w, run);
}
SPY(length_of, "notes the lengths of runs", length_end)

static void rounds_are_longer_and_have_more_runs(void **unused)
{
    (void)unused;
    lengths = rh_shared_new(64 * sizeof *lengths);
    struct rh_world *w = world_of("goes_on", NULL, NULL, 0);
    struct rh_exploration *x = explored(w, "length_of(grow(step=5, factor=2, random))", 1, 15);
    assert_int_equal(rh__exploration_verdict(x), RH_VERDICT_SAMPLED);
    for (uint32_t i = 1; i <= 15; i++) /* 2 runs of 5 events, 4 of 10, 8 of 15, then 20 */
        assert_int_equal(lengths[i], i <= 2 ? 5 : i <= 6 ? 10 : i <= 14 ? 15 : 20);
    rh__exploration_free(x);
    rh_world_free(w);
    rh_shared_free(lengths, 64 * sizeof *lengths);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(the_limit_grows_while_runs_are_cut),
        EXPLORE_TEST(a_late_bug_is_found),
        EXPLORE_TEST(nothing_is_promised),
        EXPLORE_TEST(auto_makes_short_runs_of_a_program_that_never_ends),
        EXPLORE_TEST(rounds_are_longer_and_have_more_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
