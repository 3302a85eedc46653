/* Forcing a partial schedule (Bita V): what is next is taken when it is there; what comes later is held back; all else happens
 * only when the next one is not there yet, and first what belongs to something under way (replies, values, operations).  When
 * the schedule is done, or cannot go on, everything is released. */
#ifndef RH_EXPLORE_FORCE_H
#define RH_EXPLORE_FORCE_H

#include "coverage/steps.h"

struct rh__force {
    struct rh__identities names;
    uint64_t *ids; /* of the schedule */
    uint32_t count, at;
    uint32_t room;
    uint32_t *table; /* ids, of the schedule and of the run it was made from: place + 1 */
    uint32_t mask;
    uint64_t *keys;
    uint64_t missing; /* it cannot go on: this one never came; 0 for none */
};

struct rh_exploration;
/* For runs of the exploration's world.  False where there is no memory. */
bool rh__force_open(struct rh__force *f, struct rh_exploration *x, const struct rh_world *w);

/* Steps `plan` of the run `s`, in that order; none: nothing is forced. */
void rh__force_plan(struct rh__force *f, const struct rh__steps *s, const uint32_t *plan, uint32_t count);

/* The index of the choice to take; RH_NONE: nothing is held any more, whoever asks decides. */
uint32_t rh__force(struct rh__force *f, const struct rh_world *w, const struct rh_choice *open, uint32_t count,
                   uint64_t *random);
/* The run is over: did all come? */
bool rh__forced(struct rh__force *f);

#endif
