/* Messages between an agent and its workers, on a stream.
 *
 *     agent to worker     an order: how long to work, and the item
 *     worker to agent     a report: the lease, the items that are left, the results
 *
 * A message is its size in eight bytes, followed by that number of bytes.  Both ends check the bytes that they read. */
#ifndef RH_CLUSTER_MESSAGES_H
#define RH_CLUSTER_MESSAGES_H

#include "cluster/queue.h"

struct rh__order {
    uint64_t lease;
    double seconds;               /* processor time after which to stop between two runs */
    uint64_t max_runs, max_steps; /* 0: no limit */
    uint32_t parts;               /* number of items to split off, at most RH__MOST_PARTS */
    const void *item;             /* points into the bytes of the message */
    size_t size;
};
void rh__order_encode(const struct rh__order *o, struct rh__writer *w);
/* False if the bytes are invalid. */
bool rh__order_decode(struct rh__order *o, const void *bytes, size_t size);
/* Upper bound of the size of an order without its item. */
enum { RH__ORDER_BYTES = 64 };

struct rh__report {
    uint64_t lease;
    struct rh__items rest;
    const void *results; /* bytes of rh__results_encode */
    size_t results_size;
};
/* Writes the report without the results.  The caller appends the results. */
void rh__report_encode_front(const struct rh__report *r, struct rh__writer *w);
/* False if the bytes are invalid.  The queue checks the results. */
bool rh__report_decode(struct rh__report *r, const void *bytes, size_t size);

/* Send and receive whole messages.  They return false if the stream has ended.  `size` is at most `room`. */
bool rh__stream_send(int fd, const void *bytes, size_t size);
bool rh__stream_receive(int fd, void *buffer, size_t room, size_t *size);

#endif
