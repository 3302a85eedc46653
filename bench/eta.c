/* Tables 1 to 3 of [Eta 2011] beside ours: how many runs dfs and its reduction make, how long they take, and how well
 * both estimate the number of runs beforehand.
 *
 * The paper (CMU-PDL-11-113) gives no sources; the examples have its names and parameters, and pingpong its counts.
 * All are explored as in the paper: delivery model mailbox, a handler with all its sends as one step.
 *
 * optimal does not support that: its steps are finer (granularity object), so its runs are different ones.  Under
 * mailbox every send is a step, and runs are distinct if mailboxes accept messages in different orders, whether or not
 * the receiver can tell: pingpong(n) has 3^n distinct runs, where Eta's whole handlers leave 2^n.  Under fifo, runs are
 * distinct only if an actor took different messages or another order; messages of different senders arrive in any order
 * there.  Both are shown.
 *
 *     eta [SECONDS]     each search may take so many seconds (10); "> runs" marks a search that did not finish */
#include "examples.h"

struct subject {
    const char *name;
    const char *command;                   /* example, test, parameters */
    double paper_runs, paper_seconds;      /* Table 1; 0 if it did not finish */
    double paper_dpor, paper_dpor_seconds; /* Table 2 */
    double paper_estimate;                 /* Table 3: by dpor, of all runs */
};

#define STORE(f, b, c, r)                                                                                              \
    "store replies_are_not_mixed_up -p frontends=" f " -p backends=" b " -p clients=" c " -p requests=" r

static const struct subject subjects[] = {
    { "store(1,1,1,3)", STORE("1", "1", "1", "3"), 1946, 12.6, 289, 2.28, 1090 },
    { "store(1,1,2,3)", STORE("1", "1", "2", "3"), 10933, 75.2, 765, 6.7, 3283 },
    { "store(1,2,2,3)", STORE("1", "2", "2", "3"), 18275, 133.8, 1235, 10.5, 5887 },
    { "store(2,2,2,3)", STORE("2", "2", "2", "3"), 82719, 623.2, 12216, 97.46, 39666 },
    { "store(2,2,3,3)", STORE("2", "2", "3", "3"), 239466, 1885.6, 25887, 216.85, 85814 },
    { "phils(2)", "philosophers -p n=2", 150, 0.8, 44, 0.22, 118 },
    { "phils(3)", "philosophers -p n=3", 3159870, 32400, 67192, 814.34, 1104386 },
    { "pingpong(10)", "pingpong -p n=10", 2048, 18.2, 1024, 11.68, 2048 },
    { "pingpong(15)", "pingpong -p n=15", 65536, 912.8, 32768, 622.86, 65536 },
    { "scheduler: once", "scheduler every_job_runs_once", 0, 0, 0, 0, 0 },
    { "scheduler: survives", "scheduler a_job_survives_its_machine", 0, 0, 0, 0, 0 },
    { "scheduler: cancelled", "scheduler a_cancelled_job_is_not_reported", 0, 0, 0, 0, 0 },
    { "scheduler: late", "scheduler a_late_machine_does_no_harm", 0, 0, 0, 0, 0 },
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

static const char *most_seconds = "10";

static struct figures explore(const struct subject *s, const char *explorer, const char *how, double max_runs)
{
    char more[256], limit[64] = "";
    if (max_runs > 0)
        snprintf(limit, sizeof limit, " --max-runs %.0f", max_runs);
    snprintf(more, sizeof more, "--explorer %s %s --max-seconds %s%s", explorer, how, most_seconds, limit);
    return example_test(s->command, more);
}

/* As the paper does it. */
static struct figures explore_as_paper(const struct subject *s, const char *explorer, double max_runs)
{
    return explore(s, explorer, "--model mailbox --granularity handler", max_runs);
}

/* `all`: otherwise there may be more of the first. */
static const char *ratio(double of, double to, int all)
{
    static char buffers[8][32];
    static unsigned turn;
    char *text = buffers[turn++ % 8];
    if (of <= 0 || to <= 0)
        return "-";
    snprintf(text, sizeof buffers[0], "%s%.1fx", all ? "" : ">", of / to);
    return text;
}

static void print_estimates(const struct subject *s, const char *explorer, const struct figures *truth)
{
    static const double parts[] = { 0.01, 0.1, 0.5 };
    printf("%-20s %-5s %12s ", s->name, explorer, grouped(truth->runs, truth->all));
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        double runs = (double)(long)(truth->runs * parts[i]);
        if (!truth->all || runs < 1)
            printf(" %8s", "-");
        else
            printf(" %8.2f", explore_as_paper(s, explorer, runs).estimate / truth->runs);
    }
    if (truth->all)
        printf(" %8.2f\n", truth->estimate / truth->runs);
    else
        printf(" %8s\n", "-");
}

