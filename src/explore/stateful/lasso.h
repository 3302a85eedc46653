/* Loops of a depth-first search over states in which a monitor stays hot.
 *
 * The search is Tarjan's for strongly connected components [Tarjan 1972], along the depth-first search of
 * `stateful`.  A state is open until its component is complete; then the states of the component are forgotten.  In a
 * complete component, for each monitor: the states in which the monitor is hot, and the steps between them during
 * which it was hot all the time, fall into components again; one of them that has a step, and that is fair
 * (explore/fairness.h), is a loop.  A larger component is fairer, so the maximal ones suffice.  The depth-first
 * search stands at the first state of the component then: its path is the stem, which a way to the loop continues.
 *
 * A loop is a plan: keys of choices (rh__choice_key) from that first state on.  `stateful` makes a run of it, and the
 * engine checks that run (engine/loop.h).
 *
 *     lasso.[hc]         the search along the depth-first search
 *     lasso_parts.h      what both parts share
 *     lasso_plan.c       a complete component: its fair loops, and a way round one of them */
#ifndef RH_EXPLORE_LASSO_H
#define RH_EXPLORE_LASSO_H

#include <rehearse/explorer.h>

struct rh__lasso;

/* In `open`: memory for as many open states as fit into `bytes`; NULL if there is none. */
struct rh__lasso *rh__lasso_new(struct rh_exploration *x, size_t bytes, uint32_t room);

/* Whether there are monitors with hot behaviours, so that loops matter. */
bool rh__lasso_matters(const struct rh_world *w);
/* Forgets everything, and looks for loops from now on. */
void rh__lasso_start(struct rh__lasso *l);
bool rh__lasso_has_started(const struct rh__lasso *l);

/* A choice of the level is about to be made. */
void rh__lasso_step(struct rh__lasso *l, const struct rh_world *w, uint32_t level, const struct rh_choice *choice);
/* Whether the state is open.  If so the last step, of level - 1, leads there. */
bool rh__lasso_meets(struct rh__lasso *l, const struct rh_world *w, uint32_t level, struct rh_fingerprint f);
/* A new state, on this level of the path; `first`: the first one, to which no step leads.  `shown` choices are shown to
 * the explorer: if there are more, the search does not follow all of them. */
void rh__lasso_enter(struct rh__lasso *l, const struct rh_world *w, uint32_t level, bool first, struct rh_fingerprint f,
                     uint32_t shown);
/* All choices of the level, the last one of the path, are done.  True if there is a plan now: it is to be followed, and
 * the level to be left again. */
bool rh__lasso_leave(struct rh__lasso *l, uint32_t level, bool first);

/* Follows the plan, at step `at` of it, behind the state of the level that was left.  An index; RH_LASSO at its end;
 * RH_ABANDON where the program does something else than before. */
uint32_t rh__lasso_follow(struct rh__lasso *l, struct rh_exploration *x, const struct rh_world *w, uint32_t at,
                          const struct rh_choice *open, uint32_t count);

/* Why some loop may have been missed, as a sentence; NULL: none was. */
const char *rh__lasso_missed(const struct rh__lasso *l);
/* The largest number of states that were open at once. */
uint64_t rh__lasso_most_open(const struct rh__lasso *l);

#endif
