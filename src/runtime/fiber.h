/* Stacks to run actors on.
 *
 * A worker's scheduling loop runs on a fiber, and handlers run on that same stack: calling one costs a call.  Only when
 * a handler (or a process) blocks is its fiber set aside, frames and all, and the thread goes on with a fresh loop on
 * another stack.  Whoever resumes it jumps back into it and leaves its own loop for good; that stack is free again.
 * So there are two ways to go, and a switch costs some tens of nanoseconds:
 *
 *   park     keep this stack, go on with a fresh loop on another one
 *   resume   give this stack up, go on with the one that was kept
 *
 * Code that may be parked must not keep the worker in a variable across the call: it may wake up on another thread.
 * rh__worker() reads it anew. */
#ifndef RH_RUNTIME_FIBER_H
#define RH_RUNTIME_FIBER_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/sanitize.h"

struct rh__worker;
struct rh__slot;

/* Lives at the upper end of its own stack. */
struct rh__fiber {
    void *context;          /* where it goes on */
    char *low;              /* end of the stack; below it lies a guard page */
    size_t size;            /* of the stack */
    struct rh__fiber *next; /* among the spare ones */
    void *fake_stack;       /* AddressSanitizer's */
    void *shadow;           /* ThreadSanitizer's */
};

/* The worker's thread starts its loop on a fiber, and comes back from here when rh__fiber_leave is called. */
bool rh__fiber_enter(struct rh__worker *worker);
_Noreturn void rh__fiber_leave(struct rh__worker *worker);

/* Whether a stack is at hand for rh__fiber_park; false where memory is out. */
bool rh__fiber_prepare(struct rh__worker *worker);
/* How many stacks there are. */
long rh__fiber_count(void);
/* Keeps the fiber that runs now for the actor in this slot.  The slot is given up when nothing runs on the fiber any
 * more.  Returns when the fiber is resumed. */
void rh__fiber_park(struct rh__worker *worker, struct rh__slot *slot);
_Noreturn void rh__fiber_resume(struct rh__worker *worker, struct rh__fiber *to);
/* Gives up the frames that run now and goes on with a fresh loop. */
_Noreturn void rh__fiber_abandon(struct rh__worker *worker);

/* A parked fiber that will not be resumed. */
void rh__fiber_recycle(struct rh__worker *worker, struct rh__fiber *fiber);
/* Its memory is given back at once: for the end of the runtime. */
void rh__fiber_free(struct rh__fiber *fiber);
void rh__fiber_release_spares(void);

#endif
