/* rh_abstract, and feedback: runs go on from runs that showed something rare. */
#include "explore/support/runs.h"

/* ---- a lock that opens after DIALS right turns ------------------------------------------------------------------- */

enum { DIALS = 12 };
RH_MESSAGE(turn);
RH_PARAM(tells, "0", "the lock shows how far it is");
RH_ACTOR(lock, bool tells; int right; int turns;);
RH_HANDLER(lock, turn)
{
    if (state->turns++ < DIALS) { /* each turn is right or wrong, and a wrong one spoils all */
        bool is_right = state->right == state->turns - 1 && rh_choose(2);
        state->right += is_right;
        if (state->tells)
            rh_abstract("right turns", state->right);
        rh_assert(state->right < DIALS, "the lock is open");
    }
}
RH_BEHAVIOUR(lock, closed, turn);
RH_TEST(dials)
{
    rh_ref l = rh_spawn(lock, .tells = rh_param("tells", 0));
    for (int i = 0; i < DIALS; i++)
        rh_send(l, turn);
}

/* All runs that five seeds need until the lock is open. */
static uint64_t runs_until_open(const char *explorer, const char *tells)
{
    uint64_t sum = 0;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        char error[512];
        struct rh_param p = { "tells", tells };
        struct rh__limits limits = { .max_runs = 100000 };
        struct rh_world *w = world_of("dials", NULL, &p, 1);
        struct rh_exploration *x = rh__exploration_new(w, explorer, seed, &limits, error, sizeof error);
        assert_non_null(x);
        assert_true(rh__explore(x));
        assert_int_equal(x->results->finding_count, 1);
        sum += x->results->count.runs;
        rh__exploration_free(x);
        rh_world_free(w);
    }
    return sum;
}

/* Random needs 2^12 runs on average, with a deviation as large.  feedback needs some runs for each turn, but only if
 * the program shows how far it is. */
static void a_deep_state_is_reached_step_by_step(void **unused)
{
    (void)unused;
    uint64_t plain = runs_until_open("random", "0"), blind = runs_until_open("feedback(random)", "0"),
             guided = runs_until_open("feedback(random)", "1");
    print_message("five seeds, runs in all: random %llu, feedback that sees nothing %llu, feedback %llu\n",
                  (unsigned long long)plain, (unsigned long long)blind, (unsigned long long)guided);
    assert_in_range(guided, 5, 5 * 400);
    assert_true(plain > 5 * guided && blind > 5 * guided);
}

/* ---- what counts ------------------------------------------------------------------------------------------------- */

RH_MESSAGE(done);
RH_MONITOR(watcher, int seen;);
RH_HANDLER(watcher, done)
{
    rh_abstract("seen", ++state->seen);
}
RH_BEHAVIOUR(watcher, watching, done);
RH_ACTOR(shower, int turns;);

RH_HANDLER(shower, turn)
{
    if (++state->turns == 1) {
        rh_become(shower, busy);
        rh_abstract("value", 7);
    } else if (state->turns == 2) {
        rh_abstract("value", 7);
        rh_abstract("value", 8);
        rh_abstract("other", 8);
    } else if (state->turns == 3) {
        rh_announce(done);
    } else if (state->turns == 4) {
        rh_announce(done);
        rh_cover("the end");
    } else {
        rh_stop();
    }
}
RH_BEHAVIOUR(shower, waiting, turn);
RH_BEHAVIOUR(shower, busy, turn);
RH_TEST(shows)
{
    rh_observe(watcher);
    rh_ref s = rh_spawn(shower);
    for (int i = 0; i < 5; i++)
        rh_send(s, turn);
}

/* Three behaviours (waiting, busy, ended); three values; two orders of announcements (the first, one behind another)
 * and two values of the monitor; the property. */
static void each_kind_of_news_counts_once(void **unused)
{
    (void)unused;
    struct rh_world *w = world_of("shows", NULL, NULL, 0);
    struct rh_exploration *x = explored(w, "feedback(random)", 1, 20);
    char notes[512];
    rh_inner_notes(&x->explorer, notes, sizeof notes);
    print_message("%s\n", notes);
    assert_int_equal(strtol(notes, NULL, 10), 3 + 3 + 4 + 1);
    rh__exploration_free(x);
    rh_world_free(w);
}

/* What a run shows is undone with its steps, and does not change the state. */
static void what_was_shown_is_undone(void **unused)
{
    (void)unused;
    struct rh_world *w = world_of("shows", NULL, NULL, 0);
    static const uint32_t shown[] = { 0, 1, 4, 6, 8, 8 };
    uint64_t hashes[8];
    uint32_t count;
    rh_world_begin(w);
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(rh_world_shown_count(w), shown[i]);
        const struct rh_choice *open = rh_world_enabled(w, &count);
        if (count)
            assert_true(rh_world_step(w, open));
    }
    for (uint32_t i = 0; i < 8; i++)
        hashes[i] = rh_world_shown(w, i);
    assert_true(hashes[0] == hashes[1] && hashes[1] != hashes[2] && hashes[2] != hashes[3]);
    rh_world_rollback(w, 3);
    assert_int_equal(rh_world_shown_count(w), 4);
    for (uint32_t i = 3; i < 5; i++)
        assert_true(rh_world_step(w, rh_world_enabled(w, &count)));
    assert_int_equal(rh_world_shown_count(w), 8);
    for (uint32_t i = 0; i < 8; i++)
        assert_true(hashes[i] == rh_world_shown(w, i));
    rh_world_free(w);
}

static void an_explorer_that_keeps_account_is_refused(void **unused)
{
    (void)unused;
    static const char *const refused[] = { "feedback(dfs)", "feedback(bound(9, optimal))",
                                           "feedback(portfolio(random, dfs))" };
    struct rh_semantics s = { .granularity = RH_GRAIN_OBJECT };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        char error[512] = "";
        struct rh__limits limits = { .max_runs = 1 };
        struct rh_world *w = world_of("shows", &s, NULL, 0);
        assert_null(rh__exploration_new(w, refused[i], 1, &limits, error, sizeof error));
        assert_non_null(strstr(error, "use a sampler"));
        rh_world_free(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(a_deep_state_is_reached_step_by_step),
        EXPLORE_TEST(each_kind_of_news_counts_once),
        EXPLORE_TEST(what_was_shown_is_undone),
        EXPLORE_TEST(an_explorer_that_keeps_account_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
