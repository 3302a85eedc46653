/* The reporter `terminal` (reporter.h): results for people, on standard output. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/columns.h"
#include "base/files.h"
#include "base/visible.h"
#include "explore/engine/measure.h"
#include "explore/explorers.h"
#include "findings/minimise.h"
#include "report/coverage.h"
#include "report/reporter.h"
#include "report/terminal.h"
#include "trace/schedule.h"

struct terminal {
    bool quiet, verbose;
    struct rh__text missing; /* names of tests without a result */
    char names[8192];
};

/* "assertion: bank#1: ...  (bank.c:12)".  On a terminal lines are broken between words; in a file it is one line. */
static void print_headline(const struct rh__finding *f)
{
    bool stuck = f->outcome.kind == RH_OUTCOME_STUCK; /* its text names actors and places itself */
    static char line[sizeof f->outcome.text + sizeof f->outcome.place + sizeof f->actor + 64];
    struct rh__text t;
    rh__text_init(&t, line, sizeof line);
    rh__text_add(&t, "%s: ", rh_outcome_name(f->outcome.kind));
    if (*f->actor && !stuck)
        rh__text_add(&t, "%s: ", f->actor);
    rh__text_put(&t, f->outcome.text, strcspn(f->outcome.text, "\n"));
    if (*f->outcome.place && !stuck)
        rh__text_add(&t, "  (%s)", f->outcome.place);
    printf("\n");
    rh__terminal_line("  ", line);
}

/* Further lines of the outcome. */
static void print_more(const char *text)
{
    char line[512];
    if (!rh__columns(STDOUT_FILENO)) {
        rh__terminal_indented(text, "      ");
        return;
    }
    while (*text) {
        size_t n = strcspn(text, "\n"), indent = strspn(text, " ");
        snprintf(line, sizeof line, "%.*s", (int)(n < sizeof line ? n : sizeof line - 1), text);
        if (indent > 1 || n >= sizeof line) /* a drawing, or too long */
            rh__terminal_indented(line, "      ");
        else
            rh__terminal_sentence("      ", line);
        text += n + (text[n] == '\n');
    }
}

static void print_finding(const struct rh__result *r, uint32_t i, bool quiet)
{
    const struct rh__finding *f = &r->x->results->findings[i];
    const char *rest = strchr(f->outcome.text, '\n');
    char minimised[256];
    print_headline(f);
    if (rest)
        print_more(rest + 1);
    if (*f->reason)
        rh__terminal_sentence("  ", f->reason);
    if (*f->decided)
        rh__terminal_sentence("  ", f->decided);
    printf("  found in run %s%s%s%s", rh__grouped(f->run), f->count > 1 ? ", and in " : "",
           f->count > 1 ? rh__grouped(f->count - 1) : "", f->count > 1 ? " more" : "");
    rh__minimised_text(f, minimised, sizeof minimised);
    printf("%s%s\n\n", *minimised ? "; " : "", minimised);
    if (!quiet)
        rh__terminal_indented(f->story, "  ");
    if (*r->files[i]) {
        printf("  replay it%s: rehearse replay ", r->kept[i] ? " (a shorter run, found earlier)" : "");
        rh__print_visible(stdout, r->program, SIZE_MAX);
        putchar(' ');
        rh__print_visible(stdout, r->files[i], SIZE_MAX);
        putchar('\n');
    }
}

static void print_explorer_notes(const struct rh_exploration *x)
{
    char notes[4096] = "";
    rh__exploration_notes(x, notes, sizeof notes);
    if (!rh__columns(STDOUT_FILENO)) {
        rh__terminal_indented(notes, "  "); /* a script looks for whole lines */
        return;
    }
    for (char *line = notes, *next; *line; line = next) {
        next = line + strcspn(line, "\n");
        next += *next ? (*next = 0, 1) : 0;
        rh__terminal_sentence("  ", line);
    }
}

static void print_reached(const struct rh__result *r)
{
    char line[4096];
    struct rh__text t;
    rh__text_init(&t, line, sizeof line);
    rh__result_reached(r, &t);
    if (*line)
        rh__terminal_list("  reached: ", line);
    rh__text_init(&t, line, sizeof line);
    rh__result_unreached(r, &t);
    if (*line)
        rh__terminal_list("  never reached: ", line);
}

