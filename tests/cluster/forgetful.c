/* Searches over states with several workers, over programs that forget (world/support/automata.h): every model,
 * granularity, time and fault.  Outcomes, states and transitions are those of one process, for any number of workers,
 * whoever of them is killed; tests/explore/forgetful.c compares one process with brute force. */
#include "cluster/support.h"

#include <signal.h>
#include <string.h>

#include "base/random.h"
#include "support/few.h"
#include "world/support/automata.h"

enum { PROGRAMS = MANY_OR_FEW(60, 10), LARGEST = 3000 };

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
    uint32_t compared, hot, splits, wrong;
};

static void complain(struct sum *sum, const char *one, uint32_t workers, const char *many)
{
    char text[512];
    automata_write(&automata, text, sizeof text);
    printf("%s\n    %s\n    %u workers: %s\n", text, one, workers, many);
    sum->wrong++;
}

/* With workers, `stateful` looks for no loops, and says so if there are monitors that can be hot.  Stacks of processes
 * that were restarted can have addresses in them which make several states of one: then the way to a state decides
 * which of them there are, and the depth-first search of one process has other ways. */
static bool is_as_one(struct sum *sum, const char *one, const char *many)
{
    bool hot = strstr(many, "sampled") && strstr(one, "stateful");
    sum->hot += hot;
    if (strcmp(one, many) == 0 || (hot && strncmp(one, many, strcspn(one, ";")) == 0))
        return true;
    bool splits = strstr(one, "stateful") && (automata.semantics.restarts || automata.semantics.kept_restarts);
    sum->splits += splits;
    return splits;
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
    for (uint32_t workers = 1; workers <= 3 && strstr(one, "exhaustive"); workers++) {
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

/* REHEARSE_FIRST and REHEARSE_PROGRAMS: other seeds, and more of them. */
static void totals_are_those_of_one_process(void **unused)
{
    (void)unused;
    static const char *const explorers[] = { "delay(rtc, ses)", "delay(rr, ses)", "stateful" };
    struct sum sum = { 0 };
    uint64_t first = from_environment("REHEARSE_FIRST", 1);
    uint64_t last = first + from_environment("REHEARSE_PROGRAMS", PROGRAMS);
    for (uint64_t seed = first; seed < last; seed++)
        compare(&sum, explorers[seed % 3], seed);
    print_message("%u programs compared, %u with hot monitors, %u with other states by the way, %u wrong\n",
                  sum.compared, sum.hot, sum.splits, sum.wrong);
    assert_int_equal(sum.wrong, 0);
    assert_in_range(sum.compared, (last - first) / 2, last - first);
    assert_true(sum.splits <= 1 + sum.compared / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(totals_are_those_of_one_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
