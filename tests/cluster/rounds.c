/* A search in rounds, delay(ORDER, ses), with several workers: the totals are the same for any number of workers,
 * whoever of them is killed, and from a file; states, transitions, strata and runs are those of one process, which
 * tests/explore/delaying.c compares with brute force. */
#include "cluster/mixed.h"
#include "cluster/support.h"
#include "explore/support/program.h"

#include <signal.h>
#include <unistd.h>

#include "base/random.h"

#ifdef RH_TEST_FEW
enum { LARGEST = 400, PROGRAMS = 5, KILLS = 5, CUTS = 2 };
#else
enum { LARGEST = 2000, PROGRAMS = 24, KILLS = 20, CUTS = 5 };
#endif

#define KEEP_GOING .limits = { .keep_going = true }

static const struct rh_param small[] = { { "n", "3" }, { "fails", "1" } };
static const struct rh_param crashing[] = { { "n", "2" }, { "rounds", "1" }, { "crashes", "1" } };

/* Results and notes; of the notes not the size of the set, which depends on the order in which it has grown. */
static char *all_told(const struct rh_exploration *x)
{
    char notes[1024], *text = NULL;
    size_t size;
    rh_inner_notes(&x->explorer, notes, sizeof notes);
    char *end = strstr(notes, " items put off");
    if (end)
        *end = 0;
    FILE *f = open_memstream(&text, &size);
    char *results = told(x);
    fprintf(f, "%s%s\n", results, notes);
    fclose(f);
    free(results);
    return text;
}

static char *told_by(const struct setting *s, struct rh__pool_options o)
{
    char error[512] = "";
    struct rh_exploration *x = opened(s);
    if (pooled(x, s, o, error, sizeof error) != RH__POOL_DONE)
        fail_msg("%s", error);
    char *text = all_told(x);
    closed(x);
    return text;
}

/* What one process must have in common with workers: how far runs go on differs, and so does what was made in vain if
 * the search has started over, because fingerprints mean something else once a handler has waited.  Returns whether
 * the numbers of runs are the same. */
static bool compare_with_one(const struct setting *s, const char *pool)
{
    char first[64];
    struct rh_exploration *x = opened(s);
    assert_true(rh__explore(x));
    char *one = all_told(x);
    snprintf(first, sizeof first, "%llu runs", (unsigned long long)x->results->count.runs);
    assert_int_equal(rh__exploration_verdict(x), RH_VERDICT_EXHAUSTIVE);
    assert_non_null(strstr(pool, "exhaustive"));
    const char *notes = strrchr(one, '\n');
    while (notes[1] == 0) /* the last line */
        notes = memrchr(one, '\n', (size_t)(notes - one));
    bool at_once = !rh_world_fingerprint_meaning(x->world);
    if ((at_once && strncmp(pool, first, strlen(first)) != 0) || !strstr(pool, notes))
        fail_msg("one process:\n%s\nworkers:\n%s", one, pool);
    for (uint32_t i = 0; i < x->results->finding_count; i++) {
        char signature[32];
        snprintf(signature, sizeof signature, "%016llx", (unsigned long long)x->results->findings[i].signature);
        assert_non_null(strstr(pool, signature));
    }
    free(one);
    closed(x);
    return at_once;
}

/* The states of a search, and its verdict. */
static char *without_runs(char *told)
{
    char *text = strdup(strstr(told, "exhaustive"));
    free(told);
    return text;
}

static void totals_do_not_depend_on_the_number_of_workers(void **unused)
{
    (void)unused;
    static const char *const explorers[] = { "delay(rtc, ses)", "delay(rr, ses)", "delay(prr, ses, frontier=1)" };
    for (size_t i = 0; i < 3; i++) {
        struct setting s = { .test = "mixed", .params = small, .param_count = 2, .explorer = explorers[i], KEEP_GOING };
        if (i == 2)
            s = (struct setting){
                .test = "mixed", .params = crashing, .param_count = 3, .explorer = explorers[i], KEEP_GOING
            };
        char *one = told_by(&s, (struct rh__pool_options){ .workers = 1 });
        print_message("%.100s...%s", one, strrchr(one, ',') + 2);
        compare_with_one(&s, one);
        for (uint32_t workers = 2; workers <= 3; workers++)
            for (uint64_t runs = 0; runs <= 7; runs += 7)
                same_text(strdup(one), told_by(&s, (struct rh__pool_options){ .workers = workers, .slice_runs = runs }),
                          "workers", workers);
        free(one);
    }
}

