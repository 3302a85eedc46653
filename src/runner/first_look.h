/* What the default explorer, auto, looks at before it explores.
 *
 *   - Two runs in which the memory of each actor is protected from the others (check_isolation): a pointer into another
 *     actor's memory is a finding.  If there is one, the whole session protects memory, so that the finding is reported
 *     and replayed like any other.
 *   - Whether these runs came to their ends.  If not, samplers get limits that grow.
 *
 * What follows is in beside.h. */
#ifndef RH_RUNNER_FIRST_LOOK_H
#define RH_RUNNER_FIRST_LOOK_H

#include "runner/session.h"

/* Before the session has its world: changes its plan.  False if the tool failed. */
bool rh__first_look(struct rh__session *s);
/* A part of the processor time that the user allows, at most `most` seconds: for what is made beside the
 * exploration. */
double rh__seconds_of_part(const struct rh__session *s, double most);

#endif
