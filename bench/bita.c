/* Tables II and III and Figure 4 of [Bita 2013] beside ours: how many runs it takes to find each of twelve bugs, and
 * how many ordering goals are covered, by generated schedules and by the baselines, in the same programs.
 *
 * The paper's programs are in Scala; ours are written after their descriptions (examples/), with bugs of the same
 * kinds, so only ratios can be compared.  Each search is made with 20 seeds; a search that finds nothing within the
 * limit counts with the limit.
 *
 *     bita [SECONDS]          each search of Table II may take so many seconds (0.5), and RUNS runs
 *     RH_GROWTH=FILE bita     also writes the growth of coverage, as JSON lines */
#include "examples.h"

enum { SEEDS = 20, RUNS = 20000, MOST_ROWS = 16 };

static const char *most_seconds = "0.5";

/* ---- Table II ---------------------------------------------------------------------------------------------------- */

struct bug {
    const char *name, *what; /* as for example_test */
    const char *paper;       /* criteria and schedules of Bita, runs of its best random scheduler */
};

static const struct bug bugs[] = {
    { "ga1", "gatling-engine -p bug=ga1", "PR 1, > 191" },
    { "ga2", "gatling-engine -p bug=ga2", "PR 1, 8" },
    { "ga3", "gatling-engine -p bug=ga3", "PR 1, 6" },
    { "ga4", "gatling-engine -p bug=ga4", "PR 1, 18" },
    { "sc1", "signal -p bug=sc1", "PR 2, > 158" },
    { "sc2", "signal -p bug=sc2", "PR 2, > 104" },
    { "sc3", "signal -p bug=sc3", "PR 3, > 90" },
    { "fr1", "redis replies_belong_to_their_requests -p bug=fr1", "PR 1, > 181" },
    { "fr2", "redis what_is_published_is_read -p bug=fr2", "PR 1, > 471" },
    { "ba", "barber-morning -p bug=ba", "PMR 28, > 263" },
    { "ms", "messenger-rooms -p bug=ms", "PR 1, > 703" },
    { "pr", "procreg-directory -p bug=pr", "PCR 32, > 235" },
};
enum { BUGS = sizeof bugs / sizeof *bugs };

static const struct way {
    const char *name, *explorer;
    int seeds; /* 1: the seed makes no difference */
} ways[] = {
    { "cover:all", "cover:all", SEEDS },     { "as the paper", "cover:all,paper", SEEDS },
    { "random", "random", SEEDS },           { "delayed:100", "delayed:100", SEEDS },
    { "delayed:200", "delayed:200", SEEDS }, { "delayed:300", "delayed:300", SEEDS },
    { "roundrobin", "roundrobin", 1 },       { "optimal", "optimal", 1 },
};
enum { WAYS = sizeof ways / sizeof *ways };

struct search {
    double runs[SEEDS], seconds[SEEDS];
    int found, seeds;
};

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static struct search search(const struct bug *bug, const struct way *way)
{
    struct search s = { .seeds = way->seeds };
    for (int i = 0; i < way->seeds; i++) {
        char more[256];
        snprintf(more, sizeof more, "--explorer %s --seed %d --max-seconds %s --max-runs %d", way->explorer, i + 1,
                 most_seconds, RUNS);
        struct figures f = example_test(bug->what, more);
        s.found += f.found_in > 0;
        s.runs[i] = f.found_in > 0 ? f.found_in : f.runs;
        s.seconds[i] = f.seconds;
    }
    return s;
}

static double sum(const double *values, int count)
{
    double total = 0;
    for (int i = 0; i < count; i++)
        total += values[i];
    return total;
}

/* Median, lowest and highest; and how many seeds found it, if not all did. */
static void print_search(struct search s)
{
    char text[64];
    qsort(s.runs, (size_t)s.seeds, sizeof *s.runs, by_value);
    if (!s.found)
        snprintf(text, sizeof text, "> %.0f", s.runs[s.seeds / 2]);
    else if (s.seeds == 1)
        snprintf(text, sizeof text, "%.0f", s.runs[0]);
    else if (s.found == s.seeds)
        snprintf(text, sizeof text, "%.0f (%.0f-%.0f)", s.runs[s.seeds / 2], s.runs[0], s.runs[s.seeds - 1]);
    else
        snprintf(text, sizeof text, "%.0f, %d of %d", s.runs[s.seeds / 2], s.found, s.seeds);
    printf(" | %16s", text);
    fflush(stdout);
}

