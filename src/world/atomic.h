/* Operations that a test wants to be no preemption points: struct rh_semantics, `atomic`. */
/* Private to src/world. */
#ifndef RH_WORLD_ATOMIC_H
#define RH_WORLD_ATOMIC_H

#include "world/state.h"

/* The last bit of `atomic_met` stands for all further names. */
enum { RH__MOST_ATOMIC_NAMES = 64 };

/* True if the operation at this place, which the running actor is about to make, is one of them. */
bool rh__is_atomic(struct rh_world *w, const char *place);

#endif
