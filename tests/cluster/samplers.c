/* Samplers with several workers: exactly as many runs as were asked for; each of them is a run of the program, as dfs
 * has them; most distinct runs of a small program are met; and the workers draw from different streams. */
#include "cluster/mixed.h"
#include "cluster/support.h"

#ifdef RH_TEST_FEW
enum { RUNS = 3000, WORKERS = 3, RUNS_OF_LARGE = 2000 };
#else
enum { RUNS = 9000, WORKERS = 3, RUNS_OF_LARGE = 4000 };
#endif

static const struct rh_param params[] = { { "n", "3" }, { "fails", "1" }, { "rounds", "1" } };

static const struct rh_param large[] = { { "n", "4" }, { "rounds", "2" } };

struct set {
    uint64_t hash[4096];
    uint32_t count;
};

static bool has(const struct set *s, uint64_t hash)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (s->hash[i] == hash)
            return true;
    return false;
}

static void put_hash(void *arg, uint64_t hash)
{
    struct set *s = arg;
    if (s->count < sizeof s->hash / sizeof *s->hash)
        s->hash[s->count++] = hash;
}

static void distinct_of(const struct rh_exploration *x, struct set *s)
{
    s->count = 0;
    rh__distinct_settle(&x->results->distinct);
    rh__distinct_each(&x->results->distinct, put_hash, s);
    assert_int_equal(s->count, x->results->distinct.count);
}

static const struct row {
    const char *explorer;
    bool meets_most; /* seven of ten distinct runs have a probability that so many runs do not miss */
} rows[] = {
    { "random", true },
    { "weighted", true },
    { "swarm", true },
    { "phases", true },
    { "feedback", true },
    { "feedback(random)", true },
    { "onward(random)", true },
    { "pos", true },
    { "urw", true },
    { "surw", true },
    { "pct(3)", false },
    { "pctcp(2)", false },
    { "pctcp(3, racing)", false },
};

static void workers_make_the_runs_of_a_sampler(void **unused)
{
    static struct set all, seen;
    struct setting every = {
        .test = "mixed", .params = params, .param_count = 3, .explorer = "dfs", .limits = { .keep_going = true }
    };
    char error[512] = "";
    (void)unused;
    struct rh_exploration *dfs = opened(&every);
    assert_true(rh__explore(dfs));
    distinct_of(dfs, &all);
    uint32_t findings = dfs->results->finding_count;
    closed(dfs); /* there is one world at a time */
    print_message("dfs: %u distinct runs, %u findings\n", all.count, findings);
    assert_in_range(all.count, 20, 4000);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct setting s = every;
        s.explorer = rows[i].explorer;
        s.limits.max_runs = RUNS;
        struct rh_exploration *x = opened(&s);
        if (pooled(x, &s, (struct rh__pool_options){ .workers = WORKERS }, error, sizeof error) != RH__POOL_DONE)
            fail_msg("%s: %s", s.explorer, error);
        distinct_of(x, &seen);
        uint64_t runs = x->results->count.runs;
        assert_in_range(x->results->finding_count, 1, findings);
        assert_int_equal(rh__exploration_verdict(x), RH_VERDICT_SAMPLED);
        closed(x);
        print_message("%-18s %llu runs, %u of %u distinct runs\n", s.explorer, (unsigned long long)runs, seen.count,
                      all.count);
        assert_int_equal(runs, RUNS);
        for (uint32_t k = 0; k < seen.count; k++)
            if (!has(&all, seen.hash[k]))
                fail_msg("%s: a run that dfs does not make", s.explorer);
        if (rows[i].meets_most && seen.count * 10 < all.count * 7)
            fail_msg("%s: %u of %u distinct runs", s.explorer, seen.count, all.count);
    }
}

/* Of a program with more distinct runs than are made, workers with equal streams would see hardly more than one of them
 * does in its part of the runs. */
static void workers_draw_from_different_streams(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct setting s = { .test = "mixed", .params = large, .param_count = 2, .explorer = rows[i].explorer };
        char error[512] = "";
        uint64_t distinct[2];
        s.limits.max_runs = RUNS_OF_LARGE;
        for (uint32_t workers = 0; workers < 2; workers++) {
            struct rh_exploration *x = opened(&s);
            struct rh__pool_options o = { .workers = WORKERS };
            if (workers && pooled(x, &s, o, error, sizeof error) != RH__POOL_DONE)
                fail_msg("%s: %s", s.explorer, error);
            else if (!workers)
                assert_true(rh__explore(x));
            rh__distinct_settle(&x->results->distinct);
            distinct[workers] = x->results->distinct.count;
            closed(x);
        }
        print_message("%-18s %u runs: %llu distinct runs by one, %llu by %u workers\n", s.explorer, RUNS_OF_LARGE,
                      (unsigned long long)distinct[0], (unsigned long long)distinct[1], WORKERS);
        if (distinct[1] * 5 < distinct[0] * 4)
            fail_msg("%s: workers make the same runs", s.explorer);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { EXPLORE_TEST(workers_make_the_runs_of_a_sampler),
                                        EXPLORE_TEST(workers_draw_from_different_streams) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
