/* The queue in memory (queue.h).  The newest item goes first: a worker mostly gets back what it has just cut off. */
#include <string.h>

#include "cluster/queue.h"
#include "cluster/results.h"

struct item {
    struct rh__lease lease; /* number 0: it waits */
    unsigned char *bytes;
};

struct local {
    struct rh_exploration *x;
    struct item *items; /* those that wait first, the newest last */
    uint32_t count, room, leased;
    uint64_t last_number;
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
    struct item kept = l->items[a];
    l->items[a] = l->items[b];
    l->items[b] = kept;
}

/* As the newest of those that wait. */
static bool add(struct local *l, const void *bytes, size_t size, bool first)
{
    if (l->count == l->room) {
        uint32_t room = l->room * 2 + 16;
        struct item *items = rh__realloc(l->items, room * sizeof *items);
        if (!items)
            return false;
        l->items = items;
        l->room = room;
    }
    unsigned char *copy = rh__alloc(size ? size : 1);
    if (!copy)
        return false;
    memcpy(copy, bytes, size);
    l->items[l->count] = (struct item){ .lease = { .first = first, .item = copy, .size = size }, .bytes = copy };
    swap(l, l->count, waiting(l));
    l->count++;
    return true;
}

static bool fetch(void *state, struct rh__lease *lease)
{
    struct local *l = state;
    if (!waiting(l))
        return false;
    struct item *i = &l->items[waiting(l) - 1];
    i->lease.number = ++l->last_number;
    *lease = i->lease;
    l->leased++;
    return true;
}

/* Where the item of a lease is; `count` if there is none. */
static uint32_t find(const struct local *l, uint64_t lease)
{
    uint32_t i = waiting(l);
    while (i < l->count && l->items[i].lease.number != lease)
        i++;
    return i;
}

static void drop(void *state, uint64_t lease)
{
    struct local *l = state;
    uint32_t i = find(l, lease);
    if (i == l->count)
        return;
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

/* Of those that wait. */
static void forget_newest(struct local *l)
{
    uint32_t i = waiting(l) - 1;
    rh__free(l->items[i].bytes);
    l->items[i] = l->items[--l->count]; /* one that is leased, or itself */
}

static bool add_rest(void *arg, const void *item, size_t size)
{
    return add(arg, item, size, false);
}

static bool commit(void *state, uint64_t lease, const void *results, size_t size)
{
    struct local *l = state;
    uint32_t before = waiting(l);
    if (find(l, lease) == l->count)
        return false;
    if (!rh__results_add(l->x, results, size, add_rest, l)) {
        while (waiting(l) > before)
            forget_newest(l);
        return false;
    }
    drop(l, lease);
    return true;
}

static void snapshot(void *state, struct rh__writer *to)
{
    struct local *l = state;
    rh__put_small(to, l->count);
    for (uint32_t i = 0; i < l->count; i++) {
        rh__put_small(to, l->items[i].lease.first);
        rh__put_block(to, l->items[i].bytes, l->items[i].lease.size);
    }
}

static bool restore(void *state, struct rh__reader *from)
{
    struct local *l = state;
    for (uint64_t n = rh__get_small(from); n && !from->bad; n--) {
        size_t size;
        uint64_t first = rh__get_small(from);
        const void *bytes = rh__get_block(from, &size);
        if (bytes && !add(l, bytes, size, first != 0))
            return false;
    }
    return !from->bad;
}

static void release(void *state)
{
    struct local *l = state;
    for (uint32_t i = 0; i < l->count; i++)
        rh__free(l->items[i].bytes);
    rh__free(l->items);
    rh__free(l);
}

static const struct rh__queue_table table = {
    .name = "local",
    .fetch = fetch,
    .commit = commit,
    .give_back = give_back,
    .drop = drop,
    .snapshot = snapshot,
    .restore = restore,
    .waiting = waiting,
    .leased = leased,
    .free = release,
};

bool rh__queue_local(struct rh__queue *q, struct rh_exploration *x)
{
    struct local *l = rh__alloc_array(1, sizeof *l);
    *q = (struct rh__queue){ &table, l };
    if (l)
        l->x = x;
    return l != NULL;
}

bool rh__queue_local_add(struct rh__queue *q, const void *item, size_t size, bool first)
{
    return add(q->state, item, size, first);
}
