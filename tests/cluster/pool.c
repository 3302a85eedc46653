/* Whatever the number of workers, whoever of them is killed, wherever the file is cut off and taken up again: all
 * totals are those of one process (cluster/pool.h). */
#include "cluster/mixed.h"
#include "cluster/support.h"
#include "explore/support/program.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/random.h"

#ifdef RH_TEST_FEW
enum { LARGEST = 200, PROGRAMS = 5, CRASHING = 2, KILLS = 5, CUTS = 2 };
#else
enum { LARGEST = 1000, PROGRAMS = 40, CRASHING = 10, KILLS = 30, CUTS = 8 };
#endif

#define KEEP_GOING .limits = { .keep_going = true }

static const struct rh_param small[] = { { "n", "3" }, { "fails", "1" } };
static const struct rh_param crashing[] = { { "n", "2" }, { "rounds", "1" }, { "crashes", "1" } };
static const struct rh_param larger[] = { { "n", "4" }, { "fails", "1" } };

/* ---- any number of workers --------------------------------------------------------------------------------------- */

static void totals_do_not_depend_on_the_number_of_workers(void **unused)
{
    (void)unused;
    struct setting s = { .test = "mixed", .params = small, .param_count = 2, KEEP_GOING };
    char *one = told_by_one(&s);
    print_message("%.200s", one);
    for (uint32_t workers = 1; workers <= 4; workers++)
        for (uint64_t runs = 0; runs <= 50; runs += 25)
            same_text(strdup(one),
                      told_by_pool(&s, (struct rh__pool_options){ .workers = workers, .slice_runs = runs }), "workers",
                      workers);
    s.explorer = "bound:7,dfs";
    free(one);
    one = told_by_one(&s);
    same_text(one, told_by_pool(&s, (struct rh__pool_options){ .workers = 3, .slice_runs = 7 }), "bound", 0);
}

static void crashes_of_the_program_are_findings_as_ever(void **unused)
{
    (void)unused;
    struct setting s = { .test = "mixed", .params = crashing, .param_count = 3, KEEP_GOING };
    char *one = told_by_one(&s);
    print_message("%.200s", one);
    for (uint32_t workers = 2; workers <= 3; workers++)
        same_text(strdup(one), told_by_pool(&s, (struct rh__pool_options){ .workers = workers, .slice_runs = 3 }),
                  "workers", workers);
    free(one);
    s = (struct setting){ .test = "dies_in_body", KEEP_GOING };
    one = told_by_one(&s);
    same_text(one, told_by_pool(&s, (struct rh__pool_options){ .workers = 2 }), "dies_in_body", 0);
}

static void generated_programs_have_the_same_totals(void **unused)
{
    (void)unused;
    uint32_t compared = 0;
    for (uint64_t seed = 1; seed <= PROGRAMS + CRASHING; seed++) {
        struct rh_semantics semantics = program_semantics(seed);
        struct setting s = { .test = "program",
                             .semantics = &semantics,
                             .limits = { .max_runs = LARGEST, .keep_going = true },
                             .criteria = seed % 8 };
        program_seed = seed;
        program_crashes = seed > PROGRAMS;
        struct rh_exploration *x = opened(&s);
        assert_true(rh__explore(x));
        bool all = x->end.exhausted;
        char *one = told(x);
        closed(x);
        if (all)
            same_text(
                strdup(one),
                told_by_pool(&s, (struct rh__pool_options){ .workers = 1 + seed % 4, .slice_runs = 1 + seed % 30 }),
                "a generated program", seed);
        compared += all;
        free(one);
    }
    program_crashes = false;
    print_message("%u programs\n", compared);
    assert_in_range(compared, (PROGRAMS + CRASHING) / 3, PROGRAMS + CRASHING);
}

