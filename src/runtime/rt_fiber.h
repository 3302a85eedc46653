/* Stacks for actors.
 *
 * A worker's scheduling loop runs on a fiber, and handlers run on the same stack, so starting a handler costs one call.
 * Only when a handler or process blocks, its fiber is parked with its frames, and the thread continues with a new loop
 * on another stack.  A worker that resumes the fiber jumps into it and abandons its own loop; the stack of that loop is
 * then free.  So there are two operations, and a switch costs some tens of nanoseconds:
 *
 *   park     keep this stack, continue with a new loop on another stack
 *   resume   give up this stack, continue on the stack that was kept
 *
 * Code that may be parked must not keep the worker in a variable across the call, because it may continue on another
 * thread. rh__worker() returns the current worker. */
#ifndef RH_RUNTIME_FIBER_H
#define RH_RUNTIME_FIBER_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/sanitize.h"

struct rh__worker;
struct rh__slot;

/* A fiber is at the upper end of its own stack. */
struct rh__fiber {
    void *context;          /* where it continues */
    char *low;              /* lower end of the stack; a guard page is below it */
    size_t size;            /* size of the stack */
    struct rh__fiber *next; /* in the list of spare fibers */
    void *fake_stack;       /* for AddressSanitizer */
    void *shadow;           /* for ThreadSanitizer */
};

/* Starts the worker's loop on a fiber.  Returns when rh__fiber_leave is called. */
bool rh__fiber_enter(struct rh__worker *worker);
_Noreturn void rh__fiber_leave(struct rh__worker *worker);

/* Reserves a stack for rh__fiber_park; false if there is not enough memory. */
bool rh__fiber_prepare(struct rh__worker *worker);
/* The number of stacks. */
long rh__fiber_count(void);
/* Parks the running fiber for the actor in this slot.  The slot is given up when nothing runs on the fiber any more.
 * Returns when the fiber is resumed. */
void rh__fiber_park(struct rh__worker *worker, struct rh__slot *slot);
_Noreturn void rh__rt_fiber_resume(struct rh__worker *worker, struct rh__fiber *to);
/* Abandons the running frames and continues with a new loop. */
_Noreturn void rh__rt_fiber_abandon(struct rh__worker *worker);

/* Frees a parked fiber that will not be resumed. */
void rh__fiber_recycle(struct rh__worker *worker, struct rh__fiber *fiber);
/* Returns the memory at once, at the end of the runtime. */
void rh__fiber_free(struct rh__fiber *fiber);
void rh__fiber_release_spares(void);

#endif
