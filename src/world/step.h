/* Taking one step; shared by step.c, enabled.c and world.c. */
#ifndef RH_WORLD_STEP_H
#define RH_WORLD_STEP_H

#include "world/outcome.h"
#include "world/state.h"

/* Is this choice open now?  One that stands in the table just filled is: that need not be looked into again. */
bool rh__choice_open(struct rh_world *w, const struct rh_choice *c);
bool rh__choice_just_offered(const struct rh_world *w, const struct rh_choice *c);
bool rh__timer_open(struct rh_world *w, uint32_t timer);
/* Whether the actor waits for a message that is there already. */
bool rh__must_take(struct rh_world *w, const struct actor *a);
bool rh__can_crash(const struct rh_world *w, uint32_t actor);

/* Records the event and does it. */
void rh__take(struct rh_world *w, const struct rh_choice *c);

/* The memory of a monitor is about to change as part of this step. */
void rh__touch_monitor(struct rh_world *w, uint32_t monitor);

#endif