/* Without a limit of time nobody reads the meters on the way. */
static void the_time_of_workers_that_have_ended_counts(void **unused)
{
    (void)unused;
    struct setting s = { .test = "mixed", .params = small, .param_count = 2, KEEP_GOING };
    char error[256] = "";
    struct rh_exploration *x = opened(&s);
    assert_int_equal(pooled(x, &s, (struct rh__pool_options){ .workers = 2 }, error, sizeof error), RH__POOL_DONE);
    print_message("%.4f s of %u workers\n", x->clock.processor_seconds, x->workers);
    assert_true(x->clock.processor_seconds > 0);
    closed(x);
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

static void limits_are_of_the_sum(void **unused)
{
    (void)unused;
    static const char *const explorers[] = { "dfs", "random", "delayed:5", "portfolio:random+dfs" };
    for (size_t i = 0; i < sizeof explorers / sizeof *explorers; i++)
        for (uint64_t runs = 1; runs < 3000; runs = runs * 3 + 1) {
            struct setting s = { .test = "mixed",
                                 .params = larger,
                                 .param_count = 2,
                                 .explorer = explorers[i],
                                 .limits = { .max_runs = runs, .keep_going = true } };
            char error[256] = "";
            struct rh_exploration *x = opened(&s);
            assert_int_equal(pooled(x, &s, (struct rh__pool_options){ .workers = 3 }, error, sizeof error),
                             RH__POOL_DONE);
            assert_int_equal(x->results->count.runs, runs);
            assert_int_equal(rh__exploration_verdict(x), RH_VERDICT_SAMPLED);
            assert_true(x->end.stopped);
            closed(x);
        }
}

static void the_first_finding_is_the_last(void **unused)
{
    (void)unused;
    char error[256] = "";
    struct setting s = { .test = "mixed", .params = larger, .param_count = 2 };
    struct rh_exploration *x = opened(&s);
    assert_int_equal(pooled(x, &s, (struct rh__pool_options){ .workers = 3 }, error, sizeof error), RH__POOL_DONE);
    assert_in_range(x->results->finding_count, 1, 3); /* several may find at once */
    assert_true(x->end.stopped);
    assert_false(x->end.exhausted);
    rh__findings_describe(x->results, NULL, false);
    assert_true(*x->results->findings[0].schedule && *x->results->findings[0].story);
    closed(x);
}

static void explorers_that_cannot_share_are_refused(void **unused)
{
    (void)unused;
    static const char *const explorers[] = { "roundrobin", "bound:runs=5,dfs", "portfolio:dfs+dfs",
                                             "bound:5,roundrobin" };
    for (size_t i = 0; i < sizeof explorers / sizeof *explorers; i++) {
        char error[256] = "";
        struct setting s = { .test = "mixed", .explorer = explorers[i] };
        struct rh_exploration *x = opened(&s);
        assert_int_equal(pooled(x, &s, (struct rh__pool_options){ .workers = 2 }, error, sizeof error),
                         RH__POOL_REFUSED);
        assert_non_null(strstr(error, "cannot share its work"));
        closed(x);
    }
}

/* One process alone sees no difference; workers do, and do not claim to have seen everything. */
static void work_that_does_not_fit_is_not_explored(void **unused)
{
    (void)unused;
    char error[256] = "";
    bool diverged = false;
    for (int tries = 0; tries < 20 && !diverged; tries++) { /* the processes may happen to be alike */
        struct setting s = { .test = "by_process", .limits = { .max_runs = 20000, .keep_going = true } };
        struct rh_exploration *x = opened(&s);
        struct rh__pool_options o = { .workers = 3, .slice_runs = 5 };
        assert_int_equal(pooled(x, &s, o, error, sizeof error), RH__POOL_DONE);
        diverged = x->results->diverged;
        assert_int_equal(rh__exploration_verdict(x), RH_VERDICT_SAMPLED);
        closed(x);
    }
    assert_true(diverged);
}

/* ---- killing ----------------------------------------------------------------------------------------------------- */

struct killer {
    uint64_t random;
    uint32_t workers, kills, of_children, pause;
};

/* The exploring process of a worker. */
static pid_t child_of(pid_t worker)
{
    char path[64];
    int child = 0;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)worker, (int)worker);
    FILE *f = fopen(path, "r");
    if (f && fscanf(f, "%d", &child) != 1)
        child = 0;
    if (f)
        fclose(f);
    return child;
}

static void kill_one(void *arg, struct rh_exploration *x, const pid_t *workers)
{
    struct killer *k = arg;
    (void)x;
    if (k->kills == KILLS || rh__random_below(&k->random, k->pause))
        return;
    pid_t worker = workers[rh__random_below(&k->random, k->workers)];
    pid_t child = worker > 0 && rh__random_below(&k->random, 2) ? child_of(worker) : 0;
    if (worker <= 0)
        return;
    kill(child ? child : worker, SIGKILL);
    k->kills++;
    k->of_children += child != 0;
}

