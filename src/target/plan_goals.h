/* The stage of `rehearse target` that searches backwards, over several messages and actors (plan.h). */
#ifndef RH_TARGET_PLAN_GOALS_H
#define RH_TARGET_PLAN_GOALS_H

#include "target/concrete.h"

struct rh__search_options {
    double seconds;     /* of processor time */
    uint32_t snapshots; /* states of runs from which to search, the beginning among them */
    bool h1, h2, feedback;
    bool repair; /* a plan whose schedule does not fit is followed as far as it does, and searched from there */
    bool alone;  /* each goal gets a search of its own, even if the plan for another one reaches it */
};

/* Whether this build has a solver. */
bool rh__search_possible(void);

/* Settles open goals; their schedules have been replayed. */
void rh__search_goals(struct rh__concrete *c, struct rh__goals *g, const struct rh__search_options *o);

#endif