static void print_never_held(const struct rh__result *r)
{
    char line[1024];
    struct rh__text t;
    for (uint32_t i = 0; i < r->x->results->property_count; i++) {
        const struct rh__property_result *p = &r->x->results->properties[i];
        if (!rh__result_never_held(r, p))
            continue;
        rh__text_init(&t, line, sizeof line);
        rh__text_add(&t, "sometimes `%s` held in no run (%s)%s", p->name, p->place,
                     rh__tree_uses_symmetry(&r->x->tree) ? "; it may hold in a run that symmetry leaves out" : "");
        rh__terminal_sentence(rh__result_never(r) ? "  property: " : "  note: ", line);
    }
}

static void print_escapes(const struct rh__result *r)
{
    char line[1024];
    struct rh__text t;
    for (uint32_t i = 0; i < r->x->results->escape_count; i++) {
        const struct rh_escape *e = &r->x->results->escapes[i];
        rh__text_init(&t, line, sizeof line);
        rh__text_add(&t, "%s at %s is not controlled", e->call, e->place);
        rh__terminal_sentence("  note: ", line);
    }
}

static void print_logs(const struct rh__result *r)
{
    char name[256];
    if (rh_world_log_count(r->world))
        printf("  logged in the last run:\n");
    for (uint32_t i = 0; i < rh_world_log_count(r->world); i++) {
        struct rh_log_line l = rh_world_log_line(r->world, i);
        rh_world_actor_name(r->world, l.actor, name, sizeof name);
        printf("    %4u ", l.event);
        rh__print_visible(stdout, name, SIZE_MAX);
        printf(": ");
        rh__print_visible(stdout, l.text, SIZE_MAX);
        putchar('\n');
    }
}

static void print_globals(const struct rh__result *r)
{
    char line[1024];
    struct rh__text t;
    rh__text_init(&t, line, sizeof line);
    rh__result_globals(r, &t);
    if (*line)
        rh__terminal_sentence("  note: ", line);
}

static void print_unasked(const struct rh__result *r)
{
    char line[4096];
    struct rh__text t;
    rh__text_init(&t, line, sizeof line);
    rh__result_unasked(r, &t);
    if (*line)
        rh__terminal_sentence("  note: ", line);
    rh__text_clear(&t);
    rh__result_untold(r, &t);
    if (*line)
        rh__terminal_sentence("  note: ", line);
    rh__text_clear(&t);
    rh__result_unjudged(r, &t);
    if (*line)
        rh__terminal_sentence("  note: ", line);
}

/* The program's output goes nowhere; who debugs by printing should know where to find it. */
static void print_printed(const struct rh__result *r)
{
    char line[256];
    struct rh__text t;
    bool one = r->printed_lines == 1;
    if (!r->printed_lines || r->x->results->finding_count)
        return;
    rh__text_init(&t, line, sizeof line);
    rh__text_add(
        &t,
        "your program printed %s line%s in its first run.  A finding shows such lines at their events; --verbose "
        "prints those of every run",
        rh__grouped(r->printed_lines), one ? "" : "s");
    rh__terminal_sentence("  note: ", line);
}

/* The verdict, what was required, and what to do next. */
static void print_verdict(const struct rh__result *r)
{
    char line[8192], why[256];
    struct rh__text t;
    rh__text_init(&t, line, sizeof line);
    rh__result_sentence(r, &t);
    if (r->x->end.stale && !r->failed)
        rh__terminal_indented(line, "  ");
    else if (*line)
        rh__terminal_sentence("  ", line);
    if (rh__result_unmet(r, why, sizeof why))
        rh__terminal_sentence("  required: ", why);
    rh__text_clear(&t);
    rh__result_next(r, &t);
    if (*line)
        rh__terminal_sentence("  next: ", line);
}

static bool terminal_open(void *state, const struct rh__report_setup *setup, char *error, size_t error_size)
{
    struct terminal *terminal = state;
    (void)error, (void)error_size;
    terminal->quiet = setup->quiet;
    terminal->verbose = setup->verbose;
    rh__text_init(&terminal->missing, terminal->names, sizeof terminal->names);
    return true;
}