static void check_kills(const struct setting *s, uint32_t workers, uint64_t slice_runs, uint64_t seed)
{
    char *one = told_by_one(s);
    uint32_t kills = 0, of_children = 0;
    for (uint64_t i = 0; kills < KILLS; i++) {
        struct killer k = { rh__random_seed(seed, i), workers, 0, 0, 10 + (uint32_t)(i % 10) * 10 };
        same_text(strdup(one),
                  told_by_pool(s, (struct rh__pool_options){ .workers = workers,
                                                             .slice_runs = slice_runs,
                                                             .most_deaths = 1000,
                                                             .watch = kill_one,
                                                             .watch_arg = &k }),
                  "killed", seed + i);
        kills += k.kills;
        of_children += k.of_children;
        assert_in_range(i, 0, 200);
    }
    print_message("%u killed, %u of them exploring processes\n", kills, of_children);
    free(one);
}

static void who_is_killed_does_not_show(void **unused)
{
    (void)unused;
    struct setting s = { .test = "mixed", .params = small, .param_count = 2, KEEP_GOING, .criteria = 7 };
    check_kills(&s, 2, 200, 1);
    check_kills(&s, 4, 200, 2);
    s.params = crashing;
    s.param_count = 3;
    check_kills(&s, 3, 2, 3);
}

/* What optimal finds: which run shows it may differ. */
static void add_finding_counts(const struct rh_exploration *x, uint64_t *sum)
{
    for (uint32_t i = 0; i < x->results->finding_count; i++)
        *sum ^= x->results->findings[i].signature * (2 * x->results->findings[i].count + 1);
}

static void graphs_are_gone_on_with_whoever_is_killed(void **unused)
{
    (void)unused;
    static const struct rh_param params[] = { { "n", "5" }, { "fails", "1" } };
    struct rh_semantics fine = { .granularity = RH_GRAIN_OBJECT };
    struct setting s = {
        .test = "mixed", .params = params, .param_count = 2, .explorer = "optimal", .semantics = &fine, KEEP_GOING
    };
    uint64_t expected = 0, kills = 0;
    char error[256] = "";
    struct rh_exploration *one = opened(&s);
    assert_true(rh__explore(one));
    add_finding_counts(one, &expected);
    const struct rh__counts count = one->results->count;
    uint64_t behaviours = one->results->distinct.count;
    closed(one);
    assert_in_range(count.runs, 100, 1u << 20);
    for (uint64_t i = 0; kills < KILLS; i++) {
        uint64_t got = 0;
        struct killer k = { rh__random_seed(7, i), 3, 0, 0, 10 };
        struct rh_exploration *x = opened(&s);
        struct rh__pool_options o = {
            .workers = 3, .slice_runs = 10, .most_deaths = 1000, .watch = kill_one, .watch_arg = &k
        };
        if (pooled(x, &s, o, error, sizeof error) != RH__POOL_DONE)
            fail_msg("the pool: %s", error);
        add_finding_counts(x, &got);
        assert_int_equal(x->results->count.runs, count.runs);
        assert_int_equal(x->results->count.steps, count.steps);
        assert_int_equal(x->results->count.failed, count.failed);
        assert_int_equal(x->results->distinct.count, behaviours);
        assert_true(got == expected);
        assert_int_equal(rh__exploration_verdict(x), RH_VERDICT_EXHAUSTIVE);
        closed(x);
        kills += k.kills;
        assert_in_range(i, 0, 200);
    }
}

/* The only worker dies between a report and the next order. */
static void kill_idle(void *arg, struct rh_exploration *x, const pid_t *workers)
{
    struct killer *k = arg;
    siginfo_t info;
    if (x->results->count.runs == k->random || k->kills == KILLS)
        return;
    k->random = x->results->count.runs; /* a report has just come */
    pid_t child = child_of(workers[0]); /* has the stream, too, and the worker ends after it */
    kill(child ? child : workers[0], SIGKILL);
    waitid(P_PID, (id_t)workers[0], &info, WEXITED | WNOWAIT);
    k->kills++;
}

