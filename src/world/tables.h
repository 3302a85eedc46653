/* Shared tables of the controlled world: each a tree of keys, changed through the log. */
#ifndef RH_WORLD_TABLES_H
#define RH_WORLD_TABLES_H

#include "world/state.h"

/* The item of a key, RH_NONE where it has no value. */
uint32_t rh__table_find(const struct rh_world *w, const struct rh_table *table, const char *key);
/* Gives the key a value, with bytes NULL none; where there is no room the run is over and the actor's code left. */
void rh__table_set(struct rh_world *w, const struct rh_table *table, const char *key, const void *bytes, uint32_t size,
                   const char *here);
uint32_t rh__table_count(const struct rh_world *w, const struct rh_table *table);
/* The item of the first key behind this one, RH_NONE for none. */
uint32_t rh__table_after(const struct rh_world *w, const struct rh_table *table, const char *key);

/* Of all that tables hold: their part of the fingerprint. */
uint64_t rh__tables_hash(const struct rh_world *w);

#endif
