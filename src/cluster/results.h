/* What came of some runs, as bytes: from a worker to whoever adds it up, and as a checkpoint's sums.
 *
 * Counts and behaviours add up in any order.  Of equal findings the one that is first in the tree stays, so which worker
 * was first does not show. */
#ifndef RH_CLUSTER_RESULTS_H
#define RH_CLUSTER_RESULTS_H

#include "base/bytes.h"
#include "explore/engine.h"

/* In how many runs a property held and did not. */
struct rh__tally {
    uint64_t held, failed;
};

/* Up to where an exploration has been told. */
struct rh__told {
    uint64_t runs, steps, cut, blocked, failed, assumed;
    struct rh__tally *tally; /* per property; room for all there can be */
    uint32_t escapes;
    uint64_t coverage; /* rh__coverage_changes */
};
bool rh__told_init(struct rh__told *t);
void rh__told_release(struct rh__told *t);

enum { RH__MOST_PARTS = 1024 }; /* items that can be left of one */

/* What `x`, which has an explorer at work, has found since; then the items (as rh__put_block) that are left. */
void rh__results_write(struct rh__writer *w, struct rh_exploration *x, const struct rh__told *since, const void *items,
                       size_t items_size, uint32_t item_count);
/* That has been told. */
void rh__results_told(struct rh_exploration *x, struct rh__told *t);

/* The sums that `x` holds, all but what was told before. */
void rh__sums_write(struct rh__writer *w, const struct rh_exploration *x, const struct rh__told *before);

/* Adds results or sums to `x`, and calls `rest` for each item left; false if the bytes make no sense, or `rest` fails, or memory is
 * short: then nothing of `x` is changed, and the caller drops what `rest` was given. */
bool rh__results_add(struct rh_exploration *x, const void *bytes, size_t size,
                     bool (*rest)(void *arg, const void *item, size_t size), void *arg);

/* Findings and properties in an order that does not depend on who was first. */
void rh__sums_settle(struct rh_exploration *x, uint32_t properties_before);

#endif
