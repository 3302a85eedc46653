/* Whether a store is held is found out by two operations, one on the store and one on the life of its owner; each looks only at what
 * it is an operation on.  So optimal makes each run once, whatever its seed, and goes on from a checkpoint as it began. */
#include <rehearse/test.h>

#include "explore/support.h"

RH_PROCESS(owner, char number;);
RH_BODY(owner)
{
    char before = 0;
    rh_store_open("shared");
    rh_store_get("order", &before, 1);
    before = (char)(before * 4 + state->number);
    rh_store_put("order", &before, 1);
}
RH_TEST(three_owners)
{
    for (char i = 1; i <= 3; i++)
        rh_spawn(owner, .number = i);
}

/* 72: found by optimal, which was compared with dfs for programs of this kind (explore/oracle_program.h). */
static void every_seed_makes_the_same_runs_once(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 24; seed++) {
        const struct rh_semantics s = { .granularity = RH_GRAIN_OBJECT };
        struct rh_world *w = world_of("three_owners", &s, NULL, 0);
        struct rh_exploration *x = explored(w, "optimal", seed, 0);
        if (x->runs != 72 || x->behaviours != 72)
            fail_msg("seed %llu: %llu runs, %llu behaviours", (unsigned long long)seed, (unsigned long long)x->runs,
                     (unsigned long long)x->behaviours);
        rh__exploration_free(x);
        rh_world_free(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(every_seed_makes_the_same_runs_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
