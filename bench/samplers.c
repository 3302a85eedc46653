/* How long samplers take until they find a bug: of examples/protocols, of Debian's libraft (tests/third_party), and of
 * other examples whose bugs are rare.
 *
 *     samplers [SEEDS [RUNS [BUG [SECONDS]]]]
 *
 * A number is the median over SEEDS seeds (20) of explorations of at most RUNS runs (5,000).  "-": half of the seeds or
 * more found nothing in so many runs, or in SECONDS (10) of processor time; ".": there is no such explorer.  BUG
 * selects the bugs whose name contains it, !BUG the others.  The second table has seconds of processor time of the same
 * explorations, with the start of the process.  For libraft a random scheduler that was written for that library is
 * measured beside, with its first weights and with weights that were tuned for each of the two bugs; and what a run
 * costs, without the start of the process and without findings, is compared with a run of that scheduler.  (BUG
 * libraft-runs prints that only.) */
#include <stdbool.h>

#include "examples.h"

enum { MOST_SEEDS = 100, MOST_BUGS = 96 };

static const char *const samplers[] = { "random", "weighted", "swarm", "phases",  "feedback",  "pct",
                                        "pctcp",  "pos",      "surw",  "delayed", "cover(all)" };
enum { SAMPLERS = sizeof samplers / sizeof *samplers, RANDOM = 0, SWARM = 2, PHASES = 3 };

/* Beside those of examples/protocols.  A program with several tests needs the name of one: only the first is read. */
static const struct example_bug others[] = {
    { "libraft C1, entry lost", "../tests/third_party/libraft a_committed_entry_is_never_lost" },
    { "libraft C5, two leaders", "../tests/third_party/libraft a_term_has_one_leader" },
    { "gatling-engine ga1", "gatling-engine -p bug=ga1" },
    { "gatling-engine ga2", "gatling-engine -p bug=ga2" },
    { "gatling-engine ga3", "gatling-engine -p bug=ga3" },
    { "gatling-engine ga4", "gatling-engine -p bug=ga4" },
    { "signal sc1", "signal -p bug=sc1" },
    { "signal sc2", "signal -p bug=sc2" },
    { "signal sc3", "signal -p bug=sc3" },
    { "redis fr1", "redis replies_belong_to_their_requests -p bug=fr1" },
    { "redis fr2", "redis what_is_published_is_read -p bug=fr2" },
    { "barber-morning ba", "barber-morning -p bug=ba" },
    { "messenger-rooms ms", "messenger-rooms -p bug=ms" },
    { "procreg-directory pr", "procreg-directory -p bug=pr" },
    { "bank hasty", "bank -p bug=hasty" },
    { "store early", "store what_was_confirmed_is_kept -p bug=early" },
    { "scheduler late", "scheduler a_late_machine_does_no_harm -p bug=late" },
    { "philosophers deadlock", "philosophers -p bug=deadlock" },
};
static struct example_bug bugs[MOST_BUGS];
static int bug_count, seeds = 20, seconds = 10;
static double runs = 5000;

struct cell {
    double runs, cpu; /* 0 runs: not found */
    double per_run;   /* processor time of a run, over all explorations; 0: too few to say */
    bool missing;     /* there is no such explorer */
};

/* ---- explorations ------------------------------------------------------------------------------------------------ */

static int by_runs(const void *a, const void *b)
{
    const struct cell *x = a, *y = b;
    double one = x->runs > 0 ? x->runs : 1e300, two = y->runs > 0 ? y->runs : 1e300;
    return (one > two) - (one < two);
}

static double all_runs, all_cpu; /* of the cell that is being measured */

static struct cell explore(const char *what, const char *explorer, int seed)
{
    char more[256];
    snprintf(more, sizeof more, "--explorer %s --seed %d --max-runs %.0f --max-seconds %d --no-determinism-check",
             explorer, seed, runs, seconds);
    struct figures f = example_test(what, more);
    all_runs += f.runs;
    all_cpu += f.cpu;
    return (struct cell){ .runs = f.found_in, .cpu = f.cpu, .missing = f.runs <= 0 };
}

