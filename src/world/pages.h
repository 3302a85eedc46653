/* Detects writes to memory that is too large to copy at every step: globals and large heaps.
 *
 * The pages are write-protected.  The first write to a page faults, and the page becomes hot: writable, with a shadow
 * copy.  After a step each hot page is compared with its shadow, and the words that changed go to the undo log.  A page
 * that has not changed for a while becomes protected again.  So a program that never writes its globals pays nothing,
 * and others pay for the pages that they write.
 *
 * Only changes during a step count: the driver of the world may write to the same pages between steps.
 *
 * The region of an actor in a world without undo is simpler (rh__pages_keep_images): the first write to a page in a run
 * puts the whole page into the log, and nothing is compared. */
/* Private to src/world. */
#ifndef RH_WORLD_PAGES_H
#define RH_WORLD_PAGES_H

#include "world/state.h"

struct rh__pages;

/* Track the actor's whole slot, or [base, base + size); NULL if there is not enough memory. */
struct rh__pages *rh__pages_for_actor(struct rh_world *w, uint32_t actor);
struct rh__pages *rh__pages_new(struct rh_world *w, char *base, size_t size);
void rh__pages_free_all(struct rh_world *w);

/* Words in [from, to) may change without being restored. */
void rh__pages_skip(struct rh__pages *p, uintptr_t from, uintptr_t to);

/* Whether pages of actors go to the log as they were, once a run.  Not with AddressSanitizer, whose view of a heap
 * follows whole regions only. */
static inline bool rh__pages_keep_images(const struct rh_world *w)
{
    return w->no_undo && !w->asan;
}
/* All pages of actors are protected again: what is written next goes to the log. */
void rh__pages_protect_actors(struct rh_world *w);

/* Before a step: updates the shadow with what was written since the last step. */
void rh__pages_sync(struct rh__pages *p);
/* After a step: logs the changed words and updates *hash. */
void rh__pages_diff(struct rh_world *w, struct rh__pages *p, struct rh__wide *hash);

/* The hash that rh__pages_diff maintains, of bytes that are zero after `size`. */
struct rh__wide rh__pages_hash(const char *base, uint32_t size);

/* Handles a write fault: true if the page is tracked and may now be written. */
bool rh__pages_fault(struct rh_world *w, void *address);

/* Stops tracking regions that a rollback has made small again, and resumes tracking regions that a snapshot has made
 * large. */
void rh__pages_settle(struct rh_world *w);

/* Finds the writable segments of the program and its libraries and tracks them. */
void rh__globals_begin(struct rh_world *w);
void rh__globals_sync(struct rh_world *w);
void rh__globals_diff(struct rh_world *w);

#endif
