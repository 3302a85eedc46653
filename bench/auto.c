/* Until when the default explorer, auto, finds each named bug, beside single explorers.
 *
 *     auto [SEEDS [OTHERS [BUG]]]
 *
 * auto explores with seeds 1 to SEEDS (20) and its usual limits; each single explorer with seeds 1 to OTHERS (3), and
 * the limit of steps that auto has.  A row has the number of seeds that found the bug, the median of the runs and of
 * the processor time (whole process), and the same of the single explorer that was fastest.  Below: how many bugs auto
 * finds with at least 19 of 20 seeds, and for how many pairs of a bug and a seed it is within 2x of that explorer's
 * median; and the same of the bugs for which that explorer takes LONG seconds or more: below, most of the time is the
 * start of processes and the two first runs of auto.  Findings are neither made smaller nor explained.  BUG selects the
 * bugs whose name contains it. */
#include <stdbool.h>

#include "examples.h"

static const double LONG = 0.2;

enum { MOST_SEEDS = 100, MOST_BUGS = 96, STEPS = 10000000, SECONDS = 60 };

static const char *const singles[] = { "optimal", "random", "weighted", "swarm", "phases", "pctcp", "pos", "dpor" };
enum { SINGLES = sizeof singles / sizeof *singles };

static const struct example_bug others[] = {
    { "gatling-engine ga1", "gatling-engine -p bug=ga1" },
    { "gatling-engine ga2", "gatling-engine -p bug=ga2" },
    { "gatling-engine ga3", "gatling-engine -p bug=ga3" },
    { "gatling-engine ga4", "gatling-engine -p bug=ga4" },
    { "signal sc1", "signal -p bug=sc1" },
    { "signal sc2", "signal -p bug=sc2" },
    { "signal sc3", "signal -p bug=sc3" },
    { "barber-morning ba", "barber-morning -p bug=ba" },
    { "messenger-rooms ms", "messenger-rooms -p bug=ms" },
    { "procreg-directory pr", "procreg-directory -p bug=pr" },
    { "bank hasty", "bank -p bug=hasty" },
    { "store early", "store what_was_confirmed_is_kept -p bug=early" },
    { "scheduler late", "scheduler a_late_machine_does_no_harm -p bug=late" },
    { "philosophers deadlock", "philosophers -p bug=deadlock" },
};
static struct example_bug bugs[MOST_BUGS];
static int bug_count, seeds = 20, other_seeds = 3;

struct cell {
    double runs[MOST_SEEDS], cpu[MOST_SEEDS]; /* of the seeds that found it */
    int found, made;
};

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double *values, int n)
{
    double sorted[MOST_SEEDS];
    if (!n)
        return 0;
    memcpy(sorted, values, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, by_size);
    return sorted[n / 2];
}

/* A single explorer that misses with its first seed is not asked again. */
static struct cell explore(const char *what, const char *explorer, int count, bool all)
{
    struct cell c = { .found = 0 };
    char more[256];
    for (int seed = 1; seed <= count && (all || seed == 1 || c.found); seed++, c.made++) {
        snprintf(more, sizeof more,
                 "--explorer %s --seed %d --max-all-steps %d --max-seconds %d --no-determinism-check "
                 "--no-minimise --no-explain",
                 explorer, seed, STEPS, SECONDS);
        struct figures f = example_test(what, more);
        if (f.found_in <= 0)
            continue;
        c.runs[c.found] = f.found_in;
        c.cpu[c.found++] = f.cpu;
    }
    return c;
}

int main(int argc, char **argv)
{
    seeds = argc > 1 ? atoi(argv[1]) : seeds;
    other_seeds = argc > 2 ? atoi(argv[2]) : other_seeds;
    const char *only = argc > 3 ? argv[3] : NULL;
    if (!examples_open() || seeds < 1 || seeds > MOST_SEEDS || other_seeds < 1 || other_seeds > MOST_SEEDS)
        return 1;
    bug_count = example_bugs(bugs, MOST_BUGS - (int)(sizeof others / sizeof *others), only);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (example_wanted(others[i].title, only))
            bugs[bug_count++] = others[i];
    int rows = 0, sure = 0, pairs = 0, near = 0, long_pairs = 0, long_near = 0;
    printf("auto: %d seeds; single explorers: %d; at most %d steps each\n", seeds, other_seeds, STEPS);
    printf("%-34s %7s %9s %8s   %-9s %9s %8s %8s\n", "bug", "found", "runs", "cpu s", "best", "runs", "cpu s",
           "within");
    for (int i = 0; i < bug_count; i++) {
        struct cell a = explore(bugs[i].what, "auto", seeds, true), best = { .found = 0 };
        const char *who = "-";
        for (int k = 0; k < SINGLES; k++) {
            struct cell c = explore(bugs[i].what, singles[k], other_seeds, false);
            if (c.found && (!best.found || median(c.cpu, c.found) < median(best.cpu, best.found))) {
                best = c;
                who = singles[k];
            }
        }
        int within = 0;
        for (int k = 0; k < a.found; k++)
            within += !best.found || a.cpu[k] <= 2 * median(best.cpu, best.found);
        rows++;
        sure += a.found * 20 >= seeds * 19;
        pairs += seeds;
        near += within;
        if (!best.found || median(best.cpu, best.found) >= LONG) {
            long_pairs += seeds;
            long_near += within;
        }
        printf("%-34s %3d/%-3d %9.0f %8.3f   %-9s %9.0f %8.3f %4d/%-3d\n", bugs[i].title, a.found, seeds,
               median(a.runs, a.found), median(a.cpu, a.found), who, median(best.runs, best.found),
               median(best.cpu, best.found), within, seeds);
        fflush(stdout);
    }
    printf(
        "%d of %d bugs with at least 19 of 20 seeds; %d of %d pairs of bug and seed within 2x of the best single one\n",
        sure, rows, near, pairs);
    printf("%d of %d where that one takes %.1f s or more, or finds nothing\n", long_near, long_pairs, LONG);
    examples_close();
    return 0;
}