int main(int argc, char **argv)
{
    static struct figures dfs[SUBJECTS], dpor[SUBJECTS];
    static int finished[SUBJECTS];
    if (!examples_open())
        return 1;
    if (argc > 1)
        most_seconds = argv[1];

    printf("Tables 1 and 2: runs and seconds\n");
    printf("%-20s | %-27s | %-47s | %-35s\n", "", "Eta: mailbox, handler", "ours: mailbox, handler",
           "optimal, granularity object");
    printf("%-20s | %9s %8s %8s | %12s %6s %10s %6s %9s | %10s %6s %10s %6s\n", "", "dfs", "dpor", "ratio", "dfs", "s",
           "dpor", "s", "ratio", "mailbox", "s", "fifo", "s");
    double sum = 0, paper_sum = 0;
    int count = 0, paper_count = 0;
    for (int i = 0; i < SUBJECTS; i++) {
        const struct subject *s = &subjects[i];
        dfs[i] = explore_as_paper(s, "dfs", 0);
        dpor[i] = explore_as_paper(s, "dpor", 0);
        struct figures mailbox = explore(s, "optimal", "--model mailbox --granularity object", 0);
        struct figures fifo = explore(s, "optimal", "--model fifo --granularity object", 0);
        printf("%-20s | %9s %8s %8s | %12s %6.2f %10s %6.2f %9s | %10s %6.2f %10s %6.2f\n", s->name,
               grouped(s->paper_runs, 1), grouped(s->paper_dpor, 1), ratio(s->paper_runs, s->paper_dpor, 1),
               grouped(dfs[i].runs, dfs[i].all), dfs[i].seconds, grouped(dpor[i].runs, dpor[i].all), dpor[i].seconds,
               dpor[i].all ? ratio(dfs[i].runs, dpor[i].runs, dfs[i].all) : "-", grouped(mailbox.runs, mailbox.all),
               mailbox.seconds, grouped(fifo.runs, fifo.all), fifo.seconds);
        if (strcmp(s->name, "phils(3)") == 0)
            continue; /* the paper excludes it from its average */
        if (dfs[i].all && dpor[i].all) {
            sum += dfs[i].runs / dpor[i].runs;
            count++;
        }
        if (s->paper_runs > 0) {
            paper_sum += s->paper_runs / s->paper_dpor;
            paper_count++;
        }
    }
    printf("on average, where dfs finishes: Eta %.1fx, ours %.1fx\n", paper_sum / paper_count, sum / count);
    printf("optimal under mailbox tells apart the orders in which mailboxes accept: 3^n of pingpong(n), 2^n under "
           "fifo\n\n");

    printf("How many runs there will be, as a multiple of how many there are\n");
    printf("%-26s %12s  %8s %8s %8s %8s\n", "", "runs", "at 1 %", "10 %", "50 %", "end");
    for (int i = 0; i < SUBJECTS; i++) {
        finished[i] = dfs[i].all;
        if (dfs[i].runs > 1e7)
            dfs[i].all = 0; /* would take as long again */
        print_estimates(&subjects[i], "dfs", &dfs[i]);
        print_estimates(&subjects[i], "dpor", &dpor[i]);
    }

    printf("\nTable 3: how many runs dfs makes, as dpor says when it is done\n");
    printf("%-20s | %10s %10s %6s | %13s %13s %6s\n", "", "Eta: dfs", "by dpor", "off", "ours: dfs", "by dpor", "off");
    for (int i = 0; i < SUBJECTS; i++) {
        const struct subject *s = &subjects[i];
        if (!dpor[i].all || !finished[i])
            continue;
        double estimate = explore_as_paper(s, "dpor:space", 0).estimate;
        double x = dfs[i].runs, off = estimate > x ? estimate / x : x / estimate;
        printf("%-20s | %10s %10s %6s | %13s %13s %6.2f\n", s->name, grouped(s->paper_runs, 1),
               grouped(s->paper_estimate, 1), ratio(s->paper_runs, s->paper_estimate, 1), grouped(x, 1),
               grouped(estimate, 1), off);
    }
    examples_close();
    return 0;
}
