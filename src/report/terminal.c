/* Results for people (result.h). */
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/visible.h"
#include "explore/measure.h"
#include "report/coverage.h"
#include "report/result.h"
#include "world/state.h"

static bool on_terminal(void)
{
    return isatty(STDERR_FILENO);
}

/* A live line must not be wider than the terminal: it could not be written over. */
static size_t width(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col - 1u : 79;
}

/* " of about 5,000, 12 min to go" */
static void print_to_go(char *to, size_t size, double runs, double estimate, double seconds)
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
    while (i < n && left / units[i].seconds >= units[i].most)
        i++;
    int at = snprintf(to, size, estimate < 1e15 ? " of about %s" : " of very many", rh__grouped((uint64_t)estimate));
    if (runs <= 0 || at < 0 || (size_t)at >= size)
        return;
    if (i < n)
        snprintf(to + at, size - (size_t)at, ", %.0f %s to go", left / units[i].seconds, units[i].unit);
    else
        snprintf(to + at, size - (size_t)at, ", years to go");
}

/* Of all criteria that somebody asked for. */
static uint64_t goals_of(const struct rh__coverage *c)
{
    uint64_t goals = 0;
    for (uint32_t i = 0; i < RH__CRITERION_COUNT; i++)
        goals += c->criteria >> i & 1 ? c->counts[i].goals : 0;
    return goals;
}

