/* Why a run fails: the decisive step, how likely the failure was before each step, and the nearest run that passes.
 *
 * The decisive step is the one after which no continuation avoids the failure (kind and place).  Continuations are
 * drawn at random from each prefix of the run; where none avoids the failure, all of them are made if they are few.
 * For a lasso all states that follow are made, if they are few (why_lasso.h), or continuations are drawn that count as
 * failing if the monitor is hot in their whole second half.
 * The nearest passing run has two events of the shown run in the other order, or lacks one of its faults, or takes
 * another choice at one place; then it goes on as before where it can, and with first choices to its end.  Everything
 * that is said was seen in a run.
 *
 * The result is f->why (results/finding.h): values for reports, pages and JSON.  Work is bounded in runs and steps. */
#ifndef RH_FINDINGS_WHY_H
#define RH_FINDINGS_WHY_H

#include <rehearse/world.h>

#include "base/text.h"
#include "results/finding.h"

/* `w` is the world of the exploration; no child process uses it now.  Call it after rh__minimise.  False if the tool
 * failed; the failure is on standard error. */
bool rh__why(struct rh_world *w, struct rh__finding *f);

/* "sink#1 took done from worker#2 before done from worker#1; a run in the other order passes".  Nothing if no passing
 * run is known. */
void rh__why_order_text(const struct rh__finding *f, const struct rh__run *r, struct rh__text *t);
/* "decided at event 5 (all 12 continuations fail)".  Nothing if it is not known. */
void rh__why_decisive_text(const struct rh__finding *f, const struct rh__run *r, struct rh__text *t);

#endif
