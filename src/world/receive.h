/* Blocking: receive, ask, sleep, choose, sync, preemption. */
#ifndef RH_WORLD_RECEIVE_H
#define RH_WORLD_RECEIVE_H

#include "world/state.h"

/* Whether a waiting actor would take this message. */
bool rh__filter_matches(struct rh_world *w, const struct actor *a, uint32_t message);

/* The same for any filter of a receive, asked on the world's side. */
bool rh__filter_fits(struct rh_world *w, const struct rh_filter *f, uint32_t message);

/* Actor's side: each gives control back to the world until its time has come. */
const struct rh_envelope *rh__receive(struct rh_world *w, const struct rh_filter *filter, const char *place);
/* The message that answers `request`, RH_NONE after the timeout. */
uint32_t rh__await_reply(struct rh_world *w, uint32_t request, int64_t timeout_ms, const char *place);
void rh__sleep(struct rh_world *w, int64_t ns, const char *place);
uint32_t rh__choose(struct rh_world *w, uint32_t n, const char *place);
void rh__preempt(struct rh_world *w, const char *place);
/* Blocks in a status that counts among the halted. */
void rh__halt(struct rh_world *w, uint32_t status, const char *place);
/* What comes of opening a store (enum rh__store_state): chosen like a value, within the budgets. */
uint32_t rh__choose_opening(struct rh_world *w, const char *place);
void rh__block_syncing(struct rh_world *w, const char *place); /* until all its writes are durable */

/* World's side: the wait of an actor is over, by message or by time. */
void rh__wait_over(struct rh_world *w, uint32_t actor, uint32_t message);
/* Where a clock ends waits: it will not end this one any more. */
void rh__wait_forget(struct rh_world *w, uint32_t actor);

#endif