static void terminal_result(void *state, const struct rh__result *r)
{
    const struct terminal *terminal = state;
    bool quiet = terminal->quiet, verbose = terminal->verbose;
    const struct rh_exploration *x = r->x;
    char line[4096];
    struct rh__text t;
    rh__text_init(&t, line, sizeof line);
    rh__result_headline(r, &t);
    const char *colour = !rh__has_colours(STDOUT_FILENO) ? "" : r->failed ? "\033[1;31m" : "\033[1m";
    printf("%s", colour);
    rh__print_visible(stdout, line, SIZE_MAX);
    printf("%s", *colour ? "\033[0m" : "");
    rh__text_clear(&t);
    rh__result_counts(r, &t);
    printf("\n  %s\n", line);
    rh__text_clear(&t);
    rh__result_semantics(r, &t);
    rh__terminal_list("  under ", line);
    print_globals(r);
    if (x->results->incomplete)
        printf("  incomplete: a part could not be explored\n");
    if (r->determinism.kind != RH_OUTCOME_FINISHED) {
        printf("\n  nondeterminism: ");
        rh__print_lines_visible(stdout, r->determinism.text);
        putchar('\n');
    }
    for (uint32_t i = 0; i < x->results->finding_count; i++)
        print_finding(r, i, quiet);
    print_verdict(r);
    if (x->end.stale && r->failed) {
        printf("  stale: ");
        rh__print_visible(stdout, x->end.stale_file, SIZE_MAX);
        printf(": ");
        rh__print_lines_visible(stdout, x->end.stale);
        putchar('\n');
    }
    if (x->measure)
        rh__coverage_print(stdout, x->results->coverage, "  ", verbose ? UINT32_MAX : quiet || r->failed ? 0 : 5);
    if (!quiet) {
        print_explorer_notes(x);
        if (r->determinism.kind == RH_OUTCOME_FINISHED && *r->determinism.text)
            printf("  note: %s\n", r->determinism.text);
    }
    if (!quiet)
        print_unasked(r);
    if (!quiet)
        print_reached(r);
    if (!quiet || rh__result_never(r)) /* then that is why the test failed */
        print_never_held(r);
    if (!quiet) {
        print_escapes(r);
        print_printed(r);
    }
    if (verbose)
        print_logs(r);
    rh__stdout_flush(line, sizeof line); /* main reports what is lost */
}

/* ---- an estimate ------------------------------------------------------------------------------------------------- */

/* 113,400; from 1e15 on 1.2e+15. */
static const char *number(double value, char *buffer, size_t size)
{
    if (value >= 1e15 || value != value)
        snprintf(buffer, size, "%.2g", value);
    else
        snprintf(buffer, size, "%s", rh__grouped((uint64_t)(value + 0.5)));
    return buffer;
}

static void say_time(double seconds)
{
    if (seconds < 1)
        printf("less than a second");
    else if (seconds < 120)
        printf("at most about %.0f s", seconds);
    else if (seconds < 7200)
        printf("at most about %.0f minutes", seconds / 60);
    else if (seconds < 172800)
        printf("at most about %.0f hours", seconds / 3600);
    else
        printf("at most about %.3g days", seconds / 86400);
}

/* Where optimal does not apply. */
static void print_estimate_of_choices(const struct rh__result *r, const struct rh__size *size, double rate)
{
    char a[40], b[40], why[256], line[512];
    const char *plural = size->estimate > 0.5 && size->estimate < 1.5 ? "" : "s";
    if (size->cut)
        printf("  at least %s run%s of dfs: runs were cut (max_steps), and nobody knows how many there are behind\n",
               number(size->low, a, sizeof a), size->low > 0.5 && size->low < 1.5 ? "" : "s");
    else if (size->exact)
        printf("  exactly %s run%s of dfs, which makes every sequence of choices\n",
               number(size->estimate, a, sizeof a), plural);
    else
        printf("  about %s run%s of dfs, which makes every sequence of choices; 95 %%: at least %s\n",
               number(size->estimate, a, sizeof a), plural, number(size->low, b, sizeof b));
    printf("  from %s sample%s in %.2f s%s\n", number((double)size->samples, a, sizeof a),
           size->samples == 1 ? "" : "s", r->x->clock.seconds,
           size->exact ? ", which were all" : "; such estimates are mostly too low, and there is no upper bound");
    if (rate > 0 && size->exact) {
        printf("  dfs would take ");
        say_time(size->estimate / rate);
        printf(" on one core\n");
    }
    struct rh_semantics s = *rh_world_semantics(r->world);
    s.granularity = RH_GRAIN_OBJECT;
    if (rh__optimal_refuses(&s, why, sizeof why) && !size->exact) {
        snprintf(line, sizeof line,
                 "of distinct runs nothing is known: %s.  `rehearse test` lets stateful try, which visits every state "
                 "once and is often through where dfs is not",
                 why);
        rh__terminal_sentence("  ", line);
    }
}

