/* probe against the number of runs of dfs: no bias over many seeds, and a lower bound that holds. */
#include "explore/explorers.h"
#include "explore/support/program.h"
#include "explore/support/runs.h"

enum { PROGRAMS = 30, SEEDS = 40, RUNS = 40, MOST = 4000, LEAST = 8 };

static struct rh_exploration *explore(struct rh_world *w, const char *explorer, uint64_t seed, uint64_t runs)
{
    char error[512];
    struct rh__limits limits = { .max_runs = runs, .keep_going = true, .unchecked = true };
    struct rh_exploration *x = rh__exploration_new(w, explorer, seed, &limits, error, sizeof error);
    assert_non_null(x);
    assert_true(rh__explore(x));
    return x;
}

static void the_mean_is_the_number_of_runs(void **unused)
{
    (void)unused;
    uint32_t programs = 0, bounds = 0, held = 0;
    double ratios = 0;
    for (program_seed = 1; program_seed <= PROGRAMS; program_seed++) {
        char error[512];
        struct rh_semantics s = program_semantics(program_seed);
        struct rh_world_options options = { .test = test_named("program"), .semantics = &s, .quiet = true };
        struct rh_world *w = rh_world_new(&options, error, sizeof error);
        assert_non_null(w);
        struct rh_exploration *x = explore(w, "dfs", 1, MOST);
        double all = x->end.exhausted ? (double)x->results->count.runs : 0, sum = 0;
        rh__exploration_free(x);
        for (uint64_t seed = 1; seed <= SEEDS && all >= LEAST; seed++) {
            struct rh__size size;
            x = explore(w, "probe", seed, RUNS);
            rh__probe_result(x->explorer.state, 0, &size);
            sum += size.estimate / SEEDS;
            bounds++;
            held += size.low <= all;
            rh__exploration_free(x);
        }
        rh_world_free(w);
        if (all < LEAST)
            continue;
        programs++;
        ratios += sum / all;
        if (sum < all / 4 || sum > all * 4)
            fail_msg("program %llu: %g runs, estimated at %g", (unsigned long long)program_seed, all, sum);
    }
    printf("%u programs; estimated at %.3f of the truth; %u of %u lower bounds hold\n", programs, ratios / programs,
           held, bounds);
    assert_true(programs >= 8);
    assert_true(ratios / programs > 0.85 && ratios / programs < 1.15);
    assert_true(held >= bounds * 0.95);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_mean_is_the_number_of_runs) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
