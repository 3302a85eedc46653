/* Shared tables: keys and bytes, for all actors and threads. */
#ifndef RH_RUNTIME_TABLES_H
#define RH_RUNTIME_TABLES_H

#include <rehearse/seam.h>

/* The functions of the seam, whose arguments have been checked. */
bool rh__tables_change(const struct rh_table *table, const struct rh_table_change *change);
int64_t rh__tables_get(const struct rh_table *table, const char *key, void *buffer, size_t capacity);
/* false, and nothing done, where the value is no counter: its size is not that of one. */
bool rh__tables_add(const struct rh_table *table, const char *key, int64_t delta, int64_t *sum, size_t *size);
uint32_t rh__tables_count(const struct rh_table *table);
/* The bytes that the next key needs, 0 for no such key; it is copied if they are there. */
size_t rh__tables_next(const struct rh_table *table, const char *previous, char *key, size_t capacity);

/* For the end of the runtime: nobody uses them any more. */
void rh__tables_release(void);

#endif
