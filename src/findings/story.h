/* The story of a run as text: what went wrong, the events with a column for each actor, the log lines, and what is
 * left. */
#ifndef RH_FINDINGS_STORY_H
#define RH_FINDINGS_STORY_H

#include "base/text.h"
#include "explore/engine/engine.h"
#include "run/run.h"

/* Schedule and story of each finding, from the run that it keeps.  A finding without a run has neither. */
void rh__findings_describe(struct rh__results *r);

void rh__story_write(const struct rh__run *r, struct rh__text *to);

#endif
