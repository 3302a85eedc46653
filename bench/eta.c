/* Eta's Tables 1 to 3 beside ours: how many runs dfs and its reduction make, how long they take, and how well both say
 * beforehand how many it will be.
 *
 * The paper (CMU-PDL-11-113) gives no sources; the examples have its names and parameters, and pingpong its counts.  All are
 * explored as the paper does: delivery model mailbox, a handler with all its sends as one step.  optimal needs granularity
 * object, in which handlers are made of several steps, so its runs are other runs: one for each behaviour there.
 *
 *     eta [SECONDS]     each search may take so many (100); what was not finished is shown as "> runs" */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_ARGUMENTS = 40 };

struct subject {
    const char *name;
    const char *command;                   /* example, test, parameters */
    double paper_runs, paper_seconds;      /* Table 1; 0 where it did not finish */
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

struct figures {
    double runs, behaviours, seconds, estimate;
    int all; /* of the runs */
};

static char folder[4096], json[] = "/tmp/rehearse-eta-XXXXXX";
static const char *most_seconds = "100";

static double field(const char *line, const char *name)
{
    char key[64];
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *at = strstr(line, key);
    return at ? strtod(at + strlen(key), NULL) : 0;
}

/* Explores the subject in a process of its own; all zero where the explorer does not take it. */
static struct figures explore(const struct subject *s, const char *explorer, double max_runs)
{
    struct figures f = { 0, 0, 0, 0, 0 };
    char command[512], program[8192], limit[32], line[65536] = "", *arguments[MOST_ARGUMENTS];
    int n = 0, status;
    snprintf(command, sizeof command, "%s", s->command);
    snprintf(program, sizeof program, "%s/%.*s", folder, (int)strcspn(command, " "), command);
    snprintf(limit, sizeof limit, "%.0f", max_runs);
    arguments[n++] = program;
    arguments[n++] = (char *)"test";
    strtok(command, " ");
    for (char *word; n < MOST_ARGUMENTS - 16 && (word = strtok(NULL, " "));)
        arguments[n++] = word;
    const char *const more[] = { "--explorer",
                                 explorer,
                                 "--model",
                                 "mailbox",
                                 "--json",
                                 json,
                                 "--save",
                                 "",
                                 "--quiet",
                                 "--max-seconds",
                                 most_seconds,
                                 "--granularity",
                                 strcmp(explorer, "optimal") == 0 ? "object" : "handler",
                                 "--max-runs",
                                 limit };
    for (size_t i = 0; i < sizeof more / sizeof *more - (max_runs > 0 ? 0 : 2); i++)
        arguments[n++] = (char *)(size_t)more[i];
    arguments[n] = NULL;
    fflush(stdout);
    if (truncate(json, 0) != 0)
        return f;
    pid_t pid = fork();
    if (pid == 0) {
        if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
            _exit(127);
        execv(program, arguments);
        _exit(127);
    }
    waitpid(pid, &status, 0);
    FILE *file = fopen(json, "r");
    if (file) {
        if (!fgets(line, sizeof line, file))
            line[0] = 0;
        fclose(file);
    }
    f.runs = field(line, "executions");
    f.behaviours = field(line, "behaviours");
    f.seconds = field(line, "seconds");
    f.estimate = field(line, "estimate");
    f.all = strstr(line, "\"verdict\":\"exhaustive\"") != NULL;
    return f;
}

/* 1234567 as 1,234,567; the buffers are used in turn. */
static const char *grouped(double n, int all)
{
    static char buffers[16][32];
    static unsigned turn;
    char plain[32], *to = buffers[turn++ % 16];
    int length = snprintf(plain, sizeof plain, "%.0f", n), at = 0;
    if (n <= 0)
        return "-";
    if (!all)
        to[at++] = '>';
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            to[at++] = ',';
        to[at++] = plain[i];
    }
    to[at] = 0;
    return to;
}

static const char *ratio(double of, double to)
{
    static char buffers[8][32];
    static unsigned turn;
    char *text = buffers[turn++ % 8];
    if (of <= 0 || to <= 0)
        return "-";
    snprintf(text, sizeof buffers[0], "%.1fx", of / to);
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
            printf(" %8.2f", explore(s, explorer, runs).estimate / truth->runs);
    }
    if (truth->all)
        printf(" %8.2f\n", truth->estimate / truth->runs);
    else
        printf(" %8s\n", "-");
}

int main(int argc, char **argv)
{
    static struct figures dfs[SUBJECTS], dpor[SUBJECTS], optimal[SUBJECTS];
    static int finished[SUBJECTS];
    ssize_t n = readlink("/proc/self/exe", folder, sizeof folder - 32);
    if (n <= 0)
        return 1;
    folder[n] = 0;
    for (int i = 0; i < 2; i++)
        *strrchr(folder, '/') = 0;
    strcat(folder, "/examples");
    if (argc > 1)
        most_seconds = argv[1];
    int fd = mkstemp(json);
    if (fd < 0)
        return 1;
    close(fd);

    printf("Tables 1 and 2: runs and seconds\n");
    printf("%-20s | %9s %8s %8s | %13s %8s %9s %6s %9s | %9s %6s\n", "", "Eta: dfs", "dpor", "ratio", "ours: dfs", "s",
           "dpor", "s", "ratio", "optimal", "s");
    double sum = 0, paper_sum = 0;
    int count = 0, paper_count = 0;
    for (int i = 0; i < SUBJECTS; i++) {
        const struct subject *s = &subjects[i];
        dfs[i] = explore(s, "dfs", 0);
        dpor[i] = explore(s, "dpor", 0);
        optimal[i] = explore(s, "optimal", 0);
        printf("%-20s | %9s %8s %8s | %13s %8.2f %9s %6.2f %9s | %9s %6.2f\n", s->name, grouped(s->paper_runs, 1),
               grouped(s->paper_dpor, 1), ratio(s->paper_runs, s->paper_dpor), grouped(dfs[i].runs, dfs[i].all),
               dfs[i].seconds, grouped(dpor[i].runs, dpor[i].all), dpor[i].seconds,
               dpor[i].all ? ratio(dfs[i].runs, dpor[i].runs) : "-", grouped(optimal[i].runs, optimal[i].all),
               optimal[i].seconds);
        if (strcmp(s->name, "phils(3)") == 0)
            continue; /* the paper leaves it out of its average */
        if (dfs[i].all && dpor[i].all) {
            sum += dfs[i].runs / dpor[i].runs;
            count++;
        }
        if (s->paper_runs > 0) {
            paper_sum += s->paper_runs / s->paper_dpor;
            paper_count++;
        }
    }
    printf("on average, where dfs finishes: Eta %.1fx, ours %.1fx\n\n", paper_sum / paper_count, sum / count);

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
        double estimate = explore(s, "dpor:space", 0).estimate;
        double x = dfs[i].runs, off = estimate > x ? estimate / x : x / estimate;
        printf("%-20s | %10s %10s %6s | %13s %13s %6.2f\n", s->name, grouped(s->paper_runs, 1),
               grouped(s->paper_estimate, 1), ratio(s->paper_runs, s->paper_estimate), grouped(x, 1),
               grouped(estimate, 1), off);
    }
    unlink(json);
    return 0;
}
