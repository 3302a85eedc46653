/* Fibers: each handler and process runs on its own stack, so that it can stop in the middle (rh_receive, rh_ask,
 * rh_choose, rh_sleep) and return control to the driver of the world.  A handler that does not block uses the first
 * free stack and leaves nothing behind. */
/* Private to src/world. */
#ifndef RH_WORLD_FIBER_H
#define RH_WORLD_FIBER_H

#include "world/state.h"

/* The world's side.  Runs a handler, or the body of a process, as `actor`, until it ends, blocks or is abandoned;
 * w->yield says which. */
void rh__fiber_start(struct rh_world *w, uint32_t actor, rh_handler_fn *handler, void *state, const void *value);
void rh__fiber_start_body(struct rh_world *w, uint32_t actor, rh_body_fn *body);
/* Continues a fiber that has blocked. */
void rh__fiber_resume(struct rh_world *w, uint32_t actor);
/* Discards a fiber that has blocked. */
void rh__fiber_discard(struct rh_world *w, uint32_t actor);
/* The part of its stack that a suspended fiber uses. */
char *rh__fiber_live(struct rh_world *w, uint32_t actor, uint32_t *size);

/* How deep stacks are cleaned (fiber.c).  It grows with the deepest fiber that has blocked, and never shrinks. */
void rh__stacks_clean_to(struct rh_world *w, uint32_t depth);
/* The same as a part of rh_world_fingerprint_meaning: greater depths have more of the lowest 28 bits. */
uint32_t rh__stacks_meaning(const struct rh_world *w);
void rh__stacks_have_meant(struct rh_world *w, uint32_t meaning);

/* The actor's side. */
void rh__fiber_block(struct rh_world *w);
_Noreturn void rh__fiber_abandon(struct rh_world *w);
/* If stacks are filled before handlers run: fills the free part of this one again. */
void rh__fiber_clean(void);

/* From now on calls of the program take the way that this world needs (actor/blocking.h). */
void rh__fiber_calls(const struct rh_world *w);

/* Whether this is the address of a function that calls handlers and bodies, for those who look at stacks. */
bool rh__is_fiber_function(uintptr_t function);

#endif
