/* The reporter `tap` (reporter.h): Test Anything Protocol on standard output, with a block of YAML for each test. */
#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "base/visible.h"
#include "report/reporter.h"

static void put_pair(const char *name, const char *text)
{
    printf("  %s: ", name);
    rh__json_text(stdout, text); /* YAML's quoted strings are JSON's */
    printf("\n");
}

static void put_failures(const struct rh__result *r)
{
    char line[2048];
    struct rh__failure f;
    struct rh__text t;
    rh__text_init(&t, line, sizeof line);
    for (uint32_t i = 0; rh__result_failure(r, i, &f); i++) {
        if (i == 0)
            printf("  failures:\n");
        put_pair("  - kind", f.kind);
        put_pair("    message", f.message);
        rh__text_clear(&t);
        rh__failure_replay(r, &f, &t);
        const struct {
            const char *name, *text;
        } rest[] = {
            { "    place", f.place },     { "    actor", f.actor },       { "    reason", f.reason },
            { "    decided", f.decided }, { "    schedule", f.schedule }, { "    replay", line },
        };
        for (size_t k = 0; k < sizeof rest / sizeof *rest; k++)
            if (*rest[k].text)
                put_pair(rest[k].name, rest[k].text);
    }
}

/* ---- the reporter ------------------------------------------------------------------------------------------------ */

static bool tap_open(void *state, const struct rh__report_setup *setup, char *error, size_t error_size)
{
    (void)state, (void)setup, (void)error, (void)error_size;
    return true;
}

/* The state is the number of the last test. */
static void tap_result(void *state, const struct rh__result *r)
{
    unsigned *number = state;
    char line[8192], why[256];
    struct rh__text t;
    enum rh__came_to came_to = rh__result_came_to(r);
    const char *unmet = rh__result_unmet(r, why, sizeof why);
    rh__text_init(&t, line, sizeof line);
    printf("%sok %u - %s (%s)\n", came_to == RH__FAILED || came_to == RH__STALE || unmet ? "not " : "", ++*number,
           r->test, r->model);
    printf("  ---\n  result: %s\n", rh__came_to_name(came_to));
    put_pair("explorer", r->explorer);
    printf("  executions: %llu\n  verdict: %s\n", (unsigned long long)rh__exploration_counted(r->x),
           rh__result_verdict(r));
    rh__result_semantics(r, &t);
    put_pair("under", line);
    static const struct {
        const char *name;
        void (*line)(const struct rh__result *r, struct rh__text *t);
    } lines[] = { { "summary", rh__result_sentence },
                  { "reached", rh__result_reached },
                  { "gaps", rh__result_gaps },
                  { "globals", rh__result_globals } };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        rh__text_clear(&t);
        lines[i].line(r, &t);
        if (*line)
            put_pair(lines[i].name, line);
    }
    rh__text_clear(&t);
    rh__result_escapes(r, &t);
    if (*line)
        put_pair("escapes", line);
    rh__text_clear(&t);
    rh__result_unasked(r, &t);
    if (*line)
        put_pair("note", line);
    rh__text_clear(&t);
    rh__result_untold(r, &t);
    if (*line)
        put_pair("monitors_note", line);
    if (unmet)
        put_pair("required", unmet);
    if (r->x->end.stale)
        put_pair("stale", r->x->end.stale);
    rh__text_clear(&t);
    rh__result_next(r, &t);
    if (*line)
        put_pair("next", line);
    put_failures(r);
    printf("  ...\n");
    rh__stdout_flush(line, sizeof line); /* main reports what is lost */
}

static void tap_missing(void *state, const struct rh__missing *m)
{
    unsigned *number = state;
    if (!m->left_out)
        return; /* the report ends with "Bail out!" */
    printf("ok %u - ", ++*number);
    rh__print_visible(stdout, m->test, SIZE_MAX);
    printf(" (%s) # SKIP ", m->model);
    rh__print_visible(stdout, m->why, SIZE_MAX);
    putchar('\n');
}

static bool tap_close(void *state, const struct rh__report_end *end, char *error, size_t error_size)
{
    (void)state, (void)error, (void)error_size;
    if (end->unreached) {
        printf("# never reached by any test: ");
        rh__print_visible(stdout, end->unreached, SIZE_MAX);
        putchar('\n');
    }
    printf("1..%u\n", end->tests);
    if (end->cut_short)
        printf("Bail out! %s; %u of %u tests not run\n", end->cut_short, end->missing, end->tests);
    return true;
}

const struct rh__reporter rh__reporter_tap = {
    .name = "tap",
    .option = { .name = "tap",
                .help = "Test Anything Protocol on standard output",
                .manual =
                    "A block of YAML for each test has result, verdict, semantics and parameters, and `failures`: a "
                    "list with kind, message, place, actor, schedule and the command that replays it." },
    .owns_stdout = true,
    .state_size = sizeof(unsigned),
    .open = tap_open,
    .result = tap_result,
    .missing = tap_missing,
    .close = tap_close,
};
