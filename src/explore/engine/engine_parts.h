/* Declarations that the files of the engine share (engine.h lists the files). */
/* Private to src/explore/engine. */
#ifndef RH_EXPLORE_ENGINE_PARTS_H
#define RH_EXPLORE_ENGINE_PARTS_H

#include "explore/engine/engine.h"

/* engine.c.  The loop over runs, in the child. */
void rh__engine_drive(struct rh_world *w, void *arg);
/* Ends the run in the world with this outcome.  Pruned: see RH_PRUNED. */
void rh__engine_end_run(struct rh_exploration *x, enum rh_outcome_kind outcome, bool pruned);
/* Adds the outcome in the world to the findings. */
void rh__engine_add_finding(struct rh_exploration *x, uint64_t run);
/* True if no further run is to be made: a limit is reached, there is a finding, or the slice is over. */
bool rh__engine_is_enough(struct rh_exploration *x);

/* recovery.c.  Keeps the first choices of the run in the world, to make them again. */
void rh__engine_keep_choices(struct rh_exploration *x, uint32_t count);

/* repeat.c.  Repeats the run that has just ended, if this run is selected. */
void rh__engine_repeat_run(struct rh_exploration *x, bool ended);

/* clock.c.  True if the time limit is reached. */
bool rh__engine_out_of_time(const struct rh_exploration *x, double now);

#endif
