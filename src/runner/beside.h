/* A search over states beside auto, for tests that optimal cannot explore whole: it refuses their semantics, or their
 * runs do not end.
 *
 *     rh__search_begin   before the runs: dpor (only if runs end), then stateful, in few steps
 *     rh__search_beside  in place of rh__explore: runs of auto and slices of stateful, in turn
 *     rh__search_after   the same slices at once, after workers have made auto's runs
 *
 * The search is an exploration of its own, with its own counts: what auto's samplers cut is no cut of the search.  If
 * it is through, it is the exploration of the session, and its result the result.  What it finds is added to the
 * session's.  How far it goes is counted in steps, so a verdict does not depend on the load; its memory is bounded,
 * and when it is full the search gives up. */
#ifndef RH_RUNNER_BESIDE_H
#define RH_RUNNER_BESIDE_H

#include "runner/session.h"

/* True if the session has its result.  `good` is false if the tool failed. */
bool rh__search_begin(struct rh__session *s, bool *good);
/* False if the tool failed. */
bool rh__search_beside(struct rh__session *s);
bool rh__search_after(struct rh__session *s);

#endif
