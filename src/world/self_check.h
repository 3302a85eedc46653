/* Self-checks of the controlled world, for the hostile build (RH__CHECK in base/fail.h).
 *
 *   undo      after an undo the state has the hash that it had before the undone steps
 *   lists     after an undo the list of choices that was kept is the one that is made anew
 *   choices   every choice that rh_world_enabled lists is open (rh__choice_open), and a choice that it listed before
 *             the last step, and no longer lists, is not open */
/* Private to src/world. */
#ifndef RH_WORLD_SELF_CHECK_H
#define RH_WORLD_SELF_CHECK_H

#include "world/state.h"

/* Before a step: remembers the hash. */
void rh__check_step(struct rh_world *w);
/* After going back. */
void rh__check_undo(struct rh_world *w);
void rh__check_kept_list(struct rh_world *w);
/* After the table of choices was filled. */
void rh__check_choices(struct rh_world *w);

#endif
