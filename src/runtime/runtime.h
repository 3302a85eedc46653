/* What all parts of the runtime share: its options, its lifetime, and the gate for threads that are not workers. */
#ifndef RH_RUNTIME_RUNTIME_H
#define RH_RUNTIME_RUNTIME_H

#include <rehearse/runtime.h>
#include <stdatomic.h>

#include "runtime/rt_worker.h"

struct rh__tape;

struct rh__runtime {
    struct rh_runtime_options options; /* with every 0 replaced by its default */
    uint32_t threads;
    bool limited;          /* options.overflow is not RH_OVERFLOW_GROW */
    struct rh__tape *tape; /* of the recording (rt_tape.h); NULL: nothing is recorded */
    _Atomic(bool) stopping;
    struct rh__worker *workers;
    _Atomic(uint64_t) spawned, ended;
    _Atomic(uint64_t) live;     /* number of actors */
    struct rh__tally outside;   /* of threads that are not workers */
    _Atomic(uint64_t) chance;   /* random numbers of threads that are not workers */
    pthread_mutex_t cache_lock; /* blocks of threads that are not workers */
    struct rh__cache cache;
};

extern struct rh__runtime rh__rt;

/* A thread that is not a worker enters; false if no runtime runs.  The runtime does not end while such a thread is
 * inside. */
bool rh__gate_enter(void);
void rh__gate_leave(void);

/* malloc that prints a sentence and aborts if memory runs out, where no caller can handle it. */
void *rh__need(size_t size);
void *rh__need_more(void *at, size_t size);

/* Blocks and counts for any thread; `worker` is NULL for a thread that is not a worker. */
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

/* An actor has ended; wakes rh_runtime_wait if it was the last one. */
void rh__live_down(void);

#endif
