/* The story of a run as text: what went wrong, the sequence with a column per actor, what was logged, what is left. */
#ifndef RH_FINDINGS_STORY_H
#define RH_FINDINGS_STORY_H

#include "base/text.h"
#include "explore/engine.h"

/* For struct rh_exploration.describe: schedule and story of the run that the world holds. */
void rh__describe(struct rh_exploration *x, struct rh__finding *f);

void rh__story_write(struct rh_world *w, struct rh__text *to);

#endif
