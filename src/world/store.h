/* Durable stores: what actors have put under a name.
 *
 * While an actor has a store open, the actor's record holds its writes (the newest write, and how many are pending);
 * otherwise the store's record does.  A store remembers its last owner, because an actor that opens it must know
 * whether that owner has ended. */
/* Private to src/world. */
#ifndef RH_WORLD_STORE_H
#define RH_WORLD_STORE_H

#include "world/state.h"

/* The state of a store; the same words as the reasons with which actors end. */
enum rh__store_state { RH__STORE_GOOD, RH__STORE_FAILED, RH__STORE_DAMAGED };

/* The actor's side: the running actor opens the store with this name.  Does not return if that fails. */
void rh__store_open(struct rh_world *w, const char *name, const char *place);
uint32_t rh__store_put(struct rh_world *w, uint32_t actor, const char *key, const void *bytes, uint32_t size);
/* The newest write of this key; RH_NONE if there is none. */
uint32_t rh__store_find(const struct rh_world *w, uint32_t actor, const char *key);
void rh__store_sync(struct rh_world *w, const char *place);
/* The same within the step, unless a put of the actor may fail in this test. */
void rh__store_make_durable(struct rh_world *w, const char *place);

/* The world's side. */
/* The actor's oldest pending write becomes durable. */
void rh__store_complete(struct rh_world *w, uint32_t actor);
/* The actor's oldest pending write fails: the store becomes unusable, and the actor ends. */
void rh__store_fail(struct rh_world *w, uint32_t actor);
/* Whether the actor's oldest pending write may fail now, within the budget. */
bool rh__store_can_fail(const struct rh_world *w, uint32_t actor);
/* The actor gives up the store; pending writes stay pending for the next owner. */
void rh__store_release(struct rh_world *w, uint32_t actor);
/* The actor crashes: the first `surviving` of its pending writes, in order, become durable; the others are lost. */
void rh__store_crash(struct rh_world *w, uint32_t actor, uint32_t surviving);

struct rh__wide rh__store_hash(const struct rh_world *w, uint32_t newest, uint32_t under_way, uint32_t owner);
struct rh__wide rh__stores_hash(const struct rh_world *w);

#endif
