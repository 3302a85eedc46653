/* Which kinds of messages race, learnt from run to run [taPCT 2019].
 *
 * Two events of one actor race if neither is an ancestor of the other (chains.h): only then can they come in either
 * order.  Messages are of one kind if they have one type and go to actors of one type.  A kind races once a run has
 * shown an event of it that races, or one that touches a shared object: a table, a name, a life.
 *
 * Most messages of a pipeline or of a conversation of two never race, and a change of priorities there changes
 * nothing. */
#ifndef RH_EXPLORE_SAMPLERS_RACES_H
#define RH_EXPLORE_SAMPLERS_RACES_H

#include "explore/samplers/chains.h"
#include "explore/samplers/stream.h"

struct rh__races;

/* NULL: no memory.  The memory belongs to the exploration. */
struct rh__races *rh__races_new(struct rh_exploration *x);
/* At the end of a run, which the chains have followed: adds its racing kinds to those that the stream knows. */
void rh__races_learn(struct rh__races *r, struct rh__stream *s, const struct rh__chains *c, const struct rh_world *w);
/* Whether a choice is of a racing kind.  Timers, faults, and actors that go on always are. */
bool rh__races_has(const struct rh__stream *s, const struct rh_world *w, const struct rh_choice *c);

#endif
