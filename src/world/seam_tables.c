/* Tables as the controlled world answers for them.  Each call is an operation on one object, before which other actors
 * may move: a key of a table, or an ordered table as a whole, since counting and walking depend on all keys. */
#include "world/seam_tables.h"

#include <string.h>

#include "actor/tables.h"
#include "base/hash.h"
#include "world/fiber.h"
#include "world/objects.h"
#include "world/outcome.h"
#include "world/seam.h"
#include "world/tables.h"

/* Others may move until it returns. */
static void begin(struct rh_world *w, const struct rh_table *table, const char *key, const char *here)
{
    uint64_t which = rh__hash(table->name, strlen(table->name), 0);
    if (!table->ordered)
        which = rh__mix(which, rh__hash(key, strlen(key), 1));
    rh__operation(w, rh__object(RH__OBJECT_TABLE, which), here);
    if (w->over) /* there is no room to record it */
        rh__fiber_abandon(w);
}

static bool holds(const struct rh_world *w, const struct rh_table_change *change, uint32_t item)
{
    const struct item *i = &w->items[item];
    switch (change->when) {
    case RH_WHEN_ABSENT:
        return item == RH_NONE;
    case RH_WHEN_EQUAL:
        return item != RH_NONE && i->size == change->expected_size &&
               (!i->size || memcmp(w->payload + i->bytes, change->expected, i->size) == 0);
    default:
        return true;
    }
}

bool rh__seam_table_change(const struct rh_table *table, const struct rh_table_change *change, const char *here)
{
    char text[RH__TABLE_TEXT];
    struct rh_world *w = inside_actor(change->call, here);
    if (!w)
        return false;
    if (rh__table_change_wrong(table, change, w->semantics.max_message_bytes, text))
        rh__misuse(w, here, "%s", text);
    begin(w, table, change->key, here);
    uint32_t item = rh__table_find(w, table, change->key);
    bool make = holds(w, change, item);
    if (make)
        rh__table_set(w, table, change->key, change->bytes, (uint32_t)change->size, here);
    return change->when == RH_WHEN_ANY ? item != RH_NONE : make;
}

int64_t rh__seam_table_get(const struct rh_table *table, const char *key, void *buffer, size_t capacity,
                           const char *here)
{
    char text[RH__TABLE_TEXT];
    struct rh_world *w = inside_actor("rh_table_get", here);
    if (!w)
        return -1;
    if (rh__table_get_wrong(table, key, buffer, capacity, text))
        rh__misuse(w, here, "%s", text);
    begin(w, table, key, here);
    uint32_t item = rh__table_find(w, table, key);
    if (item == RH_NONE)
        return -1;
    size_t size = w->items[item].size;
    if (size && capacity)
        memcpy(buffer, w->payload + w->items[item].bytes, size < capacity ? size : capacity);
    return (int64_t)size;
}

int64_t rh__seam_table_add(const struct rh_table *table, const char *key, int64_t delta, const char *here)
{
    char text[RH__TABLE_TEXT];
    int64_t sum = 0;
    struct rh_world *w = inside_actor("rh_table_add", here);
    if (!w)
        return 0;
    if (rh__table_add_wrong(table, key, text))
        rh__misuse(w, here, "%s", text);
    begin(w, table, key, here);
    uint32_t item = rh__table_find(w, table, key);
    if (item != RH_NONE) {
        if (w->items[item].size != sizeof sum) {
            rh__table_no_counter(table, key, w->items[item].size, text);
            rh__misuse(w, here, "%s", text);
        }
        memcpy(&sum, w->payload + w->items[item].bytes, sizeof sum);
    }
    sum = (int64_t)((uint64_t)sum + (uint64_t)delta);
    rh__table_set(w, table, key, &sum, sizeof sum, here);
    return sum;
}

uint32_t rh__seam_table_count(const struct rh_table *table, const char *here)
{
    char text[RH__TABLE_TEXT];
    struct rh_world *w = inside_actor("rh_table_count", here);
    if (!w)
        return 0;
    if (rh__table_count_wrong(table, text))
        rh__misuse(w, here, "%s", text);
    begin(w, table, NULL, here);
    return rh__table_count(w, table);
}

bool rh__seam_table_next(const struct rh_table *table, const char *previous, char *key, size_t capacity,
                         const char *here)
{
    char text[RH__TABLE_TEXT];
    struct rh_world *w = inside_actor("rh_table_next", here);
    if (!w)
        return false;
    if (rh__table_next_wrong(table, key, text))
        rh__misuse(w, here, "%s", text);
    begin(w, table, NULL, here);
    uint32_t item = rh__table_after(w, table, previous ? previous : "");
    if (item == RH_NONE)
        return false;
    const char *found = w->payload + w->items[item].key;
    size_t size = strlen(found) + 1;
    if (size > capacity) {
        rh__table_no_room(table, size, capacity, text);
        rh__misuse(w, here, "%s", text);
    }
    memcpy(key, found, size);
    return true;
}
