/* Work items and what comes of them: what lies between those who explore and whoever keeps the work.
 *
 *     item       the rest of a subtree as bytes, as the explorer packs it (rehearse/explorer.h)
 *     lease      an item on its way: it has a number until it is committed or given back
 *     results    what came of an item (results.h): counts, behaviours, findings, and the items that are left of it
 *
 * Where an item is cut is not a function of the item, so its results, what is left of it, and that it is done must be known
 * all at once or not at all, and the first commit of a lease is the one that counts.  Then whoever dies at whatever moment,
 * the sums are those of one process that did it all.
 *
 * On one machine the queue is in memory (local.c).  A server is another table of the same functions. */
#ifndef RH_CLUSTER_QUEUE_H
#define RH_CLUSTER_QUEUE_H

#include "base/bytes.h"
#include "explore/engine.h"

struct rh__lease {
    uint64_t number;  /* from 1 */
    bool first;       /* the whole tree: with what happens before any choice */
    uint32_t deaths;  /* of those who had it */
    const void *item; /* the queue's, until it is committed or given back */
    size_t size;
};

struct rh__queue {
    const struct rh__queue_table *table;
    void *state;
};

struct rh__queue_table {
    const char *name;
    /* An item to work on; false if there is none now. */
    bool (*fetch)(void *state, struct rh__lease *lease);
    /* The results of a lease, with the items that are left of it: false, and nothing is changed, if they make no sense or
     * somebody was faster. */
    bool (*commit)(void *state, uint64_t lease, const void *results, size_t size);
    /* Nobody works on it any more: others may. */
    void (*give_back)(void *state, uint64_t lease, bool died);
    /* Nobody ever will. */
    void (*drop)(void *state, uint64_t lease);
    /* All items, leased or not, as they are at this moment; the sums are the exploration's. */
    void (*snapshot)(void *state, struct rh__writer *to);
    /* What snapshot wrote; false if it makes no sense. */
    bool (*restore)(void *state, struct rh__reader *from);
    uint32_t (*waiting)(const void *state);
    uint32_t (*leased)(const void *state);
    void (*free)(void *state);
};

/* In memory; what is committed is added to `x`.  False where memory is short. */
bool rh__queue_local(struct rh__queue *q, struct rh_exploration *x);
/* Adds an item to it: the whole tree, to begin with. */
bool rh__queue_local_add(struct rh__queue *q, const void *item, size_t size, bool first);

#endif
