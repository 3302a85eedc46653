/* Table 1 of [Desai 2015] over the bugs of examples/protocols: how many schedules samplers make until they find a bug,
 * and how many states searches visit.
 *
 *     delaying [SEEDS [STEPS [BUG]]]
 *
 * Each number is the median over SEEDS seeds (20), of explorations of at most STEPS steps (500,000).  The bugs of Raft,
 * whose programs are large, have a quarter of the seeds and a tenth of the steps unless SEEDS is given: their rows have
 * a star.  "-": half of the seeds or more found nothing within these steps.  BUG selects the bugs whose program or name
 * contains it, !BUG the others.  Searches that draw nothing have one seed, and ten times as many steps. */
#include <stdbool.h>

#include "examples.h"

enum { MOST_SEEDS = 100, MOST_BUGS = 64, LONGER = 10, FEWER_SEEDS = 4, FEWER_STEPS = 10 };

/* In the order of the table. */
static const struct column {
    const char *title, *explorer;
    bool draws;  /* a seed changes something */
    bool states; /* counts states, not schedules */
    bool delays; /* a delaying explorer */
    bool peer;   /* what delaying explorers are compared with */
} columns[] = {
    { "random", "random", true, false, false, false },
    { "iterative", "grow(step=100,random)", true, false, false, false },
    { "pct(3)", "pct(3)", true, false, false, true },
    { "ss rr", "delay(rr,ss)", true, false, true, false },
    { "ss rtc", "delay(rtc,ss)", true, false, true, false },
    { "ss prr", "delay(prr,ss)", true, false, true, false },
    { "preempt", "preempt(6,stateful)", false, true, false, false },
    { "ses rr", "delay(rr,ses)", false, true, true, false },
    { "ses rtc", "delay(rtc,ses)", false, true, true, false },
    { "ses prr", "delay(prr,ses)", true, true, true, false },
    { "stateful", "stateful", false, true, false, false },
    { "optimal", "optimal", false, false, false, false },
    { "cover", "cover(all)", true, false, false, false },
    { "weighted", "weighted", true, false, false, false },
    { "phases", "phases", true, false, false, false },
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static struct example_bug bugs[MOST_BUGS];
static int bug_count, seeds = 20;
static double steps = 5e5;
static bool spares = true; /* large programs have fewer seeds and steps */

struct cell {
    double shown; /* the number of the table; 0: not found */
    double runs;  /* schedules until it was found */
    double cpu;   /* seconds of the median exploration, with the start of its process */
    bool refused; /* there is no such explorer, or it cannot explore the program */
};

/* ---- explorations ------------------------------------------------------------------------------------------------ */

static bool is_large(const struct example_bug *b)
{
    return spares && strncmp(b->title, "raft ", 5) == 0;
}

static int seeds_of(const struct example_bug *b)
{
    return is_large(b) ? (seeds + FEWER_SEEDS - 1) / FEWER_SEEDS : seeds;
}

static double steps_of(const struct example_bug *b, const struct column *c)
{
    return steps * (c->draws ? 1 : LONGER) / (is_large(b) ? FEWER_STEPS : 1);
}

/* The number before " states, " in the explorer's notes. */
static double states_of_last(void)
{
    char *line = example_line(), *notes = line ? strstr(line, "\"notes\":\"") : NULL;
    char *end = notes ? strstr(notes, " states, ") : NULL, *at = end;
    while (at && at > notes && at[-1] >= '0' && at[-1] <= '9')
        at--;
    double n = at ? strtod(at, NULL) : 0;
    free(line);
    return n;
}

static int by_shown(const void *a, const void *b)
{
    const struct cell *x = a, *y = b;
    double one = x->shown > 0 ? x->shown : 1e300, two = y->shown > 0 ? y->shown : 1e300;
    return (one > two) - (one < two);
}

static struct cell explore(const struct example_bug *b, const struct column *c, int seed)
{
    char more[256];
    snprintf(more, sizeof more, "--explorer %s --seed %d --max-all-steps %.0f --max-seconds 60 --no-determinism-check",
             c->explorer, seed, steps_of(b, c));
    struct figures f = example_test(b->what, more);
    struct cell cell = { .runs = f.found_in, .cpu = f.cpu, .refused = f.runs <= 0 };
    cell.shown = f.found_in <= 0 ? 0 : c->states ? states_of_last() : f.found_in;
    return cell;
}

/* Stops when the median is known to be "not found". */
static struct cell median_of(const struct example_bug *b, const struct column *c)
{
    struct cell found[MOST_SEEDS];
    int n = c->draws ? seeds_of(b) : 1, missed = 0;
    for (int i = 0; i < n && missed < n - n / 2; i++) {
        found[i] = explore(b, c, i + 1);
        if (found[i].refused)
            return found[i];
        missed += found[i].shown <= 0;
    }
    if (missed >= n - n / 2)
        return (struct cell){ 0 };
    qsort(found, (size_t)n, sizeof *found, by_shown);
    return found[n / 2];
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* Among all columns (or delaying ones), the one that needs least. */
static int best_of(const struct cell *row, bool delaying, bool by_time)
{
    int best = -1;
    for (int i = 0; i < COLUMNS; i++) {
        if (row[i].shown <= 0 || (delaying && !columns[i].delays))
            continue;
        double mine = by_time ? row[i].cpu : row[i].runs, least = best < 0  ? 1e300
                                                                  : by_time ? row[best].cpu
                                                                            : row[best].runs;
        best = mine < least ? i : best;
    }
    return best;
}

static void print_row(const struct example_bug *b, const struct cell *row)
{
    int fastest = best_of(row, false, true), delaying = best_of(row, true, false), peer = 0;
    printf("%s%-*s", b->title, 26 - (int)strlen(b->title), is_large(b) ? " *" : "");
    for (int i = 0; i < COLUMNS; i++) {
        peer = columns[i].peer ? i : peer;
        printf(" %9s", row[i].refused ? "." : grouped(row[i].shown, 1));
    }
    if (delaying < 0)
        printf("         -");
    else if (row[peer].shown <= 0)
        printf(" %9s", "pct: -");
    else
        printf(" %8.1fx", row[peer].runs / row[delaying].runs);
    if (fastest >= 0)
        printf("  %s %s", columns[fastest].title, row[fastest].cpu < 0.1 ? "< 0.1 s" : "");
    if (fastest >= 0 && row[fastest].cpu >= 0.1)
        printf("%.1f s", row[fastest].cpu);
    printf("%s\n", fastest < 0 ? "  not found" : "");
    fflush(stdout);
}

static void print_head(void)
{
    printf(
        "Table 1 of [Desai 2015]: median of %d seeds, at most %s steps (searches without a seed: %s); -: not found; .: "
        "not there\n",
        seeds, grouped(steps, 1), grouped(LONGER * steps, 1));
    if (spares)
        printf("*: median of %d seeds, at most %s steps (searches without a seed: %s)\n",
               (seeds + FEWER_SEEDS - 1) / FEWER_SEEDS, grouped(steps / FEWER_STEPS, 1),
               grouped(LONGER * steps / FEWER_STEPS, 1));
    printf("random to ss: schedules; preempt to stateful: states; optimal, cover: schedules\n");
    printf(
        "pct/delay: schedules of pct(3) by those of the best delaying explorer, ss or ses; then the explorer with the "
        "least processor time\n");
    printf("%-26s", "");
    for (int i = 0; i < COLUMNS; i++)
        printf(" %9s", columns[i].title);
    printf(" %9s  %s\n", "pct/delay", "fastest");
}

static void print_table(void)
{
    int tenfold = 0, fewer = 0, compared = 0, missed = 0;
    double slowest = 0;
    print_head();
    for (int b = 0; b < bug_count; b++) {
        struct cell row[COLUMNS];
        int peer = 0;
        for (int i = 0; i < COLUMNS; i++) {
            row[i] = median_of(&bugs[b], &columns[i]);
            peer = columns[i].peer ? i : peer;
        }
        print_row(&bugs[b], row);
        int delaying = best_of(row, true, false), fastest = best_of(row, false, true);
        double ratio = delaying < 0 ? 0 : row[peer].shown > 0 ? row[peer].runs / row[delaying].runs : 1e9;
        compared++;
        tenfold += ratio >= 10;
        fewer += ratio > 1;
        missed += fastest < 0;
        slowest = fastest >= 0 && row[fastest].cpu > slowest ? row[fastest].cpu : slowest;
    }
    printf(
        "%d bugs: the best delaying explorer needs at most a tenth of the schedules of pct(3) for %d, fewer for %d\n",
        compared, tenfold, fewer);
    printf("not found by any explorer: %d; the fastest explorer of each other bug takes at most %.1f s\n", missed,
           slowest);
}

int main(int argc, char **argv)
{
    seeds = argc > 1 ? atoi(argv[1]) : seeds;
    steps = argc > 2 ? atof(argv[2]) : steps;
    spares = argc < 2;
    if (seeds < 1 || seeds > MOST_SEEDS || steps < 1) {
        fprintf(stderr, "usage: delaying [SEEDS (1 to %d) [STEPS [BUG]]]\n", MOST_SEEDS);
        return 2;
    }
    bug_count = example_bugs(bugs, MOST_BUGS, argc > 3 ? argv[3] : NULL);
    if (!bug_count) {
        fprintf(stderr, "%s has no such bug\n", RH_PROTOCOL_BUGS);
        return 1;
    }
    if (!examples_open())
        return 1;
    print_table();
    examples_close();
    return 0;
}