/* The scheduler that was written for libraft; `weights` are words with single spaces. */
static struct cell drive(const char *weights, const char *unused, int seed)
{
    (void)unused;
    char program[4200], words[256], *arguments[16] = { program }, *rest = NULL;
    int n = 1;
    snprintf(program, sizeof program, "%s/../tests/third_party/libraft-driver", examples_folder);
    snprintf(words, sizeof words, "%s seed=%d runs=%.0f", weights, seed, runs);
    for (char *word = strtok_r(words, " ", &rest); word && n < 15; word = strtok_r(NULL, " ", &rest))
        arguments[n++] = word;
    double cpu = example_execute(program, arguments);
    char *line = example_line();
    double made = line ? example_field(line, "executions") : 0;
    struct cell c = { .runs = line && example_field(line, "found") > 0 ? made : 0, .cpu = cpu, .missing = made <= 0 };
    free(line);
    all_runs += made;
    all_cpu += cpu;
    return c;
}

/* Stops when the median is known to be "not found". */
static struct cell median_of(struct cell (*make)(const char *what, const char *how, int seed), const char *what,
                             const char *how)
{
    struct cell found[MOST_SEEDS], result = { 0 };
    int missed = 0;
    all_runs = all_cpu = 0;
    for (int i = 0; i < seeds && missed < seeds - seeds / 2; i++) {
        found[i] = make(what, how, i + 1);
        if (found[i].missing)
            return found[i];
        missed += found[i].runs <= 0;
    }
    if (missed < seeds - seeds / 2) {
        qsort(found, (size_t)seeds, sizeof *found, by_runs);
        result = found[seeds / 2];
    }
    result.per_run = all_runs >= 100 ? all_cpu / all_runs : 0;
    return result;
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static struct cell table[MOST_BUGS][SAMPLERS];

static void print_head(const char *what)
{
    printf("%-26s", what);
    for (int i = 0; i < SAMPLERS; i++)
        printf(" %10s", samplers[i]);
    printf("\n");
}

static void print_runs(void)
{
    printf("median of %d seeds, at most %s runs and %d s; -: not found; .: there is no such explorer\n", seeds,
           grouped(runs, 1), seconds);
    print_head("runs until it is found");
    for (int b = 0; b < bug_count; b++) {
        printf("%-26s", bugs[b].title);
        for (int i = 0; i < SAMPLERS; i++) {
            table[b][i] = median_of(explore, bugs[b].what, samplers[i]);
            printf(" %10s", table[b][i].missing ? "." : grouped(table[b][i].runs, 1));
            fflush(stdout);
        }
        printf("\n");
    }
}

static void print_seconds(void)
{
    print_head("seconds until it is found");
    for (int b = 0; b < bug_count; b++) {
        printf("%-26s", bugs[b].title);
        for (int i = 0; i < SAMPLERS; i++) {
            const struct cell *c = &table[b][i];
            if (c->missing || c->runs <= 0)
                printf(" %10s", c->missing ? "." : "-");
            else
                printf(" %10.2f", c->cpu);
        }
        printf("\n");
    }
}

/* Guidance against plain random: the better of swarm and phases. */
static void print_summary(void)
{
    int tenfold = 0, fewer = 0, worse = 0, only = 0, neither = 0, only_random = 0;
    for (int b = 0; b < bug_count; b++) {
        double plain = table[b][RANDOM].runs, swarm = table[b][SWARM].runs, phases = table[b][PHASES].runs;
        double guided = swarm > 0 && (phases <= 0 || swarm < phases) ? swarm : phases;
        neither += plain <= 0 && guided <= 0;
        only += plain <= 0 && guided > 0;
        only_random += plain > 0 && guided <= 0;
        if (plain > 0 && guided > 0) {
            tenfold += plain >= 10 * guided;
            fewer += plain > guided;
            worse += guided > 3 * plain;
        }
        if (plain > 0 && (guided <= 0 || guided > 3 * plain))
            printf("guidance loses: %s (random %s, swarm %s, phases %s)\n", bugs[b].title, grouped(plain, 1),
                   grouped(swarm, 1), grouped(phases, 1));
    }
    printf(
        "%d bugs; the better of swarm and phases against random: only it finds %d; both find: at most a tenth of the "
        "runs for %d, fewer for %d, more than three times as many for %d; only random finds %d; neither %d\n",
        bug_count, only, tenfold, fewer, worse, only_random, neither);
}

/* ---- libraft ----------------------------------------------------------------------------------------------------- */

static void print_cell(const char *name, struct cell c)
{
    printf("  %-34s", name);
    if (c.missing)
        printf(" %10s\n", ".");
    else if (c.runs <= 0)
        printf(" %10s                  %8.0f us a run\n", "-", 1e6 * c.per_run);
    else
        printf(" %10s runs  %8.2f s  %8.0f us a run\n", grouped(c.runs, 1), c.cpu, 1e6 * c.per_run);
}

/* A sampler that has no finding within the budget still has a time for each run. */
static void print_libraft(void)
{
    static const struct {
        const char *bug, *first, *tuned;
    } rows[] = {
        { "libraft C1", "find=entries", "find=entries deliver=30" },
        { "libraft C5", "find=leaders transfer=2", "find=leaders transfer=8 deliver=30" },
    };
    for (int r = 0; r < 2; r++)
        for (int b = 0; b < bug_count; b++) {
            if (strncmp(bugs[b].title, rows[r].bug, strlen(rows[r].bug)) != 0 || table[b][RANDOM].missing)
                continue;
            printf("%s, beside a scheduler written for it\n", bugs[b].title);
            print_cell("scheduler, first weights", median_of(drive, rows[r].first, ""));
            print_cell("scheduler, tuned weights", median_of(drive, rows[r].tuned, ""));
            for (int i = 0; i < SAMPLERS; i++)
                print_cell(samplers[i], table[b][i]);
        }
}

/* Processor time of a run of the test in which nobody is asked to hand over, so that no bug is found.  Few runs are
 * taken off many, and with them the start of the process; the programs take turns. */
enum { FEW_RUNS = 100, MANY_RUNS = 2100, TURNS = 5 };

static double cpu_of(const char *sampler, int count, int seed)
{
    char more[256];
    double was = runs;
    runs = count;
    snprintf(more, sizeof more, "--explorer %s --seed %d --max-runs %d --no-determinism-check", sampler, seed, count);
    double cpu = *sampler ? example_test("../tests/third_party/libraft a_term_has_one_leader -p transfers=0", more).cpu
                          : drive("find=leaders lose=3", "", seed).cpu;
    runs = was;
    return cpu;
}

static void print_cost_of_runs(void)
{
    double cost[SAMPLERS + 1] = { 0 }; /* the last one: of the scheduler */
    for (int turn = 1; turn <= TURNS; turn++)
        for (int i = 0; i <= SAMPLERS; i++) {
            const char *name = i < SAMPLERS ? samplers[i] : "";
            cost[i] += cpu_of(name, MANY_RUNS, turn) - cpu_of(name, FEW_RUNS, turn);
        }
    printf("a run of libraft: processor time, and how many times that of the scheduler written for it\n");
    printf("  %-34s %8.1f us\n", "scheduler", 1e6 * cost[SAMPLERS] / TURNS / (MANY_RUNS - FEW_RUNS));
    for (int i = 0; i < SAMPLERS; i++)
        printf("  %-34s %8.1f us  %5.2f times\n", samplers[i], 1e6 * cost[i] / TURNS / (MANY_RUNS - FEW_RUNS),
               cost[i] / cost[SAMPLERS]);
}

int main(int argc, char **argv)
{
    const char *only = argc > 3 ? argv[3] : NULL;
    seeds = argc > 1 ? atoi(argv[1]) : seeds;
    runs = argc > 2 ? atof(argv[2]) : runs;
    seconds = argc > 4 ? atoi(argv[4]) : seconds;
    if (seeds < 1 || seeds > MOST_SEEDS || runs < 1 || seconds < 1) {
        fprintf(stderr, "usage: samplers [SEEDS (1 to %d) [RUNS [BUG [SECONDS]]]]\n", MOST_SEEDS);
        return 2;
    }
    if (only && !strcmp(only, "libraft-runs")) {
        if (!examples_open())
            return 1;
        print_cost_of_runs();
        examples_close();
        return 0;
    }
    bug_count = example_bugs(bugs, MOST_BUGS, only);
    for (size_t i = 0; i < sizeof others / sizeof *others && bug_count < MOST_BUGS; i++)
        if (example_wanted(others[i].title, only))
            bugs[bug_count++] = others[i];
    if (!bug_count || !examples_open()) {
        fprintf(stderr, "samplers: there is no such bug\n");
        return 1;
    }
    print_runs();
    print_seconds();
    print_summary();
    print_libraft();
    if (example_wanted("libraft", only) && !drive("find=leaders", "", 1).missing)
        print_cost_of_runs();
    examples_close();
    return 0;
}
