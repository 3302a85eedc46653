/* What `rehearse target` has found, as text, as JSON, and as a page with the lines of the source. */
#ifndef RH_TARGET_RESULTS_H
#define RH_TARGET_RESULTS_H

#include "target/concrete.h"

struct rh__target_results {
    const char *program, *test;
    const struct rh__goals *goals;
    uint32_t listed; /* the first goals, which are listed in any case; others only if they were not reached */
    const struct rh__concrete *concrete;
    bool solver, tests; /* this build can solve; tests in C were written */
    uint32_t jobs, ended_early;
};

/* Whether a failure is at the place of a goal that was reached: then it is no news. */
bool rh__results_is_goal(const struct rh__goals *g, const struct rh__failed_run *x);

void rh__results_print(const struct rh__target_results *r);
/* `-` is standard output.  False after a complaint. */
bool rh__results_json(const struct rh__target_results *r, const char *path);
bool rh__results_html(const struct rh__target_results *r, const char *path);

#endif
