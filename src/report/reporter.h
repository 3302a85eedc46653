/* Reporters: each writes the results of tests in one form, such as text for people, JSON or JUnit XML.
 *
 * A reporter is a const row of functions with the size of its state, as an explorer is.  Several reporters can be open
 * at the same time.  To add one: write the row in a file of its own (reporter_NAME.c), and add it to the list in
 * reporters.c.  The option that asks for the report, its help and its completion come from the row.
 *
 *     struct rh__reports reports = { 0 };
 *     if (!rh__reports_open(&reports, rh__reporters, values, &setup, error, sizeof error))
 *         refuse(error);
 *     rh__reports_result(&reports, &result);          once for each test under each model
 *     rh__reports_close(&reports, &end, complain);    or rh__reports_drop: leaves no trace
 *
 * Calls of one reporter come in this order: open; then result, estimate and missing any number of times; then close or
 * drop, once.  No call prints an error: close returns it, also that of an earlier write.  Errors of standard output are
 * the exception: the program reports them when it ends, because every command prints there. */
#ifndef RH_REPORT_REPORTER_H
#define RH_REPORT_REPORTER_H

#include "base/option.h"
#include "report/result.h"

/* What a reporter is opened with. */
struct rh__report_setup {
    const char *program; /* as the user called it */
    const char *value;   /* of the reporter's option: a path; "" for an option without an argument */
    bool quiet, verbose;
    struct rh__text *text; /* where the reporter `text` writes; NULL for all others */
};

/* A test under a model that has no result. */
struct rh__missing {
    const char *test, *model;
    bool begun;      /* the tool failed while it explored the test */
    bool left_out;   /* the options do not allow it; the other tests are run */
    const char *why; /* a sentence */
};

/* How the whole command ended. */
struct rh__report_end {
    unsigned tests, missing; /* tests, each under each model that was asked for: all, and those without a result */
    const char *cut_short;   /* "interrupted" or "the tool could not go on"; NULL: neither */
    const char *unreached;   /* places of rh_cover and rh_sometimes that no test of several reaches; NULL: not known */
};

struct rh__reporter {
    const char *name;
    struct rh__option option; /* asks for this report.  Without a name: see rh__reports_open. */
    bool owns_stdout;         /* writes to standard output; else only if the path of its option says so */
    bool of_one_test;         /* it cannot hold the results of several tests, or of several models */
    bool needs_coverage;      /* coverage is measured even if no option asks for it */
    bool of_runs;             /* `show` writes it, too, of one run */
    bool draws_curves;        /* how the exploration went on is noted (explore/engine/curve.h) */
    size_t state_size;

    /* `state` is zero.  False with a sentence: then no other call follows. */
    bool (*open)(void *state, const struct rh__report_setup *setup, char *error, size_t error_size);
    void (*result)(void *state, const struct rh__result *r);
    /* The result of `estimate`.  NULL: the option is refused there. */
    void (*estimate)(void *state, const struct rh__result *r, const struct rh__size *size);
    /* May be NULL. */
    void (*missing)(void *state, const struct rh__missing *m);
    /* False with a sentence if any part of the report was not written.  A file of no results is not made. */
    bool (*close)(void *state, const struct rh__report_end *end, char *error, size_t error_size);
    /* Ends the report without a trace.  May be NULL. */
    void (*drop)(void *state);
};

/* The reporters of the tool, NULL behind the last. */
extern const struct rh__reporter *const rh__reporters[];
enum { RH__MOST_REPORTERS = 16 };

/* Collects a report in a text, for programs that embed the tool; it has no option. */
extern const struct rh__reporter rh__reporter_text;

/* ---- the reports of one command ---------------------------------------------------------------------------------- */

struct rh__reports {
    struct {
        const struct rh__reporter *reporter;
        void *state;
    } open[RH__MOST_REPORTERS];
    size_t count;
};

/* Opens the reporters of the list whose value is not NULL; a reporter without an option is opened if no other one has
 * standard output for itself.  False with a sentence, and none is open. */
bool rh__reports_open(struct rh__reports *reports, const struct rh__reporter *const *list, const char *const *values,
                      const struct rh__report_setup *setup, char *error, size_t error_size);
void rh__reports_result(struct rh__reports *reports, const struct rh__result *r);
void rh__reports_estimate(struct rh__reports *reports, const struct rh__result *r, const struct rh__size *size);
void rh__reports_missing(struct rh__reports *reports, const struct rh__missing *m);
/* Calls `complain` with a sentence for each report that is not whole; false if there is any. */
bool rh__reports_close(struct rh__reports *reports, const struct rh__report_end *end,
                       void (*complain)(const char *sentence));
void rh__reports_drop(struct rh__reports *reports);

#endif
