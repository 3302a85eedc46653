/* RH_SETS: does the order of a set matter to the handler that runs for each of its messages?
 *
 * It must not.  A step in which an actor has taken a set is made twice, the second time with the set backwards, and
 * what others can notice is compared: the messages that were sent, in order for each receiver, whether the program
 * fails, and the behaviour of the actor.  A difference in the actor's state alone is worth a note.  A handler that
 * stops before it has seen all messages of the set (granularity object, rh_ask) is not compared. */
#ifndef RH_WORLD_SET_ORDER_H
#define RH_WORLD_SET_ORDER_H

#include <rehearse/world.h>

/* Looks at one such step of the run that the world has made, or at all of them.  Returns RH_OUTCOME_FINISHED, perhaps
 * with a note, and the world is in the same state as before; or RH_OUTCOME_SET_ORDER, and the run stops there.  *steps
 * grows by the number of steps made. */
struct rh_outcome rh__check_set_order(struct rh_world *w, bool all, uint64_t *random, uint64_t *steps);

#endif