static void table_two(void)
{
    static struct search all[BUGS][WAYS];
    int missing[BUGS] = { 0 }, soon = 0, shown = 0;
    printf("Table II: runs until found, the first one counted, of %d seeds: median (lowest-highest); \"> n\": not "
           "within n\n",
           SEEDS);
    printf("%-4s %-16s", "", "Bita, random");
    for (int w = 0; w < WAYS; w++)
        printf(" | %16s", ways[w].name);
    printf("\n");
    for (int b = 0; b < BUGS; b++) {
        missing[b] = example_test(bugs[b].what, "--explorer roundrobin").runs <= 0;
        if (missing[b]) {
            printf("%-4s %-16s | (not built)\n", bugs[b].name, bugs[b].paper);
            continue;
        }
        shown++;
        printf("%-4s %-16s", bugs[b].name, bugs[b].paper);
        for (int w = 0; w < WAYS; w++) {
            all[b][w] = search(&bugs[b], &ways[w]);
            print_search(all[b][w]);
        }
        printf("\n");
        double sorted[SEEDS];
        memcpy(sorted, all[b][0].runs, sizeof sorted);
        qsort(sorted, SEEDS, sizeof *sorted, by_value);
        soon += all[b][0].found == SEEDS && sorted[SEEDS / 2] <= 4; /* the first run and three schedules */
    }
    double mine = 0, mine_seconds = 0;
    printf("%-21s", "runs for each find");
    for (int w = 0; w < WAYS; w++) {
        double runs = 0, seconds = 0;
        int found = 0;
        for (int b = 0; b < BUGS; b++)
            if (!missing[b]) {
                int times = SEEDS / all[b][w].seeds; /* the result would be the same again */
                runs += times * sum(all[b][w].runs, all[b][w].seeds);
                seconds += times * sum(all[b][w].seconds, all[b][w].seeds);
                found += times * all[b][w].found;
            }
        if (w == 0) {
            mine = runs / found;
            mine_seconds = seconds / found;
        }
        char text[64] = "-";
        if (found)
            snprintf(text, sizeof text, "%.0f, %.0fx, %.0fx s", runs / found, runs / found / mine,
                     seconds / found / mine_seconds);
        printf(" | %16s", text);
    }
    printf("\n  (all runs, also those of searches that found nothing, for each search that found it; then that and the "
           "seconds as "
           "multiples of cover:all)\n");
    printf("bugs that cover:all finds with all seeds, half of them with the first run and three schedules at most: %d "
           "of %d\n\n",
           soon, shown);
}

/* ---- Table III and Figure 4 -------------------------------------------------------------------------------------- */

