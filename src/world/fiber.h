/* Fibers: each handler and process runs on a stack of its own, so that it can stop in the middle (rh_receive, rh_ask,
 * rh_choose, rh_sleep) and give control back to whoever drives the world.  A handler that does not block uses the stack
 * on top of the list of free ones, and leaves nothing behind. */
#ifndef RH_WORLD_FIBER_H
#define RH_WORLD_FIBER_H

#include "world/state.h"

/* World's side.  Runs the job in w (job_body, or job_handler with job_state and job_value) as `actor`, until it ends,
 * blocks or is abandoned: w->yield says which. */
void rh__fiber_start(struct rh_world *w, uint32_t actor);
/* Goes on with a fiber that blocked. */
void rh__fiber_resume(struct rh_world *w, uint32_t actor);
/* Forgets a fiber that blocked. */
void rh__fiber_discard(struct rh_world *w, uint32_t actor);
/* The part of its stack that a suspended fiber uses. */
char *rh__fiber_live(struct rh_world *w, uint32_t actor, uint32_t *size);

/* Actor's side. */
void rh__fiber_block(struct rh_world *w);
_Noreturn void rh__fiber_abandon(struct rh_world *w);

#endif