static void generated_programs_have_the_same_totals(void **unused)
{
    (void)unused;
    uint32_t compared = 0;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        struct rh_semantics semantics = program_semantics(seed);
        struct setting s = { .test = "program",
                             .semantics = &semantics,
                             .explorer = seed % 2 ? "delay(rtc, ses)" : "delay(rr, ses)",
                             .limits = { .max_runs = LARGEST, .keep_going = true } };
        program_seed = seed;
        char *one = told_by(&s, (struct rh__pool_options){ .workers = 1, .slice_runs = 1 + seed % 30 });
        if (strtoull(one, NULL, 10) < LARGEST && strstr(one, "exhaustive")) {
            bool at_once = compare_with_one(&s, one);
            char *more = told_by(&s, (struct rh__pool_options){ .workers = 2 + seed % 2, .slice_runs = 1 + seed % 9 });
            assert_non_null(strstr(more, "exhaustive"));
            same_text(at_once ? strdup(one) : without_runs(strdup(one)), at_once ? more : without_runs(more),
                      "a generated program", seed);
            compared++;
        }
        free(one);
    }
    print_message("%u programs\n", compared);
    assert_in_range(compared, PROGRAMS / 3, PROGRAMS);
}

struct killer {
    uint64_t random;
    uint32_t workers, kills;
};

static void kill_one(void *arg, struct rh_exploration *x, const pid_t *workers)
{
    struct killer *k = arg;
    (void)x;
    pid_t worker = workers[rh__random_below(&k->random, k->workers)];
    if (worker <= 0 || k->kills == KILLS || rh__random_below(&k->random, 15))
        return;
    kill(worker, SIGKILL);
    k->kills++;
}

static void who_is_killed_does_not_show(void **unused)
{
    (void)unused;
    struct setting s = {
        .test = "mixed", .params = small, .param_count = 2, .explorer = "delay(rtc, ses)", KEEP_GOING
    };
    char *one = told_by(&s, (struct rh__pool_options){ .workers = 1 });
    uint32_t kills = 0;
    for (uint64_t i = 0; kills < KILLS; i++) {
        struct killer k = { rh__random_seed(3, i), 2 + (uint32_t)(i % 2), 0 };
        same_text(strdup(one),
                  told_by(&s, (struct rh__pool_options){ .workers = k.workers,
                                                         .slice_runs = 20,
                                                         .most_deaths = 1000,
                                                         .watch = kill_one,
                                                         .watch_arg = &k }),
                  "killed", i);
        kills += k.kills;
        assert_in_range(i, 0, 200);
    }
    print_message("%u killed\n", kills);
    free(one);
}

/* This process has the same addresses all the time.  In another one, states that have addresses in them would be
 * visited again: docs/guarantees.md. */
static void a_file_goes_on_where_it_was(void **unused)
{
    (void)unused;
    char path[] = "/tmp/rehearse-checkpoint-XXXXXX", error[512] = "";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    struct setting s = { .test = "mixed", .params = small, .param_count = 2, .explorer = "delay(rr, ses)", KEEP_GOING };
    char *one = told_by(&s, (struct rh__pool_options){ .workers = 1 }), *many = NULL;
    uint64_t total = strtoull(one, NULL, 10);
    uint32_t parts = 0;
    for (bool done = false; !done; parts++) {
        s.limits.max_runs = total / CUTS * (parts + 1);
        struct rh_exploration *x = opened(&s);
        struct rh__pool_options o = {
            .workers = 1 + parts % 3, .checkpoint = path, .resume = parts > 0, .slice_runs = 20
        };
        if (pooled(x, &s, o, error, sizeof error) != RH__POOL_DONE)
            fail_msg("part %u: %s", parts, error);
        done = x->end.exhausted;
        assert_int_equal(rh__exploration_verdict(x), done ? RH_VERDICT_EXHAUSTIVE : RH_VERDICT_SAMPLED);
        if (done)
            many = all_told(x);
        closed(x);
        assert_in_range(parts, 0, CUTS + 2);
    }
    print_message("%u parts\n", parts);
    assert_true(parts >= CUTS);
    same_text(one, many, "from a file", 0);
    unlink(path);
}

