/* onward: from a finding on.  Findings are made smaller, and later runs go on from parts of them. */
#include "explore/support/runs.h"

#include "explore/engine/engine.h"

/* ---- a treasure behind an alarm ---------------------------------------------------------------------------------- */

enum { TO_THE_DOOR = 8, TO_THE_TREASURE = 6 };
RH_MESSAGE(turn);
RH_MESSAGE(noise);
RH_ACTOR(lock, int right; bool spoilt; int turns;);
RH_HANDLER(lock, turn)
{
    if (state->spoilt)
        return;
    state->spoilt = !rh_choose(2);
    state->right += !state->spoilt;
    if (state->right == TO_THE_DOOR && !state->spoilt)
        rh_assert(rh_choose(2), "the alarm rings");
    rh_assert(state->right < TO_THE_DOOR + TO_THE_TREASURE, "the treasure is found");
}
RH_HANDLER(lock, noise)
{
}
RH_BEHAVIOUR(lock, closed, turn, noise);
RH_TEST(treasure, .model = RH_BAG)
{
    rh_ref l = rh_spawn(lock);
    for (int i = 0; i < TO_THE_DOOR + TO_THE_TREASURE; i++)
        rh_send(l, turn);
    for (int i = 0; i < 6; i++)
        rh_send_from(rh_external("street"), l, noise);
}

struct search {
    uint64_t alarm, treasure, runs; /* the run in which each was found; 0: not */
};

static struct search search_for(const char *explorer, uint64_t seed, uint64_t runs)
{
    char error[512];
    struct search s = { 0 };
    struct rh__limits limits = { .max_runs = runs, .keep_going = true };
    struct rh_world *w = world_of("treasure", NULL, NULL, 0);
    struct rh_exploration *x = rh__exploration_new(w, explorer, seed, &limits, error, sizeof error);
    assert_non_null(x);
    assert_true(rh__explore(x));
    s.runs = x->results->count.runs;
    for (uint32_t i = 0; i < x->results->finding_count; i++) {
        const struct rh__finding *f = &x->results->findings[i];
        *(strstr(f->outcome.text, "alarm") ? &s.alarm : &s.treasure) = f->run;
    }
    rh__exploration_free(x);
    rh_world_free(w);
    return s;
}

/* Random needs 2^9 runs for the alarm and 2^15 for the treasure, on average.  From the alarm on it is 2^7 for a run
 * that goes on from all of it but the end, and these are a quarter of the runs. */
static void what_is_behind_a_finding_is_found(void **unused)
{
    (void)unused;
    uint32_t plain = 0, onward = 0;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct search a = search_for("random", seed, 8000), b = search_for("onward(random)", seed, 8000);
        print_message("seed %llu: alarm %llu, %llu; treasure %llu, %llu\n", (unsigned long long)seed,
                      (unsigned long long)a.alarm, (unsigned long long)b.alarm, (unsigned long long)a.treasure,
                      (unsigned long long)b.treasure);
        assert_true(b.alarm > 0 && b.runs == 8000);
        assert_int_equal(a.alarm, b.alarm); /* up to the first finding the runs are the same */
        plain += a.treasure > 0;
        onward += b.treasure > 0;
    }
    assert_int_equal(onward, 5);
    assert_true(plain < 5);
}

/* ---- as a decorator ---------------------------------------------------------------------------------------------- */

static void an_explorer_that_keeps_account_is_refused(void **unused)
{
    (void)unused;
    char error[512];
    struct rh__limits limits = { .max_runs = 10 };
    struct rh_world *w = world_of("treasure", NULL, NULL, 0);
    assert_null(rh__exploration_new(w, "onward(dfs)", 1, &limits, error, sizeof error));
    assert_non_null(strstr(error, "cannot go on from another one"));
    rh_world_free(w);
}

/* ---- failures that end the process ------------------------------------------------------------------------------- */

RH_ACTOR(bomb, int cut;);
RH_HANDLER(bomb, turn)
{
    state->cut += rh_choose(2) ? 1 : -10;
    if (state->cut == 4)
        abort();
}
RH_BEHAVIOUR(bomb, ticking, turn);
RH_TEST(explodes)
{
    rh_ref b = rh_spawn(bomb);
    for (int i = 0; i < 8; i++)
        rh_send(b, turn);
}

static void a_crash_is_made_smaller_and_gone_on_from(void **unused)
{
    (void)unused;
    char error[512], notes[512] = "";
    struct rh__limits limits = { .max_runs = 400, .keep_going = true };
    struct rh_world *w = world_of("explodes", NULL, NULL, 0);
    struct rh_exploration *x = rh__exploration_new(w, "onward(random)", 1, &limits, error, sizeof error);
    assert_non_null(x);
    assert_true(rh__explore(x));
    assert_int_equal(x->results->finding_count, 1);
    assert_int_equal(x->results->findings[0].outcome.kind, RH_OUTCOME_CRASH);
    rh_inner_notes(&x->explorer, notes, sizeof notes);
    if (!strstr(notes, "went on from one of 1 findings"))
        fail_msg("the notes are: %s", notes);
    rh__exploration_free(x);
    rh_world_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(what_is_behind_a_finding_is_found),
        EXPLORE_TEST(an_explorer_that_keeps_account_is_refused),
        EXPLORE_TEST(a_crash_is_made_smaller_and_gone_on_from),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
