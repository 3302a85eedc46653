/* The part of the seam about data that is not the state of one actor: durable stores, tables, histories. */
#include "actor/table_misuse.h"
#include "history/history.h"
#include "runtime/rt_history.h"
#include "runtime/rt_seam_parts.h"
#include "runtime/rt_store.h"
#include "runtime/rt_tables.h"
#include "runtime/rt_tape.h"

/* ---- durable stores -------------------------------------------------------------------------------------------- */

void rh__rt_seam_store_open(const char *name, const char *here)
{
    rh__unrecorded(RH__UNRECORDED_STORES);
    struct rh__actor *actor = inside("rh_store_open", here);
    if (actor)
        rh__rt_store_open(actor, name, here);
}

uint32_t rh__rt_seam_store_put(const char *key, const void *bytes, size_t size, const char *here)
{
    struct rh__actor *actor = inside("rh_store_put", here);
    return actor && check_name(key, "rh_store_put", here)
               ? rh__rt_store_put(actor, "rh_store_put", key, bytes, size, here)
               : 0;
}

void rh__rt_seam_store_put_sync(const char *key, const void *bytes, size_t size, const char *here)
{
    struct rh__actor *actor = inside("rh_store_put_sync", here);
    if (!actor || !check_name(key, "rh_store_put_sync", here))
        return;
    rh__rt_store_put(actor, "rh_store_put_sync", key, bytes, size, here);
    rh__rt_store_sync(actor, here);
}

int64_t rh__rt_seam_store_get(const char *key, void *buffer, size_t capacity, const char *here)
{
    struct rh__actor *actor = inside("rh_store_get", here);
    return actor && check_name(key, "rh_store_get", here) ? rh__store_get(actor, key, buffer, capacity, here) : -1;
}

void rh__rt_seam_store_sync(const char *here)
{
    struct rh__actor *actor = inside("rh_store_sync", here);
    if (actor)
        rh__rt_store_sync(actor, here);
}

/* ---- tables ---------------------------------------------------------------------------------------------------- */

bool rh__rt_seam_table_change(const struct rh_table *table, const struct rh_table_change *change, const char *here)
{
    rh__unrecorded(RH__UNRECORDED_SHARED);
    struct rh__worker *worker = rh__worker();
    char text[RH__TABLE_TEXT];
    bool result = false;
    if (!enter(worker, change->call, here))
        return false;
    if (rh__table_change_wrong(table, change, rh__rt.options.max_message_bytes, text))
        rh__misuse(here, "%s", text);
    else
        result = rh__tables_change(table, change);
    leave(worker);
    return result;
}

int64_t rh__rt_seam_table_get(const struct rh_table *table, const char *key, void *buffer, size_t capacity,
                              const char *here)
{
    rh__unrecorded(RH__UNRECORDED_SHARED);
    struct rh__worker *worker = rh__worker();
    char text[RH__TABLE_TEXT];
    int64_t result = -1;
    if (!enter(worker, "rh_table_get", here))
        return -1;
    if (rh__table_get_wrong(table, key, buffer, capacity, text))
        rh__misuse(here, "%s", text);
    else
        result = rh__tables_get(table, key, buffer, capacity);
    leave(worker);
    return result;
}

int64_t rh__rt_seam_table_add(const struct rh_table *table, const char *key, int64_t delta, const char *here)
{
    rh__unrecorded(RH__UNRECORDED_SHARED);
    struct rh__worker *worker = rh__worker();
    char text[RH__TABLE_TEXT];
    int64_t sum = 0;
    if (!enter(worker, "rh_table_add", here))
        return 0;
    bool bad = rh__table_add_wrong(table, key, text);
    size_t size = 0;
    if (!bad && !rh__tables_add(table, key, delta, &sum, &size)) {
        rh__table_no_counter(table, key, size, text);
        bad = true;
    }
    if (bad)
        rh__misuse(here, "%s", text);
    leave(worker);
    return sum;
}

uint32_t rh__rt_seam_table_count(const struct rh_table *table, const char *here)
{
    rh__unrecorded(RH__UNRECORDED_SHARED);
    struct rh__worker *worker = rh__worker();
    char text[RH__TABLE_TEXT];
    uint32_t count = 0;
    if (!enter(worker, "rh_table_count", here))
        return 0;
    if (rh__table_count_wrong(table, text))
        rh__misuse(here, "%s", text);
    else
        count = rh__tables_count(table);
    leave(worker);
    return count;
}

bool rh__rt_seam_table_next(const struct rh_table *table, const char *previous, char *key, size_t capacity,
                            const char *here)
{
    struct rh__worker *worker = rh__worker();
    char text[RH__TABLE_TEXT];
    size_t size = 0;
    if (!enter(worker, "rh_table_next", here))
        return false;
    bool bad = rh__table_next_wrong(table, key, text);
    if (!bad) {
        size = rh__tables_next(table, previous ? previous : "", key, capacity);
        bad = size > capacity;
        if (bad)
            rh__table_no_room(table, size, capacity, text);
    }
    if (bad)
        rh__misuse(here, "%s", text);
    leave(worker);
    return size && !bad;
}

/* ---- histories ------------------------------------------------------------------------------------------------- */

uint64_t rh__rt_seam_history_call(const struct rh_history *history, const char *key, const struct rh_message_type *type,
                                  const void *value, const char *here)
{
    struct rh__worker *worker = rh__worker();
    const char *wrong = rh__history_misuse(history, key);
    uint64_t call = 0;
    if (!enter(worker, "rh_history_call", here))
        return 0;
    if (wrong)
        rh__misuse(here, "%s", wrong);
    else
        call = rh__rt_history_call(history, key, type, value, rh__rt_seam_self());
    leave(worker);
    return call;
}

void rh__rt_seam_history_return(const struct rh_history *history, uint64_t call, const struct rh_message_type *type,
                                const void *value, const char *here)
{
    struct rh__worker *worker = rh__worker();
    if (!enter(worker, "rh_history_return", here))
        return;
    rh__rt_history_return(history, call, type, value, here);
    leave(worker);
}
