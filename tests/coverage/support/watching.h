/* Runs that some explorer makes, looked at by the slow implementation as they end: watch:INNER. */
#ifndef RH_TESTS_COVERAGE_SUPPORT_WATCHING_H
#define RH_TESTS_COVERAGE_SUPPORT_WATCHING_H

#include "coverage/support/covering.h"

/* Set before the exploration begins. */
extern struct slow *watching;

/* With what src/coverage measures of the runs. */
struct rh_exploration *measured(struct rh_world *w, const char *explorer, uint64_t seed, uint64_t max_runs);
/* Goals of one set that the other has not, by one criterion. */
uint64_t goals_missing(const struct rh__coverage *of, const struct rh__coverage *in, uint32_t criterion);
void done_with(struct rh_exploration *x);
/* Coverage outlives its exploration: only one world is there at a time. */
struct rh__coverage *keep_coverage(struct rh_exploration *x);

#endif
