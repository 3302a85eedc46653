/* Results for people (result.h). */
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "explore/measure.h"
#include "report/coverage.h"
#include "report/result.h"
#include "world/state.h"

const char *rh__result_verdict(const struct rh__result *r)
{
    return r->failed ? "failed" : rh_verdict_name(rh__exploration_verdict(r->x));
}

/* Something that should happen sometimes never did, in any of all the runs there are. */
bool rh__result_never(const struct rh__result *r)
{
    if (rh__exploration_verdict(r->x) != RH_VERDICT_EXHAUSTIVE)
        return false;
    for (uint32_t i = 0; i < rh_world_property_count(r->world); i++) {
        struct rh_property_info p = rh_world_property(r->world, i);
        if (p.kind == RH_SOMETIMES && !p.held)
            return true;
    }
    return false;
}

/* 1234567 as 1,234,567; the buffers are used in turn. */
static const char *grouped(uint64_t n)
{
    static char buffers[8][32];
    static unsigned turn;
    char plain[24], *to = buffers[turn++ % 8];
    int length = snprintf(plain, sizeof plain, "%llu", (unsigned long long)n), at = 0;
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            to[at++] = ',';
        to[at++] = plain[i];
    }
    to[at] = 0;
    return to;
}

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
    int at = snprintf(to, size, estimate < 1e15 ? " of about %s" : " of very many", grouped((uint64_t)estimate));
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
        snprintf(covered, sizeof covered, ", %s goals", grouped(goals_of(x->measure->coverage)));
    if (x->workers)
        snprintf(workers, sizeof workers, ", %u worker%s", x->workers, x->workers == 1 ? "" : "s");
    print_to_go(of, sizeof of, (double)x->runs, estimate, seconds);
    int n = snprintf(line, sizeof line, "  %s runs%s, %s a second, %s%s behaviours%s, %u finding%s, %.0f s%s",
                     grouped(x->runs), of, grouped((uint64_t)((double)x->runs / (seconds > 0.001 ? seconds : 0.001))),
                     x->behaviours_at_least ? "at least " : "", grouped(x->behaviours), covered, x->finding_count,
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

static void print_indented(const char *text, const char *indent)
{
    while (*text) {
        size_t n = strcspn(text, "\n");
        printf("%s%.*s\n", indent, (int)n, text);
        text += n + (text[n] == '\n');
    }
}

static void print_finding(const struct rh__result *r, uint32_t i, const char *program, bool quiet)
{
    const struct rh__finding *f = &r->x->findings[i];
    bool stuck = f->outcome.kind == RH_OUTCOME_STUCK; /* its text names actors and places itself */
    const char *rest = strchr(f->outcome.text, '\n');
    int first = rest ? (int)(rest - f->outcome.text) : (int)strlen(f->outcome.text);
    printf("\n  %s: ", rh_outcome_name(f->outcome.kind));
    if (*f->actor && !stuck)
        printf("%s: ", f->actor);
    printf("%.*s", first, f->outcome.text);
    if (*f->outcome.place && !stuck)
        printf("  (%s)", f->outcome.place);
    if (rest) {
        printf("\n");
        print_indented(rest + 1, "      ");
    }
    printf("%s  found in run %s%s%s%s\n\n", rest ? "" : "\n", grouped(f->run), f->count > 1 ? ", and in " : "",
           f->count > 1 ? grouped(f->count - 1) : "", f->count > 1 ? " more" : "");
    if (!quiet)
        print_indented(f->story, "  ");
    if (*r->files[i])
        printf("  replay it: rehearse replay %s %s\n", program, r->files[i]);
}

static void print_explorer_notes(const struct rh_exploration *x)
{
    char notes[4096] = "";
    rh_inner_notes(&x->explorer, notes, sizeof notes);
    print_indented(notes, "  ");
}

static void print_notes(const struct rh__result *r)
{
    for (uint32_t i = 0; i < rh_world_property_count(r->world); i++) {
        struct rh_property_info p = rh_world_property(r->world, i);
        if (p.kind == RH_SOMETIMES && !p.held)
            printf("  %s: sometimes `%s` held in no run (%s)\n", rh__result_never(r) ? "property" : "note", p.name,
                   p.place);
    }
    if (r->x->runs && r->x->cut == r->x->runs)
        printf("  note: no run came to its end: all were cut (max_steps, or a bound)\n");
    for (uint32_t i = 0; i < rh_world_escape_count(r->world); i++) {
        struct rh_escape e = rh_world_escape(r->world, i);
        printf("  note: %s at %s is not controlled\n", e.call, e.place);
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
        printf("    %4u %s: %s\n", l.event, name, l.text);
    }
}

static const char *all_of(const struct rh_exploration *x)
{
    return x->reduces ? "behaviour" : "sequence of choices";
}

static void print_doubt(const struct rh_exploration *x)
{
    if (!rh__exploration_unsound(x))
        return;
    printf("  note: %s changes a global variable.  Who reads it cannot be seen, so runs that were left out because "
           "they look\n"
           "        alike may not be.  Keep it in the state of an actor, in a table (rh_table_put), or announce it to "
           "a monitor\n"
           "        (rh_announce); or use --explorer dfs; or, if no two actors use the same one, "
           "optimal:private-globals\n",
           *x->world->globals_writer ? x->world->globals_writer : "an actor");
}

void rh__terminal_result(const struct rh__result *r, const char *program, bool quiet, bool verbose)
{
    const struct rh_exploration *x = r->x;
    enum rh_verdict verdict = rh__exploration_verdict(x);
    printf("%s %s  (%s, %s",
           r->failed        ? "FAILED"
           : x->interrupted ? "interrupted"
                            : "passed",
           r->test, r->model, r->explorer);
    if (r->seed != 1)
        printf(", seed %llu", (unsigned long long)r->seed);
    printf(")\n  %s run%s, %s step%s, %s%s behaviour%s, %.2f s", grouped(x->runs), x->runs == 1 ? "" : "s",
           grouped(x->steps), x->steps == 1 ? "" : "s", x->behaviours_at_least ? "at least " : "",
           grouped(x->behaviours), x->behaviours == 1 ? "" : "s", x->seconds);
    if (x->cut)
        printf(", %s cut", grouped(x->cut));
    if (x->failed)
        printf(", %s failed", grouped(x->failed));
    if (x->workers > 1)
        printf(", %u workers", x->workers);
    printf("\n");
    print_doubt(x);
    if (x->incomplete)
        printf("  incomplete: a part could not be explored\n");
    if (r->determinism.kind != RH_OUTCOME_FINISHED)
        printf("\n  nondeterminism: %s\n", r->determinism.text);
    for (uint32_t i = 0; i < x->finding_count; i++)
        print_finding(r, i, program, quiet);
    if (!r->failed) {
        double estimate = rh__exploration_estimate(x);
        printf("  %s: ", rh_verdict_name(verdict));
        if (verdict == RH_VERDICT_EXHAUSTIVE)
            printf("every %s under these semantics\n", all_of(x));
        else if (verdict == RH_VERDICT_BOUNDED)
            printf("every %s within the bound\n", all_of(x));
        else if (estimate > (double)x->runs)
            printf("%s runs of about %s\n", grouped(x->runs),
                   estimate < 1e15 ? grouped((uint64_t)estimate) : "very many");
        else
            printf("%s runs of an unknown number\n", grouped(x->runs));
    }
    if (x->measure)
        rh__coverage_print(stdout, x->measure->coverage, "  ", verbose ? UINT32_MAX : quiet || r->failed ? 0 : 5);
    if (!quiet) {
        print_explorer_notes(x);
        print_notes(r);
    }
    if (verbose)
        print_logs(r);
}

void rh__tap_result(const struct rh__result *r, unsigned number)
{
    printf("%sok %u - %s (%s)\n", r->failed ? "not " : "", number, r->test, r->model);
    printf("  ---\n  explorer: %s\n  executions: %llu\n  verdict: %s\n", r->explorer, (unsigned long long)r->x->runs,
           rh__result_verdict(r));
    for (uint32_t i = 0; i < r->x->finding_count; i++) {
        const struct rh__finding *f = &r->x->findings[i];
        char text[256];
        snprintf(text, sizeof text, "%s: %.200s", rh_outcome_name(f->outcome.kind), f->outcome.text);
        printf("  finding: ");
        rh__json_text(stdout, text); /* YAML's quoted strings are JSON's */
        printf("\n");
    }
    printf("  ...\n");
}
