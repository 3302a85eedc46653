/* How an exploration went on: runs, distinct runs, estimate and covered pairs, at most RH__MOST_CURVE points.  Of a
 * long exploration every second point is dropped, again and again. */
#ifndef RH_EXPLORE_CURVE_H
#define RH_EXPLORE_CURVE_H

#include <stdbool.h>
#include <stdint.h>

enum { RH__MOST_CURVE = 512 };

struct rh__curve {
    bool wanted;
    uint32_t count;
    uint64_t apart; /* least number of runs between two points */
    struct rh__curve_point {
        uint64_t runs, distinct, pairs;
        double seconds, estimate;
    } at[RH__MOST_CURVE];
};

struct rh_exploration;
/* Adds a point if it is time for one; `last`: the end of the exploration. */
void rh__curve_note(struct rh_exploration *x, bool last);

#endif