static const struct subject {
    const char *name, *what;
    const char *paper; /* Bita against random, PR */
} subjects[] = {
    { "gatling", "gatling-engine -p users=20 -p requests=10", "9.7x" },
    { "signal", "signal -p workers=6 -p branches=6 -p length=40", "3.2x" },
    { "redis", "redis replies_belong_to_their_requests -p callers=8", "2.1x" },
    { "messenger", "messenger-rooms -p users=8", "-" },
    { "store", "store replies_are_not_mixed_up -p frontends=4 -p backends=4 -p clients=12 -p requests=16", "-" },
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

static double covered(const struct subject *s, const char *criterion, const char *explorer, int seed, const char *limit)
{
    char more[256];
    snprintf(more, sizeof more, "--explorer %s --coverage %s --seed %d %s", explorer, criterion, seed, limit);
    return example_test(s->what, more).covered;
}

static void print_coverage(const struct subject *s, const char *criterion, int runs)
{
    enum { TIMES = 5 };
    double mine = 0, same_runs = 0, same_time = 0, made = 0;
    char explorer[32], limit[64];
    snprintf(explorer, sizeof explorer, "cover:%s", criterion);
    for (int seed = 1; seed <= TIMES; seed++) {
        char more[256];
        snprintf(more, sizeof more, "--explorer %s --seed %d --max-runs %d", explorer, seed, runs);
        struct figures f = example_test(s->what, more);
        mine += f.covered / TIMES;
        made += f.runs / TIMES;
        snprintf(limit, sizeof limit, "--max-runs %.0f", f.runs);
        same_runs += covered(s, criterion, "random", seed, limit) / TIMES;
        snprintf(limit, sizeof limit, "--max-seconds %.4f", f.seconds > 0.001 ? f.seconds : 0.001);
        same_time += covered(s, criterion, "random", seed, limit) / TIMES;
    }
    printf(" | %6.0f %8.0f %8.0f %5.1fx %8.0f %5.1fx", made, mine, same_runs, same_runs > 0 ? mine / same_runs : 0,
           same_time, same_time > 0 ? mine / same_time : 0);
    fflush(stdout);
}

static void table_three(void)
{
    static const char *const criteria[] = { "pr", "pcr", "pmr" };
    static const int runs[] = { 20, 100 };
    printf("Table III: pairs covered by cover:X, by random in as many runs, and in as many seconds; averages of 5 "
           "seeds\n");
    for (size_t r = 0; r < sizeof runs / sizeof *runs; r++) {
        printf("%d runs at most\n%-10s %-5s", runs[r], "", "Bita");
        for (size_t c = 0; c < sizeof criteria / sizeof *criteria; c++)
            printf(" | %s: %s", criteria[c], "runs  covered   random  ratio  seconds  ratio ");
        printf("\n");
        for (int i = 0; i < SUBJECTS; i++) {
            if (example_test(subjects[i].what, "--explorer roundrobin").runs <= 0) {
                printf("%-10s (not built)\n", subjects[i].name);
                continue;
            }
            printf("%-10s %-5s", subjects[i].name, subjects[i].paper);
            for (size_t c = 0; c < sizeof criteria / sizeof *criteria; c++)
                print_coverage(&subjects[i], criteria[c], runs[r]);
            printf("\n");
        }
    }
    printf("\n");
}

/* Figure 4: the growth of coverage with the number of runs, as the report would draw it. */
static void write_growth(const char *path)
{
    static const char *const explorers[] = { "cover:pr", "cover:pr,paper", "random", "delayed:300" };
    FILE *out = fopen(path, "w");
    for (int i = 0; out && i < SUBJECTS; i++)
        for (size_t e = 0; e < sizeof explorers / sizeof *explorers; e++) {
            char more[256];
            snprintf(more, sizeof more, "--explorer %s --coverage pr --max-runs 200", explorers[e]);
            if (example_test(subjects[i].what, more).runs <= 0)
                continue;
            char *growth = example_part("\"growth\":{");
            fprintf(out, "{\"program\":\"%s\",\"explorer\":\"%s\",%s}\n", subjects[i].name, explorers[e], growth);
            free(growth);
        }
    if (!out || fclose(out) != 0)
        printf("%s: the growth of coverage could not be written\n", path);
}

/* ---- cost -------------------------------------------------------------------------------------------------------- */

/* The cost of schedules for runs of more and more events: seconds for each event and each goal, for all work of
 * cover:pr. */
static void cost(void)
{
    static const char *const sizes[][2] = {
        { "8", "4" }, { "16", "8" }, { "32", "16" }, { "64", "32" }, { "64", "64" }
    };
    printf("The cost of generating and measuring: gatling-engine, cover:pr, 20 runs\n");
    printf("%10s %10s %12s %10s %14s %14s %16s\n", "events", "schedules", "goals", "seconds", "us an event",
           "ns a goal", "random, us/event");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char what[256];
        snprintf(what, sizeof what, "gatling-engine -p users=%s -p requests=%s", sizes[i][0], sizes[i][1]);
        struct figures f = example_test(what, "--explorer cover:pr --max-runs 20");
        struct figures r = example_test(what, "--explorer random --max-runs 20");
        printf("%10.0f %10.0f %12.0f %10.3f %14.2f %14.1f %16.2f\n", f.steps / f.runs, f.runs - 1, f.goals, f.seconds,
               1e6 * f.seconds / f.steps, 1e9 * f.seconds / f.goals, 1e6 * r.seconds / r.steps);
        printf("%10s schedules for each 1,000 goals: %.2f; for each 1,000 pairs covered: %.2f\n", "",
               1000 * (f.runs - 1) / f.goals, 1000 * (f.runs - 1) / f.covered);
    }
}

int main(int argc, char **argv)
{
    if (!examples_open())
        return 1;
    if (argc > 1)
        most_seconds = argv[1];
    table_two();
    table_three();
    cost();
    if (getenv("RH_GROWTH"))
        write_growth(getenv("RH_GROWTH"));
    examples_close();
    return 0;
}
