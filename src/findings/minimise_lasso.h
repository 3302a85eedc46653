/* Makes a run that is a lasso smaller: a way to a loop of states in which a monitor stays hot for ever. */
/* Private to src/findings. */
#ifndef RH_FINDINGS_MINIMISE_LASSO_H
#define RH_FINDINGS_MINIMISE_LASSO_H

#include <rehearse/world.h>

#include "explore/shrink.h"
#include "results/finding.h"

/* Like rh__minimise (minimise.h); `r` is the run of the finding. */
bool rh__minimise_lasso(struct rh_world *w, struct rh__finding *f, const struct rh__run *r,
                        const struct rh__shrink_limits *limits);

#endif
