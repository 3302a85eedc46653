/* The part of the controlled world's seam that concerns tables; seam.c names these functions in its struct. */
/* Private to src/world. */
#ifndef RH_WORLD_SEAM_TABLES_H
#define RH_WORLD_SEAM_TABLES_H

#include <rehearse/seam.h>

bool rh__seam_table_change(const struct rh_table *table, const struct rh_table_change *change, const char *here);
int64_t rh__seam_table_get(const struct rh_table *table, const char *key, void *buffer, size_t capacity,
                           const char *here);
int64_t rh__seam_table_add(const struct rh_table *table, const char *key, int64_t delta, const char *here);
uint32_t rh__seam_table_count(const struct rh_table *table, const char *here);
bool rh__seam_table_next(const struct rh_table *table, const char *previous, char *key, size_t capacity,
                         const char *here);

#endif
