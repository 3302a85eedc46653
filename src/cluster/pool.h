/* Explores with several worker processes on this machine.
 *
 * Totals, distinct runs, findings and properties equal those of a single process, also if workers die at any moment.  A
 * checkpoint file can keep the results and the remaining work.
 *
 * The calling process is the agent and explores nothing.  The agent owns the queue (queue.h), which first has the root
 * item (rehearse/explorer.h) or the items of a checkpoint.  It starts the workers (worker.h), hands out items, and
 * replaces workers that die.  Workers report after each slice of time.  Workers split their item while few items
 * wait. */
#ifndef RH_CLUSTER_POOL_H
#define RH_CLUSTER_POOL_H

#include <sys/types.h>

#include "cluster/worker.h"

enum { RH__MOST_WORKERS = 512, RH__MOST_DEATHS = 3 };

/* Work that is shared beyond this machine, over a link (link.h). */
struct rh__pool_link {
    int fd;
    bool explorer;        /* else an agent, which lends its workers */
    double lease_seconds; /* how long an item stays with an agent that is silent */
    const void *job;      /* of an explorer: what agents need to take part */
    size_t job_size;
};

struct rh__pool_options {
    uint32_t workers;
    const struct rh_world_options *world; /* options of x->world */
    const char *explorer;                 /* explorer expression of x */
    const char *checkpoint;               /* file name; NULL for none */
    bool resume;                          /* continue from the checkpoint */
    const struct rh__pool_link *link;     /* NULL: this machine only */
    /* For tests. */
    double checkpoint_seconds; /* between two checkpoints; 0: 5 */
    uint32_t most_deaths;      /* workers that may die over one item; 0: RH__MOST_DEATHS */
    uint64_t slice_runs;       /* largest number of runs in a slice; 0: no limit */
    /* Called in each round of the agent's loop; may be NULL. */
    void (*watch)(void *arg, struct rh_exploration *x, const pid_t *workers);
    void *watch_arg;
};

enum rh__pool_end {
    RH__POOL_DONE,    /* as rh__explore: no work is left, a limit is reached, or there is a finding */
    RH__POOL_REFUSED, /* the options are impossible: `error` says why */
    RH__POOL_FAILED,  /* the tool failed: `error` says why; if `error` is empty, standard error does */
};

/* Explores with o->workers workers.  `x` must not have made a run yet.  The limits of `x` hold for all workers
 * together. */
enum rh__pool_end rh__pool_explore(struct rh_exploration *x, const struct rh__pool_options *o, char *error,
                                   size_t error_size);

/* Number of processors that this process may use. */
uint32_t rh__cores(void);

#endif
