/* Goals that schedules were made for in vain: they are not tried for ever. */
#ifndef RH_COVERAGE_HOPELESS_H
#define RH_COVERAGE_HOPELESS_H

#include "coverage/goals.h"

/* So many times, from different runs: what could not be there may be here. */
enum { RH__TRIES = 2 };

/* A schedule for the goal a -> b was forced, or could not be, and did not achieve it. */
void rh__goal_failed(struct rh__coverage *c, enum rh__criterion criterion, uint32_t a, uint32_t b);
bool rh__goal_hopeless(const struct rh__coverage *c, enum rh__criterion criterion, uint32_t a, uint32_t b);

#endif
