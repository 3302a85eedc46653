/* Figures 1 to 5 of [Eta 2011] as curves of real explorations of our examples, and as tables.
 *
 *     Figure 1   different sequences of choices over time: dfs, the same in random order (scatter), and random
 *     Figure 2   the estimate of the number of runs over time: dfs
 *     Figure 3   ... by the search in random order: scatter
 *     Figure 4   ... with reduction, by depth: dpor as in the paper, and optimal
 *     Figure 5   ... with reduction, in random order: sample, which takes random parts of the tree of optimal
 *
 * Figures 1 to 4 are explored as in the paper: delivery model mailbox, a handler with all its sends as one step.
 * optimal and sample have steps of their own (granularity object), so the number that they estimate is another one.
 * Eta searches its reduced tree in random order; ours is sampled, because a part of the reduced tree of dpor is not
 * known to be needed before its races were seen.
 *
 *     eta_figures [SECONDS] [FILE]     each exploration may take so long (5); all curves go to FILE (RH_CURVES) as
 *                                      JSON: a list of { figure, program, explorer, total, columns, curve }
 *
 * A page with the same curves: EXAMPLE test TEST --model mailbox --granularity handler --explorer E --curve
 * --html FILE */
#include <math.h>

#include "examples.h"

enum { MOST_POINTS = 4096, SHOWN_POINTS = 100 };

struct point {
    double runs, seconds, distinct, estimate, pairs, sequences; /* estimate 0: unknown */
};

struct curve {
    struct point at[MOST_POINTS];
    int count;
    struct figures f;
};

#define STORE(f, b, c, r)                                                                                              \
    "store replies_are_not_mixed_up -p frontends=" f " -p backends=" b " -p clients=" c " -p requests=" r
