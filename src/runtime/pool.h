/* The shared run queue, and sleep: where workers go that find nothing to do, and who wakes them. */
#ifndef RH_RUNTIME_POOL_H
#define RH_RUNTIME_POOL_H

#include "runtime/worker.h"

void rh__pool_init(void);

/* Queues a chain of slots, linked by run_next, and wakes a worker that sleeps. */
void rh__pool_put(struct rh__slot *first, struct rh__slot *last);
struct rh__slot *rh__pool_take(void);

/* Sleeps until there may be something to do; gives what it found in the shared queue. */
struct rh__slot *rh__pool_sleep(struct rh__worker *worker);
/* A worker has more to do than a wake-up costs, in nanoseconds. */
void rh__pool_share(uint64_t backlog_ns);
void rh__pool_searching(bool yes);
void rh__pool_wake_all(void);
/* Wakes a worker where others are stuck; whether to look again soon. */
bool rh__pool_watch(void);

/* Something that keeps the runtime from being quiet (a timer, a write) begins or ends. */
void rh__pool_busy(int change);
void rh__pool_wait_quiet(void);

#endif
