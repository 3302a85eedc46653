/* Liveness in a run: monitors that stay hot, and the quiet phase (rehearse/test.h, quiet_after and temperature).
 *
 * Cycles of states are not found here: see explore/stateful/lasso.h. */
/* Private to src/world. */
#ifndef RH_WORLD_LIVENESS_H
#define RH_WORLD_LIVENESS_H

#include "world/state.h"

/* After each step, if the semantics have one of the two settings: begins the quiet phase when it is time, and fails if
 * a monitor has been hot for too long. */
void rh__liveness_step(struct rh_world *w);
/* Whether something that may happen now was kept waiting since before event `since`.  In doubt true. */
bool rh__keeps_waiting(const struct rh_world *w, const struct rh_choice *open, uint32_t count, uint32_t since);
/* What the two settings add to a state. */
struct rh__wide rh__liveness_hash(const struct rh_world *w);

#endif
