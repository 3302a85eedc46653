/* Threads in place of fibers (contexts = threads): the code of each actor runs on a thread of its own, for libraries
 * that keep things by thread, and for debuggers.
 *
 * Only one thread runs at a time: whoever drives the world hands over, and waits.  The thread uses the stack that the
 * fiber of its actor would use, and leaves that stack when the actor waits, as the driver would.  So all that is done
 * with stacks (undo, fingerprints, the check of their end) is the same, and so are results and schedules.  What a
 * library keeps by thread is not undone: the threads of a run end with it, but for that of the test's body, and the
 * engine makes kept events again, from the beginning (engine.c). */
/* Private to src/world. */
#ifndef RH_WORLD_THREADS_H
#define RH_WORLD_THREADS_H

#include "world/state.h"

/* Where the world begins in a process, before globals are tracked, and where it ends. */
void rh__threads_begin(struct rh_world *w);
void rh__threads_end(struct rh_world *w);
/* A run is over: the next one begins with new threads. */
void rh__threads_renew(struct rh_world *w);

/* Makes sure that the actor has a thread; no actor runs. */
void rh__thread_prepare(struct rh_world *w, uint32_t actor);
/* Calls fn(arg) on the actor's thread, and returns when it has. */
void rh__thread_call(struct rh_world *w, uint32_t actor, void (*fn)(void *arg), void *arg);

#endif
