/* A process that explores what it is given, and the words between it and its agent (pool.c).
 *
 * Both ways each message is its size in eight bytes and then so many bytes.
 *
 *     agent to worker     what to do: struct rh__order, then the item
 *     worker to agent     the number of the lease, then results (results.h) with what is left
 *
 * A worker that sees the end of the stream ends. */
#ifndef RH_CLUSTER_WORKER_H
#define RH_CLUSTER_WORKER_H

#include "cluster/queue.h"

struct rh__order {
    uint64_t lease;
    double seconds;               /* of processor time: stop between two runs after that */
    uint64_t max_runs, max_steps; /* 0: any number */
    uint32_t parts;               /* into how many more the rest is wanted */
    uint32_t first;               /* this is the whole tree */
};

/* What all workers of a pool have in common. */
struct rh__job {
    const struct rh_world_options *world;
    const char *explorer;
    uint64_t seed;
    bool keep_going, unchecked, mute;
    struct rh__meter *meter; /* of this worker */
    uint32_t criteria;       /* of coverage; 0: it is not measured */
    void (*describe)(struct rh_exploration *x, struct rh__finding *f);
};

/* How a worker ends, apart from 0 and failures of its own. */
enum {
    RH__WORKER_FAILED = 3,
    RH__WORKER_WITHOUT_CHILD, /* it could not start the process that explores */
    RH__WORKER_CHILD_KILLED,  /* somebody has killed it, most likely the machine, which had no memory left */
};

/* In a new process without a world; explores until the stream ends. */
_Noreturn void rh__worker_run(const struct rh__job *job, int fd);

/* Whole messages on a stream; false if it ended.  `size` is how much there is, which is at most `room`. */
bool rh__stream_send(int fd, const void *bytes, size_t size);
bool rh__stream_receive(int fd, void *buffer, size_t room, size_t *size);

/* Room for an item of this explorer and this world. */
size_t rh__item_room(const struct rh_exploration *x);

#endif
