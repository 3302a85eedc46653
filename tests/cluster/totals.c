/* Every total of an exploration counts each run once, whole: runs, steps, behaviours, cut and stuck runs, and in how
 * many runs a property held.  So totals of dfs and optimal are the same whoever makes the runs: one process, several
 * workers, or one process whose work is moved about between any two runs. */
#include "cluster/mixed.h"
#include "cluster/mover.h"
#include "cluster/support.h"
#include "explore/support/program.h"

#ifdef RH_TEST_FEW
enum { LARGEST = 200, PROGRAMS = 6 };
#else
enum { LARGEST = 1000, PROGRAMS = 30 };
#endif

#define KEEP_GOING .limits = { .keep_going = true }

/* In an order of its own: who is evaluated or found first is not a total. */
static int in_their_order(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Kept in a buffer of malloc. */
static char *totals_of(const struct rh_exploration *x)
{
    enum { LINE = 256, MOST = 64 };
    static char lines[MOST][LINE];
    uint32_t n = 0;
    char *text = malloc((MOST + 1) * LINE);
    assert_non_null(text);
    int at = snprintf(text, LINE, "%llu runs %llu steps %llu behaviours %llu cut %llu stuck %llu failed\n",
                      (unsigned long long)x->results->count.runs, (unsigned long long)x->results->count.steps,
                      (unsigned long long)x->results->distinct.count, (unsigned long long)x->results->count.cut,
                      (unsigned long long)x->results->count.blocked, (unsigned long long)x->results->count.failed);
    for (uint32_t i = 0; i < x->results->finding_count && n < MOST; i++)
        snprintf(lines[n++], LINE, "%016llx found %llu times\n", (unsigned long long)x->results->findings[i].signature,
                 (unsigned long long)x->results->findings[i].count);
    for (uint32_t i = 0; i < x->results->property_count && n < MOST; i++) {
        struct rh__property_result p = x->results->properties[i];
        snprintf(lines[n++], LINE, "%s %s held in %llu, not in %llu\n", p.name, p.place, (unsigned long long)p.held,
                 (unsigned long long)p.failed);
    }
    qsort(lines, n, LINE, in_their_order);
    for (uint32_t i = 0; i < n; i++)
        at += snprintf(text + at, LINE, "%s", lines[i]);
    return text;
}

/* NULL if a limit ended it. */
static char *totals_by_one(const struct setting *s, const char *explorer)
{
    struct setting with = *s;
    with.explorer = explorer;
    struct rh_exploration *x = opened(&with);
    assert_true(rh__explore(x));
    char *text = x->end.exhausted ? totals_of(x) : NULL;
    closed(x);
    return text;
}

static char *totals_by_workers(const struct setting *s, uint32_t workers, uint64_t slice)
{
    char error[512] = "";
    struct rh_exploration *x = opened(s);
    if (pooled(x, s, (struct rh__pool_options){ .workers = workers, .slice_runs = slice }, error, sizeof error) !=
        RH__POOL_DONE)
        fail_msg("%s", error);
    char *text = totals_of(x);
    closed(x);
    return text;
}

/* By one process whose work is moved, and by workers that report after `slice` runs.  False where there are too many
 * runs to compare. */
static bool compare(const struct setting *s, uint32_t workers, uint64_t slice, uint64_t seed)
{
    char moved[64];
    char *one = totals_by_one(s, s->explorer);
    if (!one)
        return false;
    snprintf(moved, sizeof moved, "mover:%s", s->explorer);
    same_text(strdup(one), totals_by_one(s, moved), s->explorer, seed);
    same_text(one, totals_by_workers(s, workers, slice), s->explorer, seed);
    return true;
}

static const char *const explorers[] = { "dfs", "optimal", "dpor", "symmetry:dpor" };

static struct rh_semantics semantics_of(uint64_t seed, const char *explorer)
{
    struct rh_semantics s = program_semantics(seed);
    if (strcmp(explorer, "optimal") == 0) { /* what it can do */
        s.granularity = RH_GRAIN_OBJECT;
        s.partitions = 0;
        *s.timer_budgets = 0;
        s.pauses = true;
    }
    return s;
}

/* The larger program has thousands of runs: its workers report seldom. */
static void properties_of_every_kind_count_runs(void **unused)
{
    (void)unused;
    static const struct rh_param small[] = { { "n", "2" }, { "fails", "1" } },
                                 large[] = { { "n", "3" }, { "fails", "1" } };
    for (size_t e = 0; e < sizeof explorers / sizeof *explorers; e++) {
        struct rh_semantics semantics = { .granularity = e == 1 ? RH_GRAIN_OBJECT : RH_GRAIN_HANDLER };
        struct setting s = {
            .test = "mixed", .semantics = &semantics, .param_count = 2, .explorer = explorers[e], KEEP_GOING
        };
        s.params = small;
        for (uint32_t workers = 1; workers <= 3; workers++)
            assert_true(compare(&s, workers, workers, workers));
        s.params = large;
        assert_true(compare(&s, 3, 50, 0));
    }
}

static void a_crash_of_the_program_counts_its_run_once(void **unused)
{
    (void)unused;
    static const struct rh_param params[] = { { "n", "2" }, { "rounds", "1" }, { "crashes", "1" } };
    for (size_t e = 0; e < sizeof explorers / sizeof *explorers; e++) {
        struct rh_semantics semantics = { .granularity = e == 1 ? RH_GRAIN_OBJECT : RH_GRAIN_HANDLER };
        struct setting s = { .test = "mixed",
                             .semantics = &semantics,
                             .params = params,
                             .param_count = 3,
                             .explorer = explorers[e],
                             KEEP_GOING };
        assert_true(compare(&s, 2, 4, 3));
    }
}

static void generated_programs_have_the_same_totals(void **unused)
{
    (void)unused;
    for (size_t e = 0; e < sizeof explorers / sizeof *explorers; e++) {
        uint32_t compared = 0;
        for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
            struct rh_semantics semantics = semantics_of(seed, explorers[e]);
            struct setting s = { .test = "program",
                                 .semantics = &semantics,
                                 .explorer = explorers[e],
                                 .limits = { .max_runs = LARGEST, .keep_going = true } };
            program_seed = seed;
            compared += compare(&s, 1 + seed % 3, 1 + seed % 30, seed);
        }
        print_message("%s: %u programs\n", explorers[e], compared);
        assert_in_range(compared, PROGRAMS / 6, PROGRAMS);
    }
}

