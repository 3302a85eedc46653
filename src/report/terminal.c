/* See terminal.h. */
#include "report/terminal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/columns.h"
#include "base/visible.h"
#include "explore/engine/measure.h"
#include "report/result.h"

static bool on_terminal(void)
{
    return isatty(STDERR_FILENO);
}

/* A live line is written over by the next one, so it must not be wider than the terminal. */
static size_t width(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col - 1u : 79;
}

/* The seconds until a limit of runs or of steps ends the exploration, at its rate so far; or of processor time, if it
 * gets a processor. */
static double seconds_to_limit(const struct rh_exploration *x, double seconds)
{
    const struct rh__limits *l = &x->limits;
    const struct rh__counts *c = &x->results->count;
    double left = INFINITY;
    if (l->max_runs && c->runs)
        left = fmin(left, seconds * ((double)l->max_runs / (double)c->runs - 1));
    if (l->max_all_steps && c->steps)
        left = fmin(left, seconds * ((double)l->max_all_steps / (double)c->steps - 1));
    if (l->max_seconds > 0)
        left = fmin(left, l->max_seconds - (x->workers ? x->clock.pool_used : rh__meter_seconds(x->clock.meter)));
    return fmax(left, 0);
}

/* " of about 5,000, 12 min to go", or "8 s to the limit" if that comes before. */
static void print_to_go(char *to, size_t size, double runs, double estimate, double seconds, double limit)
{
    static const struct {
        const char *unit;
        double seconds, most;
    } units[] = { { "s", 1, 100 }, { "min", 60, 100 }, { "h", 3600, 72 }, { "days", 86400, 1000 } };
    double left = runs > 0 ? seconds * (estimate - runs) / runs : 0;
    size_t i = 0, n = sizeof units / sizeof *units;
    *to = 0;
    if (estimate <= runs)
        return;
    const char *until = limit < left ? "to the limit" : "to go";
    left = fmin(left, limit);
    while (i < n && left / units[i].seconds >= units[i].most)
        i++;
    int at = snprintf(to, size, estimate < 1e15 ? " of about %s" : " of very many", rh__grouped((uint64_t)estimate));
    if (runs <= 0 || at < 0 || (size_t)at >= size)
        return;
    if (i < n)
        snprintf(to + at, size - (size_t)at, ", %.0f %s %s", left / units[i].seconds, units[i].unit, until);
    else
        snprintf(to + at, size - (size_t)at, ", years to go");
}

/* Goals covered, by all criteria that the user asked for. */
static uint64_t goals_of(const struct rh__coverage *c)
{
    uint64_t goals = 0;
    for (uint32_t i = 0; i < RH__CRITERION_COUNT; i++)
        goals += c->criteria >> i & 1 ? c->counts[i].goals : 0;
    return goals;
}

void rh__terminal_progress(struct rh_exploration *x)
{
    double now = rh__now_seconds(), seconds = now - x->clock.started;
    bool live = on_terminal();
    if (!live && seconds < 5) {
        x->clock.next_progress = x->clock.started + 5;
        return;
    }
    x->clock.next_progress = now + (live ? 0.2 : 10);
    double estimate = rh__exploration_estimate(x);
    char of[96], covered[48] = "", workers[64] = "", line[320];
    if (x->measure)
        snprintf(covered, sizeof covered, ", %s goals", rh__grouped(goals_of(x->results->coverage)));
    if (x->offline)
        snprintf(workers, sizeof workers, ", the server does not answer");
    else if (x->agents)
        snprintf(workers, sizeof workers, ", %u agent%s, %u worker%s", x->agents, x->agents == 1 ? "" : "s",
                 x->all_workers, x->all_workers == 1 ? "" : "s");
    else if (x->workers)
        snprintf(workers, sizeof workers, ", %u worker%s", x->workers, x->workers == 1 ? "" : "s");
    print_to_go(of, sizeof of, (double)x->results->count.runs, estimate, seconds, seconds_to_limit(x, seconds));
    int n = snprintf(line, sizeof line, "  %s runs%s, %s a second, %s%s distinct runs%s, %u finding%s, %.0f s%s",
                     rh__grouped(x->results->count.runs), of,
                     rh__grouped((uint64_t)((double)x->results->count.runs / (seconds > 0.001 ? seconds : 0.001))),
                     x->results->distinct.at_least ? "at least " : "", rh__grouped(x->results->distinct.count), covered,
                     x->results->finding_count, x->results->finding_count == 1 ? "" : "s", seconds, workers);
    if (live)
        fprintf(stderr, "\r\033[K%.*s", (int)width(), line);
    else if (n > 0)
        fprintf(stderr, "%s\n", line);
    fflush(stderr);
}

void rh__terminal_clear(void)
{
    if (on_terminal())
        fprintf(stderr, "\r\033[K");
}

/* Rows of a story that are marked behind their number (findings/story.h). */
static const char *colour_of(const char *line, size_t size)
{
    bool row = size > 5 && line[3] >= '0' && line[3] <= '9';
    return row && line[4] == '!' ? "\033[1;31m" : row && line[4] == '*' ? "\033[1;33m" : "";
}

void rh__terminal_indented(const char *text, const char *indent)
{
    bool colours = rh__has_colours(STDOUT_FILENO);
    while (*text) {
        size_t n = strcspn(text, "\n");
        const char *colour = colours ? colour_of(text, n) : "";
        printf("%s%s", colour, indent);
        rh__print_visible(stdout, text, n);
        printf("%s\n", *colour ? "\033[0m" : "");
        text += n + (text[n] == '\n');
    }
}

/* The width at which lines are broken. */
static size_t columns(void)
{
    uint32_t known = rh__columns(STDOUT_FILENO);
    return known ? known : 80;
}

/* Breaks lines between words; if `at_end` is not empty, only behind words that end in one of its characters.  The
 * second line and those after it are indented further. */
static void print_broken(const char *lead, const char *text, const char *at_end)
{
    size_t most = columns(), at = strlen(lead);
    printf("%s", lead);
    for (bool first = true; *text; first = false) {
        size_t n = strcspn(text, " ");
        while (text[n] && *at_end && !strchr(at_end, text[n - 1]))
            n += 1 + strcspn(text + n + 1, " ");
        if (!first && at + 1 + n > most) {
            printf("\n     ");
            at = 5;
        }
        if (!first) {
            putchar(' ');
            at++;
        }
        rh__print_visible(stdout, text, n);
        at += n;
        text += n;
        text += strspn(text, " ");
    }
    putchar('\n');
}

void rh__terminal_sentence(const char *lead, const char *text)
{
    print_broken(lead, text, "");
}

void rh__terminal_line(const char *lead, const char *text)
{
    if (rh__columns(STDOUT_FILENO)) {
        rh__terminal_sentence(lead, text);
        return;
    }
    printf("%s", lead);
    rh__print_visible(stdout, text, SIZE_MAX);
    putchar('\n');
}

void rh__terminal_list(const char *lead, const char *text)
{
    print_broken(lead, text, ",");
}
