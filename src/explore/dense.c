/* See dense.h. */
#include "explore/dense.h"

#include <stdatomic.h>
#include <string.h>

enum { FIRST_SLOTS = 8, LONGEST_TAIL = 1024 };

static struct rh__dense_key key_at(const struct rh__dense *d, uint64_t slot)
{
    struct rh__dense_key k = { 0, 0 };
    memcpy(&k, d->bytes + slot * d->width, d->width);
    return k;
}

/* The first word comes last, so that an empty slot is empty until all of its key is there. */
static void put_key(struct rh__dense *d, uint64_t slot, struct rh__dense_key k)
{
    unsigned char *at = d->bytes + slot * d->width;
    memcpy(at + sizeof k.first, &k.rest, d->width - sizeof k.first);
    atomic_signal_fence(memory_order_seq_cst);
    memcpy(at, &k.first, sizeof k.first);
    atomic_signal_fence(memory_order_seq_cst);
}

static bool is_empty(const struct rh__dense *d, uint64_t slot)
{
    uint64_t first;
    memcpy(&first, d->bytes + slot * d->width, sizeof first);
    return !first;
}

static void clear(struct rh__dense *d, uint64_t slot)
{
    memset(d->bytes + slot * d->width, 0, d->width);
}

/* What a table of this width keeps of a key. */
static struct rh__dense_key kept(const struct rh__dense *d, struct rh__dense_key key)
{
    struct rh__dense_key k = { 0, 0 };
    memcpy(&k, &key, d->width);
    return k;
}

static bool is_before(struct rh__dense_key a, struct rh__dense_key b)
{
    return a.first != b.first ? a.first < b.first : a.rest < b.rest;
}

static bool is_same(struct rh__dense_key a, struct rh__dense_key b)
{
    return a.first == b.first && a.rest == b.rest;
}

static uint64_t home_of(const struct rh__dense *d, struct rh__dense_key key)
{
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)((wide)key.first * d->slots >> 64);
}

/* The slot of the key, or of the first larger one, or an empty one, whichever comes first. */
static uint64_t place_of(const struct rh__dense *d, struct rh__dense_key key)
{
    uint64_t slot = home_of(d, key);
    while (slot < d->end && !is_empty(d, slot) && is_before(key_at(d, slot), key))
        slot++;
    return slot;
}

/* Keys move to the right end of the table, and from there to their places, from left to right.  Each is written before
 * it is cleared.  So when a process is killed, no key is lost, and keys are in order, but one may be there twice or, in
 * a slot that was being written, be a mixture of two. */
static void arrange(struct rh__dense *d)
{
    uint64_t right = d->slots + d->tail, from = right, free = 0;
    struct rh__dense_key last = { 0, 0 };
    for (uint64_t i = d->end; i-- > 0;)
        if (!is_empty(d, i) && --from != i) {
            put_key(d, from, key_at(d, i));
            clear(d, i);
        }
    d->end = right;
    d->used = 0;
    for (; from < right; from++) {
        struct rh__dense_key k = key_at(d, from);
        uint64_t home = home_of(d, k), to = home > free ? home : free;
        if (to > from || is_same(k, last)) { /* the tail is full; or there twice */
            d->replaced += to > from;
            clear(d, from);
            continue;
        }
        if (is_before(k, last)) { /* of a mixture */
            put_key(d, free - 1, k);
            k = last;
        }
        if (to != from) {
            put_key(d, to, k);
            clear(d, from);
        }
        last = k;
        free = to + 1;
        d->used++;
    }
    d->end = free;
}

static void grow(struct rh__dense *d)
{
    uint64_t slots = d->slots + d->slots / 10 + 1;
    d->slots = slots < d->most ? slots : d->most;
    arrange(d);
}

void rh__dense_repair(struct rh__dense *d)
{
    d->end = d->slots + d->tail;
    arrange(d);
}

/* Makes room at a slot by moving the keys from there to the next empty slot; false if there is none. */
static bool make_room(struct rh__dense *d, uint64_t slot)
{
    uint64_t empty = slot, right = d->slots + d->tail;
    while (empty < right && !is_empty(d, empty))
        empty++;
    if (empty == right)
        return false;
    d->end = empty >= d->end ? empty + 1 : d->end;
    for (; empty > slot; empty--)
        put_key(d, empty, key_at(d, empty - 1));
    return true;
}

static void replace(struct rh__dense *d, struct rh__dense_key key)
{
    uint64_t slot = place_of(d, key);
    bool before = slot > home_of(d, key) && (is_empty(d, slot) || d->replaced % 2);
    slot -= before;          /* that one is smaller */
    if (is_empty(d, slot)) { /* of a table that is full elsewhere */
        d->used++;
        d->end = slot >= d->end ? slot + 1 : d->end;
    } else {
        d->replaced++;
    }
    put_key(d, slot, key);
}

static bool is_full(const struct rh__dense *d)
{
    return d->used >= d->slots - (d->slots + 9) / 10;
}

bool rh__dense_add(struct rh__dense *d, struct rh__dense_key key)
{
    key = kept(d, key);
    uint64_t slot = place_of(d, key);
    if (!is_empty(d, slot) && is_same(key_at(d, slot), key))
        return false;
    while (d->slots < d->most && is_full(d))
        grow(d);
    slot = place_of(d, key);
    if (!is_full(d) && make_room(d, slot)) {
        put_key(d, slot, key);
        d->used++;
    } else {
        replace(d, key);
    }
    d->added++;
    return true;
}

bool rh__dense_has(const struct rh__dense *d, struct rh__dense_key key)
{
    key = kept(d, key);
    uint64_t slot = place_of(d, key);
    return !is_empty(d, slot) && is_same(key_at(d, slot), key);
}

uint64_t rh__dense_bytes(const struct rh__dense *d)
{
    return (d->end > d->slots ? d->end : d->slots) * d->width;
}

void rh__dense_begin(struct rh__dense *d, void *memory, size_t size, uint32_t width)
{
    uint64_t all = size / width - 1, tail = all / 9; /* and one slot that stays empty */
    *d = (struct rh__dense){ .bytes = memory, .width = width, .tail = tail < LONGEST_TAIL ? tail : LONGEST_TAIL };
    d->most = all - d->tail;
    d->slots = FIRST_SLOTS < d->most ? FIRST_SLOTS : d->most;
}
