/* Searches over states with several workers, over programs that forget (world/support/automata.h): every model,
 * granularity, time and fault.  Outcomes, states and transitions are those of one process, for any number of workers,
 * whoever of them is killed; tests/explore/forgetful.c compares one process with brute force. */
#include "cluster/support.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "support/few.h"
#include "world/support/automata.h"

enum { PROGRAMS = MANY_OR_FEW(60, 10), TROUBLED = MANY_OR_FEW(16, 4), LARGEST = 3000 };
enum { MOST_WORKERS = 4, MOST_KILLS = 3, CUTS = 3 };

/* States, transitions, verdict, and the findings. */
static char *all_told(const struct rh_exploration *x)
{
    char notes[1024], *text = NULL;
    size_t size;
    uint64_t findings = 0;
    rh_inner_notes(&x->explorer, notes, sizeof notes);
    char *end = strstr(notes, " transitions");
    if (end)
        *end = 0;
    FILE *f = open_memstream(&text, &size);
    assert_non_null(f);
    fprintf(f, "%s: %s transitions; %s", x->explorer.explorer->name, notes,
            rh_verdict_name(rh__exploration_verdict(x)));
    for (uint32_t i = 0; i < x->results->finding_count; i++) /* their signatures, in any order */
        findings += x->results->findings[i].signature;
    fprintf(f, "; findings %016llx", (unsigned long long)findings);
    fclose(f);
    return text;
}

static char *told_by(const struct setting *s, uint32_t workers, uint64_t slice)
{
    char error[512] = "";
    struct rh_exploration *x = opened(s);
    if (!workers)
        assert_true(rh__explore(x));
    else if (pooled(x, s, (struct rh__pool_options){ .workers = workers, .slice_runs = slice }, error, sizeof error) !=
             RH__POOL_DONE)
        fail_msg("%s", error);
    char *text = all_told(x);
    closed(x);
    return text;
}

