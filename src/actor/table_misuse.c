/* See tables.h. */
#include "actor/table_misuse.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 2, 3))) static bool wrong(char text[RH__TABLE_TEXT], const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(text, RH__TABLE_TEXT, format, args);
    va_end(args);
    return true;
}

static bool key_wrong(const struct rh_table *table, const char *call, const char *key, char text[RH__TABLE_TEXT])
{
    if (!key || !*key)
        return wrong(text, "%s needs a key (table %s)", call, table->name);
    size_t length = strnlen(key, RH_TABLE_KEY_SIZE);
    if (length == RH_TABLE_KEY_SIZE)
        return wrong(text, "%s: a key has at most %d bytes (table %s, key \"%.32s...\")", call, RH_TABLE_KEY_SIZE - 1,
                     table->name, key);
    return false;
}

bool rh__table_change_wrong(const struct rh_table *table, const struct rh_table_change *change, size_t limit,
                            char text[RH__TABLE_TEXT])
{
    if (key_wrong(table, change->call, change->key, text))
        return true;
    if (change->size > limit)
        return wrong(text, "%s: a value of %zu bytes, the limit is %zu (max_message_bytes; table %s, key \"%s\")",
                     change->call, change->size, limit, table->name, change->key);
    if (strcmp(change->call, "rh_table_insert_new") == 0 && !change->bytes)
        return wrong(text, "%s needs a value (table %s, key \"%s\")", change->call, table->name, change->key);
    return false;
}

bool rh__table_get_wrong(const struct rh_table *table, const char *key, const void *buffer, size_t capacity,
                         char text[RH__TABLE_TEXT])
{
    if (key_wrong(table, "rh_table_get", key, text))
        return true;
    if (!buffer && capacity)
        return wrong(text, "rh_table_get needs a buffer (table %s, key \"%s\")", table->name, key);
    return false;
}

bool rh__table_add_wrong(const struct rh_table *table, const char *key, char text[RH__TABLE_TEXT])
{
    return key_wrong(table, "rh_table_add", key, text);
}

static bool order_wrong(const struct rh_table *table, const char *call, char text[RH__TABLE_TEXT])
{
    if (table->ordered)
        return false;
    return wrong(text, "%s: table %s is not ordered: declare it with RH_TABLE_ORDERED", call, table->name);
}

bool rh__table_count_wrong(const struct rh_table *table, char text[RH__TABLE_TEXT])
{
    return order_wrong(table, "rh_table_count", text);
}

bool rh__table_next_wrong(const struct rh_table *table, const char *key, char text[RH__TABLE_TEXT])
{
    if (order_wrong(table, "rh_table_next", text))
        return true;
    if (!key)
        return wrong(text, "rh_table_next needs a buffer for the key (table %s)", table->name);
    return false;
}

void rh__table_no_counter(const struct rh_table *table, const char *key, size_t size, char text[RH__TABLE_TEXT])
{
    wrong(text, "rh_table_add: the value of \"%s\" in table %s is not an int64_t: it has %zu bytes", key, table->name,
          size);
}

void rh__table_no_room(const struct rh_table *table, size_t key_size, size_t capacity, char text[RH__TABLE_TEXT])
{
    wrong(text,
          "rh_table_next: the next key of table %s needs %zu bytes, the buffer has %zu (RH_TABLE_KEY_SIZE is always "
          "enough)",
          table->name, key_size, capacity);
}