static void who_dies_without_work_is_not_missed(void **unused)
{
    (void)unused;
    struct setting s = { .test = "mixed", .params = small, .param_count = 2, KEEP_GOING };
    struct killer k = { 0 };
    same_text(
        told_by_one(&s),
        told_by_pool(&s,
                     (struct rh__pool_options){
                         .workers = 1, .slice_runs = 1000, .most_deaths = 1000, .watch = kill_idle, .watch_arg = &k }),
        "killed without work", 0);
    assert_int_equal(k.kills, KILLS);
}

/* Whoever has the first item dies. */
static void kill_all(void *arg, struct rh_exploration *x, const pid_t *workers)
{
    (void)arg, (void)x;
    for (int i = 0; i < 2; i++)
        if (workers[i] > 0)
            kill(workers[i], SIGKILL);
}

static void an_item_whose_workers_are_killed_is_left_out_and_no_finding(void **unused)
{
    (void)unused;
    char error[256] = "";
    struct setting s = { .test = "mixed", .params = larger, .param_count = 2, KEEP_GOING };
    struct rh_exploration *x = opened(&s);
    if (pooled(x, &s, (struct rh__pool_options){ .workers = 2, .watch = kill_all }, error, sizeof error) !=
        RH__POOL_DONE)
        fail_msg("%s", error);
    print_message("%u findings, %s\n", x->results->finding_count, x->end.trouble);
    for (uint32_t i = 0; i < x->results->finding_count; i++)
        assert_null(strstr(x->results->findings[i].outcome.text, "worker processes"));
    assert_non_null(strstr(x->end.trouble, "3 processes in turn were killed"));
    assert_non_null(strstr(x->end.trouble, "ran out of memory"));
    assert_true(x->results->incomplete);
    assert_int_equal(rh__exploration_verdict(x), RH_VERDICT_SAMPLED);
    closed(x);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* Cut off after some runs, again and again, by other numbers of workers, with somebody killed now and then. */
static void a_file_goes_on_where_it_was(void **unused)
{
    (void)unused;
    char path[] = "/tmp/rehearse-checkpoint-XXXXXX", error[512] = "";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    struct setting s = { .test = "mixed", .params = small, .param_count = 2, KEEP_GOING, .criteria = 5 };
    char *one = told_by_one(&s), *many = NULL;
    uint64_t total = strtoull(one, NULL, 10);
    uint32_t parts = 0;
    for (bool done = false; !done; parts++) {
        struct rh_exploration *x;
        struct killer k = { rh__random_seed(9, parts), 1 + parts % 3, 0, 0, 8 };
        s.limits.max_runs = total / CUTS * (parts + 1);
        x = opened(&s);
        enum rh__pool_end end = pooled(x, &s,
                                       (struct rh__pool_options){ .workers = 1 + parts % 3,
                                                                  .checkpoint = path,
                                                                  .resume = parts > 0,
                                                                  .slice_runs = 40,
                                                                  .checkpoint_seconds = 0.01,
                                                                  .most_deaths = 1000,
                                                                  .watch = kill_one,
                                                                  .watch_arg = &k },
                                       error, sizeof error);
        if (end != RH__POOL_DONE)
            fail_msg("part %u: %s", parts, error);
        done = x->end.exhausted;
        if (done)
            many = told(x);
        closed(x);
        assert_in_range(parts, 0, CUTS + 2);
    }
    print_message("%u parts\n", parts);
    assert_in_range(parts, CUTS, CUTS + 2);
    same_text(one, many, "from a file", 0);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(totals_do_not_depend_on_the_number_of_workers),
        EXPLORE_TEST(crashes_of_the_program_are_findings_as_ever),
        EXPLORE_TEST(generated_programs_have_the_same_totals),
        EXPLORE_TEST(the_time_of_workers_that_have_ended_counts),
        EXPLORE_TEST(limits_are_of_the_sum),
        EXPLORE_TEST(the_first_finding_is_the_last),
        EXPLORE_TEST(explorers_that_cannot_share_are_refused),
        EXPLORE_TEST(work_that_does_not_fit_is_not_explored),
        EXPLORE_TEST(who_is_killed_does_not_show),
        EXPLORE_TEST(graphs_are_gone_on_with_whoever_is_killed),
        EXPLORE_TEST(who_dies_without_work_is_not_missed),
        EXPLORE_TEST(an_item_whose_workers_are_killed_is_left_out_and_no_finding),
        EXPLORE_TEST(a_file_goes_on_where_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
