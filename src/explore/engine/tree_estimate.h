/* Estimates, during a search, how many runs the search of a decision tree will make [Eta 2011, 4].
 *
 * The search is depth first and reports only its current branch: a level for each node from the root to the current
 * node.  One sum represents the finished subtrees of a node, so memory is linear in the depth.
 *
 *     rh__level_enter       the search has reached a node for the first time
 *     rh__level_back        the search has returned to a node, whose next child follows; everything below is done
 *     rh__levels_estimate   the current estimate for the whole tree
 *
 * The number of a node's children may grow until all are done, as in a reduction that finds children one by one. */
#ifndef RH_EXPLORE_ESTIMATE_H
#define RH_EXPLORE_ESTIMATE_H

#include <stdint.h>

struct rh__level {
    double runs;       /* estimated runs of the finished children */
    uint32_t done;     /* number of finished children */
    uint32_t children; /* known children, including the current one */
};

static inline void rh__level_enter(struct rh__level *level, uint32_t children)
{
    *level = (struct rh__level){ 0, 0, children };
}

/* level[at] is the deepest level that still has a child to visit.  level[at + 1 .. top) are the levels below.  The last
 * run ended at level[top]. */
void rh__level_back(struct rh__level *level, uint32_t at, uint32_t top);

/* Estimate for the tree with root level[floor], after a run that ended at level[top]. */
double rh__levels_estimate(const struct rh__level *level, uint32_t floor, uint32_t top);

/* Estimate for a tree that has `sampled` runs according to samples, and of which a search has made `runs`.  If all
 * subtrees were equally large, the search would have made `share` of the tree, 0 to 1.  Exact if the share is 1. */
double rh__mixed_estimate(double sampled, double runs, double share);

#endif
