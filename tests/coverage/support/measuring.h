/* What src/coverage measures of random runs, compared with slow.h: names, must-happen-before, goals, counts. */
#ifndef RH_TESTS_COVERAGE_SUPPORT_MEASURING_H
#define RH_TESTS_COVERAGE_SUPPORT_MEASURING_H

#include "coverage/support/slow.h"

#include "base/random.h"
#include "explore/engine/measure.h"

enum { ALL_CRITERIA = (1 << RH__CRITERION_COUNT) - 1 };

/* An exploration in name: for measuring runs that we make ourselves. */
struct rh_exploration *measuring_of(struct rh_world *w);
void measuring_free(struct rh_exploration *x);
void random_run(struct rh_world *w, uint64_t *random);
const char *told(const struct slow *s, uint32_t name);
/* Goals, counts, and how each pair stands. */
void compare_coverage(const struct slow *s, const struct rh__coverage *c, bool left_out, uint64_t seed);
/* So many random runs of the test, by these semantics. */
void measure_program(const char *test, const struct rh_semantics *semantics, uint32_t runs, uint64_t seed);
void tell_compared(void);

#endif
