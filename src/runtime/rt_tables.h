/* Shared tables: keys and bytes, for all actors and threads. */
#ifndef RH_RUNTIME_TABLES_H
#define RH_RUNTIME_TABLES_H

#include <rehearse/seam.h>

/* The functions of the seam; the arguments have been checked. */
bool rh__tables_change(const struct rh_table *table, const struct rh_table_change *change);
int64_t rh__tables_get(const struct rh_table *table, const char *key, void *buffer, size_t capacity);
/* Returns false, and does nothing, if the value does not have the size of a counter. */
bool rh__tables_add(const struct rh_table *table, const char *key, int64_t delta, int64_t *sum, size_t *size);
uint32_t rh__tables_count(const struct rh_table *table);
/* Returns the size of the next key, 0 if there is none, and copies the key if it fits. */
size_t rh__tables_next(const struct rh_table *table, const char *previous, char *key, size_t capacity);

/* For the end of the runtime, when nobody uses tables any more. */
void rh__tables_release(void);

#endif
