/* Explorations with cover, and what it says of its schedules. */
#ifndef RH_TESTS_COVERAGE_SUPPORT_COVERING_H
#define RH_TESTS_COVERAGE_SUPPORT_COVERING_H

#include "coverage/support/measuring.h"

struct told {
    uint64_t schedules, infeasible, missed, nothing;
};

void told_by(const struct rh_exploration *x, struct told *sum);

#endif