/* A sample is a function of the seed and its number: workers draw what one process draws. */
static void samples_are_those_of_one_process(void **unused)
{
    (void)unused;
    static const char *const explorers[] = { "delay(rtc, ss, delays=3, repeats)", "delay(prr, ss, delays=2, c1=7)" };
    for (size_t i = 0; i < 2; i++) {
        struct setting s = { .test = "mixed", .params = small, .param_count = 2, .explorer = explorers[i], KEEP_GOING };
        struct rh_exploration *x = opened(&s);
        assert_true(rh__explore(x));
        uint64_t distinct = x->results->distinct.count;
        char notes[1024];
        rh_inner_notes(&x->explorer, notes, sizeof notes);
        uint64_t samples = strtoull(notes, NULL, 10);
        closed(x);
        print_message("%s: %llu samples, %llu distinct runs\n", explorers[i], (unsigned long long)samples,
                      (unsigned long long)distinct);
        assert_true(distinct > 5);
        for (uint32_t workers = 1; workers <= 3; workers++) {
            char error[512] = "";
            struct killer k = { rh__random_seed(9, workers), workers, KILLS - 2 };
            struct rh__pool_options o = { .workers = workers,
                                          .slice_runs = 5,
                                          .most_deaths = 1000,
                                          .watch = workers > 1 ? kill_one : NULL,
                                          .watch_arg = &k };
            x = opened(&s);
            if (pooled(x, &s, o, error, sizeof error) != RH__POOL_DONE)
                fail_msg("%s", error);
            rh_inner_notes(&x->explorer, notes, sizeof notes);
            assert_int_equal(x->results->distinct.count, distinct);
            assert_int_equal(strtoull(notes, NULL, 10), samples);
            assert_false(x->results->diverged);
            assert_int_equal(rh__exploration_verdict(x), RH_VERDICT_SAMPLED);
            closed(x);
        }
    }
}

/* A bound on delays is no promise, with workers as without. */
static void bounds_hold_for_workers(void **unused)
{
    (void)unused;
    struct setting s = {
        .test = "mixed", .params = small, .param_count = 2, .explorer = "delay(rtc, ses, delays=2)", KEEP_GOING
    };
    char *one = told_by(&s, (struct rh__pool_options){ .workers = 2 });
    assert_non_null(strstr(one, "sampled"));
    assert_non_null(strstr(one, " 2 delays"));
    free(one);
}

/* preempt: a bound is a round, and its items are split like those of dfs.  What one process makes is made by several,
 * also if some are killed, and from a file. */
static void bounds_of_preemptions_are_rounds(void **unused)
{
    (void)unused;
    static const char *const explorers[] = { "preempt(1, dfs)", "preempt(0, only, dfs)", "preempt(30, dfs)" };
    static const struct rh_param tiny[] = { { "n", "2" }, { "fails", "1" } };
    for (size_t i = 0; i < 3; i++) {
        struct setting s = { .test = "mixed", .params = tiny, .param_count = 2, .explorer = explorers[i], KEEP_GOING };
        struct rh_exploration *x = opened(&s);
        assert_true(rh__explore(x));
        assert_int_equal(rh__exploration_verdict(x), i == 2 ? RH_VERDICT_EXHAUSTIVE : RH_VERDICT_BOUNDED);
        char runs[64], notes[1024];
        snprintf(runs, sizeof runs, "%llu runs", (unsigned long long)x->results->count.runs);
        rh_inner_notes(&x->explorer, notes, sizeof notes);
        closed(x);
        char *one = told_by(&s, (struct rh__pool_options){ .workers = 1 });
        print_message("%s, %s\n", runs, notes);
        if (strncmp(one, runs, strlen(runs)) != 0 || !strstr(one, notes))
            fail_msg("%s: one process: %s\n%s\nworkers: %s", explorers[i], runs, notes, one);
        assert_non_null(strstr(one, i == 2 ? "exhaustive" : "bounded"));
        for (uint32_t workers = 2; workers <= 3; workers++) {
            struct killer k = { rh__random_seed(5, workers), workers, KILLS - 3 };
            same_text(strdup(one),
                      told_by(&s, (struct rh__pool_options){ .workers = workers,
                                                             .slice_runs = 30,
                                                             .most_deaths = 1000,
                                                             .watch = kill_one,
                                                             .watch_arg = &k }),
                      explorers[i], workers);
        }
        free(one);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(bounds_of_preemptions_are_rounds),
        EXPLORE_TEST(totals_do_not_depend_on_the_number_of_workers),
        EXPLORE_TEST(generated_programs_have_the_same_totals),
        EXPLORE_TEST(who_is_killed_does_not_show),
        EXPLORE_TEST(a_file_goes_on_where_it_was),
        EXPLORE_TEST(bounds_hold_for_workers),
        EXPLORE_TEST(samples_are_those_of_one_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
