/* The symbolic stage of `rehearse target`, for tests that are open to the outside: it solves for the values of the last
 * message.
 *
 * Runs of the test give states in which a handler takes a message from outside.  From each such state the handler is
 * executed symbolically (symbolic.h); a value that leads to the goal takes the place of the one that was drawn, and the
 * schedule is replayed.  Goals that need certain values of two messages are found only if runs come to the state that
 * the first one leads to. */
#ifndef RH_TARGET_SOLVE_H
#define RH_TARGET_SOLVE_H

#include "target/concrete.h"

/* Whether this build has a solver. */
bool rh__solve_possible(void);

/* Settles open goals, within so many seconds of processor time; their schedules have been replayed. */
void rh__solve_goals(struct rh__concrete *c, struct rh__goals *g, double seconds);

#endif
