/* The agent of a pool (pool.h), in three parts:
 *
 *     agent.c       opens the queue, runs the loop until a limit is reached, writes checkpoints
 *     processes.c   starts the workers, notices their deaths, and ends them
 *     dispatch.c    hands out items as orders, and commits reports
 *
 *     slot     the place of a worker: when a worker dies, another process takes its slot
 *     slice    the time that a worker works on an item before it reports; short while few items wait
 *     budget   the part of the limits that a worker may use up; the unused part comes back
 *
 * A worker counts as dead when no process holds the worker's end of the stream any more.  Then no report can be on its
 * way. */
#ifndef RH_CLUSTER_AGENT_H
#define RH_CLUSTER_AGENT_H

#include <poll.h>

#include "base/files.h"
#include "cluster/linked.h"
#include "cluster/pool.h"
#include "cluster/queue.h"
#include "cluster/worker.h"

enum { RH__GIVEN_BYTES = 1 << 20 }; /* largest item of a search in rounds */

struct rh__slot {
    pid_t pid;                    /* 0: no process */
    int fd;                       /* the stream; -1: closed */
    struct rh__lease lease;       /* number 0: the worker waits for work */
    uint64_t max_runs, max_steps; /* budget of the worker */
    struct rh__writer in;         /* the part of a message that has arrived */
    /* Time when the process ended while its stream stayed open; 0: the process is alive. */
    double gone_since;
    double used;       /* processor time of all workers in this slot */
    double grace_from; /* value of `used` when the agent decided to stop */
};

struct rh__agent {
    struct rh_exploration *x;
    const struct rh__pool_options *o;
    struct rh__worker_job job;
    struct rh__queue queue;

    struct rh__slot *slots; /* array of o->workers slots */
    pid_t *pids;            /* process ids, for o->watch */
    struct pollfd *polls;
    struct rh__meter *meters; /* by slot; shared with the workers */
    double next_meter;        /* time at which to read the meters again */

    unsigned char *given; /* an item of a search in rounds */
    char *binding;
    struct rh__kept file;  /* the checkpoint */
    bool unsaved;          /* the last checkpoint could not be written */
    double seconds_before; /* duration of the exploration before it was resumed */
    double next_checkpoint;

    struct rh__linked_job linked; /* with o->link */
    uint32_t left_out;            /* items left out because workers were killed while exploring them */
    bool over;                    /* nothing is left to do on the server */
    bool childless;               /* workers could not start child processes */
    bool fewer;                   /* fewer workers run than the user asked for */
    uint32_t failures;            /* grows when an idle worker dies or a child cannot start; reset by each report */
    bool failed;                  /* the pool failed: `error` says why; if `error` is empty, standard error does */
    char *error;
    size_t error_size;
};

/* Marks the pool as failed, with the sentence `why` and the text of errno.  Returns false. */
bool rh__agent_fail(struct rh__agent *a, const char *why);

static inline bool rh__slot_is_busy(const struct rh__slot *s)
{
    return s->lease.number != 0;
}

static inline const struct rh__results *rh__agent_totals(const struct rh__agent *a)
{
    return a->queue.table->totals(a->queue.state);
}

/* ---- processes.c ------------------------------------------------------------------------------------------------- */

/* Starts a worker.  If the start fails, the pool goes on with the other workers.  Returns false if no worker runs. */
bool rh__agent_start(struct rh__agent *a, struct rh__slot *s);
/* Commits results for the item of a slot that mark the exploration as incomplete, with the reason. */
void rh__agent_leave_out_lost(struct rh__agent *a, struct rh__slot *s);
/* Handles the death of a worker.  Gives its item back, or leaves the item out if too many workers died over it.  Starts
 * another worker. */
void rh__agent_end_worker(struct rh__agent *a, struct rh__slot *s);
/* Another worker takes the place of one that may not have been heard (linked.h); what it works on is
 * given back. */
void rh__agent_replace(struct rh__agent *a, struct rh__slot *s);
/* Ends workers whose process has ended while a process started by the worker still holds the stream. */
void rh__agent_look_after(struct rh__agent *a, double now);
/* Ends all workers. */
void rh__agent_dismiss(struct rh__agent *a);
/* Returns the processor time of all workers, and stores each worker's time in its slot. */
double rh__agent_used_seconds(struct rh__agent *a);

/* ---- dispatch.c -------------------------------------------------------------------------------------------------- */

/* Sends an order to each idle worker, as long as items and limits allow. */
void rh__agent_hand_out(struct rh__agent *a);
/* How long a worker may work on an item: of `workers` in all, `own` of them here, where a commit takes so long (0: no
 * time); after so many deaths over the item; `few` items wait. */
double rh__slice_seconds(uint32_t workers, uint32_t own, double own_commit_seconds, uint32_t deaths, bool few);
/* With a link, of the explorer of a search in rounds: gives its items to the server. */
void rh__agent_feed(struct rh__agent *a);
/* Waits for a short time, and commits the reports that have arrived. */
void rh__agent_take_reports(struct rh__agent *a);

#endif
