/* How many runs a search by `optimal` makes that has not come to its end: from samples of its tree. */
#ifndef RH_RUNNER_FORECAST_H
#define RH_RUNNER_FORECAST_H

#include "runner/session.h"

/* All return false if the tool failed; the failure is on standard error.
 *
 * Before the search, if somebody watches its progress, or if workers of `auto` have to decide whether the search will
 * come to its end. */
bool rh__forecast_before(struct rh__session *s);
/* In place of rh__explore, in this process: `auto` explores for a while before it has the samples. */
bool rh__forecast_within(struct rh__session *s);
/* After a search that a limit ended. */
bool rh__forecast_after(struct rh__session *s);

#endif
