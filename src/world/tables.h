/* Shared tables of the controlled world: each a tree of keys, changed through the log. */
/* Private to src/world. */
#ifndef RH_WORLD_TABLES_H
#define RH_WORLD_TABLES_H

#include "world/state.h"

/* The item of a key; RH_NONE if the key has no value. */
uint32_t rh__table_find(const struct rh_world *w, const struct rh_table *table, const char *key);
/* Sets the value of the key, or removes it (bytes NULL).  If there is no room, the run ends and the actor's code is
 * left. */
void rh__table_set(struct rh_world *w, const struct rh_table *table, const char *key, const void *bytes, uint32_t size,
                   const char *here);
uint32_t rh__table_count(const struct rh_world *w, const struct rh_table *table);
/* The item of the first key after this one; RH_NONE if there is none. */
uint32_t rh__table_after(const struct rh_world *w, const struct rh_table *table, const char *key);

/* A hash of the contents of all tables: their part of the fingerprint. */
struct rh__wide rh__tables_hash(const struct rh_world *w);

#endif
