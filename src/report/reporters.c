/* The list of reporters, and the calls that go to all that are open (reporter.h). */
#include "report/reporter.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"

extern const struct rh__reporter rh__reporter_terminal, rh__reporter_json, rh__reporter_junit, rh__reporter_tap,
    rh__reporter_coverage, rh__reporter_html;

/* Text for people comes first where two reports share a stream. */
const struct rh__reporter *const rh__reporters[] = {
    &rh__reporter_terminal,
    &rh__reporter_json,
    &rh__reporter_junit,
    &rh__reporter_tap,
    &rh__reporter_coverage,
    &rh__reporter_html,
    NULL,
};
_Static_assert(sizeof rh__reporters / sizeof *rh__reporters <= RH__MOST_REPORTERS, "RH__MOST_REPORTERS is too small");

/* ---- standard output --------------------------------------------------------------------------------------------- */

static bool goes_to_stdout(const struct rh__reporter *reporter, const char *value)
{
    return value && (reporter->owns_stdout || strcmp(value, "-") == 0 || strcmp(value, "/dev/stdout") == 0 ||
                     strcmp(value, "/dev/fd/1") == 0);
}

/* `-` means: for this report alone.  The other names of the stream leave the text for people there. */
static bool has_stdout_alone(const struct rh__reporter *reporter, const char *value)
{
    return value && (reporter->owns_stdout || strcmp(value, "-") == 0);
}

static bool may_go_to_stdout(const struct rh__reporter *reporter)
{
    return reporter->option.name && (reporter->owns_stdout || reporter->option.complete == RH__COMPLETE_STREAM);
}

/* A program that reads standard output could read neither of two reports. */
static bool stdout_is_shared(const struct rh__reporter *const *list, const char *const *values, char *error,
                             size_t error_size)
{
    unsigned there = 0, left = 0;
    struct rh__text t;
    for (size_t i = 0; list[i]; i++) {
        there += goes_to_stdout(list[i], values[i]);
        left += may_go_to_stdout(list[i]);
    }
    if (there < 2)
        return false;
    rh__text_init(&t, error, error_size);
    rh__text_add(&t, "standard output can hold one of");
    for (size_t i = 0; list[i]; i++)
        if (may_go_to_stdout(list[i])) {
            left--;
            rh__text_add(&t, " --%s%s", list[i]->option.name, left > 1 ? "," : left ? " and" : "");
        }
    rh__text_add(&t, ": give the others a file");
    return true;
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static bool open_one(struct rh__reports *reports, const struct rh__reporter *reporter,
                     const struct rh__report_setup *setup, char *error, size_t error_size)
{
    void *state = calloc(1, reporter->state_size ? reporter->state_size : 1);
    if (!state) {
        snprintf(error, error_size, "no memory for the report %s", reporter->name);
        return false;
    }
    if (!reporter->open(state, setup, error, error_size)) {
        free(state);
        return false;
    }
    reports->open[reports->count].reporter = reporter;
    reports->open[reports->count++].state = state;
    return true;
}

bool rh__reports_open(struct rh__reports *reports, const struct rh__reporter *const *list, const char *const *values,
                      const struct rh__report_setup *setup, char *error, size_t error_size)
{
    bool stdout_is_taken = false;
    reports->count = 0;
    if (stdout_is_shared(list, values, error, error_size))
        return false;
    for (size_t i = 0; list[i]; i++)
        stdout_is_taken |= has_stdout_alone(list[i], values[i]);
    for (size_t i = 0; list[i]; i++) {
        struct rh__report_setup own = *setup;
        own.value = values[i] ? values[i] : "";
        if (list[i]->option.name ? !values[i] : stdout_is_taken)
            continue;
        if (reports->count == RH__MOST_REPORTERS || !open_one(reports, list[i], &own, error, error_size)) {
            rh__reports_drop(reports);
            return false;
        }
    }
    return true;
}

/* ---- calls to all of them ---------------------------------------------------------------------------------------- */

/* A reader that has gone away is an error of writing, like a full disk, and must not end the process. */
static struct sigaction ignore_closed_pipes(void)
{
    struct sigaction before, ignore = { .sa_handler = SIG_IGN };
    sigaction(SIGPIPE, &ignore, &before);
    return before;
}

void rh__reports_result(struct rh__reports *reports, const struct rh__result *r)
{
    struct sigaction before = ignore_closed_pipes();
    for (size_t i = 0; i < reports->count; i++)
        reports->open[i].reporter->result(reports->open[i].state, r);
    sigaction(SIGPIPE, &before, NULL);
}

void rh__reports_estimate(struct rh__reports *reports, const struct rh__result *r, const struct rh__size *size)
{
    struct sigaction before = ignore_closed_pipes();
    for (size_t i = 0; i < reports->count; i++)
        if (reports->open[i].reporter->estimate)
            reports->open[i].reporter->estimate(reports->open[i].state, r, size);
    sigaction(SIGPIPE, &before, NULL);
}

void rh__reports_missing(struct rh__reports *reports, const struct rh__missing *m)
{
    for (size_t i = 0; i < reports->count; i++)
        if (reports->open[i].reporter->missing)
            reports->open[i].reporter->missing(reports->open[i].state, m);
}

bool rh__reports_close(struct rh__reports *reports, const struct rh__report_end *end,
                       void (*complain)(const char *sentence))
{
    char error[RH__PATH_BYTES + 256];
    bool whole = true;
    struct sigaction before = ignore_closed_pipes();
    for (size_t i = 0; i < reports->count; i++) {
        if (!reports->open[i].reporter->close(reports->open[i].state, end, error, sizeof error)) {
            complain(error);
            whole = false;
        }
        free(reports->open[i].state);
    }
    sigaction(SIGPIPE, &before, NULL);
    reports->count = 0;
    return whole;
}

void rh__reports_drop(struct rh__reports *reports)
{
    for (size_t i = 0; i < reports->count; i++) {
        if (reports->open[i].reporter->drop)
            reports->open[i].reporter->drop(reports->open[i].state);
        free(reports->open[i].state);
    }
    reports->count = 0;
}
