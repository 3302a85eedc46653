/* Generated programs x explorers x whatever fails: over a server the result is that of one process.  The programs are
 * of 40,000 to 500,000 runs of dfs, with several kinds of faults; some crash in some orders. */
#include <stdio.h>

#include "explore/support/runs.h"
#include "link/support/chaos.h"
#include "link/support/servers.h"

enum { ALL = (1u << CHAOS_KIND_COUNT) - 1, ROUNDS = 3, MOST_OPTIONS = 16 };

static const char *const programs[][6] = {
    { "seed=13", "crashes=0", "--duplicates", "1" },
    { "seed=14", "crashes=1", "--crashes", "1", "--restarts", "1" },
    { "seed=20", "crashes=0", "--crashes", "1", "--restarts", "1" },
    { "seed=76", "crashes=0", "--granularity", "object", "--model", "mailbox" },
    { "seed=101", "crashes=0", "--partitions", "1" },
    { "seed=176", "crashes=0", "--crashes", "1", "--restarts", "1" },
};

static const struct {
    const char *name;
    bool pool;    /* compare with a pool, where findings are in the order of the tree */
    bool repeats; /* runs and steps vary with the workers (docs/guarantees.md), and findings and distinct runs do not */
} explorers[] = {
    { "dfs", false, false },           { "dpor", false, false },   { "symmetry(dpor)", false, false },
    { "optimal", true, false },        { "stateful", true, true }, { "delay(rtc, ses)", true, true },
    { "bound(9, dfs)", false, false },
};

static void whoever_dies_generated_programs_have_the_same_results(void **unused)
{
    struct chaos_counts sum = { .explorations = 0 }, one;
    (void)unused;
    for (uint64_t seed = 1; seed <= ROUNDS; seed++)
        for (size_t p = 0; p < sizeof programs / sizeof *programs; p++)
            for (size_t e = 0; e < sizeof explorers / sizeof *explorers; e++) {
                const char *const *more = programs[p];
                const char *options[MOST_OPTIONS] = { "generated", "--explorer", explorers[e].name, "-p", more[0],
                                                      "-p",        more[1] };
                for (size_t i = 2; i < 6 && more[i]; i++)
                    options[5 + i] = more[i];
                print_message("%s of %s, ", explorers[e].name, more[0]);
                chaos_make(&(struct chaos_setting){ .name = "generated",
                                                    .program = "tests/fixtures/generated",
                                                    .options = options,
                                                    .rounds = explorers[e].pool,
                                                    .repeats = explorers[e].repeats,
                                                    .kinds = ALL,
                                                    .most = 15,
                                                    .least = { [CHAOS_workers] = 3, [CHAOS_agents] = 1 } },
                           100 * p + 10 * e + seed, &one);
                chaos_add(&sum, &one);
            }
    print_message("all: ");
    chaos_print(&sum);
    assert_true(sum.explorations >= 100 && sum.exact * 10 >= sum.explorations * 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(whoever_dies_generated_programs_have_the_same_results) };
    if (!server_is_installed()) {
        printf("skipped: redis-server is not installed (Debian: redis-server)\n");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
