/* Whether a store is held is found out by two operations, one on the store and one on the life of its owner; each looks
 * only at what it is an operation on.  So optimal makes each run once, whatever its seed, and goes on from a checkpoint
 * as it began. */
#include <rehearse/test.h>

#include "explore/support/runs.h"

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

/* 18 runs complete, as dfs and dpor find.  36 fail, because an owner opens the store that another one holds; dpor has
 * as many distinct ones.  A failing run ends before others have made their steps, so some have the same hash. */
static void every_seed_makes_the_same_runs_once(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 24; seed++) {
        const struct rh_semantics s = { .granularity = RH_GRAIN_OBJECT };
        struct rh_world *w = world_of("three_owners", &s, NULL, 0);
        struct rh_exploration *x = explored(w, "optimal", seed, 0);
        if (x->results->count.runs != 54 || x->results->count.failed != 36)
            fail_msg("seed %llu: %llu runs, %llu failed", (unsigned long long)seed,
                     (unsigned long long)x->results->count.runs, (unsigned long long)x->results->count.failed);
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
