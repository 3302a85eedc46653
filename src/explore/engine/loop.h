/* A lasso: a run that comes back to a state in which it was before, with a monitor that was hot all the time.
 * Repeating the events in between is an infinite run in which the monitor stays hot; it is a finding if it is fair
 * (fairness.h).
 *
 * An explorer says where a loop begins (rh__exploration_loop_begins) and where it ends: it asks
 * rh__exploration_loop_ends what is wrong with the loop, and returns RH_LASSO if nothing is.  The engine follows the
 * run in between, whatever the explorer knows about it: every lasso that is reported was made and checked here. */
#ifndef RH_EXPLORE_ENGINE_LOOP_H
#define RH_EXPLORE_ENGINE_LOOP_H

#include <rehearse/explorer.h>

struct rh__loop {
    bool active;      /* the run is in the loop */
    bool known;       /* `pending` is known: the loop had a state in which every actor may move */
    uint32_t events;  /* number of events before the loop */
    uint32_t monitor; /* of a good loop: the monitor that stays hot */
    struct rh_fingerprint state;
    uint64_t *pending; /* units that were open in all states of the loop, and that no step has served */
    uint64_t *here;    /* units of the present state */
    uint32_t pending_count;
};

/* For the engine.  The memory is got when the explorer is opened; a run begins; a step is about to be made. */
bool rh__loop_open(struct rh_exploration *x);
void rh__loop_clear(struct rh__loop *l);
void rh__loop_step(struct rh__loop *l, const struct rh_world *w, const struct rh_choice *open, uint32_t count,
                   uint32_t pick);
/* The loop begins in this state.  It ends in this state, and the monitor (RH_NONE: any) was hot all the time, or no
 * timer has fired (RH__NO_MONITOR): NULL; or what is wrong with the loop. */
void rh__loop_begin(struct rh__loop *l, const struct rh_world *w);
const char *rh__loop_end(struct rh__loop *l, const struct rh_world *w, uint32_t monitor);

#endif
