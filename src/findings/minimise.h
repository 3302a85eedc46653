/* Makes the run of a finding smaller, in child processes: also if it ends the process.
 *
 *     if (!rh__minimise(world, &results->findings[i], NULL))
 *         the tool failed; the failure is on standard error
 *
 * Afterwards the finding shows the smallest run that fails in the same way (kind and place), with its picks, outcome
 * and encoded run, and f->minimised says what was done.  Story and schedule are made from it as from any other run
 * (rh__findings_describe).  Of a run that is a lasso, both the way to the loop and the loop are made smaller
 * (minimise_lasso.c).  explore/shrink.h says what is smaller, and has the same for callers that move the world
 * themselves: an explorer, say. */
#ifndef RH_FINDINGS_MINIMISE_H
#define RH_FINDINGS_MINIMISE_H

#include <rehearse/sandbox.h>

#include "explore/shrink.h"
#include "results/finding.h"

/* If the caller gives no limits.  They count work, so the result does not depend on the machine. */
enum { RH__MINIMISE_RUNS = 1000, RH__MINIMISE_STEPS = 400000 };

/* `w` is the world of the exploration; no child process uses it now.  `limits` may be NULL.  False if the tool
 * failed. */
bool rh__minimise(struct rh_world *w, struct rh__finding *f, const struct rh__shrink_limits *limits);

/* As a sentence: "minimised from 95 to 26 events in 143 runs"; "" if the finding was not minimised. */
const char *rh__minimised_text(const struct rh__finding *f, char *text, size_t size);

#endif
