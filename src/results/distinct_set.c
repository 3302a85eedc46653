/* See distinct_set.h.
 *
 * The set starts with a small table that doubles.  So the table stays in the cache while there are few distinct runs,
 * and a short exploration touches few new pages. */
#include "results/distinct_set.h"

#include <rehearse/sandbox.h>

#include <sys/mman.h>
#include <unistd.h>

#include "base/hash.h"

enum { MOST_SLOTS = 2 * RH__MOST_DISTINCT };

static uint64_t *table_of(const struct rh__distinct_set *s, uint64_t size)
{
    return s->slots + (size - RH__FEWEST_DISTINCT);
}

/* The slot that holds a hash, or the free slot where it belongs.  The bits of a hash are as good as random. */
static inline uint64_t *slot_of(uint64_t *table, uint64_t size, uint64_t hash)
{
    uint64_t i = hash & (size - 1);
    while (table[i] && table[i] != hash)
        i = (i + 1) & (size - 1);
    return &table[i];
}

static inline void prefetch(const struct rh__distinct_set *s, uint64_t hash)
{
    __builtin_prefetch(&table_of(s, s->size)[hash & (s->size - 1)], 1);
}

/* Hashes go to all pages of a new table at once.  If the kernel is older, each page is a fault of its own. */
static void touch(void *table, size_t size)
{
#ifdef MADV_POPULATE_WRITE
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)table & ~(page - 1);
    (void)madvise((void *)from, (uintptr_t)table + size - from, MADV_POPULATE_WRITE);
#else
    (void)table, (void)size;
#endif
}

static void grow(struct rh__distinct_set *s)
{
    uint64_t size = s->size, *old = table_of(s, size), *new = table_of(s, size * 2);
    touch(new, size * 2 * sizeof *new);
    for (uint64_t i = 0; i < size; i++)
        if (old[i])
            *slot_of(new, size * 2, old[i]) = old[i];
    s->size = size * 2;
}

bool rh__distinct_init(struct rh__distinct_set *s)
{
    s->slots = rh_shared_new(MOST_SLOTS * sizeof *s->slots);
    s->size = RH__FEWEST_DISTINCT;
    return s->slots != NULL;
}

void rh__distinct_release(struct rh__distinct_set *s)
{
    rh_shared_free(s->slots, MOST_SLOTS * sizeof *s->slots);
    rh_shared_free(s->pending, RH__MOST_PENDING * sizeof *s->pending);
    rh_shared_free(s->recent, RH__RECENT * sizeof *s->recent);
}

static inline bool add(struct rh__distinct_set *s, uint64_t hash)
{
    uint64_t *slot = slot_of(table_of(s, s->size), s->size, hash);
    if (*slot)
        return false;
    if (s->count >= RH__MOST_DISTINCT / 4 * 3) {
        s->at_least = true;
        return false;
    }
    *slot = hash;
    s->count++;
    if (s->count > s->size / 2 && s->size < RH__MOST_DISTINCT)
        grow(s);
    return true;
}

bool rh__distinct_add(struct rh__distinct_set *s, uint64_t hash)
{
    return add(s, hash);
}

void rh__distinct_add_all(struct rh__distinct_set *s, const uint64_t *hashes, size_t count)
{
    enum { AHEAD = 16 };
    if (s->at_least)
        return;
    for (size_t i = 0; i < count && i < AHEAD; i++)
        prefetch(s, hashes[i]);
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count)
            prefetch(s, hashes[i + AHEAD]);
        if (hashes[i])
            add(s, hashes[i]);
    }
}

void rh__distinct_settle(struct rh__distinct_set *s)
{
    rh__distinct_add_all(s, s->noted, s->noted_count);
    s->noted_count = 0;
}

void rh__distinct_each(const struct rh__distinct_set *s, void (*each)(void *arg, uint64_t hash), void *arg)
{
    const uint64_t *table = table_of(s, s->size);
    for (uint64_t i = 0; i < s->size; i++)
        if (table[i])
            each(arg, table[i]);
}

bool rh__distinct_pass_on(struct rh__distinct_set *s)
{
    s->pending = rh_shared_new(RH__MOST_PENDING * sizeof *s->pending);
    s->recent = rh_shared_new(RH__RECENT * sizeof *s->recent);
    return s->pending && s->recent;
}

void rh__distinct_put_pending(struct rh__distinct_set *s, uint64_t hash)
{
    uint64_t *recent = &s->recent[rh__mix(hash, 1) & (RH__RECENT - 1)];
    if (*recent == hash || rh__distinct_is_full(s))
        return;
    *recent = hash;
    s->pending[s->pending_count++] = hash;
}
