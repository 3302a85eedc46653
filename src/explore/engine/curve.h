/* How an exploration went on: runs, distinct runs, estimate and covered pairs, at most RH__MOST_CURVE points.  Of a
 * long exploration every second point is dropped, again and again.  Of a portfolio each member has its own numbers. */
#ifndef RH_EXPLORE_CURVE_H
#define RH_EXPLORE_CURVE_H

#include <rehearse/explorer.h>

#include "results/distinct_set.h"

enum { RH__MOST_CURVE = 512 };

/* What one member of a portfolio has done so far: its runs, and those of them that were new. */
struct rh__curve_member {
    uint64_t runs, distinct;
};

struct rh__curve {
    bool wanted, counts_sequences;
    struct rh__distinct_set sequences; /* of choices: what [Eta 2011, Figure 1] counts */
    uint32_t count;
    uint32_t members; /* of the outermost decorator with several explorers (portfolio, auto); 0 if there is none */
    const char *name[RH_MOST_INNER]; /* NULL if it has made no run */
    struct rh__curve_member so_far[RH_MOST_INNER];
    uint64_t apart; /* least number of runs between two points */
    struct rh__curve_point {
        uint64_t runs, distinct, pairs, sequences; /* sequences: 0 if they are not known, or too many */
        double seconds, estimate;
        struct rh__curve_member member[RH_MOST_INNER];
    } at[RH__MOST_CURVE];
};

struct rh_exploration;
/* Curves are wanted, from the beginning of an exploration.  sequences: different sequences of choices are counted, too,
 * which takes time in proportion to the length of each run.  False if memory is short. */
bool rh__curve_want(struct rh_exploration *x, bool sequences);
void rh__curve_release(struct rh__curve *c);

/* Adds a point if it is time for one; `last`: the end of the exploration. */
void rh__curve_note(struct rh_exploration *x, bool last);

/* Counts a run, for the member that has made it.  Workers do not tell of their members, nor of their sequences. */
void rh__curve_run(struct rh_exploration *x, bool is_new);

#endif
