/* How many runs a search of a decision tree will make, while it is under way (Eta 4).
 *
 * The search is depth first and tells about its current branch only: a level for each node from the root to where it is.
 * What is known of a node's subtrees that are done is one sum, so memory is linear in the depth.
 *
 *     rh__level_enter       the search has come to a node for the first time
 *     rh__level_back        ... has come back to it, all below it is done; its next child follows
 *     rh__levels_estimate   for the whole tree, as of now
 *
 * The number of a node's children may grow until all are done, as in a reduction that finds them one by one. */
#ifndef RH_EXPLORE_ESTIMATE_H
#define RH_EXPLORE_ESTIMATE_H

#include <stdint.h>

struct rh__level {
    double runs;       /* estimated for the children that are done */
    uint32_t done;     /* children */
    uint32_t children; /* known so far, with the one under way */
};

static inline void rh__level_enter(struct rh__level *level, uint32_t children)
{
    *level = (struct rh__level){ 0, 0, children };
}

/* level[at] is the deepest that still has a child to visit; level[at + 1 .. top) are below it, and the run that ended last
 * below them. */
void rh__level_back(struct rh__level *level, uint32_t at, uint32_t top);

/* Of the tree whose root is level[floor], seen from the run that ended last, at level[top]. */
double rh__levels_estimate(const struct rh__level *level, uint32_t floor, uint32_t top);

#endif
