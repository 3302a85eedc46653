/* The explorer stateful: its parts.  stateful.c has arguments, reports and workers, search.c the search. */
/* Private to src/explore/stateful. */
#ifndef RH_EXPLORE_STATEFUL_H
#define RH_EXPLORE_STATEFUL_H

#include <rehearse/visited.h>

#include "explore/delaying/search.h"
#include "explore/explorers.h"
#include "explore/stateful/lasso.h"
#include "explore/stateful/merges.h"
#include "explore/stateful/on_path.h"
#include "world/ahead.h"
#include "world/foretell.h"

enum { STATEFUL_TOLD = 1 << 20 };

struct level {
    uint32_t next, end; /* the choices from `next` to `end` are untried */
    uint32_t pick;      /* the last one that was tried */
    uint32_t count;
    uint32_t told; /* where the foretold states of its choices are, + 1; 0: nothing is foretold */
    bool again;    /* the state was visited before: its steps are compared with those of the first visit */
    bool ahead;    /* it is a position of `ahead` */
    bool unseen;   /* the world has not been there */
};

struct stateful {
    struct rh_exploration *x;
    struct rh_visited *visited;
    struct level *path;
    struct rh__foretelling *foretelling;
    struct rh__ahead *ahead;
    bool inside;                 /* goes ahead of the world now */
    uint32_t kept;               /* events that the last run shares with the next one */
    uint32_t breath;             /* states since the world made a step */
    struct rh_fingerprint *told; /* of the levels of the path; zero: not known */
    bool tells, checks, reduces; /* foretells; makes also steps to visited states; one step where that is enough */
    bool fits;                   /* gives up when a state does not fit into memory */
    bool gave_up;
    uint64_t begins;
    bool mistaken; /* something was foretold that did not happen */
    bool again;    /* starts over */
    struct rh__on_path on_path;
    struct rh__lasso *lasso;
    bool follows;     /* the run follows the plan of a lasso, from the state of level `top` on */
    bool starts_over; /* a monitor has appeared: loops matter from the beginning on */
    uint32_t top, room;
    uint32_t floor; /* a decorator takes the choices before this one */
    bool begun, placed, diverged;
    bool certain; /* a fingerprint has 128 bits */
    uint64_t transitions, cycles, foretold, reduced;
    uint32_t deepest;
    struct rh__splits *splits;
    struct rh__merges *merges;     /* with `check` */
    struct rh_fingerprint *states; /* of the levels, with `check` */
    uint64_t met;                  /* states that were visited before, with `check` */
    struct rh__ses *crew;          /* the search of several workers; NULL: it cannot be shared */
    bool in_crew;
    bool active; /* one process: it has work */
};

/* begin, choose and end of the explorer, for the search of one process. */
uint32_t rh__stateful_begin(struct stateful *s, const struct rh_world *w);
uint32_t rh__stateful_choose(struct stateful *s, const struct rh_world *w, const struct rh_choice *open,
                             uint32_t count);
void rh__stateful_end(struct stateful *s, const struct rh_world *w, const struct rh_run *run);

#endif
