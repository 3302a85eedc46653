/* Goals that schedules were made for in vain: they are not tried for ever. */
#ifndef RH_COVERAGE_ABANDONED_H
#define RH_COVERAGE_ABANDONED_H

#include "coverage/goals.h"

/* Number of tries, from different runs: a goal that is impossible in one run may be possible in another. */
enum { RH__TRIES = 2 };

/* A schedule for the goal a -> b could not be forced, or was forced and did not achieve the goal. */
void rh__goal_failed(struct rh__coverage *c, enum rh__criterion criterion, uint32_t a, uint32_t b);
bool rh__goal_is_abandoned(const struct rh__coverage *c, enum rh__criterion criterion, uint32_t a, uint32_t b);

#endif