static uint64_t from_environment(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

struct sum {
    uint32_t compared, hot, wrong;
};

static void complain(struct sum *sum, const char *one, uint32_t workers, const char *many)
{
    char text[512];
    automata_write(&automata, text, sizeof text);
    printf("%s\n    %s\n    %u workers: %s\n", text, one, workers, many);
    sum->wrong++;
}

/* With workers, `stateful` looks for no loops, and says so if there are monitors that can be hot. */
static bool is_as_one(struct sum *sum, const char *one, const char *many)
{
    bool hot = strstr(many, "sampled") && strstr(one, "stateful");
    sum->hot += hot;
    return strcmp(one, many) == 0 || (hot && strncmp(one, many, strcspn(one, ";")) == 0);
}

static void compare(struct sum *sum, const char *explorer, uint64_t seed)
{
    automata_make(&automata, seed);
    struct setting s = { .test = "automata",
                         .semantics = &automata.semantics,
                         .explorer = explorer,
                         .limits = { .max_runs = LARGEST, .keep_going = true } };
    char *one = told_by(&s, 0, 0), *first = NULL;
    while (!strstr(one, "exhaustive") && automata_shrink(&automata)) {
        free(one);
        one = told_by(&s, 0, 0);
    }
    sum->compared += strstr(one, "exhaustive") != NULL;
    s.limits.max_runs *= 10; /* of strata, which has more and shorter runs than a depth-first search */
    for (uint32_t workers = 1; workers <= MOST_WORKERS && strstr(one, "exhaustive"); workers++) {
        char *many = told_by(&s, workers, 1 + seed % 9);
        if (!(first ? strcmp(first, many) == 0 : is_as_one(sum, one, many)))
            complain(sum, first ? first : one, workers, many);
        if (first)
            free(many);
        else
            first = many;
    }
    free(first);
    free(one);
}

/* What a call of an actor that crashed inside it had found out, and the number of values of its last choice, were parts
 * of the state after a restart; the last three: the place of the last set of messages was, of an actor that sleeps. */
static void what_is_over_is_no_state(void **unused)
{
    (void)unused;
    static const uint64_t seeds[] = { 41, 218, 314, 277, 340, 1101 };
    struct sum sum = { 0 };
    for (uint32_t i = 0; i < sizeof seeds / sizeof *seeds; i++)
        compare(&sum, "stateful", seeds[i]);
#ifdef __SANITIZE_ADDRESS__ /* stacks are not cleaned, so there are more states, and some searches are too large */
    assert_in_range(sum.compared, 3, sizeof seeds / sizeof *seeds);
#else
    assert_int_equal(sum.compared, sizeof seeds / sizeof *seeds);
#endif
    assert_int_equal(sum.wrong, 0);
}

/* REHEARSE_FIRST, REHEARSE_PROGRAMS and REHEARSE_EXPLORER: other seeds, more of them, and one explorer for all. */
static void totals_are_those_of_one_process(void **unused)
{
    (void)unused;
    static const char *const explorers[] = { "delay(rtc, ses)", "delay(rr, ses)", "stateful" };
    struct sum sum = { 0 };
    uint64_t first = from_environment("REHEARSE_FIRST", 1);
    uint64_t last = first + from_environment("REHEARSE_PROGRAMS", PROGRAMS);
    for (uint64_t seed = first; seed < last; seed++)
        compare(&sum, getenv("REHEARSE_EXPLORER") ? getenv("REHEARSE_EXPLORER") : explorers[seed % 3], seed);
    print_message("%u programs compared, %u with hot monitors, %u wrong\n", sum.compared, sum.hot, sum.wrong);
    assert_int_equal(sum.wrong, 0);
    assert_in_range(sum.compared, (last - first) / 2, last - first);
}

/* ---- kills and files --------------------------------------------------------------------------------------------- */

struct killer {
    uint64_t random;
    uint32_t workers, kills;
};

static void kill_one(void *arg, struct rh_exploration *x, const pid_t *workers)
{
    struct killer *k = arg;
    (void)x;
    pid_t worker = workers[rh__random_below(&k->random, k->workers)];
    if (worker <= 0 || k->kills == MOST_KILLS || rh__random_below(&k->random, 4))
        return;
    kill(worker, SIGKILL);
    k->kills++;
}

/* Workers are killed now and then; after some runs the exploration stops, and goes on from its file with another number
 * of workers. */
static char *told_with_trouble(const struct setting *s, uint64_t seed, uint32_t *kills, uint32_t *parts)
{
    char path[] = "/tmp/rehearse-forgetful-XXXXXX", error[512] = "", *text = NULL;
    struct setting part = *s;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    for (uint32_t i = 0; !text; i++) {
        struct killer k = { rh__random_seed(seed, i), 1 + (uint32_t)((seed + i) % 3), 0 };
        struct rh__pool_options o = { .workers = k.workers,
                                      .slice_runs = 1 + seed % 7,
                                      .checkpoint = path,
                                      .resume = i > 0,
                                      .most_deaths = 1000,
                                      .watch = kill_one,
                                      .watch_arg = &k };
        part.limits.max_runs = i < CUTS ? (i + 1) * (5 + seed % 20) : s->limits.max_runs;
        struct rh_exploration *x = opened(&part);
        if (pooled(x, &part, o, error, sizeof error) != RH__POOL_DONE)
            fail_msg("part %u: %s", i, error);
        if (x->end.exhausted || i > CUTS)
            text = all_told(x);
        *kills += k.kills;
        *parts += 1;
        closed(x);
    }
    unlink(path);
    return text;
}

static void who_is_killed_and_where_it_stops_does_not_show(void **unused)
{
    (void)unused;
    uint32_t compared = 0, kills = 0, parts = 0;
    uint64_t first = from_environment("REHEARSE_FIRST", 1);
    uint64_t last = first + from_environment("REHEARSE_PROGRAMS", TROUBLED);
    for (uint64_t seed = first; seed < last; seed++) {
        automata_make(&automata, seed);
        struct setting s = { .test = "automata",
                             .semantics = &automata.semantics,
                             .explorer = "stateful",
                             .limits = { .max_runs = LARGEST, .keep_going = true } };
        char *smooth = told_by(&s, 2, 0);
        while (!strstr(smooth, "exhaustive") && automata_shrink(&automata)) {
            free(smooth);
            smooth = told_by(&s, 2, 0);
        }
        if (strstr(smooth, "exhaustive")) { /* else hot monitors, or too large */
            char *troubled = told_with_trouble(&s, seed, &kills, &parts);
            if (strcmp(smooth, troubled) != 0) {
                char text[512];
                automata_write(&automata, text, sizeof text);
                fail_msg("%s\n    %s\n    with trouble: %s", text, smooth, troubled);
            }
            free(troubled);
            compared++;
        }
        free(smooth);
    }
    print_message("%u programs, %u parts, %u workers killed\n", compared, parts, kills);
    assert_true(compared >= (last - first) / 2 && parts > compared && kills > compared / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(what_is_over_is_no_state),
        EXPLORE_TEST(totals_are_those_of_one_process),
        EXPLORE_TEST(who_is_killed_and_where_it_stops_does_not_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
