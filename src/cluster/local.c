/* The queue in memory (queue.h).  `fetch` takes the newest item first, so a worker usually gets an item that it has
 * just split off. */
#include <rehearse/explorer.h>
#include <stdio.h>

#include "base/hash.h"
#include "cluster/queue.h"

struct local_item {
    struct rh__lease lease; /* number 0: the item waits */
    unsigned char *bytes;
};

struct local {
    struct rh__results *totals;
    struct local_item *items; /* first the waiting items, oldest first; then the leased items */
    uint32_t count, room, leased;
    uint64_t last_number;
    unsigned char *keys; /* of items that were added, RH_ITEM_KEY bytes each, oldest first */
    uint32_t *places;    /* open addressing: number of a key, from 1; 0: free */
    uint32_t key_count, place_count;
};

static uint32_t waiting(const void *state)
{
    const struct local *l = state;
    return l->count - l->leased;
}

static uint32_t leased(const void *state)
{
    return ((const struct local *)state)->leased;
}

static void swap(struct local *l, uint32_t a, uint32_t b)
{
    struct local_item kept = l->items[a];
    l->items[a] = l->items[b];
    l->items[b] = kept;
}

/* ---- keys -------------------------------------------------------------------------------------------------------- */

static uint32_t *place_of(const struct local *l, const unsigned char *key)
{
    uint32_t i = (uint32_t)rh__hash(key, RH_ITEM_KEY, 0) & (l->place_count - 1);
    while (l->places[i] && memcmp(l->keys + (size_t)(l->places[i] - 1) * RH_ITEM_KEY, key, RH_ITEM_KEY) != 0)
        i = (i + 1) & (l->place_count - 1);
    return &l->places[i];
}

static void place_all(struct local *l)
{
    memset(l->places, 0, l->place_count * sizeof *l->places);
    for (uint32_t i = 0; i < l->key_count; i++)
        *place_of(l, l->keys + (size_t)i * RH_ITEM_KEY) = i + 1;
}

static bool has_room_for_key(struct local *l)
{
    if (l->key_count < l->place_count / 2)
        return true;
    uint32_t count = l->place_count ? l->place_count * 2 : 64;
    unsigned char *keys = rh__realloc(l->keys, (size_t)count / 2 * RH_ITEM_KEY);
    l->keys = keys ? keys : l->keys;
    uint32_t *places = keys ? rh__realloc(l->places, count * sizeof *places) : NULL;
    if (!places)
        return false;
    l->places = places;
    l->place_count = count;
    place_all(l);
    return true;
}

/* ---- items ------------------------------------------------------------------------------------------------------- */

/* Adds the item as the newest waiting item. */
static bool append(void *state, const void *bytes, size_t size)
{
    struct local *l = state;
    if (l->count == l->room) {
        uint32_t room = l->room * 2 + 16;
        struct local_item *items = rh__realloc(l->items, room * sizeof *items);
        if (!items)
            return false;
        l->items = items;
        l->room = room;
    }
    unsigned char *copy = rh__alloc(size ? size : 1);
    if (!copy)
        return false;
    if (size)
        memcpy(copy, bytes, size);
    l->items[l->count] = (struct local_item){ .lease = { .item = copy, .size = size }, .bytes = copy };
    swap(l, l->count, waiting(l));
    l->count++;
    return true;
}

/* Of items with one key the first is added.  A key alone says that there was such an item. */
static bool add(void *state, const void *bytes, size_t size)
{
    struct local *l = state;
    const unsigned char *key = rh_item_key(bytes, size);
    if (!key)
        return append(l, bytes, size);
    if (!has_room_for_key(l))
        return false;
    uint32_t *place = place_of(l, key);
    if (*place)
        return true;
    if (size > RH_ITEM_KEY && !append(l, bytes, size))
        return false;
    memcpy(l->keys + (size_t)l->key_count * RH_ITEM_KEY, key, RH_ITEM_KEY);
    *place = ++l->key_count;
    return true;
}

static bool fetch(void *state, struct rh__lease *lease)
{
    struct local *l = state;
    if (!waiting(l))
        return false;
    struct local_item *i = &l->items[waiting(l) - 1];
    i->lease.number = ++l->last_number;
    *lease = i->lease;
    l->leased++;
    return true;
}

/* Returns the index of the item with this lease, or `count` if there is none. */
static uint32_t find(const struct local *l, uint64_t lease)
{
    uint32_t i = waiting(l);
    while (i < l->count && l->items[i].lease.number != lease)
        i++;
    return i;
}