static const struct subject {
    const char *name, *command;
} subjects[] = {
    { "store(1,2,2,3)", STORE("1", "2", "2", "3") }, { "store(2,2,2,3)", STORE("2", "2", "2", "3") },
    { "phils(2)", "philosophers -p n=2" },           { "phils(3)", "philosophers -p n=3" },
    { "pingpong(15)", "pingpong -p n=15" },
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

/* For optimal and sample: of most of the others there are less than 30 distinct runs. */
static const struct subject distinct_subjects[] = {
    { "store(1,1,4,2)", STORE("1", "1", "4", "2") },
    { "store(1,1,5,2)", STORE("1", "1", "5", "2") },
    { "pingpong(9)", "pingpong -p n=9" },
    { "pingpong(12)", "pingpong -p n=12" },
};

static const char *most_seconds = "5";
static FILE *json;

static void read_curve(struct curve *c)
{
    char *line = example_line(), *at = line ? strstr(line, "\"curve\":[[") : NULL;
    c->count = 0;
    for (at = at ? at + 9 : NULL; at && *at == '[' && c->count < MOST_POINTS; at++) {
        double field[6] = { 0 };
        for (int i = 0; i < 6; i++) {
            char *end = at + 1;
            field[i] = strncmp(end, "null", 4) == 0 ? (end += 4, 0) : strtod(end, &end);
            at = end;
        }
        if (field[0] > 0 && field[5] == 0)
            break; /* more sequences than are counted */
        c->at[c->count++] = (struct point){ field[0], field[1], field[2], field[3], field[4], field[5] };
        if (*at == ']')
            at++;
        if (*at != ',')
            break;
    }
    free(line);
}

/* Every point of the JSON but the last has its turn; the last one is always there. */
static void write_curve(int figure, const char *program, const char *explorer, const struct curve *c, double total)
{
    int each = c->count / SHOWN_POINTS + 1;
    if (!json)
        return;
    fprintf(json, "%s\n{\"figure\":%d,\"program\":\"%s\",\"explorer\":\"%s\",\"total\":", ftell(json) > 1 ? "," : "",
            figure, program, explorer);
    fprintf(json, total > 0 ? "%.0f" : "null", total);
    fputs(",\"columns\":[\"runs\",\"seconds\",\"distinct\",\"estimate\",\"sequences\"],\"curve\":[", json);
    for (int i = 0, n = 0; i < c->count; i++)
        if (i % each == 0 || i + 1 == c->count) {
            const struct point *p = &c->at[i];
            fprintf(json, "%s[%.0f,%.4f,%.0f,", n++ ? "," : "", p->runs, p->seconds, p->distinct);
            fprintf(json, p->estimate > 0 ? "%.6g,%.0f]" : "null,%.0f]", p->estimate > 0 ? p->estimate : p->sequences,
                    p->sequences);
        }
    fputs("]}", json);
}

static void explore(struct curve *c, const struct subject *s, const char *explorer, const char *how)
{
    char more[256];
    snprintf(more, sizeof more, "--explorer %s %s --curve --max-seconds %s --keep-going", explorer, how, most_seconds);
    c->f = example_test(s->command, more);
    read_curve(c);
}

#define AS_PAPER "--model mailbox --granularity handler"

/* The last point within this part of the time. */
static const struct point *at_part(const struct curve *c, double seconds)
{
    int i = 0;
    while (i + 1 < c->count && c->at[i + 1].seconds <= seconds)
        i++;
    return &c->at[i];
}

static void figure_1(void)
{
    static struct curve dfs, scatter, drawn;
    static const double parts[] = { 0.1, 0.25, 0.5, 1, 4, 16 };
    printf("Figure 1: different sequences of choices, in per cent of all, at multiples of the time that dfs needs\n"
           "(where dfs does not finish: of its sequences at the end)\n%-16s %-8s %12s %9s |",
           "", "", "sequences", "s");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        printf(" %7.2fx", parts[i]);
    printf("\n");
    for (int k = 0; k < SUBJECTS; k++) {
        const struct subject *s = &subjects[k];
        explore(&dfs, s, "dfs", AS_PAPER);
        explore(&scatter, s, "scatter", AS_PAPER);
        explore(&drawn, s, "random", AS_PAPER);
        const struct curve *curves[] = { &dfs, &scatter, &drawn };
        static const char *const names[] = { "dfs", "scatter", "random" };
        if (!dfs.count)
            continue;
        const struct point *end = &dfs.at[dfs.count - 1];
        for (int i = 0; i < 3; i++) {
            const struct curve *c = curves[i];
            const struct point *last = &c->at[c->count ? c->count - 1 : 0];
            printf("%-16s %-8s %12s %9.2f |", i ? "" : s->name, names[i], grouped(last->sequences, c->f.all || i == 2),
                   last->seconds);
            for (size_t j = 0; j < sizeof parts / sizeof *parts; j++) {
                double now = end->seconds * parts[j];
                if (now > last->seconds * 1.05 && !c->f.all)
                    printf(" %8s", "-");
                else
                    printf(" %7.2f%%", 100 * at_part(c, now)->sequences / end->sequences);
            }
            printf("\n");
            write_curve(1, s->name, names[i], c, dfs.f.all ? end->sequences : 0);
        }
    }
}

/* How far off the estimates are that were made in a part of the runs: the largest factor either way; 0: none. */
static double worst(const struct curve *c, double from, double to, double total)
{
    double most = 0;
    for (int i = 0; i < c->count; i++) {
        const struct point *p = &c->at[i];
        if (p->estimate > 0 && p->runs >= from && p->runs <= to)
            most = fmax(most, fmax(p->estimate / total, total / p->estimate));
    }
    return most;
}

static void estimates(int figure, const char *title, const char *explorer, int object)
{
    static struct curve c, all;
    printf("\nFigure %d: %s\n%-16s %-8s %12s | worst factor by which an estimate is off, in this part of the runs\n"
           "%-16s %-8s %12s | %9s %9s %9s %9s %9s\n",
           figure, title, "", "", "", "", "", "runs", "1-5 %", "5-25 %", "25-50 %", "50-75 %", "75-99 %");
    int count = object ? (int)(sizeof distinct_subjects / sizeof *distinct_subjects) : SUBJECTS;
    const char *how = object ? "--model mailbox --granularity object" : AS_PAPER;
    for (int k = 0; k < count; k++) {
        const struct subject *s = object ? &distinct_subjects[k] : &subjects[k];
        explore(&c, s, explorer, how);
        double total = c.f.all ? c.f.runs : 0;
        if (strcmp(explorer, "sample") == 0) { /* its runs are no search: the truth is what optimal finds */
            explore(&all, s, "optimal", how);
            total = all.f.all ? all.f.runs : 0;
        }
        printf("%-16s %-8s %12s |", s->name, explorer, grouped(total > 0 ? total : c.f.runs, total > 0));
        static const double parts[] = { 0.01, 0.05, 0.25, 0.5, 0.75, 0.99 };
        for (int i = 0; i < 5; i++) {
            double off = worst(&c, parts[i] * total, parts[i + 1] * total, total);
            if (total > 0 && off > 0)
                printf(" %8.2fx", off);
            else
                printf(" %9s", "-");
        }
        printf("\n");
        write_curve(figure, s->name, explorer, &c, total);
    }
}

int main(int argc, char **argv)
{
    const char *file = argc > 2 ? argv[2] : getenv("RH_CURVES");
    if (argc > 1)
        most_seconds = argv[1];
    json = file ? fopen(file, "w") : NULL;
    if (!examples_open() || (file && !json)) {
        perror(file ? file : "examples");
        return 1;
    }
    if (json)
        fputc('[', json);
    figure_1();
    estimates(2, "estimates by dfs, no reduction", "dfs", 0);
    estimates(3, "estimates in random order, no reduction", "scatter", 0);
    estimates(4, "estimates by depth, with reduction, of the runs with reduction: dpor", "dpor", 0);
    estimates(4, "the same by optimal, granularity object", "optimal", 1);
    estimates(5, "estimates in random order, with reduction (sample; parts of as many runs as optimal makes)", "sample",
              1);
    if (json && (fputs("\n]\n", json) == EOF || fclose(json) != 0)) {
        perror(file);
        return 1;
    }
    examples_close();
    return 0;
}