/* By hand: the client takes put, and chooses; without a timer the desk takes put, which makes 3 steps; with one the
 * timer fires before or after that, and the desk takes beat: 5 steps each way. */
static void each_run_counts_whole(void **unused)
{
    (void)unused;
    static const struct rh_param params[] = { { "n", "1" }, { "rounds", "1" } };
    struct setting s = { .test = "mixed", .params = params, .param_count = 2, KEEP_GOING };
    struct rh_exploration *x = opened(&s);
    assert_true(rh__explore(x));
    assert_int_equal(x->results->count.runs, 3);
    assert_int_equal(x->results->count.steps, 3 + 5 + 5);
    for (uint32_t i = 0; i < x->results->property_count; i++) {
        struct rh__property_result p = x->results->properties[i];
        if (strcmp(p.name, "it begins") == 0 || strcmp(p.name, "something is put") == 0)
            assert_int_equal(p.held, x->results->count.runs);
        if (p.kind == RH_EVENTUALLY)
            assert_int_equal(p.held + p.failed, x->results->count.runs);
    }
    closed(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(properties_of_every_kind_count_runs),
        EXPLORE_TEST(a_crash_of_the_program_counts_its_run_once),
        EXPLORE_TEST(generated_programs_have_the_same_totals),
        EXPLORE_TEST(each_run_counts_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
