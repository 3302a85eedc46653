/* Explorers around others, limits, and what may be said at the end. */
#include "explore/support/program.h"
#include "explore/support/runs.h"
#include "explore/support/senders.h"

#include <math.h>
#include <unistd.h>

static struct rh_param four[] = { { "n", "4" } };

/* behaviours 0: not known */
static void check(const char *explorer, uint64_t max_runs, uint64_t runs, enum rh_verdict verdict, double estimate,
                  uint64_t behaviours)
{
    struct rh_world *w = world_of("senders", NULL, four, 1);
    struct rh_exploration *x = explored(w, explorer, 1, max_runs);
    double off = rh__exploration_estimate(x) - estimate;
    if (x->results->count.runs != runs || rh__exploration_verdict(x) != verdict ||
        (x->end.exhausted ? off != 0 : fabs(off) > 1e-9) || (behaviours && x->results->distinct.count != behaviours))
        fail_msg("%s: %llu runs, %s, estimate %g, %llu behaviours; expected %llu, %s, %g, %llu", explorer,
                 (unsigned long long)x->results->count.runs, rh_verdict_name(rh__exploration_verdict(x)),
                 rh__exploration_estimate(x), (unsigned long long)x->results->distinct.count, (unsigned long long)runs,
                 rh_verdict_name(verdict), estimate, (unsigned long long)behaviours);
    rh__exploration_free(x);
    rh_world_free(w);
}

static void dfs_says_exhaustive_only_at_the_end(void **unused)
{
    (void)unused;
    check("dfs", 0, 24, RH_VERDICT_EXHAUSTIVE, 24, 24);
    check("dfs", 23, 23, RH_VERDICT_SAMPLED, 24, 23); /* every subtree weighs the same here: the estimate is exact */
    check("random", 10, 10, RH_VERDICT_SAMPLED, 0, 0);
    check("roundrobin", 0, 1, RH_VERDICT_SAMPLED, 0, 1);
}

/* Of 4 messages two: 4 * 3 runs, all cut. */
static void bound_makes_every_run_within_it(void **unused)
{
    (void)unused;
    check("bound:2,dfs", 0, 12, RH_VERDICT_BOUNDED, 12, 12);
    check("bound:1,dfs", 0, 4, RH_VERDICT_BOUNDED, 4, 4);
    check("bound:4,dfs", 0, 24, RH_VERDICT_EXHAUSTIVE, 24, 24); /* nothing was cut */
    check("bound:2,random", 5, 5, RH_VERDICT_SAMPLED, 0, 0);
    check("bound:runs=7,random", 0, 7, RH_VERDICT_SAMPLED, 0, 0);
    check("bound:depth=2;runs=100,dfs", 0, 12, RH_VERDICT_BOUNDED, 12, 12);
    check("bound:steps=8,random", 0, 2, RH_VERDICT_SAMPLED, 0, 0); /* of four events each */
}

static void max_steps_bounds_too(void **unused)
{
    (void)unused;
    struct rh_semantics s = { .max_steps = 3 };
    struct rh_world *w = world_of("senders", &s, four, 1);
    struct rh_exploration *x = explored(w, "dfs", 1, 0);
    assert_int_equal(x->results->count.runs, 24); /* 4 * 3 * 2, and the last one is cut off */
    assert_int_equal(x->results->count.cut, 24);
    assert_int_equal(rh__exploration_verdict(x), RH_VERDICT_BOUNDED);
    rh__exploration_free(x);
    rh_world_free(w);
}

/* dfs has its 24 runs, the others as many, and what it finds out holds for all. */
static void portfolio_ends_when_a_member_has_seen_all(void **unused)
{
    (void)unused;
    check("portfolio:random+dfs", 0, 49, RH_VERDICT_EXHAUSTIVE, 24, 24);
    check("portfolio:dfs", 0, 24, RH_VERDICT_EXHAUSTIVE, 24, 24);
    check("portfolio:dfs+roundrobin", 0, 25, RH_VERDICT_EXHAUSTIVE, 24, 24);
    check("portfolio:roundrobin+bound:1,dfs", 0, 5, RH_VERDICT_BOUNDED, 4, 0);
    check("portfolio:random+delayed:10", 4, 4, RH_VERDICT_SAMPLED, 0, 0);
}

