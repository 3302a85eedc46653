/* See abandoned.h.  A table of keys and counts, in the memory of the coverage. */
#include "coverage/abandoned.h"

#include "base/hash.h"

struct failure {
    uint64_t key; /* 0 if the entry is free */
    uint32_t tries;
};

static uint64_t key_of(enum rh__criterion criterion, uint32_t a, uint32_t b)
{
    return (uint64_t)criterion << 62 | (uint64_t)a << 31 | b | (uint64_t)1 << 61;
}

static struct failure *place_of(const struct rh__coverage *c, uint64_t key)
{
    struct failure *table = (struct failure *)((char *)(uintptr_t)c + c->failures);
    uint32_t mask = c->failure_room - 1, i = (uint32_t)rh__mix(key, 9) & mask;
    while (table[i].key && table[i].key != key)
        i = (i + 1) & mask;
    return &table[i];
}

static bool grow(struct rh__coverage *c)
{
    struct rh__coverage old = *c;
    const struct failure *from = (const struct failure *)((char *)c + old.failures);
    uint64_t to = rh__coverage_take(c, (size_t)(old.failure_room ? old.failure_room * 2 : 256) * sizeof *from);
    if (!to)
        return false;
    c->failures = to;
    c->failure_room = old.failure_room ? old.failure_room * 2 : 256;
    for (uint32_t i = 0; i < old.failure_room; i++)
        if (from[i].key)
            *place_of(c, from[i].key) = from[i];
    return true;
}

void rh__goal_failed(struct rh__coverage *c, enum rh__criterion criterion, uint32_t a, uint32_t b)
{
    if (c->failure_count >= c->failure_room / 2 && !grow(c))
        return;
    struct failure *f = place_of(c, key_of(criterion, a, b));
    c->failure_count += !f->key;
    f->key = key_of(criterion, a, b);
    f->tries++;
}

bool rh__goal_is_abandoned(const struct rh__coverage *c, enum rh__criterion criterion, uint32_t a, uint32_t b)
{
    return c->failure_count && place_of(c, key_of(criterion, a, b))->tries >= RH__TRIES;
}
