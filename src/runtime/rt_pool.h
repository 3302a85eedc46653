/* The shared run queue, and the sleep and wake-up of workers. */
#ifndef RH_RUNTIME_POOL_H
#define RH_RUNTIME_POOL_H

#include "runtime/rt_worker.h"

void rh__pool_init(void);

/* Queues a chain of slots, linked by run_next, and wakes a sleeping worker. */
void rh__pool_put(struct rh__slot *first, struct rh__slot *last);
struct rh__slot *rh__pool_take(void);

/* Sleeps until there may be work; returns a slot of the shared queue. */
struct rh__slot *rh__pool_sleep(struct rh__worker *worker);
/* Wakes another worker if the caller's backlog, in nanoseconds, exceeds the cost of a wake-up. */
void rh__pool_share(uint64_t backlog_ns);
void rh__pool_searching(bool yes);
void rh__pool_wake_all(void);
/* Wakes a worker if others are stuck; returns whether to look again soon. */
bool rh__pool_watch(void);

/* Something that keeps the runtime from being quiet (a timer, a write) begins or ends. */
void rh__pool_busy(int change);
void rh__pool_wait_quiet(void);

#endif
