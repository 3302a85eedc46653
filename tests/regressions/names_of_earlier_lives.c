/* A crash frees the names of an actor, and a restart does not give them back: with every granularity the next life
 * registers again, and until then nobody finds the actor by its name. */
#include "explore/support/runs.h"

RH_ACTOR(server, int lives;);
RH_HANDLER(server, rh_start)
{
    (void)msg;
    rh_assert(rh_register("server", self), "the name is free at the start of a life");
    rh_assert(!rh_register("server", self), "and taken then");
}
RH_BEHAVIOUR(server, serves, rh_start);

RH_ACTOR(tells, int told;);
RH_HANDLER(tells, rh_start)
{
    (void)msg;
    if (rh_restarts()) {
        rh_assert(rh_is_nobody(rh_whereis("teller")), "a name of an earlier life is found");
        rh_cover("restarted");
    } else {
        rh_register("teller", self);
    }
}
RH_BEHAVIOUR(tells, ready, rh_start);

RH_TEST(registers_again)
{
    rh_spawn(server);
}

RH_TEST(does_not_register_again)
{
    rh_spawn(tells);
}

static void check(const char *test, const char *explorer, enum rh_granularity grain, uint32_t kept)
{
    struct rh_semantics s = { .granularity = grain, .crashes = 2, .restarts = 2 - kept, .kept_restarts = kept };
    struct rh_world *w = world_of(test, &s, NULL, 0);
    struct rh_exploration *x = explored(w, explorer, 1, 0);
    if (x->results->finding_count)
        fail_msg("%s, %s, granularity %d: %s", test, explorer, (int)grain, x->results->findings[0].outcome.text);
    assert_int_equal(rh__exploration_verdict(x), RH_VERDICT_EXHAUSTIVE);
    assert_true(x->results->count.runs > 2);
    rh__exploration_free(x);
    rh_world_free(w);
}

static void a_name_of_an_earlier_life_is_free(void **unused)
{
    (void)unused;
    static const char *const tests[] = { "registers_again", "does_not_register_again" };
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        for (uint32_t kept = 0; kept < 3; kept++) {
            check(tests[i], "dfs", RH_GRAIN_HANDLER, kept);
            check(tests[i], "dpor", RH_GRAIN_HANDLER, kept);
            check(tests[i], "dfs", RH_GRAIN_OBJECT, kept);
            check(tests[i], "dpor", RH_GRAIN_OBJECT, kept);
            check(tests[i], "optimal", RH_GRAIN_OBJECT, kept);
            check(tests[i], "stateful", RH_GRAIN_OBJECT, kept);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = { EXPLORE_TEST(a_name_of_an_earlier_life_is_free) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
