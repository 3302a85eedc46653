/* Workers: the threads that run actors.
 *
 * Each worker has a bounded ring of slots that are ready to run, as in Go: the owner appends at the back and takes from
 * the front, thieves take half from the front.  Before the ring comes one place, `latest`, for the slot that was made
 * ready last: the receiver of the latest message runs next, while the message is in the cache.  Slots that do not fit
 * into the ring, and slots that other threads make ready, go to the shared queue of rt_pool.c. */
#ifndef RH_RUNTIME_WORKER_H
#define RH_RUNTIME_WORKER_H

#include <pthread.h>

#include "runtime/mailbox.h"
#include "runtime/rt_fiber.h"

enum { RH__RING = 256, RH__MAX_THREADS = 256 };

struct rh__ring {
    _Alignas(64) _Atomic(uint32_t) front; /* moved by all threads */
    _Alignas(64) _Atomic(uint32_t) back;  /* moved by the owner */
    _Atomic(struct rh__slot *) at[RH__RING];
};

struct rh__tally {
    _Atomic(uint64_t) sent, handled, dropped;
};

struct rh__worker {
    struct rh__actor *actor; /* the running actor; NULL between two */
    struct rh__fiber *fiber; /* the running fiber */
    struct rh__cache cache;
    struct rh__tally tally;
    _Atomic(struct rh__slot *) latest;
    _Atomic(uint32_t) ticks; /* number of slots run; shows thieves whether the worker is stuck in one */
    uint32_t latest_runs;    /* consecutive runs of `latest` */
    uint32_t slot_ns;        /* average time of a slot */
    uint64_t chance;         /* random numbers for the choice of a victim */
    /* Set between a jump and its arrival. */
    struct rh__fiber *previous;
    struct rh__slot *then_give_up;
    bool then_recycle;
    struct rh__fiber *spares;
    int spare_count;
    struct rh__fiber root; /* the thread's own stack */
    /* In the list of sleeping workers; guarded by the pool's lock. */
    struct rh__worker *sleep_next;
    bool asleep;
    pthread_cond_t wake;
    uint32_t ticks_seen; /* `ticks` at the watchdog's last look */
    pthread_t thread;
    struct rh__ring ring;
};

/* The worker of this thread; NULL on a thread that is not a worker.  Never inlined, and the compiler must not cache the
 * result: it changes across a park. */
struct rh__worker *rh__worker(void);
void *rh__worker_thread(void *worker);
_Noreturn void rh__worker_loop(void);

/* The slot is ready: this worker runs it next, or (worker NULL) it goes to the shared queue. */
void rh__worker_ready(struct rh__worker *worker, struct rh__slot *slot);
/* The slot is ready, but others run first. */
void rh__worker_later(struct rh__worker *worker, struct rh__slot *slot);
/* The worker gives up the slot: it comes to rest, or runs later if a message has arrived. */
void rh__worker_give_up(struct rh__worker *worker, struct rh__slot *slot);

static inline void rh__count(_Atomic(uint64_t) *mine)
{
    atomic_store_explicit(mine, atomic_load_explicit(mine, memory_order_relaxed) + 1, memory_order_relaxed);
}

#endif
