/* The behaviours that an explorer finds, with its work moved about and without. */
#ifndef RH_TESTS_CLUSTER_MOVED_H
#define RH_TESTS_CLUSTER_MOVED_H

#include "cluster/mover.h"

static double share; /* of the last exploration that was moved: of all items */
static uint64_t moves, splits;
static bool may_cut; /* runs may end at a bound */

static inline int in_order(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* In order; frees the world. */
static inline struct record *behaviours_in(struct rh_world *w, const char *explorer, uint64_t seed, uint64_t most)
{
    spied = record_new();
    struct rh_exploration *x = explored(w, explorer, seed, most);
    if (x->results->diverged || (x->results->count.cut && !may_cut))
        fail_msg("seed %llu: %s lost its way", (unsigned long long)seed, explorer);
    qsort(spied->engine_behaviour, spied->count, sizeof *spied->engine_behaviour, in_order);
    if (moving) {
        share = moving->share;
        moves += moving->moves;
        splits += moving->splits;
        moving = NULL;
    }
    rh__exploration_free(x);
    rh_world_free(w);
    return spied;
}

static inline void same_behaviours(const struct record *expected, const struct record *got, const char *what,
                                   uint64_t seed)
{
    if (got->count != expected->count || got->failed != expected->failed)
        fail_msg("%s %llu: %u runs, %u without moving", what, (unsigned long long)seed, got->count, expected->count);
    assert_memory_equal(got->engine_behaviour, expected->engine_behaviour, got->count * sizeof *got->engine_behaviour);
}

#endif
