/* What all parts of the runtime share: its options, its life, and the gate for threads that are no workers. */
#ifndef RH_RUNTIME_RUNTIME_H
#define RH_RUNTIME_RUNTIME_H

#include <rehearse/runtime.h>
#include <stdatomic.h>

#include "runtime/worker.h"

struct rh__runtime {
    struct rh_runtime_options options; /* with every 0 replaced by what it stands for */
    uint32_t threads;
    bool limited; /* options.overflow is not RH_OVERFLOW_GROW */
    _Atomic(bool) stopping;
    struct rh__worker *workers;
    _Atomic(uint64_t) spawned, ended;
    _Atomic(uint64_t) live;     /* actors */
    struct rh__tally outside;   /* of threads that are no workers */
    _Atomic(uint64_t) chance;   /* their random numbers */
    pthread_mutex_t cache_lock; /* and their blocks */
    struct rh__cache cache;
};

extern struct rh__runtime rh__rt;

/* A thread that is no worker comes in, or is told that no runtime runs; the runtime does not end while one is in. */
bool rh__gate_enter(void);
void rh__gate_leave(void);

/* malloc that says so and aborts where memory is out: for what has no caller to tell. */
void *rh__need(size_t size);
void *rh__need_more(void *at, size_t size);

/* Blocks and counts for any thread; worker NULL for one that is none. */
struct rh__message *rh__block_new(struct rh__worker *worker, size_t bytes);
void rh__block_free(struct rh__worker *worker, struct rh__message *m);
static inline void rh__count_sent(struct rh__worker *worker)
{
    if (worker)
        rh__count(&worker->tally.sent);
    else
        atomic_fetch_add_explicit(&rh__rt.outside.sent, 1, memory_order_relaxed);
}
static inline void rh__count_dropped(struct rh__worker *worker)
{
    if (worker)
        rh__count(&worker->tally.dropped);
    else
        atomic_fetch_add_explicit(&rh__rt.outside.dropped, 1, memory_order_relaxed);
}

int64_t rh__now_ns(void);

/* An actor has ended; wakes rh_runtime_wait when it was the last. */
void rh__live_down(void);

#endif
