/* See estimate.h.  The size of a tree is the average of the estimates of its visited children times their number; an unvisited
 * subtree is taken to be like its siblings.  Where all children were visited it is their sum, and that is exact. */
#include "explore/estimate.h"

/* Of the tree at this level, the last visited child of which is estimated at `child`. */
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
