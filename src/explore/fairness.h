/* Which infinite runs are fair, and whether the loop of a lasso is.
 *
 * Fairness is weak: what can happen at every moment from some time on happens in the end.  "What" is a unit, a number:
 *
 *     an actor       it makes a step (takes a message, a timer of it fires, it goes on, ...)
 *     a channel      a message of this sender to this receiver is taken
 *     a message      one with this sender, receiver and contents is taken (a bag has no order)
 *     a timer        this timer of an actor, or the end of its wait, fires; one that is set anew counts as another one
 *     a going on     an actor goes on, gets a value, has a write stored, has its message accepted
 *     a recovery     the network heals; a crashed actor restarts
 *
 * Not fair are other faults, messages from outside, and the values of rh_choose: always the same value may come.
 *
 * A loop of states is fair if for each unit there is a state of the loop in which the unit is not open, or a step that
 * serves it.  For a strongly connected set of states the same holds: one loop goes through all of them. */
#ifndef RH_EXPLORE_FAIRNESS_H
#define RH_EXPLORE_FAIRNESS_H

#include <rehearse/explorer.h>

enum { RH__UNITS_OF_CHOICE = 3 };

/* The units that a choice serves; returns how many. */
uint32_t rh__units_of_choice(const struct rh_world *w, const struct rh_choice *c, uint64_t units[RH__UNITS_OF_CHOICE]);
/* The units that are open in this state, in ascending order, each once; there are RH__UNITS_OF_CHOICE for each open
 * choice at most. */
uint32_t rh__units_of_state(const struct rh_world *w, const struct rh_choice *open, uint32_t count, uint64_t *units);
/* The units of open timers that the last event has set; at most `count`. */
uint32_t rh__units_set(const struct rh_world *w, const struct rh_choice *open, uint32_t count, uint64_t *units);

/* Keeps, of an ascending list, what is in another ascending list; or removes one unit.  Both return how many are
 * left. */
uint32_t rh__units_keep(uint64_t *units, uint32_t count, const uint64_t *others, uint32_t other_count);
uint32_t rh__units_remove(uint64_t *units, uint32_t count, uint64_t unit);

#endif
