/* What the default explorer, auto, looks at before it explores.
 *
 *   - Two runs in which the memory of each actor is protected from the others (check_isolation): a pointer into another
 *     actor's memory is a finding.  If there is one, the whole session protects memory, so that the finding is reported
 *     and replayed like any other.
 *   - Whether these runs came to their ends.  If not, samplers get limits that grow.
 *   - If runs do not end or `optimal` does not apply: whether `dpor` (only if runs end) or `stateful` is through in no
 *     time.  Then its result is the result. */
#ifndef RH_RUNNER_FIRST_LOOK_H
#define RH_RUNNER_FIRST_LOOK_H

#include "runner/session.h"

/* Before the session has its world: changes its plan.  False if the tool failed. */
bool rh__first_look(struct rh__session *s);
/* Before the runs.  True if the session has its result: a search over states has replaced its exploration.  `good` is
 * false if the tool failed. */
bool rh__few_states(struct rh__session *s, bool *good);

#endif
