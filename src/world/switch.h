/* The switch between the world's stack and a fiber's.
 *
 *     rh__switch_enter   calls fn(arg) on another stack; returns when fn has returned or yielded
 *     rh__switch_call    the same for fn(ref, state, value), which is a handler
 *     rh__switch_yield   on the fiber: returns to the world, as if enter or resume returned
 *     rh__switch_resume  continues after the yield; returns like enter
 *
 * On x86-64 it is written in assembler, for one reason: almost every handler runs to its end, and here that is a plain
 * call and return, so the processor predicts the returns correctly.  After Boost.Context's jump out and jump back every
 * return on the way up from a step is mispredicted, which costs more than the step itself.  The floating-point rounding
 * mode is not switched, because handlers do not change it.
 *
 * On other machines, or with RH_FIBER_BOOST, it is Boost.Context (its C symbols have no header). */
/* Private to src/world. */
#ifndef RH_WORLD_SWITCH_H
#define RH_WORLD_SWITCH_H

#include <rehearse.h>

/* *world is where the world's side waits, set by enter and resume; *fiber is where the fiber waits, set by yield. */
void rh__switch_enter(void *stack_top, void (*fn)(void *arg), void *arg, void **world);
void rh__switch_call(void *stack_top, void **world, rh_handler_fn *fn, rh_ref ref, void *state, const void *value);
/* The function that calls fn for rh__switch_call, for those who look at stacks. */
uintptr_t rh__switch_caller(void);
void rh__switch_yield(void **fiber, void **world);
void rh__switch_resume(void *fiber, void **world);

#endif
