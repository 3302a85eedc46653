/* Equivalent actors: actors that a program does not distinguish.
 *
 * Two actors are equivalent in a state if exchanging them gives the same state: each has what the other has (up to
 * references to themselves), and no other actor refers to either.  Then whatever can happen from here can also happen
 * with the two exchanged.
 *
 * This assumes that the program only sends to references, compares them and stores them.  Names (rh_name) and random
 * numbers differ between equivalent actors; rh__world_told_apart (live.h) says whether some actor has asked for one,
 * because choices that were omitted before may not have been equivalent. */
#ifndef RH_WORLD_ALIKE_H
#define RH_WORLD_ALIKE_H

#include <rehearse/world.h>

/* Whether the actor has neither taken a step nor sent anything: nobody knows anything from it. */
bool rh__is_untouched(const struct rh_world *w, uint32_t actor);
/* Cheap test: false if they cannot be equivalent. */
bool rh__maybe_alike(const struct rh_world *w, uint32_t one, uint32_t other);
/* Not under causal, nor with granularity send, which keep more of the past than is compared here; with granularity
 * object only for actors that are untouched.  The numbers of replicas that are untouched may differ
 * (RH_REPLICA_NUMBER).  Globals are not compared: see rh__globals_know. */
bool rh__alike(struct rh_world *w, uint32_t one, uint32_t other);
/* The message under way that takes the place of this one when two equivalent actors are exchanged. */
uint32_t rh__message_exchanged(const struct rh_world *w, uint32_t message, uint32_t one, uint32_t other);

/* Marks the actors to which globals refer (these bytes; all globals).  `marks` has one entry for each actor. */
void rh__globals_mark(const struct rh_world *w, const char *at, size_t size, unsigned char *marks);
void rh__globals_know(const struct rh_world *w, unsigned char *marks);

/* Records that the actor asked for something that differs between equivalent actors. */
void rh__tell_apart(struct rh_world *w, uint32_t actor);

#endif
