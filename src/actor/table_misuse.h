/* What all worlds share about tables: which calls are invalid. */
#ifndef RH_ACTOR_TABLES_H
#define RH_ACTOR_TABLES_H

#include <rehearse/seam.h>

enum { RH__TABLE_TEXT = 384 };

/* Each returns true if the call is invalid, with the reason as a sentence; limit is max_message_bytes. */
bool rh__table_change_wrong(const struct rh_table *table, const struct rh_table_change *change, size_t limit,
                            char text[RH__TABLE_TEXT]);
bool rh__table_get_wrong(const struct rh_table *table, const char *key, const void *buffer, size_t capacity,
                         char text[RH__TABLE_TEXT]);
bool rh__table_add_wrong(const struct rh_table *table, const char *key, char text[RH__TABLE_TEXT]);
bool rh__table_count_wrong(const struct rh_table *table, char text[RH__TABLE_TEXT]);
bool rh__table_next_wrong(const struct rh_table *table, const char *key, char text[RH__TABLE_TEXT]);

/* Errors that show only when the value or the next key is known. */
void rh__table_no_counter(const struct rh_table *table, const char *key, size_t size, char text[RH__TABLE_TEXT]);
void rh__table_no_room(const struct rh_table *table, size_t key_size, size_t capacity, char text[RH__TABLE_TEXT]);

#endif
