/* Actors that a program does not tell apart.
 *
 * Two actors are alike in a state if exchanging them gives the same state: each has what the other has, with references
 * to the one where the other has references to itself, and nobody else knows either.  Then whatever can happen from here
 * can happen with the two exchanged.
 *
 * That holds for a program that uses references as references: sends to them, compares them, keeps them.  Names
 * (rh_name) and random numbers differ between actors that are alike otherwise; who asks for one is noted in
 * w->told_apart, for what was left out before that may not have been the same. */
#ifndef RH_WORLD_ALIKE_H
#define RH_WORLD_ALIKE_H

#include "world/state.h"

/* Cheap: they could be. */
bool rh__maybe_alike(const struct rh_world *w, uint32_t one, uint32_t other);
/* Not under causal, nor with granularity send or object: those keep more of the past than is compared here.
 * Globals are not looked at: see rh__globals_know. */
bool rh__alike(struct rh_world *w, uint32_t one, uint32_t other);
/* The message under way that takes this one's place when two that are alike are exchanged. */
uint32_t rh__message_exchanged(const struct rh_world *w, uint32_t message, uint32_t one, uint32_t other);

/* Marks actors that globals refer to (these bytes; all of them).  `marks` has one for each actor. */
void rh__globals_mark(const struct rh_world *w, const char *at, size_t size, unsigned char *marks);
void rh__globals_know(const struct rh_world *w, unsigned char *marks);

/* Something was asked that has different answers for actors that are alike. */
void rh__tell_apart(struct rh_world *w, uint32_t actor);

#endif
