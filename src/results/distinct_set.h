/* The set of distinct runs, as hashes (run/identity.h).  A hash is never 0.
 *
 * The set is exact up to three quarters of RH__MOST_DISTINCT.  Beyond that size the set adds nothing and sets
 * `at_least`.
 *
 * A worker does not count distinct runs by itself.  Its set keeps a list of hashes to pass on to the agent
 * (rh__distinct_pass_on).  The list omits most hashes that the worker has passed on recently. */
#ifndef RH_RESULTS_DISTINCT_SET_H
#define RH_RESULTS_DISTINCT_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    RH__MOST_DISTINCT = 1 << 22,
    RH__FEWEST_DISTINCT = 1 << 12, /* size of the first table */
    RH__MOST_PENDING = 1 << 15,    /* capacity of the list of hashes to pass on */
    RH__RECENT = 1 << 16,
    RH__MOST_NOTED = 64,
};

struct rh__distinct_set {
    uint64_t count;
    bool at_least;                  /* the set is full and has dropped hashes */
    uint64_t *slots;                /* tables of all sizes, consecutive in shared memory */
    uint64_t size;                  /* number of slots of the current table */
    uint64_t noted[RH__MOST_NOTED]; /* hashes that are not in the table yet */
    uint32_t noted_count;
    uint64_t *pending, *recent;
    uint32_t pending_count;
};

/* Initializes a set in zero-filled memory.  False if memory is short. */
bool rh__distinct_init(struct rh__distinct_set *s);
void rh__distinct_release(struct rh__distinct_set *s);

/* Adds a hash.  True if the hash is new. */
bool rh__distinct_add(struct rh__distinct_set *s, uint64_t hash);
/* Adds the noted hashes. */
void rh__distinct_settle(struct rh__distinct_set *s);
void rh__distinct_add_all(struct rh__distinct_set *s, const uint64_t *hashes, size_t count);
/* Calls `each` for every hash, in unspecified order. */
void rh__distinct_each(const struct rh__distinct_set *s, void (*each)(void *arg, uint64_t hash), void *arg);

/* Gives the set a list of hashes to pass on.  False if memory is short. */
bool rh__distinct_pass_on(struct rh__distinct_set *s);
/* Adds a hash to the list.  The list must have room: see rh__distinct_is_full. */
void rh__distinct_put_pending(struct rh__distinct_set *s, uint64_t hash);

/* Notes a hash, to be added together with others.  This is faster than add.  The table is larger than any cache, and a
 * cache miss takes as long as a short run: settle waits for the misses of several hashes at once. */
static inline void rh__distinct_note(struct rh__distinct_set *s, uint64_t hash)
{
    s->noted[s->noted_count++] = hash;
    if (s->noted_count == RH__MOST_NOTED)
        rh__distinct_settle(s);
}

static inline bool rh__distinct_passes_on(const struct rh__distinct_set *s)
{
    return s->pending != NULL;
}

/* True if the list must be passed on before the next run. */
static inline bool rh__distinct_is_full(const struct rh__distinct_set *s)
{
    return s->pending_count == RH__MOST_PENDING;
}

#endif
