/* Work for tests of queues: a list of leaves.  An item is a range of leaves, and what comes of a leaf is a function of
 * its number.  Where an item is cut is random, as it is for a worker.  So the totals of one process are known in
 * advance. */
#ifndef RH_TESTS_CLUSTER_QUEUE_WORK_H
#define RH_TESTS_CLUSTER_QUEUE_WORK_H

#include "cluster/queue.h"

enum { QUEUE_LEAVES = 120, QUEUE_MOST_STEPS = 5000 };

/* In a check: gives the sentence if the condition does not hold. */
#define REQUIRE(condition, why)                                                                                        \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            return why;                                                                                                \
    } while (0)

struct queue_range {
    uint32_t from, to;
};

/* What comes of an item: its results, and the items that are left. */
struct queue_outcome {
    struct rh__writer results, rest;
    uint32_t rest_count;
};

/* A queue with its totals. */
struct tested_queue {
    const struct rh__queue_table *t;
    void *q;
    struct rh__results *totals;
};

struct rh__results *queue_new_results(void);
void queue_add_leaf(struct rh__results *r, uint32_t leaf);
struct queue_outcome queue_work_on(struct queue_range range, uint64_t *random);
struct rh__items queue_rest_of(const struct queue_outcome *o);
void queue_release(struct queue_outcome *o);

struct tested_queue queue_opened(const struct rh__queue_table *t);
struct tested_queue queue_with_all_leaves(const struct rh__queue_table *t);
void queue_close(struct tested_queue *k);
/* Whether so many items wait and are leased, and so many runs are in the totals. */
bool queue_is_as(const struct tested_queue *k, uint32_t waiting, uint32_t leased, uint64_t runs);
struct queue_range queue_range_of(const struct rh__lease *l);
/* Fetches, works and commits until nothing is left.  False if that takes too long or a commit is refused. */
bool queue_finish(struct tested_queue *k, uint64_t *random);
/* Whether the totals are those of one process, and nothing is left. */
bool queue_is_done(struct tested_queue *k);
struct rh__writer queue_snapshot_of(struct tested_queue *k);
/* False if the queue does not take the snapshot. */
bool queue_restored(struct tested_queue *k, const void *bytes, size_t size);

#endif
