/* See dense.h.  The functions below take the width of a slot as a constant: the compiler makes two copies of each. */
#include "explore/dense.h"

#include <stdatomic.h>
#include <string.h>

enum { FIRST_SLOTS = 8, LONGEST_TAIL = 1024, NARROW = 8, WIDE = 12, LINE = 64 };
#define INLINE __attribute__((always_inline)) static inline

INLINE uint64_t first_at(const unsigned char *at)
{
    uint64_t first;
    memcpy(&first, at, sizeof first);
    return first;
}

INLINE uint64_t rest_at(const unsigned char *at, uint32_t width)
{
    uint32_t rest = 0;
    if (width == WIDE)
        memcpy(&rest, at + sizeof(uint64_t), sizeof rest);
    return rest;
}

INLINE struct rh__dense_key key_at(const struct rh__dense *d, uint64_t slot, uint32_t width)
{
    const unsigned char *at = d->bytes + slot * width;
    return (struct rh__dense_key){ first_at(at), rest_at(at, width) };
}

/* The first word comes last, so that an empty slot is empty until all of its key is there. */
INLINE void put_key(struct rh__dense *d, uint64_t slot, struct rh__dense_key k, uint32_t width)
{
    unsigned char *at = d->bytes + slot * width;
    uint32_t rest = (uint32_t)k.rest;
    if (width == WIDE)
        memcpy(at + sizeof k.first, &rest, sizeof rest);
    atomic_signal_fence(memory_order_seq_cst);
    memcpy(at, &k.first, sizeof k.first);
    atomic_signal_fence(memory_order_seq_cst);
}

INLINE bool is_empty(const struct rh__dense *d, uint64_t slot, uint32_t width)
{
    return !first_at(d->bytes + slot * width);
}

INLINE void clear(struct rh__dense *d, uint64_t slot, uint32_t width)
{
    memset(d->bytes + slot * width, 0, width);
}

INLINE bool is_before(struct rh__dense_key a, struct rh__dense_key b)
{
    return a.first != b.first ? a.first < b.first : a.rest < b.rest;
}

INLINE bool is_same(struct rh__dense_key a, struct rh__dense_key b)
{
    return a.first == b.first && a.rest == b.rest;
}

INLINE uint64_t home_of(const struct rh__dense *d, struct rh__dense_key key)
{
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)((wide)key.first * d->slots >> 64);
}

/* The slot of the key, or of the first larger one, or an empty one, whichever comes first. */
INLINE uint64_t place_of(const struct rh__dense *d, struct rh__dense_key key, uint32_t width)
{
    uint64_t slot = home_of(d, key);
    const unsigned char *at = d->bytes + slot * width, *end = d->bytes + d->end * width;
    for (uint64_t first; at < end && (first = first_at(at)) != 0; at += width, slot++)
        if (first > key.first || (first == key.first && rest_at(at, width) >= key.rest))
            break;
    return slot;
}

/* Keys move to the right end of the table, and from there to their places, from left to right.  Each is written before
 * it is cleared.  So when a process is killed, no key is lost, and keys are in order, but one may be there twice or, in
 * a slot that was being written, be a mixture of two. */
INLINE void arrange_slots(struct rh__dense *d, uint32_t width)
{
    uint64_t right = d->slots + d->tail, from = right, free = 0;
    struct rh__dense_key last = { 0, 0 };
    for (uint64_t i = d->end; i-- > 0;)
        if (!is_empty(d, i, width) && --from != i) {
            put_key(d, from, key_at(d, i, width), width);
            clear(d, i, width);
        }
    d->end = right;
    d->used = 0;
    for (; from < right; from++) {
        struct rh__dense_key k = key_at(d, from, width);
        uint64_t home = home_of(d, k), to = home > free ? home : free;
        if (to > from || is_same(k, last)) { /* the tail is full; or there twice */
            d->replaced += to > from;
            clear(d, from, width);
            continue;
        }
        if (is_before(k, last)) { /* of a mixture */
            put_key(d, free - 1, k, width);
            k = last;
        }
        if (to != from) {
            put_key(d, to, k, width);
            clear(d, from, width);
        }
        last = k;
        free = to + 1;
        d->used++;
    }
    d->end = free;
}