void rh__terminal_progress(struct rh_exploration *x)
{
    double now = rh__now_seconds(), seconds = now - x->started;
    bool live = on_terminal();
    if (!live && seconds < 5) {
        x->next_progress = x->started + 5;
        return;
    }
    x->next_progress = now + (live ? 0.2 : 10);
    double estimate = rh__exploration_estimate(x);
    char of[96], covered[48] = "", workers[32] = "", line[320];
    if (x->measure)
        snprintf(covered, sizeof covered, ", %s goals", rh__grouped(goals_of(x->measure->coverage)));
    if (x->workers)
        snprintf(workers, sizeof workers, ", %u worker%s", x->workers, x->workers == 1 ? "" : "s");
    print_to_go(of, sizeof of, (double)x->runs, estimate, seconds);
    int n = snprintf(line, sizeof line, "  %s runs%s, %s a second, %s%s behaviours%s, %u finding%s, %.0f s%s",
                     rh__grouped(x->runs), of,
                     rh__grouped((uint64_t)((double)x->runs / (seconds > 0.001 ? seconds : 0.001))),
                     x->behaviours_at_least ? "at least " : "", rh__grouped(x->behaviours), covered, x->finding_count,
                     x->finding_count == 1 ? "" : "s", seconds, workers);
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

/* Lines of somebody else's text. */
static void print_indented(const char *text, const char *indent)
{
    while (*text) {
        size_t n = strcspn(text, "\n");
        printf("%s", indent);
        rh__print_visible(stdout, text, n);
        putchar('\n');
        text += n + (text[n] == '\n');
    }
}

/* How wide lines may be that we break ourselves. */
static size_t columns(void)
{
    struct winsize size;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40 ? size.ws_col : 80;
}

/* Broken between words, or where there are such behind commas only; from the second line on indented a little more. */
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

static void print_wrapped(const char *lead, const char *text)
{
    print_broken(lead, text, "");
}

void rh__terminal_wrapped(const char *lead, const char *text)
{
    print_broken(lead, text, ",");
}

static void print_finding(const struct rh__result *r, uint32_t i, bool quiet)
{
    const struct rh__finding *f = &r->x->findings[i];
    bool stuck = f->outcome.kind == RH_OUTCOME_STUCK; /* its text names actors and places itself */
    const char *rest = strchr(f->outcome.text, '\n');
    printf("\n  %s: ", rh_outcome_name(f->outcome.kind));
    if (*f->actor && !stuck) {
        rh__print_visible(stdout, f->actor, SIZE_MAX);
        printf(": ");
    }
    rh__print_visible(stdout, f->outcome.text, strcspn(f->outcome.text, "\n"));
    if (*f->outcome.place && !stuck) {
        printf("  (");
        rh__print_visible(stdout, f->outcome.place, SIZE_MAX);
        printf(")");
    }
    if (rest) {
        printf("\n");
        print_indented(rest + 1, "      ");
    }
    printf("%s  found in run %s%s%s%s\n\n", rest ? "" : "\n", rh__grouped(f->run), f->count > 1 ? ", and in " : "",
           f->count > 1 ? rh__grouped(f->count - 1) : "", f->count > 1 ? " more" : "");
    if (!quiet)
        print_indented(f->story, "  ");
    if (*r->files[i]) {
        printf("  replay it%s: rehearse replay ", r->kept[i] ? " (a shorter run, of before)" : "");
        rh__print_visible(stdout, r->program, SIZE_MAX);
        putchar(' ');
        rh__print_visible(stdout, r->files[i], SIZE_MAX);
        putchar('\n');
    }
}

static void print_explorer_notes(const struct rh_exploration *x)
{
    char notes[4096] = "";
    rh_inner_notes(&x->explorer, notes, sizeof notes);
    print_indented(notes, "  ");
}

static void print_never_held(const struct rh__result *r)
{
    char line[1024];
    struct rh__text t;
    for (uint32_t i = 0; i < rh_world_property_count(r->world); i++) {
        struct rh_property_info p = rh_world_property(r->world, i);
        if (!rh__result_never_held(r, &p))
            continue;
        rh__text_init(&t, line, sizeof line);
        rh__text_add(&t, "sometimes `%s` held in no run (%s)", p.name, p.place);
        print_wrapped(rh__result_never(r) ? "  property: " : "  note: ", line);
    }
}

static void print_escapes(const struct rh__result *r)
{
    char line[1024];
    struct rh__text t;
    for (uint32_t i = 0; i < rh_world_escape_count(r->world); i++) {
        struct rh_escape e = rh_world_escape(r->world, i);
        rh__text_init(&t, line, sizeof line);
        rh__text_add(&t, "%s at %s is not controlled", e.call, e.place);
        print_wrapped("  note: ", line);
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

static void print_doubt(const struct rh_exploration *x)
{
    char line[768];
    struct rh__text t;
    if (!rh__exploration_unsound(x))
        return;
    rh__text_init(&t, line, sizeof line);
    rh__text_add(&t,
                 "%s changes a global variable.  Who reads it cannot be seen, so runs that were left out because they "
                 "look alike may not be.  Keep it in the state of an actor, in a table (rh_table_put), or announce it "
                 "to a monitor (rh_announce); or use --explorer dfs; or, if no two actors use the same one, "
                 "optimal:private-globals",
                 *x->world->globals_writer ? x->world->globals_writer : "an actor");
    print_wrapped("  note: ", line);
}

static void print_unasked(const struct rh__result *r)
{
    char line[4096];
    struct rh__text t;
    rh__text_init(&t, line, sizeof line);
    rh__result_unasked(r, &t);
    if (*line)
        print_wrapped("  note: ", line);
}

/* What it came to, under what, and what to do next. */
static void print_verdict(const struct rh__result *r)
{
    char line[8192], why[256];
    struct rh__text t;
    rh__text_init(&t, line, sizeof line);
    rh__result_sentence(r, &t);
    if (r->x->stale && !r->failed)
        print_indented(line, "  ");
    else if (*line)
        print_wrapped("  ", line);
    if (rh__result_unmet(r, why, sizeof why))
        print_wrapped("  required: ", why);
    rh__text_clear(&t);
    rh__result_next(r, &t);
    if (*line)
        print_wrapped("  next: ", line);
}

void rh__terminal_result(const struct rh__result *r, bool quiet, bool verbose)
{
    const struct rh_exploration *x = r->x;
    char line[4096];
    struct rh__text t;
    rh__text_init(&t, line, sizeof line);
    rh__result_headline(r, &t);
    rh__print_visible(stdout, line, SIZE_MAX);
    rh__text_clear(&t);
    rh__result_counts(r, &t);
    printf("\n  %s\n", line);
    rh__text_clear(&t);
    rh__result_semantics(r, &t);
    rh__terminal_wrapped("  under ", line);
    print_doubt(x);
    if (x->incomplete)
        printf("  incomplete: a part could not be explored\n");
    if (r->determinism.kind != RH_OUTCOME_FINISHED) {
        printf("\n  nondeterminism: ");
        rh__print_lines_visible(stdout, r->determinism.text);
        putchar('\n');
    }
    for (uint32_t i = 0; i < x->finding_count; i++)
        print_finding(r, i, quiet);
    print_verdict(r);
    if (x->stale && r->failed) {
        printf("  stale: ");
        rh__print_visible(stdout, x->stale_file, SIZE_MAX);
        printf(": ");
        rh__print_lines_visible(stdout, x->stale);
        putchar('\n');
    }
    if (x->measure)
        rh__coverage_print(stdout, x->measure->coverage, "  ", verbose ? UINT32_MAX : quiet || r->failed ? 0 : 5);
    if (!quiet) {
        print_explorer_notes(x);
        if (r->determinism.kind == RH_OUTCOME_FINISHED && *r->determinism.text)
            printf("  note: %s\n", r->determinism.text);
    }
    if (!quiet)
        print_unasked(r);
    if (!quiet || rh__result_never(r)) /* then it is why the test failed */
        print_never_held(r);
    if (!quiet)
        print_escapes(r);
    if (verbose)
        print_logs(r);
}

static void tap_pair(const char *name, const char *text)
{
    printf("  %s: ", name);
    rh__json_text(stdout, text); /* YAML's quoted strings are JSON's */
    printf("\n");
}

static void tap_failures(const struct rh__result *r)
{
    char line[2048];
    struct rh__failure f;
    struct rh__text t;
    rh__text_init(&t, line, sizeof line);
    for (uint32_t i = 0; rh__result_failure(r, i, &f); i++) {
        if (i == 0)
            printf("  failures:\n");
        tap_pair("  - kind", f.kind);
        tap_pair("    message", f.message);
        rh__text_clear(&t);
        rh__failure_replay(r, &f, &t);
        const struct {
            const char *name, *text;
        } rest[] = {
            { "    place", f.place }, { "    actor", f.actor }, { "    schedule", f.schedule }, { "    replay", line }
        };
        for (size_t k = 0; k < sizeof rest / sizeof *rest; k++)
            if (*rest[k].text)
                tap_pair(rest[k].name, rest[k].text);
    }
}

void rh__tap_result(const struct rh__result *r, unsigned number)
{
    char line[8192], why[256];
    struct rh__text t;
    enum rh__came_to came_to = rh__result_came_to(r);
    const char *unmet = rh__result_unmet(r, why, sizeof why);
    rh__text_init(&t, line, sizeof line);
    printf("%sok %u - %s (%s)\n", came_to == RH__FAILED || came_to == RH__STALE || unmet ? "not " : "", number, r->test,
           r->model);
    printf("  ---\n  result: %s\n", rh__came_to_name(came_to));
    tap_pair("explorer", r->explorer);
    printf("  executions: %llu\n  verdict: %s\n", (unsigned long long)rh__exploration_counted(r->x),
           rh__result_verdict(r));
    rh__result_semantics(r, &t);
    tap_pair("under", line);
    rh__text_clear(&t);
    rh__result_escapes(r, &t);
    if (*line)
        tap_pair("escapes", line);
    rh__text_clear(&t);
    rh__result_unasked(r, &t);
    if (*line)
        tap_pair("note", line);
    if (unmet)
        tap_pair("required", unmet);
    if (r->x->stale)
        tap_pair("stale", r->x->stale);
    rh__text_clear(&t);
    rh__result_next(r, &t);
    if (*line)
        tap_pair("next", line);
    tap_failures(r);
    printf("  ...\n");
}
