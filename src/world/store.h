/* Durable stores: what actors have put under a name.
 *
 * While an actor has a store open, the actor's record holds its writes (newest write, how many are under way); otherwise the
 * store's does.  A store remembers its last owner: whoever opens it must know whether that one has ended. */
#ifndef RH_WORLD_STORE_H
#define RH_WORLD_STORE_H

#include "world/state.h"

/* What became of a store: the same words as the reasons with which actors end. */
enum rh__store_state { RH__STORE_GOOD, RH__STORE_FAILED, RH__STORE_DAMAGED };

/* Actor's side: the current actor opens the store of this name.  Does not return where that fails. */
void rh__store_open(struct rh_world *w, const char *name, const char *place);
uint32_t rh__store_put(struct rh_world *w, uint32_t actor, const char *key, const void *bytes, uint32_t size);
/* Newest write of this key, RH_NONE for none. */
uint32_t rh__store_find(const struct rh_world *w, uint32_t actor, const char *key);
void rh__store_sync(struct rh_world *w, const char *place);

/* World's side. */
/* The actor's oldest write under way becomes durable. */
void rh__store_complete(struct rh_world *w, uint32_t actor);
/* It fails: the store is of no use any more, and the actor ends. */
void rh__store_fail(struct rh_world *w, uint32_t actor);
/* Whether the oldest write under way of this actor may fail now, within the budget. */
bool rh__store_can_fail(const struct rh_world *w, uint32_t actor);
/* The actor has the store no more; what is under way stays so for the next owner. */
void rh__store_release(struct rh_world *w, uint32_t actor);
/* The actor crashes: of its writes under way, which are in order, the first `surviving` become durable, the others are gone. */
void rh__store_crash(struct rh_world *w, uint32_t actor, uint32_t surviving);

uint64_t rh__store_hash(const struct rh_world *w, uint32_t newest, uint32_t under_way, uint32_t owner);
uint64_t rh__stores_hash(const struct rh_world *w);

#endif
