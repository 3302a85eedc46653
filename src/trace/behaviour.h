/* Behaviours: two runs are of the same behaviour if every actor took the same messages in the same order. */
#ifndef RH_TRACE_BEHAVIOUR_H
#define RH_TRACE_BEHAVIOUR_H

#include <rehearse/world.h>

/* The part that event number `event` has in the hash of a run's behaviour; the hash is the exclusive or of all parts.
 * It depends on the event's identity alone (which actor, its how-many-th event, what it took), not on its place. */
uint64_t rh__event_hash(const struct rh_world *w, uint32_t event);

#endif
