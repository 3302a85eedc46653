/* Tables in the controlled world.  Each call is an operation on one object, before which other actors may run: a key of
 * a table, or an ordered table as a whole, because counting and iterating depend on all keys.  An operation that leaves
 * the table as it was only looks. */
#include "world/seam_tables.h"

#include <string.h>

#include "actor/table_misuse.h"
#include "base/hash.h"
#include "world/crash_points.h"
#include "world/fiber.h"
#include "world/objects.h"
#include "world/outcome.h"
#include "world/seam.h"
#include "world/tables.h"

/* A value, and a key within an ordered table, as struct rh__action has them; 0 for none. */
static uint64_t hash_of(const void *bytes, size_t size)
{
    enum { IS_VALUE = 2 };
    if (!bytes)
        return 0;
    uint64_t hash = rh__hash(bytes, size, size) & ~(uint64_t)RH__VALUE_IS_NUMBER;
    return hash | IS_VALUE | (size == sizeof(int64_t) ? RH__VALUE_IS_NUMBER : 0);
}

static uint64_t key_of(const struct rh_world *w, const struct rh_table *table, const char *key)
{
    return rh__by_object(w) && table->ordered && key ? rh__hash(key, strlen(key), 1) : 0;
}

/* An ordered table is one object; of another table each key is one, and all calls have a key. */
static uint64_t object_of(const struct rh_table *table, const char *key)
{
    uint64_t which = rh__hash(table->name, strlen(table->name), 0);
    if (!table->ordered && key)
        which = rh__mix(which, rh__hash(key, strlen(key), 1));
    return rh__object(RH__OBJECT_TABLE, which);
}

/* Records what the operation finds; it has stopped for others before. */
static void record(struct rh_world *w, uint64_t object, bool wrote, uint64_t key, uint64_t value)
{
    rh__touch_as(w, object, wrote, key, value);
    if (w->over) /* no room to record the operation */
        rh__fiber_abandon(w);
}

static void look(struct rh_world *w, const struct rh_table *table, const char *key, const char *here)
{
    static const struct rh__action looks = { .when = RH__LOOKS };
    uint64_t object = object_of(table, key);
    rh__stop_before(w, object, &looks, here);
    record(w, object, false, 0, 0);
}

static bool holds(const struct rh_world *w, const struct rh_table_change *change, uint32_t item)
{
    const struct world_item *i = &w->items[item];
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

/* True if the table already has what the change would make of it. */
static bool is_there(const struct rh_world *w, const struct rh_table_change *change, uint32_t item)
{
    const struct world_item *i = &w->items[item];
    if (!change->bytes || item == RH_NONE)
        return !change->bytes && item == RH_NONE;
    return i->size == change->size && (!i->size || memcmp(w->payload + i->bytes, change->bytes, i->size) == 0);
}

static struct rh__action action_of(const struct rh_world *w, const struct rh_table *table,
                                   const struct rh_table_change *change)
{
    if (!rh__by_object(w))
        return (struct rh__action){ 0 };
    return (struct rh__action){ .when = change->when == RH_WHEN_ABSENT  ? RH__SETS_IF_FREE
                                        : change->when == RH_WHEN_EQUAL ? RH__SETS_IF_EQUAL
                                                                        : RH__SETS,
                                .key = key_of(w, table, change->key),
                                .expected =
                                    change->when == RH_WHEN_EQUAL
                                        ? hash_of(change->expected ? change->expected : "", change->expected_size)
                                        : 0,
                                .sets = hash_of(change->bytes, change->size) };
}

bool rh__seam_table_change(const struct rh_table *table, const struct rh_table_change *change, const char *here)
{
    char text[RH__TABLE_TEXT];
    struct rh_world *w = inside_actor(change->call, here);
    if (!w)
        return false;
    if (rh__table_change_wrong(table, change, w->semantics.max_message_bytes, text))
        rh__misuse(w, here, "%s", text);
    rh__before_effect(w, here);
    uint64_t object = object_of(table, change->key);
    struct rh__action action = action_of(w, table, change);
    rh__stop_before(w, object, &action, here);
    uint32_t item = rh__table_find(w, table, change->key);
    bool make = holds(w, change, item), wrote = make && !is_there(w, change, item);
    record(w, object, wrote, action.key, action.sets);
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
    look(w, table, key, here);
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
    rh__before_effect(w, here);
    struct rh__action adds = { .when = RH__ADDS, .key = key_of(w, table, key) };
    uint64_t object = object_of(table, key);
    rh__stop_before(w, object, &adds, here);
    uint32_t item = rh__table_find(w, table, key);
    if (item != RH_NONE) {
        if (w->items[item].size != sizeof sum) {
            record(w, object, false, 0, 0);
            rh__table_no_counter(table, key, w->items[item].size, text);
            rh__misuse(w, here, "%s", text);
        }
        memcpy(&sum, w->payload + w->items[item].bytes, sizeof sum);
    }
    sum = (int64_t)((uint64_t)sum + (uint64_t)delta);
    record(w, object, true, adds.key, rh__by_object(w) ? hash_of(&sum, sizeof sum) : 0);
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
    look(w, table, NULL, here);
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
    look(w, table, NULL, here);
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
