/* What an actor can know of messages that it has not taken. */
#ifndef RH_WORLD_KNOWLEDGE_H
#define RH_WORLD_KNOWLEDGE_H

#include "world/state.h"

/* Whether the receiver knows that it must have come: the send was before something that the receiver has done since.  Under causal
 * by messages alone; under mailbox, with granularity object, by operations on shared objects, too. */
bool rh__message_known(struct rh_world *w, uint32_t message);

/* Under mailbox with granularity object, for fingerprints: who and what knows of the messages under way. */
uint64_t rh__knowledge_hash(struct rh_world *w);

#endif
