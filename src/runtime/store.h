/* The durable store of an actor: keys and bytes, in memory and in one file. */
#ifndef RH_RUNTIME_STORE_H
#define RH_RUNTIME_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rh__actor;
struct rh__store;

bool rh__store_start(void);
/* Writes what is under way, then closes. */
void rh__store_stop(void);

uint32_t rh__store_put(struct rh__actor *actor, const char *key, const void *bytes, size_t size, const char *here);
int64_t rh__store_get(struct rh__actor *actor, const char *key, void *buffer, size_t capacity, const char *here);
void rh__store_sync(struct rh__actor *actor, const char *here);

/* All writes up to this ticket are durable. */
void rh__store_durable(struct rh__store *store, uint32_t ticket);
bool rh__store_all_durable(const struct rh__store *store);
void rh__store_close(struct rh__store *store); /* NULL is fine */

#endif
