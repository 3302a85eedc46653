/* Workers: the threads that run actors.
 *
 * Each has a bounded ring of slots that are ready to run (the owner appends and takes at the front, thieves take half
 * from the front; Go's run queue) and one place in front of it, `latest`, for the slot made ready last: what a message
 * has just been sent to is run next, while the message is still in the cache.  What the rings cannot hold, and what
 * other threads make ready, goes to the shared queue of pool.c. */
#ifndef RH_RUNTIME_WORKER_H
#define RH_RUNTIME_WORKER_H

#include <pthread.h>

#include "runtime/fiber.h"
#include "runtime/mailbox.h"

enum { RH__RING = 256, RH__MAX_THREADS = 256 };

struct rh__ring {
    _Alignas(64) _Atomic(uint32_t) front; /* moved by all */
    _Alignas(64) _Atomic(uint32_t) back;  /* moved by the owner */
    _Atomic(struct rh__slot *) at[RH__RING];
};

struct rh__tally {
    _Atomic(uint64_t) sent, handled, dropped;
};

struct rh__worker {
    struct rh__actor *actor; /* that runs now; NULL between two */
    struct rh__fiber *fiber; /* that runs now */
    struct rh__cache cache;
    struct rh__tally tally;
    _Atomic(struct rh__slot *) latest;
    _Atomic(uint32_t) ticks; /* slots run: thieves see whether the worker is stuck in one */
    uint32_t latest_runs;    /* of `latest` in a row */
    uint32_t slot_ns;        /* how long a slot runs, about */
    uint64_t chance;         /* for the choice of a victim */
    /* Between a jump and its arrival. */
    struct rh__fiber *previous;
    struct rh__slot *then_give_up;
    bool then_recycle;
    struct rh__fiber *spares;
    int spare_count;
    struct rh__fiber root; /* the thread's own stack */
    /* Asleep, guarded by the pool's lock. */
    struct rh__worker *sleep_next;
    bool asleep;
    pthread_cond_t wake;
    uint32_t ticks_seen; /* by the watchdog */
    pthread_t thread;
    struct rh__ring ring;
};

/* The worker of this thread, NULL on a thread that is none.  Never inlined and never remembered by the compiler: the
 * answer changes across a park. */
struct rh__worker *rh__worker(void);
void *rh__worker_thread(void *worker);
_Noreturn void rh__worker_loop(void);

/* The slot is ready: runs next on this worker, or (worker NULL) goes to the shared queue. */
void rh__worker_ready(struct rh__worker *worker, struct rh__slot *slot);
/* The slot is ready but others come first. */
void rh__worker_later(struct rh__worker *worker, struct rh__slot *slot);
/* The worker is done with the slot for now: it comes to rest, or is run later where a message has come. */
void rh__worker_give_up(struct rh__worker *worker, struct rh__slot *slot);

static inline void rh__count(_Atomic(uint64_t) *mine)
{
    atomic_store_explicit(mine, atomic_load_explicit(mine, memory_order_relaxed) + 1, memory_order_relaxed);
}

#endif