static void arrange(struct rh__dense *d)
{
    if (d->width == WIDE)
        arrange_slots(d, WIDE);
    else
        arrange_slots(d, NARROW);
}

__attribute__((noinline)) static void grow(struct rh__dense *d)
{
    uint64_t slots = d->slots + d->slots * 18 / 100 + 1;
    d->slots = slots < d->most ? slots : d->most;
    arrange(d);
}

void rh__dense_repair(struct rh__dense *d)
{
    d->end = d->slots + d->tail;
    arrange(d);
}

/* Makes room at a slot by moving the keys from there to the next empty slot; false if there is none. */
INLINE bool make_room(struct rh__dense *d, uint64_t slot, uint32_t width)
{
    uint64_t empty = slot, right = d->slots + d->tail;
    while (empty < right && !is_empty(d, empty, width))
        empty++;
    if (empty == right)
        return false;
    d->end = empty >= d->end ? empty + 1 : d->end;
    if (empty != slot)
        memmove(d->bytes + (slot + 1) * width, d->bytes + slot * width, (empty - slot) * width);
    return true;
}

INLINE void replace(struct rh__dense *d, struct rh__dense_key key, uint32_t width)
{
    uint64_t slot = place_of(d, key, width);
    bool before = slot > home_of(d, key) && (is_empty(d, slot, width) || d->replaced % 2);
    slot -= before;                 /* that one is smaller */
    if (is_empty(d, slot, width)) { /* of a table that is full elsewhere */
        d->used++;
        d->end = slot >= d->end ? slot + 1 : d->end;
    } else {
        d->replaced++;
    }
    put_key(d, slot, key, width);
}

static bool is_full(const struct rh__dense *d)
{
    return d->used >= d->slots - (d->slots + 9) / 10;
}

INLINE bool add(struct rh__dense *d, struct rh__dense_key key, uint32_t width)
{
    uint64_t slot = place_of(d, key, width);
    if (is_same(key_at(d, slot, width), key))
        return false;
    while (d->slots < d->most && is_full(d)) {
        grow(d);
        slot = place_of(d, key, width);
    }
    if (!is_full(d) && make_room(d, slot, width)) {
        put_key(d, slot, key, width);
        d->used++;
    } else {
        replace(d, key, width);
    }
    d->added++;
    return true;
}

/* What a table keeps of a key. */
INLINE struct rh__dense_key kept(struct rh__dense_key key, uint32_t width)
{
    key.rest = width == WIDE ? (uint32_t)key.rest : 0;
    return key;
}

bool rh__dense_add(struct rh__dense *d, struct rh__dense_key key)
{
    return d->width == WIDE ? add(d, kept(key, WIDE), WIDE) : add(d, kept(key, NARROW), NARROW);
}

INLINE bool has(const struct rh__dense *d, struct rh__dense_key key, uint32_t width)
{
    return is_same(key_at(d, place_of(d, key, width), width), key);
}

bool rh__dense_has(const struct rh__dense *d, struct rh__dense_key key)
{
    return d->width == WIDE ? has(d, kept(key, WIDE), WIDE) : has(d, kept(key, NARROW), NARROW);
}

void rh__dense_prefetch(const struct rh__dense *d, struct rh__dense_key key)
{
    const unsigned char *at = d->bytes + home_of(d, key) * d->width;
    __builtin_prefetch(at);
    __builtin_prefetch(at + LINE); /* a search goes on for some slots */
}

uint64_t rh__dense_bytes(const struct rh__dense *d)
{
    return (d->end > d->slots ? d->end : d->slots) * d->width;
}

void rh__dense_begin(struct rh__dense *d, void *memory, size_t size, bool wide)
{
    uint32_t width = wide ? WIDE : NARROW;
    uint64_t all = size / width - 1, tail = all / 9; /* and one slot that stays empty */
    *d = (struct rh__dense){ .bytes = memory, .width = width, .tail = tail < LONGEST_TAIL ? tail : LONGEST_TAIL };
    d->most = all - d->tail;
    d->slots = FIRST_SLOTS < d->most ? FIRST_SLOTS : d->most;
}
