/* Makes a run that does not end smaller: messages go in a circle. */
/* Private to src/findings. */
#ifndef RH_FINDINGS_MINIMISE_ENDLESS_H
#define RH_FINDINGS_MINIMISE_ENDLESS_H

#include <rehearse/world.h>

#include "explore/shrink.h"
#include "results/finding.h"

/* Like rh__minimise (minimise.h); `r` is the run of the finding. */
bool rh__minimise_endless(struct rh_world *w, struct rh__finding *f, const struct rh__run *r,
                          const struct rh__shrink_limits *limits);

#endif