static void drop(struct local *l, uint32_t i)
{
    rh__free(l->items[i].bytes);
    l->items[i] = l->items[--l->count];
    l->leased--;
}

static void give_back(void *state, uint64_t lease, bool died)
{
    struct local *l = state;
    uint32_t i = find(l, lease);
    if (i == l->count)
        return;
    l->items[i].lease.number = 0;
    l->items[i].lease.deaths += died;
    swap(l, i, waiting(l));
    l->leased--;
}

static bool renew(void *state, uint64_t lease)
{
    const struct local *l = state;
    return find(l, lease) < l->count;
}

static void drop_newest_waiting(struct local *l)
{
    uint32_t i = waiting(l) - 1;
    rh__free(l->items[i].bytes);
    l->items[i] = l->items[--l->count]; /* the last item: a leased one, or item i itself */
}

/* Takes back what was added since there were so many waiting items and keys. */
static void take_back(struct local *l, uint32_t were_waiting, uint32_t keys)
{
    while (waiting(l) > were_waiting)
        drop_newest_waiting(l);
    if (l->key_count == keys)
        return;
    l->key_count = keys;
    place_all(l);
}

/* Adds all items, or none if memory is short. */
static bool add_items(struct local *l, const struct rh__items *items)
{
    uint32_t were_waiting = waiting(l), keys = l->key_count;
    struct rh__reader r = rh__reader_of(items->bytes, items->size);
    for (uint32_t i = 0; i < items->count; i++) {
        size_t size;
        const void *item = rh__get_block(&r, &size);
        if (add(l, item, size))
            continue;
        take_back(l, were_waiting, keys);
        return false;
    }
    return true;
}

static enum rh__commit commit(void *state, uint64_t lease, const void *results, size_t size,
                              const struct rh__items *rest)
{
    struct local *l = state;
    if (find(l, lease) == l->count)
        return RH__COMMIT_LATE;
    uint32_t were_waiting = waiting(l), keys = l->key_count;
    if (!rh__items_check(rest) || !add_items(l, rest))
        return RH__COMMIT_REFUSED;
    if (!rh__results_add_encoded(l->totals, results, size)) {
        take_back(l, were_waiting, keys);
        return RH__COMMIT_REFUSED;
    }
    drop(l, find(l, lease)); /* `add_items` may have moved the leased item */
    return RH__COMMITTED;
}

static const struct rh__results *totals(const void *state)
{
    return ((const struct local *)state)->totals;
}

static void snapshot(void *state, struct rh__writer *to)
{
    struct local *l = state;
    struct rh__writer sums = rh__writer_new();
    rh__results_encode(l->totals, NULL, &sums);
    to->full |= sums.full;
    rh__put_block(to, sums.at, sums.len);
    rh__writer_release(&sums);
    uint32_t keys = l->count ? l->key_count : 0; /* the items first: each of them brings its own key */
    rh__put_small(to, l->count + keys);
    for (uint32_t i = 0; i < l->count; i++)
        rh__put_block(to, l->items[i].bytes, l->items[i].lease.size);
    for (uint32_t i = 0; i < keys; i++)
        rh__put_block(to, l->keys + (size_t)i * RH_ITEM_KEY, RH_ITEM_KEY);
}

static bool restore(void *state, struct rh__reader *from)
{
    struct local *l = state;
    size_t size;
    const void *sums = rh__get_block(from, &size);
    if (from->bad || !rh__results_add_encoded(l->totals, sums, size))
        return false;
    for (uint64_t n = rh__get_small(from); n && !from->bad; n--) {
        const void *item = rh__get_block(from, &size);
        if (item && !add(l, item, size))
            return false;
    }
    return !from->bad;
}

static void *open_local(const char *where, struct rh__results *totals_kept, char *error, size_t error_size)
{
    struct local *l = where ? NULL : rh__alloc_array(1, sizeof *l);
    if (l)
        l->totals = totals_kept;
    else
        snprintf(error, error_size, where ? "the queue in memory has no address" : "no memory for a queue");
    return l;
}

static void close_local(void *state)
{
    struct local *l = state;
    for (uint32_t i = 0; i < l->count; i++)
        rh__free(l->items[i].bytes);
    rh__free(l->items);
    rh__free(l->keys);
    rh__free(l->places);
    rh__free(l);
}

const struct rh__queue_table rh__queue_local = {
    .name = "local",
    .open = open_local,
    .close = close_local,
    .add = add,
    .fetch = fetch,
    .renew = renew,
    .commit = commit,
    .give_back = give_back,
    .totals = totals,
    .waiting = waiting,
    .leased = leased,
    .snapshot = snapshot,
    .restore = restore,
};
