/* An exploration that pauses (limits.pause) makes the runs of one that does not, with every explorer that makes them
 * all: also where runs crash, and with the clock read on the way. */
#include "explore/support/program.h"
#include "explore/support/runs.h"

enum { PROGRAMS = 12, MOST = 3000, AT_LEAST = 20 };

static const char *const explorers[] = { "dfs",     "dpor",          "stateful", "stateful(plain)",
                                         "optimal", "symmetry(dfs)", "auto",     "preempt(1, dfs)" };

struct sums {
    uint64_t runs, steps, pruned, cut, failed, distinct;
    uint32_t findings, pauses;
    enum rh_verdict verdict;
};

static struct sums explore(const char *explorer, uint64_t slice)
{
    char error[512];
    struct rh_semantics s = program_semantics(program_seed);
    if (strcmp(explorer, "optimal") == 0 || strcmp(explorer, "auto") == 0)
        s.granularity = RH_GRAIN_OBJECT;
    struct rh_world_options options = { .test = test_named("program"), .semantics = &s, .quiet = true };
    struct rh_world *w = rh_world_new(&options, error, sizeof error);
    assert_non_null(w);
    struct rh__limits limits = { .max_runs = MOST, .keep_going = true, .pause = slice };
    struct rh_exploration *x = rh__exploration_new(w, explorer, 1, &limits, error, sizeof error);
    struct sums r = { 0 };
    if (x) {
        do {
            assert_true(rh__explore(x));
            r.pauses += x->end.paused;
            x->limits.pause = slice ? x->results->count.steps + slice : 0;
        } while (x->end.paused);
        const struct rh__counts *c = &x->results->count;
        r = (struct sums){ c->runs,
                           c->steps,
                           c->pruned,
                           c->cut,
                           c->failed,
                           x->results->distinct.count,
                           x->results->finding_count,
                           r.pauses,
                           rh__exploration_verdict(x) };
        rh__exploration_free(x);
    }
    rh_world_free(w);
    return r;
}

static void a_pause_changes_nothing(void **unused)
{
    (void)unused;
    uint32_t compared = 0, pauses = 0;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++)
        for (size_t i = 0; i < sizeof explorers / sizeof *explorers; i++) {
            program_seed = seed;
            program_crashes = seed % 4 == 0;
            struct sums whole = explore(explorers[i], 0), parts = explore(explorers[i], whole.steps / 5 + 1);
            bool equal = whole.runs == parts.runs && whole.steps == parts.steps && whole.pruned == parts.pruned &&
                         whole.cut == parts.cut && whole.failed == parts.failed && whole.distinct == parts.distinct &&
                         whole.findings == parts.findings && whole.verdict == parts.verdict;
            if (!equal)
                fail_msg("%s, program %llu: %llu runs, %llu steps, %u findings; with %u pauses %llu, %llu, %u",
                         explorers[i], (unsigned long long)seed, (unsigned long long)whole.runs,
                         (unsigned long long)whole.steps, whole.findings, parts.pauses, (unsigned long long)parts.runs,
                         (unsigned long long)parts.steps, parts.findings);
            compared += whole.runs > 5 && parts.pauses > 2;
            pauses += parts.pauses;
        }
    printf("%u explorations compared, %u pauses\n", compared, pauses);
    assert_true(compared >= AT_LEAST);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_pause_changes_nothing) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
