/* A step in which the program fails ends the run, and what others would have done in it happens in other runs: a
 * property that only they evaluate is seen there.  optimal makes these runs without the failing step. */
#include "explore/support/runs.h"

enum { FAILS = 1, ASSUMES = 2 };

RH_MESSAGE(go);
RH_ACTOR(breaks, int how;);
RH_HANDLER(breaks, go)
{
    (void)msg;
    if (state->how == FAILS)
        rh_assert(false, "it breaks");
    rh_assume(state->how != ASSUMES);
}
RH_BEHAVIOUR(breaks, ready, go);

/* Sends itself three messages, and meets the cover with the last one. */
RH_ACTOR(beside, int taken;);
RH_HANDLER(beside, go)
{
    (void)msg;
    if (++state->taken < 3)
        rh_send(self, go);
    if (state->taken == 3)
        rh_cover("third");
}
RH_BEHAVIOUR(beside, ready, go);

RH_PARAM(first, "0", "what the first one does");
RH_PARAM(second, "0", "what the second one does");
RH_TEST(breaks_beside)
{
    rh_ref a = rh_spawn(breaks, .how = (int)rh_param("first", 0));
    rh_ref b = rh_spawn(breaks, .how = (int)rh_param("second", 0)), c = rh_spawn(beside);
    rh_send(a, go);
    rh_send(b, go);
    rh_send(c, go);
}

/* ---- how often the cover was reached ----------------------------------------------------------------------------- */

static uint64_t times_reached(const char *explorer, const char *first, const char *second)
{
    static const struct rh_semantics object = { .granularity = RH_GRAIN_OBJECT };
    struct rh_param params[] = { { "first", first }, { "second", second } };
    struct rh_world *w = world_of("breaks_beside", &object, params, 2);
    struct rh_exploration *x = explored(w, explorer, 1, 0);
    assert_int_equal(rh__exploration_verdict(x), RH_VERDICT_EXHAUSTIVE);
    const struct rh__results *r = x->results;
    uint64_t held = 0;
    for (uint32_t i = 0; i < r->property_count; i++)
        held += strcmp(r->properties[i].name, "third") ? 0 : r->properties[i].held;
    rh__exploration_free(x);
    rh_world_free(w);
    return held;
}

/* Every run fails.  dfs: five messages, those of `beside` in their order; the run ends with the first one of a
 * `breaks`, and the cover is in it if all three messages of `beside` were before: one order, two ways to end. */
static void a_cover_beside_a_failure_is_reached(void **unused)
{
    (void)unused;
    assert_int_equal(times_reached("dfs", "1", "1"), 2);
    assert_int_equal(times_reached("optimal", "1", "1"), 1);
    assert_int_not_equal(times_reached("dpor", "1", "1"), 0);
}

/* A run that an assumption ends does not count, but the same steps with the failure in its place do. */
static void an_assumption_takes_the_cover_away_unless_a_failure_comes_first(void **unused)
{
    (void)unused;
    static const struct {
        const char *first, *second;
    } rows[] = { { "0", "0" }, { "0", "1" }, { "0", "2" }, { "1", "2" }, { "2", "1" }, { "2", "2" } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t all = times_reached("dfs", rows[i].first, rows[i].second);
        printf("%s %s: dfs %llu\n", rows[i].first, rows[i].second, (unsigned long long)all);
        assert_int_equal(all != 0, times_reached("optimal", rows[i].first, rows[i].second) != 0);
        assert_int_equal(all != 0, times_reached("dpor", rows[i].first, rows[i].second) != 0);
    }
    assert_int_equal(times_reached("optimal", "2", "2"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(a_cover_beside_a_failure_is_reached),
        EXPLORE_TEST(an_assumption_takes_the_cover_away_unless_a_failure_comes_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
