/* A worker is a process that explores the items that its agent sends (messages.h defines the messages).
 *
 * A worker ends when its stream ends. */
#ifndef RH_CLUSTER_WORKER_H
#define RH_CLUSTER_WORKER_H

#include "base/fail.h"
#include "explore/engine/engine.h"

/* The common settings of all workers of a pool. */
struct rh__worker_job {
    const struct rh_world_options *world;
    const char *explorer;
    uint64_t seed;
    bool keep_going, unchecked, mute;
    struct rh__meter *meter;            /* meter of this worker */
    const struct rh_exploration *agent; /* for searches in rounds; NULL: the explorer has none */
    uint32_t criteria;                  /* coverage criteria; 0: coverage is not measured */
};

/* Exit codes of a worker, except 0. */
enum {
    RH__WORKER_BROKEN = RH__BUG_EXIT, /* an internal error; the message is on standard error already */
    RH__WORKER_FAILED,
    RH__WORKER_WITHOUT_CHILD, /* the child that explores could not be started */
    RH__WORKER_CHILD_KILLED,  /* something killed the child: most likely the kernel, for lack of memory */
};

/* Runs a worker in a new process that has no world.  Explores until the stream ends. */
_Noreturn void rh__worker_run(const struct rh__worker_job *job, int fd);

#endif
