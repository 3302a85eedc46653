/* Runs an example in a process of its own, as a user would, and reads its JSON.  For benchmarks that compare how many
 * runs an explorer makes of programs that others have measured, too.
 *
 *     examples_open      once, before the rest; examples_close at the end
 *     example_test       explores, and returns figures; all zero if the explorer refuses
 *     example_estimate   estimates the number of distinct runs, by samples
 *     example_bugs       the bugs of examples/protocols */
#ifndef RH_BENCH_EXAMPLES_H
#define RH_BENCH_EXAMPLES_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

struct figures {
    double runs, distinct, steps, failed, estimate;
    double found_in;       /* the first run with a finding; 0: none */
    double seconds, cpu;   /* cpu: of the whole process and its children, with its start */
    int all;               /* all runs were made */
    double goals, covered; /* of the first criterion of coverage that was measured */
    double low, high, samples;
};

static char examples_folder[4096], examples_json[] = "/tmp/rehearse-bench-XXXXXX";

static inline int examples_open(void)
{
    ssize_t n = readlink("/proc/self/exe", examples_folder, sizeof examples_folder - 32);
    int fd = n > 0 ? mkstemp(examples_json) : -1;
    if (fd < 0)
        return 0;
    close(fd);
    examples_folder[n] = 0;
    for (int i = 0; i < 2; i++)
        *strrchr(examples_folder, '/') = 0;
    strcat(examples_folder, "/examples");
    return 1;
}

static inline void examples_close(void)
{
    unlink(examples_json);
}

static inline double example_field(const char *line, const char *name)
{
    char key[64];
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *at = strstr(line, key);
    return at ? strtod(at + strlen(key), NULL) : 0;
}

/* The output of the last example; NULL if there is none.  The caller frees it. */
__attribute__((noinline, unused)) static char *example_line(void)
{
    char *line = NULL;
    size_t size = 0;
    FILE *file = fopen(examples_json, "r");
    if (file && getline(&line, &size, file) <= 0) {
        free(line);
        line = NULL;
    }
    if (file)
        fclose(file);
    return line;
}

/* The object of that output that begins with this name; the caller frees it. */
static inline char *example_part(const char *name)
{
    char *line = example_line(), *from = line ? strstr(line, name) : NULL, *to = from;
    for (int depth = 0; from && *to; to++) {
        depth += (*to == '{') - (*to == '}');
        if (*to == '}' && depth == 0)
            break;
    }
    char *part = from ? strndup(from, (size_t)(to - from) + 1) : strdup("");
    free(line);
    return part;
}

/* Runs a program; its output goes to the file that example_line reads.  Processor time with that of its children, or -1
 * if it did not run. */
static inline double example_execute(const char *program, char **arguments)
{
    int status;
    struct rusage usage;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        if (!freopen(examples_json, "w", stdout) || !freopen("/dev/null", "w", stderr))
            _exit(127);
        execv(program, arguments);
        _exit(127);
    }
    if (pid < 0 || wait4(pid, &status, 0, &usage) != pid)
        return -1;
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* `what` is "EXAMPLE [TEST] [OPTION...]"; `more` further options; the words of both are separated by single spaces. */
static inline struct figures example_run(const char *command, const char *what, const char *more)
{
    enum { MOST_ARGUMENTS = 64 };
    struct figures f = { 0 };
    char words[2048], program[8192], *arguments[MOST_ARGUMENTS], *rest = NULL;
    int n = 0;
    snprintf(words, sizeof words, "%s %s", what, more);
    char *word = strtok_r(words, " ", &rest);
    snprintf(program, sizeof program, "%s/%s", examples_folder, word);
    arguments[n++] = program;
    arguments[n++] = (char *)(size_t)command;
    while (n < MOST_ARGUMENTS - 6 && (word = strtok_r(NULL, " ", &rest)))
        arguments[n++] = word;
    const char *const last[] = { "--json", "-", "--quiet", "--save", "" };
    size_t count = strcmp(command, "test") == 0 ? 5 : 3; /* other commands save nothing */
    for (size_t i = 0; i < count; i++)
        arguments[n++] = (char *)(size_t)last[i];
    arguments[n] = NULL;
    f.cpu = example_execute(program, arguments);
    if (f.cpu < 0)
        return f;
    char *line = example_line();
    if (!line)
        return f;
    const char *failures = strstr(line, "\"failures\":");
    f.runs = example_field(line, "executions");
    f.distinct = example_field(line, "distinct_runs");
    f.steps = example_field(line, "steps");
    f.failed = example_field(line, "failed");
    f.found_in = failures ? example_field(failures, "run") : 0;
    f.seconds = example_field(line, "seconds");
    f.estimate = example_field(line, "estimate");
    f.low = example_field(line, "low");
    f.high = example_field(line, "high");
    f.samples = example_field(line, "samples");
    f.all = strstr(line, "\"verdict\":\"exhaustive\"") != NULL;
    const char *coverage = strstr(line, "\"criteria\":");
    f.goals = coverage ? example_field(coverage, "goals") : 0;
    f.covered = coverage ? example_field(coverage, "covered") : 0;
    free(line);
    return f;
}

static inline struct figures example_test(const char *what, const char *more)
{
    return example_run("test", what, more);
}

static inline struct figures example_estimate(const char *what, const char *more)
{
    return example_run("estimate", what, more);
}

/* A bug that a benchmark looks for: its name in the table, and the arguments of example_test. */
struct example_bug {
    char title[128], what[512];
};
/* Whether the title contains `only`; with "!TEXT" whether it does not contain TEXT; NULL: any title. */
static inline int example_wanted(const char *title, const char *only)
{
    return !only || (only[0] == '!' ? !strstr(title, only + 1) : strstr(title, only) != NULL);
}

/* Reads the wanted ones of tests/examples/protocols.list; a line is: program, bug, test, further arguments.  Returns
 * how many there are. */
__attribute__((noinline, unused)) static int example_bugs(struct example_bug *bugs, int most, const char *only)
{
    char line[256];
    int count = 0;
    FILE *f = fopen(RH_PROTOCOL_BUGS, "r");
    while (f && fgets(line, sizeof line, f) && count < most) {
        char program[32], name[64], test[64];
        int end = 0;
        if (line[0] == '#' || sscanf(line, "%31s %63s %63s%n", program, name, test, &end) != 3)
            continue;
        line[strcspn(line, "\n")] = 0;
        snprintf(bugs[count].title, sizeof bugs->title, "%s %s", program, name);
        snprintf(bugs[count].what, sizeof bugs->what, "protocols-%s %s -p bug=%s%s", program, test, name, line + end);
        count += example_wanted(bugs[count].title, only);
    }
    if (f)
        fclose(f);
    return count;
}

/* 1234567 as 1,234,567; the buffers are used in turn. */
static inline const char *grouped(double n, int all)
{
    static char buffers[16][32];
    static unsigned turn;
    char plain[32], *to = buffers[turn++ % 16];
    int length = snprintf(plain, sizeof plain, "%.0f", n), at = 0;
    if (n <= 0)
        return "-";
    if (!all)
        to[at++] = '>';
    for (int i = 0; i < length && at < 30; i++) {
        if (i && (length - i) % 3 == 0)
            to[at++] = ',';
        to[at++] = plain[i];
    }
    to[at] = 0;
    return to;
}

#endif
