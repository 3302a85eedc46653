/* The queue holds work items, hands them out, and adds up their results.
 *
 *     item       a tree or the rest of one as bytes, as the explorer packs it (rehearse/explorer.h)
 *     lease      an item that a worker has fetched; it has a number until it is committed or given back
 *     commit     the results of a lease and its remaining items, in one step
 *     key        of an item that several workers may come upon (rh_item_key): the first item with it is added, others
 *                are dropped; a key without an item says that there was one
 *     totals     the sum of all committed results (results/results.h)
 *
 * The point at which a worker cuts an item is not a function of the item.  So three things become known together or not
 * at all: the results of the item, its remaining items, and the fact that it is done.  The first commit of a lease
 * counts, and later commits change nothing.  Therefore the totals equal those of one process that made all runs, also
 * if workers die at any moment.
 *
 * A queue is a table of functions with a state.  On one machine the queue is in memory (rh__queue_local).  A server is
 * another table (linked.h).  tests/cluster/queue_conformance.c is the full specification of a table. */
#ifndef RH_CLUSTER_QUEUE_H
#define RH_CLUSTER_QUEUE_H

#include "base/bytes.h"
#include "results/results.h"

struct rh__lease {
    uint64_t number;  /* from 1; unique */
    uint32_t deaths;  /* workers that died over this item */
    const void *item; /* owned by the queue; valid until the lease ends */
    size_t size;
    uint64_t max_runs, max_steps; /* what the queue lets this lease use up; 0: no limit of the queue */
};

/* Items as bytes: `count` consecutive blocks (rh__put_block). */
enum { RH__MOST_PARTS = 1024 };
struct rh__items {
    const void *bytes;
    size_t size;
    uint32_t count; /* at most RH__MOST_PARTS */
};

enum rh__commit {
    RH__COMMITTED,
    RH__COMMIT_LATE,    /* the lease has ended already: nothing changes */
    RH__COMMIT_REFUSED, /* invalid bytes, or memory is short: nothing changes */
};

struct rh__queue_table {
    const char *name;
    /* Opens an empty queue that adds up results in `totals_kept`.  `where` is the address of the queue, or NULL for a
     * queue in memory.  On failure returns NULL and a sentence in `error`. */
    void *(*open)(const char *where, struct rh__results *totals_kept, char *error, size_t error_size);
    void (*close)(void *state);

    /* Adds an item, unless there was one with its key.  False if memory is short. */
    bool (*add)(void *state, const void *item, size_t size);
    /* Leases an item.  False if no item is waiting. */
    bool (*fetch)(void *state, struct rh__lease *lease);
    /* Keeps the lease of a live worker.  False if the lease has ended. */
    bool (*renew)(void *state, uint64_t lease);
    enum rh__commit (*commit)(void *state, uint64_t lease, const void *results, size_t size,
                              const struct rh__items *rest);
    /* Ends a lease without results; the item waits again.  `died`: the worker died while exploring the item. */
    void (*give_back)(void *state, uint64_t lease, bool died);

    const struct rh__results *(*totals)(const void *state);
    uint32_t (*waiting)(const void *state);
    uint32_t (*leased)(const void *state);

    /* Writes a consistent copy of the totals and of all items, leased or not, and of all keys if there are items. */
    void (*snapshot)(void *state, struct rh__writer *to);
    /* Reads the bytes of a snapshot into an empty queue.  False if the bytes are invalid or memory is short; the caller
     * then closes the queue. */
    bool (*restore)(void *state, struct rh__reader *from);
};

struct rh__queue {
    const struct rh__queue_table *table;
    void *state;
};

extern const struct rh__queue_table rh__queue_local;

/* True if the bytes consist of exactly `count` blocks. */
bool rh__items_check(const struct rh__items *items);

#endif
