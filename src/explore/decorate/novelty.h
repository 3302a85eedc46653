/* What runs have shown so far, as a small set of features: which type of message an actor took after which other one,
 * with faults and timers as types of their own.
 *
 * Distinct runs are no measure of novelty: in a run of 200 steps every order of unrelated steps is another run, so
 * every run is new.  Orders of two types at one actor are few, and a run that has a new one does something that no run
 * before it did. */
#ifndef RH_EXPLORE_DECORATE_NOVELTY_H
#define RH_EXPLORE_DECORATE_NOVELTY_H

#include <rehearse/explorer.h>

struct rh__novelty {
    uint64_t *set;           /* hashes of features; 0: empty slot */
    uint64_t *last_type;     /* by actor: the last type of the run under way */
    uint32_t *of_run;        /* by actor: the run that `last_type` belongs to */
    uint32_t actors;         /* most actors of a run */
    uint32_t run;            /* number of the last run, modulo 2^32 */
    uint32_t count;          /* features seen */
    uint32_t pairs, both;    /* pairs of different types at an actor; of these, seen in both orders */
    uint64_t runs, last_new; /* runs so far, and the last one with something new */
};

/* False if memory is short. */
bool rh__novelty_open(struct rh__novelty *n, struct rh_exploration *x);
/* Adds the run in the world, which has ended.  Returns how many of its features no run before had. */
uint32_t rh__novelty_add(struct rh__novelty *n, const struct rh_world *w);

#endif
