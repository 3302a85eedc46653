/* A batch: the tests that the options name, each under each model that they ask for, with the reports of all.  The
 * commands `test` and `estimate` are batches; rehearse/run.h makes one of a single test. */
#ifndef RH_RUNNER_BATCH_H
#define RH_RUNNER_BATCH_H

#include "report/reporter.h"
#include "report/sites.h"
#include "runner/session.h"
#include "world/timer_budgets.h"

struct rh__batch {
    const char *program;
    const struct rh__options *options;
    struct rh__reports reports;
    /* Of all results so far. */
    bool failed, stale, unmet;
    bool any, whole;        /* there is a result; of all results every run was made */
    struct rh__sites sites; /* those that some test has reached */
    /* By budget of timers among the options: whether a run may have set a timer of the name; the nearest name. */
    uint32_t budgets_used;
    char nearest[RH__TIMER_BUDGETS][48];
    unsigned tests;           /* under a model, that were asked for */
    unsigned begun, reported; /* of these: begun; with a report */
    unsigned left_out;        /* besides: scenarios that the options do not allow */
};

/* Refuses options that make no sense, before anything is opened; false with a sentence. */
bool rh__batch_check(const struct rh__batch *b, char *error, size_t error_size);

/* Calls `visit` with a plan for each test under each model, until it gives something else than RH__EXIT_OK: that.  The
 * options have been checked. */
int rh__batch_each(struct rh__batch *b, int (*visit)(struct rh__batch *b, const struct rh__plan *plan, void *arg),
                   void *arg);

/* Opens the reports, calls `run` for each plan, and closes the reports.  `run` returns an exit code and reports errors
 * itself.  Gives the exit code of the command. */
int rh__batch_run(struct rh__batch *b, int (*run)(struct rh__batch *b, const struct rh__plan *plan, void *arg));

/* Counts a result: what was found decides the exit code. */
void rh__batch_add(struct rh__batch *b, const struct rh__result *r);
int rh__batch_exit(const struct rh__batch *b);

#endif
