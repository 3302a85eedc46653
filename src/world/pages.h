/* Writes to memory that is too large to copy at every step: globals and large heaps.
 *
 * The pages are write-protected; the first write to one faults, and the page becomes hot: writable, with a shadow copy.
 * After a step each hot page is compared with its shadow, and the words that changed go to the undo log.  A page that
 * has not changed for a while cools down again.  So a program that never writes its globals pays nothing, one that does
 * pays for the pages it writes.
 *
 * Only what changes during a step counts: whoever drives the world may write to the same pages in between. */
#ifndef RH_WORLD_PAGES_H
#define RH_WORLD_PAGES_H

#include "world/state.h"

struct rh__pages;

/* Tracks the actor's whole slot / [base, base + size); NULL where memory is short. */
struct rh__pages *rh__pages_for_actor(struct rh_world *w, uint32_t actor);
struct rh__pages *rh__pages_new(struct rh_world *w, char *base, size_t size);
void rh__pages_free_all(struct rh_world *w);

/* Words in [from, to) may change without being taken back. */
void rh__pages_skip(struct rh__pages *p, uintptr_t from, uintptr_t to);

/* Before a step: the shadow follows what was written meanwhile. */
void rh__pages_sync(struct rh__pages *p);
/* After a step: changed words to the log; *hash follows. */
void rh__pages_diff(struct rh_world *w, struct rh__pages *p, uint64_t *hash);

/* The hash that rh__pages_diff keeps up, of bytes that are zero behind `size`. */
uint64_t rh__pages_hash(const char *base, uint32_t size);

/* A write faulted: true if the page was one of ours and may now be written. */
bool rh__pages_fault(struct rh_world *w, void *address);

/* Trackers of regions that a rollback has made small again let go of their pages; those of regions that a snapshot has
 * made large take hold of them. */
void rh__pages_settle(struct rh_world *w);

/* Finds the writable segments of the program and its libraries and tracks them. */
void rh__globals_begin(struct rh_world *w);
void rh__globals_sync(struct rh_world *w);
void rh__globals_diff(struct rh_world *w);

#endif
