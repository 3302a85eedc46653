/* Forces a partial schedule [Bita 2013, V].  The next step is taken as soon as it is open; later steps are delayed;
 * anything else happens only while the next step is not open, and first what belongs to something under way (replies,
 * values, operations).  When the schedule is done, or cannot continue, everything is released. */
/* Private to src/explore/cover. */
#ifndef RH_EXPLORE_COVER_ENFORCE_H
#define RH_EXPLORE_COVER_ENFORCE_H

#include "coverage/steps.h"

struct rh__enforce {
    struct rh__identities names;
    uint64_t *ids; /* identities of the schedule's steps */
    uint32_t count, at;
    uint32_t room;
    uint32_t *table; /* identities of the schedule and of its original run: place + 1 */
    uint32_t mask;
    uint64_t *keys;
    uint64_t missing; /* the step that never came, if the schedule cannot continue; otherwise 0 */
};

struct rh_exploration;
/* For runs of the exploration's world.  Returns false if there is not enough memory. */
bool rh__enforce_open(struct rh__enforce *f, struct rh_exploration *x, const struct rh_world *w);

/* Sets the schedule: steps `plan` of the run `s`, in that order; none: nothing is forced. */
void rh__enforce_plan(struct rh__enforce *f, const struct rh__steps *s, const uint32_t *plan, uint32_t count);

/* The index of the choice to make; RH_NONE: nothing is delayed any more, and the caller decides. */
uint32_t rh__enforce(struct rh__enforce *f, const struct rh_world *w, const struct rh_choice *open, uint32_t count,
                     uint64_t *random);
/* After the run: whether all steps of the schedule came. */
bool rh__forced(struct rh__enforce *f);

#endif
