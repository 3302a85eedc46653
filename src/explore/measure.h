/* Coverage of the runs of an exploration (coverage/goals.h), measured as they end. */
#ifndef RH_EXPLORE_MEASURE_H
#define RH_EXPLORE_MEASURE_H

#include "coverage/goals.h"
#include "explore/engine.h"

struct rh__measure {
    struct rh__coverage *coverage;
    struct rh__identities names;
    struct rh__steps steps; /* of the last run */
    struct rh__step *list;
    size_t size;
};

/* From now on, by these criteria (bits); more can be added.  False where there is no memory. */
bool rh__measure(struct rh_exploration *x, uint32_t criteria);
/* A run has ended. */
void rh__measure_run(struct rh_exploration *x);
void rh__measure_free(struct rh_exploration *x);

#endif
