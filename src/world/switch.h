/* The switch between the world's stack and a fiber's.
 *
 *     rh__switch_enter   calls fn(arg) on another stack; returns when fn has returned or a yield came from there
 *     rh__switch_yield   on the fiber: back to the world, as if enter or resume returned
 *     rh__switch_resume  goes on behind the yield; returns like enter
 *
 * On x86-64 it is written by hand, for one reason: almost every handler runs to its end, and here that is a plain call and
 * return, so the processor's return predictor stays right.  After Boost.Context's jump out and jump back every return on
 * the way up from a step is mispredicted, which costs more than the step itself.  The rounding mode of floating point is
 * not switched: handlers do not change it.
 *
 * Elsewhere, or with RH_FIBER_BOOST, it is Boost.Context (its C symbols have no header). */
#ifndef RH_WORLD_SWITCH_H
#define RH_WORLD_SWITCH_H

/* *world: where the world's side waits; set by enter and resume.  *fiber: where the fiber waits; set by yield. */
void rh__switch_enter(void *stack_top, void (*fn)(void *arg), void *arg, void **world);
void rh__switch_yield(void **fiber, void **world);
void rh__switch_resume(void *fiber, void **world);

#endif
