/* See index_sets.h. */
#include "target/index_sets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *resized(void *p, size_t bytes)
{
    p = realloc(p, bytes ? bytes : 1);
    if (!p) {
        fputs("rehearse: no memory\n", stderr);
        exit(3);
    }
    return p;
}

/* The place of x, or where it belongs. */
static uint32_t place(const struct rh__set *s, uint32_t x)
{
    uint32_t low = 0, high = s->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (s->at[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool rh__set_has(const struct rh__set *s, uint32_t x)
{
    uint32_t i = place(s, x);
    return i < s->count && s->at[i] == x;
}

bool rh__set_add(struct rh__set *s, uint32_t x)
{
    uint32_t i = place(s, x);
    if (i < s->count && s->at[i] == x)
        return false;
    if (s->count == s->room) {
        s->room = s->room ? 2 * s->room : 4;
        s->at = resized(s->at, s->room * sizeof *s->at);
    }
    memmove(s->at + i + 1, s->at + i, (s->count - i) * sizeof *s->at);
    s->at[i] = x;
    s->count++;
    return true;
}

bool rh__set_add_all(struct rh__set *s, const struct rh__set *more)
{
    bool grew = false;
    for (uint32_t i = 0; s != more && i < more->count; i++)
        grew |= rh__set_add(s, more->at[i]);
    return grew;
}

void rh__set_release(struct rh__set *s)
{
    free(s->at);
    *s = (struct rh__set){ 0 };
}

/* ---- the index --------------------------------------------------------------------------------------------------- */

static uint64_t hash(const uint64_t key[3])
{
    uint64_t h = 0x9e3779b97f4a7c15u;
    for (int i = 0; i < 3; i++) {
        h ^= key[i];
        h *= 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    return h;
}

static uint32_t slot_of(const struct rh__index *t, const uint64_t key[3])
{
    uint32_t i = (uint32_t)hash(key) & (t->slot_count - 1);
    while (t->slots[i] && memcmp(t->keys[t->slots[i] - 1], key, sizeof t->keys[0]) != 0)
        i = (i + 1) & (t->slot_count - 1);
    return i;
}

uint32_t rh__index_of(struct rh__index *t, uint64_t a, uint64_t b, uint64_t c)
{
    const uint64_t key[3] = { a, b, c };
    if (2 * (t->count + 1) > t->slot_count) {
        t->slot_count = t->slot_count ? 2 * t->slot_count : 1024;
        t->slots = resized(t->slots, t->slot_count * sizeof *t->slots);
        memset(t->slots, 0, t->slot_count * sizeof *t->slots);
        for (uint32_t i = 0; i < t->count; i++)
            t->slots[slot_of(t, t->keys[i])] = i + 1;
    }
    uint32_t slot = slot_of(t, key);
    if (t->slots[slot])
        return t->slots[slot] - 1;
    if (t->count == t->room) {
        t->room = t->room ? 2 * t->room : 256;
        t->keys = resized(t->keys, t->room * sizeof *t->keys);
    }
    memcpy(t->keys[t->count], key, sizeof key);
    t->slots[slot] = ++t->count;
    return t->count - 1;
}

void rh__index_release(struct rh__index *t)
{
    free(t->keys);
    free(t->slots);
    *t = (struct rh__index){ 0 };
}
