/* Blocking operations: receive, ask, sleep, choose, sync, preemption. */
/* Private to src/world. */
#ifndef RH_WORLD_RECEIVE_H
#define RH_WORLD_RECEIVE_H

#include "world/state.h"

/* Evaluates the predicate of the receive in which the receiver of this message waits. */
bool rh__filter_predicate(struct rh_world *w, uint32_t message);

/* True if the filter accepts the message: types, sender and predicate.  The filter may belong to an earlier wait of the
 * receiver, if the memory that the predicate reads is restored. */
bool rh__filter_fits(struct rh_world *w, const struct rh_filter *f, uint32_t message);

/* The actor's side.  Each function returns control to the world until its wait is over. */
const struct rh_envelope *rh__receive(struct rh_world *w, const struct rh_filter *filter, const char *place);
/* Notes that the program takes sets.  If the explorer does not bear them, the run ends here. */
void rh__note_sets(struct rh_world *w, int64_t timeout_ms, const char *place);
/* The envelopes of the last complete set, filled in. */
const struct rh_envelope *rh__envelopes_of_set(struct rh_world *w, const struct world_actor *a);
/* Makes one of the last set the message that the actor has received last. */
void rh__turn_to(struct rh_world *w, const struct rh_envelope *envelope, const char *place);
/* Returns the message that answers `request`, or RH_NONE after the timeout. */
uint32_t rh__await_reply(struct rh_world *w, uint32_t request, int64_t timeout_ms, const char *place);
void rh__sleep(struct rh_world *w, int64_t ns, const char *place);
uint32_t rh__choose(struct rh_world *w, uint32_t n, const char *place);
/* Blocks the actor in a status that counts as halted. */
void rh__halt(struct rh_world *w, uint32_t status, const char *place);
/* Returns the result of opening a store (enum rh__store_state), chosen like a value within the fault budgets. */
uint32_t rh__choose_opening(struct rh_world *w, const char *place);
void rh__block_syncing(struct rh_world *w, const char *place); /* until all writes of the actor are durable */

/* The world's side.  Ends the wait of an actor, by a message or by time. */
void rh__wait_over(struct rh_world *w, uint32_t actor, uint32_t message);
/* If a clock ends waits: makes sure that the clock does not end this wait any more. */
void rh__wait_forget(struct rh_world *w, uint32_t actor);

#endif
