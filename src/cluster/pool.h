/* Exploring with several worker processes on this machine: totals, behaviours, findings and properties are those of one
 * process, whichever worker dies at whatever moment; what was done and what is left can be kept in a file.
 *
 * This process is the agent: it explores nothing, has the queue (queue.h), starts the workers (worker.h), hands out items
 * and starts again whoever dies.  Time is handed out in slices; items are split only while few wait. */
#ifndef RH_CLUSTER_POOL_H
#define RH_CLUSTER_POOL_H

#include <sys/types.h>

#include "cluster/worker.h"

enum { RH__MOST_WORKERS = 512, RH__MOST_DEATHS = 3 };

struct rh__pool_options {
    uint32_t workers;
    const struct rh_world_options *world; /* as of x->world */
    const char *explorer;                 /* as of x */
    const char *checkpoint;               /* file; NULL for none */
    bool resume;                          /* from it */
    /* For tests. */
    double checkpoint_seconds; /* between two of them; 0: 5 */
    uint32_t most_deaths;      /* of workers over one item; 0: RH__MOST_DEATHS */
    uint64_t slice_runs;       /* a slice also ends after so many; 0: never */
    void (*watch)(void *arg, struct rh_exploration *x, const pid_t *workers); /* called again and again */
    void *watch_arg;
};

enum rh__pool_end {
    RH__POOL_DONE,    /* as rh__explore: there is nothing left, a limit was reached, or something was found */
    RH__POOL_REFUSED, /* what was asked for is not possible: `error` says why */
    RH__POOL_FAILED,  /* the tool failed: likewise */
};

/* `x` has not explored yet; its limits are those of all workers together. */
enum rh__pool_end rh__pool_explore(struct rh_exploration *x, const struct rh__pool_options *o, char *error,
                                   size_t error_size);

/* How many processors this process may use. */
uint32_t rh__cores(void);

#endif
