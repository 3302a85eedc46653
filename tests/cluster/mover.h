/* An explorer that moves the work of another one about, for tests of pack and unpack. */
#ifndef RH_TESTS_CLUSTER_MOVER_H
#define RH_TESTS_CLUSTER_MOVER_H

#include "explore/support/runs.h"

#include "base/random.h"

enum { ROOM = 1 << 16, MOST_ITEMS = 256, MOST_KEYS = 1 << 16 };

/* An explorer around another one that moves its work about: after a random number of runs all that is left, or half of
 * it, becomes an item, and a random one of the items goes on.  One process does it all, so the record tells
 * everything. */
struct mover {
    struct rh_inner inner;
    uint64_t random;
    uint32_t count, left; /* items that wait; runs until the next move */
    uint64_t moves, splits;
    double share;
    size_t size[MOST_ITEMS];
    unsigned char item[MOST_ITEMS][ROOM];
    uint32_t keys; /* of claims */
    unsigned char key[MOST_KEYS][RH_ITEM_KEY];
};

static struct mover *moving;
static uint32_t longest_stay = 20; /* runs, also such as are given up */

static bool mover_open(void *state, struct rh_exploration *x, const struct rh_arguments *a, char *error,
                       size_t error_size)
{
    struct mover *m = moving = state;
    m->random = rh_exploration_seed(x);
    return rh_exploration_inner(x, a, 0, &m->inner, error, error_size);
}

static bool put_away(struct mover *m, bool half)
{
    if (m->count >= MOST_ITEMS / 8)
        return false;
    size_t size = rh_inner_pack(&m->inner, m->item[m->count], ROOM, half);
    m->splits += half && size;
    m->size[m->count] = size;
    m->count += size > 0;
    return size > 0;
}

/* Keeps the first claim with each key. */
static void put_claims(struct mover *m)
{
    for (;;) {
        unsigned char *item = m->item[m->count];
        size_t size = rh_inner_claim(&m->inner, item, ROOM);
        uint32_t i = 0;
        if (!size)
            return;
        assert_in_range(m->count, 0, MOST_ITEMS - 2);
        assert_in_range(m->keys, 0, MOST_KEYS - 1);
        while (i < m->keys && memcmp(m->key[i], item, RH_ITEM_KEY) != 0)
            i++;
        if (i < m->keys)
            continue;
        memcpy(m->key[m->keys++], item, RH_ITEM_KEY);
        m->size[m->count++] = size;
    }
}

static void take_one(struct mover *m, const struct rh_world *w)
{
    uint64_t runs;
    uint32_t at = rh__random_below(&m->random, m->count);
    m->share += rh_inner_share(&m->inner, &runs);
    assert_true(rh_inner_unpack(&m->inner, w, m->item[at], m->size[at]));
    m->count--;
    memcpy(m->item[at], m->item[m->count], m->size[m->count]);
    m->size[at] = m->size[m->count];
    m->moves++;
}

static uint32_t mover_begin(void *state, const struct rh_world *w)
{
    struct mover *m = state;
    uint64_t runs;
    if (m->left-- == 0) {
        if (rh__random_below(&m->random, 2))
            put_claims(m);
        m->left = rh__random_below(&m->random, longest_stay);
        while (rh__random_below(&m->random, 3))
            put_away(m, true);
        if (rh__random_below(&m->random, 2) && put_away(m, false))
            take_one(m, w);
    }
    uint32_t keep;
    while (!(keep = rh_inner_begin(&m->inner, w)) && (put_claims(m), m->count))
        take_one(m, w);
    if (!keep)
        m->share += rh_inner_share(&m->inner, &runs);
    return keep ? 1 : 0; /* the last run may have been of another item */
}
static const struct rh_explorer mover = {
    .name = "mover",
    .summary = "moves the work of another explorer about",
    .state_size = sizeof(struct mover),
    .arguments = rh_only_arguments,
    .report = &rh_only_report,
    .decorator = &rh_only_decorator,
    .open = mover_open,
    .begin = mover_begin,
};
RH_EXPLORER(mover)

#endif