static void terminal_estimate(void *state, const struct rh__result *r, const struct rh__size *size)
{
    const struct rh_exploration *x = r->x;
    char under[1024];
    struct rh__text t;
    char estimate[40], low[40], high[40], seen[40], samples[40];
    double rate = x->clock.processor_seconds > 0 ? (double)x->results->count.runs / x->clock.processor_seconds : 0;
    (void)state;
    rh__text_init(&t, under, sizeof under);
    rh__result_semantics(r, &t);
    printf("%s  (%s, granularity %s)\n", r->test, r->model,
           rh__granularity_name(rh_world_semantics(r->world)->granularity));
    rh__terminal_list("  under ", under);
    if (!size->samples && !size->cut) {
        printf("  no estimate: the first sample did not come to its end in %.2f s (%u events)\n", x->clock.seconds,
               x->end.unfinished);
        rh__terminal_sentence("  next: ", "give it more time (--max-seconds), or make the test shorter");
        rh__stdout_flush(under, sizeof under);
        return;
    }
    if (size->of_choices) {
        print_estimate_of_choices(r, size, rate);
        rh__stdout_flush(under, sizeof under);
        return;
    }
    number(size->estimate, estimate, sizeof estimate);
    const char *plural = size->estimate > 0.5 && size->estimate < 1.5 ? "" : "s";
    if (size->cut)
        printf("  at least %s distinct run%s: runs were cut (max_steps), and nobody knows how many there are behind\n",
               number(size->low, low, sizeof low), size->low > 0.5 && size->low < 1.5 ? "" : "s");
    else if (size->exact)
        printf("  exactly %s distinct run%s\n", estimate, plural);
    else
        printf("  about %s distinct run%s; 95 %%: %s to %s\n", estimate, plural, number(size->low, low, sizeof low),
               number(size->high, high, sizeof high));
    printf("  from %s sample%s in %.2f s, which saw %s%s of them\n",
           number((double)size->samples, samples, sizeof samples), size->samples == 1 ? "" : "s", x->clock.seconds,
           x->results->distinct.at_least ? "at least " : "",
           number((double)x->results->distinct.count, seen, sizeof seen));
    if (rate > 0) {
        if (size->cut)
            printf("  optimal would make about %s run%s, sampled, and take ", estimate, plural);
        else
            printf("  optimal would take ");
        say_time(size->estimate / rate);
        printf(" on one core\n");
    }
    rh__stdout_flush(under, sizeof under); /* main reports what is lost */
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

static void terminal_missing(void *state, const struct rh__missing *m)
{
    struct terminal *terminal = state;
    rh__text_add(&terminal->missing, "%s%s (%s)", terminal->missing.len ? ", " : "", m->test, m->model);
}

static bool terminal_close(void *state, const struct rh__report_end *end, char *error, size_t error_size)
{
    const struct terminal *terminal = state;
    char lead[128];
    (void)error, (void)error_size;
    snprintf(lead, sizeof lead, "not run, %u of %u tests: ", end->missing, end->tests);
    if (end->missing)
        rh__terminal_list(lead, terminal->names);
    if (end->unreached)
        rh__terminal_list("never reached by any test: ", end->unreached);
    return true;
}

const struct rh__reporter rh__reporter_terminal = {
    .name = "terminal",
    .owns_stdout = true,
    .state_size = sizeof(struct terminal),
    .open = terminal_open,
    .result = terminal_result,
    .estimate = terminal_estimate,
    .missing = terminal_missing,
    .close = terminal_close,
};
