/* Fibers: each handler and process runs on its own stack, so that it can stop in the middle (rh_receive, rh_ask,
 * rh_choose, rh_sleep) and return control to the driver of the world.  A handler that does not block uses the first
 * free stack and leaves nothing behind. */
/* Private to src/world. */
#ifndef RH_WORLD_FIBER_H
#define RH_WORLD_FIBER_H

#include "actor/blocking.h"
#include "world/memory.h"
#include "world/switch.h"

/* The world's side.  Runs a handler, or the body of a process, as `actor`, until it ends, blocks or is abandoned;
 * w->yield says which. */
static inline void rh__fiber_start(struct rh_world *w, uint32_t actor, rh_handler_fn *handler, void *state,
                                   const void *value);
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

/* ---- the short way, taken at every step -------------------------------------------------------------------------- */

static inline void rh__fiber_enter_plainly(struct rh_world *w, uint32_t actor)
{
    rh__program_frame = NULL; /* of a call that has ended */
    w->current = actor;
    w->inside = true;
    w->yield = YIELD_DONE; /* unless it stops */
}

/* Where there is more to see to (entry_needs), and after a fiber that did not simply return. */
void rh__fiber_start_with_needs(struct rh_world *w, uint32_t actor, rh_handler_fn *handler, void *state,
                                const void *value);
void rh__fiber_stopped(struct rh_world *w, uint32_t actor, uint32_t stack);

static inline void rh__fiber_start(struct rh_world *w, uint32_t actor, rh_handler_fn *handler, void *state,
                                   const void *value)
{
    if (__builtin_expect(w->entry_needs != 0, 0)) {
        rh__fiber_start_with_needs(w, actor, handler, state, value);
        return;
    }
    uint32_t stack = rh__stack_peek(w);
    char *top = rh__stack_base(w, stack) + rh__stack_size(w);
    rh__fiber_enter_plainly(w, actor);
    rh__switch_call(top, &w->back, handler, ref_of(actor), state, value);
    if (w->yield == YIELD_DONE)
        w->inside = false;
    else
        rh__fiber_stopped(w, actor, stack);
}

#endif