/* ---- replay, then another ---------------------------------------------------------------------------------------- */

static char file[] = "/tmp/rehearse-decorators-XXXXXX";

static void write_file(const char *text)
{
    FILE *f = fopen(file, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static const char *with_file(const char *format)
{
    static char text[256];
    snprintf(text, sizeof text, format, file);
    return text;
}

static void replay_hands_over_behind_the_schedule(void **unused)
{
    (void)unused;
    write_file("rehearse schedule 1\nreceiver#1 takes hello from b\nreceiver#1 takes hello from a\n");
    check(with_file("replay:%s"), 0, 1, RH_VERDICT_SAMPLED, 0, 1);
    check(with_file("replay:%s,dfs"), 0, 2, RH_VERDICT_BOUNDED, 2, 2);
    check(with_file("replay:%s,random"), 9, 9, RH_VERDICT_SAMPLED, 0, 2);
    check(with_file("replay:%s,bound:3,dfs"), 0, 2, RH_VERDICT_BOUNDED, 2, 2);
    check(with_file("portfolio:random+replay:%s,dfs"), 40, 40, RH_VERDICT_SAMPLED, 2, 0);
    check(with_file("portfolio:roundrobin+replay:%s,dfs"), 0, 3, RH_VERDICT_BOUNDED, 2, 0);

    write_file("rehearse schedule 1\nreceiver#1 takes hello from c\n");
    check(with_file("replay:%s,dfs"), 0, 6, RH_VERDICT_BOUNDED, 6, 6);

    write_file("rehearse schedule 1\n# nothing fixed\n");
    check(with_file("replay:%s,dfs"), 0, 24, RH_VERDICT_BOUNDED, 24, 24);

    /* First choices (a, b, c) until d can be taken: at once. */
    write_file("rehearse schedule 1\n...\nreceiver#1 takes hello from d\n");
    check(with_file("replay:%s,dfs"), 0, 6, RH_VERDICT_BOUNDED, 6, 6);
}

static void replay_that_does_not_fit_explores_nothing(void **unused)
{
    (void)unused;
    write_file("rehearse schedule 1\nreceiver#1 takes hello from nobody\n");
    check(with_file("replay:%s,dfs"), 0, 1, RH_VERDICT_SAMPLED, 1, 1);
}

/* A name with a comma in it is still a name. */
static void replay_takes_names_with_commas(void **unused)
{
    (void)unused;
    char path[64], explorer[128];
    snprintf(path, sizeof path, "%s,a,b", file);
    write_file("rehearse schedule 1\nreceiver#1 takes hello from c\n");
    assert_int_equal(rename(file, path), 0);
    snprintf(explorer, sizeof explorer, "replay:%s", path);
    check(explorer, 0, 1, RH_VERDICT_SAMPLED, 0, 1);
    snprintf(explorer, sizeof explorer, "replay:%s,dfs", path);
    check(explorer, 0, 6, RH_VERDICT_BOUNDED, 6, 6);
    assert_int_equal(rename(path, file), 0);
}

/* ---- crashes inside decorators ----------------------------------------------------------------------------------- */

static bool contains(const uint64_t *list, uint32_t count, uint64_t value)
{
    return bsearch(&value, list, count, sizeof *list, by_number) != NULL;
}

/* With others in between dfs still makes every run, also those that crash. */
static void portfolio_goes_on_over_crashes(void **unused)
{
    (void)unused;
    uint32_t programs = 0;
    program_crashes = true;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        struct rh_semantics s = program_semantics(seed);
        struct record *expected = record_new();
        program_seed = seed;
        struct rh_world *w = world_of("program", &s, NULL, 0);
        if (brute_force(w, expected, 150) && expected->failed) {
            spied = record_new();
            struct rh_exploration *x = explored(w, "spy:portfolio:random+dfs", seed, 0);
            assert_true(x->end.exhausted);
            assert_true(rh__exploration_estimate(x) == (double)expected->count);
            uint32_t found = distinct(spied->sequence, spied->count);
            assert_int_equal(found, distinct(expected->sequence, expected->count));
            for (uint32_t i = 0; i < spied->count; i++)
                assert_true(contains(expected->sequence, expected->count, spied->sequence[i]));
            rh__exploration_free(x);
            record_free(spied);
            programs++;
        }
        rh_world_free(w);
        record_free(expected);
    }
    program_crashes = false;
    assert_in_range(programs, 5, 30);
}

/* ---- what is refused --------------------------------------------------------------------------------------------- */

static void wrong_explorers_are_refused_with_a_sentence(void **unused)
{
    (void)unused;
    static const struct {
        const char *explorer, *sentence;
    } wrong[] = {
        { "nosuch", "no explorer is called \"nosuch\"; there are" },
        { "", "an explorer is wanted; there are" },
        { "dfs:3", "dfs takes no argument" },
        { "random:3", "random takes no argument" },
        { "roundrobin:3", "roundrobin takes no argument" },
        { "delayed:x", "delayed cannot take \"x\"" },
        { "delayed:-1", "delayed cannot take \"-1\"" },
        { "delayed:nan", "delayed cannot take \"nan\"" },
        { "bound", "bound wants an explorer" },
        { "bound:x,dfs", "no explorer is called \"x,dfs\"" },
        { "bound:0,dfs", "depth is a whole number of at least 1" },
        { "bound:dfs", "bound wants a depth, runs or steps" },
        { "bound:5", "bound wants an explorer" },
        { "bound:runs=,dfs", "runs is a whole number of at least 1" },
        { "bound:3;,dfs", "no explorer is called \",dfs\"" },
        { "bound:-3,dfs", "no explorer is called \"-3,dfs\"" },
        { "bound:5,nosuch", "no explorer is called \"nosuch\"" },
        { "portfolio", "portfolio wants an explorer" },
        { "portfolio:dfs+nosuch", "no explorer is called \"nosuch\"" },
        { "portfolio:dfs+dfs+dfs+dfs+dfs+dfs+dfs+dfs+dfs", "at most 8" },
        { "replay", "replay wants a file" },
        { "replay:/no/such/file", "/no/such/file: No such file" },
        { "replay:/no/such/file,dfs", "/no/such/file: No such file" },
    };
    struct rh_world *w = world_of("senders", NULL, four, 1);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char error[512] = "";
        struct rh__limits limits = { .max_runs = 1 };
        struct rh_exploration *x = rh__exploration_new(w, wrong[i].explorer, 1, &limits, error, sizeof error);
        if (x || !strstr(error, wrong[i].sentence))
            fail_msg("\"%s\": \"%s\" should say \"%s\"", wrong[i].explorer, error, wrong[i].sentence);
    }
    rh_world_free(w);
}

int main(void)
{
    int fd = mkstemp(file);
    if (fd < 0)
        return 1;
    close(fd);
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(dfs_says_exhaustive_only_at_the_end),
        EXPLORE_TEST(bound_makes_every_run_within_it),
        EXPLORE_TEST(max_steps_bounds_too),
        EXPLORE_TEST(portfolio_ends_when_a_member_has_seen_all),
        EXPLORE_TEST(replay_hands_over_behind_the_schedule),
        EXPLORE_TEST(replay_that_does_not_fit_explores_nothing),
        EXPLORE_TEST(replay_takes_names_with_commas),
        EXPLORE_TEST(portfolio_goes_on_over_crashes),
        EXPLORE_TEST(wrong_explorers_are_refused_with_a_sentence),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(file);
    return failed;
}
