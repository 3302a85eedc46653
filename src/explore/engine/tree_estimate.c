/* See tree_estimate.h.  The estimated size of a tree is the mean estimate of its visited children times the number of
 * all children.  So an unvisited subtree is assumed to resemble its siblings.  If all children were visited, the
 * estimate is their exact sum. */
#include "explore/engine/tree_estimate.h"

#include <math.h>

/* The estimate for the tree at this level, whose last visited child is estimated at `child`. */
static double estimate_of(const struct rh__level *level, double child)
{
    double sum = level->runs + child;
    uint32_t visited = level->done + 1;
    return visited == level->children ? sum : sum / visited * level->children;
}

double rh__levels_estimate(const struct rh__level *level, uint32_t floor, uint32_t top)
{
    double estimate = 1; /* the run itself */
    while (top > floor)
        estimate = estimate_of(&level[--top], estimate);
    return estimate;
}

void rh__level_back(struct rh__level *level, uint32_t at, uint32_t top)
{
    level[at].runs += rh__levels_estimate(level, at + 1, top);
    level[at].done++;
}

/* Both say how many runs are left.  Samples know all parts of the tree, but not which are done; shares are known
 * exactly, but at first they say little about sizes.  So the weight of shares is the share itself, and the mean is
 * that of logarithms, because shares may be wrong by any factor.  If the search has made more runs than the samples
 * expected, some are left nevertheless. */
double rh__mixed_estimate(double sampled, double runs, double share)
{
    if (share >= 1)
        return runs;
    double left = fmax(sampled - runs, runs / 20);
    if (!(share > 0))
        return runs + left;
    return runs + pow(left, 1 - share) * pow(runs * (1 - share) / share, share);
}
