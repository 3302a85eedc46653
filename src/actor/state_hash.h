/* What RH_STATE_HASH adds up to. */
#ifndef RH_ACTOR_STATE_HASH_H
#define RH_ACTOR_STATE_HASH_H

#include "base/hash.h"

struct rh_state_hash {
    struct rh__wide chain, sum; /* what was added in order, and in any order */
};

#endif
