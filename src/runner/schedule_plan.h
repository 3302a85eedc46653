/* What a schedule says about the session that runs it: the test, its semantics and parameters. */
#ifndef RH_RUNNER_SCHEDULE_PLAN_H
#define RH_RUNNER_SCHEDULE_PLAN_H

#include "runner/session.h"
#include "trace/schedule.h"

/* Completes the plan by what the schedule and the options say; parameters go to `params`, which the plan refers to.
 * False with a sentence. */
bool rh__schedule_plan(const struct rh__schedule *s, const struct rh__options *o, struct rh__plan *plan,
                       struct rh_param params[2 * RH__MOST_PARAMS], char *text, size_t size);

#endif
