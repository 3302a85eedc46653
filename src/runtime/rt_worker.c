/* The scheduling loop, the rings, and work stealing.  See rt_worker.h. */
#include "runtime/rt_worker.h"

#include <time.h>

#include "base/random.h"
#include "runtime/actor.h"
#include "runtime/mailbox_limit.h"
#include "runtime/rt_pool.h"
#include "runtime/runtime.h"

enum {
    LATEST_IN_A_ROW = 32, /* then the ring gets a turn */
    SHARED_EVERY = 61,    /* slots between looks at the shared queue, so that it does not starve */
    SAMPLE_EVERY = 64,    /* slots of which one is timed */
    SEARCHES = 40,        /* rounds of stealing before sleep */
};

static _Thread_local struct rh__worker *this_worker;

__attribute__((noinline)) struct rh__worker *rh__worker(void)
{
    struct rh__worker *worker = this_worker;
    __asm__ volatile("" : "+r"(worker)); /* not pure: two calls may return different values */
    return worker;
}

static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* ---- the ring -------------------------------------------------------------------------------------------------- */

/* Moves the older half of a full ring, and this slot, to the shared queue; false if thieves have made room
 * meanwhile. */
static bool ring_spill(struct rh__ring *ring, uint32_t front, struct rh__slot *slot)
{
    struct rh__slot *moved[RH__RING / 2];
    for (uint32_t i = 0; i < RH__RING / 2; i++)
        moved[i] = atomic_load_explicit(&ring->at[(front + i) % RH__RING], memory_order_relaxed);
    if (!atomic_compare_exchange_strong_explicit(&ring->front, &front, front + RH__RING / 2, memory_order_acq_rel,
                                                 memory_order_relaxed))
        return false;
    for (uint32_t i = 0; i + 1 < RH__RING / 2; i++)
        moved[i]->run_next = moved[i + 1];
    moved[RH__RING / 2 - 1]->run_next = slot;
    rh__pool_put(moved[0], slot);
    return true;
}

void rh__worker_later(struct rh__worker *worker, struct rh__slot *slot)
{
    struct rh__ring *ring = &worker->ring;
    uint32_t back = atomic_load_explicit(&ring->back, memory_order_relaxed);
    uint32_t front = atomic_load_explicit(&ring->front, memory_order_acquire);
    while (back - front >= RH__RING) {
        if (ring_spill(ring, front, slot))
            return;
        front = atomic_load_explicit(&ring->front, memory_order_acquire);
    }
    atomic_store_explicit(&ring->at[back % RH__RING], slot, memory_order_relaxed);
    atomic_store_explicit(&ring->back, back + 1, memory_order_release);
    rh__pool_share((uint64_t)(back + 1 - front) * worker->slot_ns);
}

static struct rh__slot *ring_take(struct rh__ring *ring)
{
    uint32_t front = atomic_load_explicit(&ring->front, memory_order_acquire);
    while (front != atomic_load_explicit(&ring->back, memory_order_relaxed)) {
        struct rh__slot *slot = atomic_load_explicit(&ring->at[front % RH__RING], memory_order_relaxed);
        if (atomic_compare_exchange_weak_explicit(&ring->front, &front, front + 1, memory_order_acq_rel,
                                                  memory_order_acquire))
            return slot;
    }
    return NULL;
}

/* Takes half of the victim's slots: one to run, the others into the thief's own empty ring. */
static struct rh__slot *ring_steal(struct rh__ring *mine, struct rh__ring *theirs)
{
    uint32_t back = atomic_load_explicit(&mine->back, memory_order_relaxed);
    for (;;) {
        uint32_t front = atomic_load_explicit(&theirs->front, memory_order_acquire);
        uint32_t count = atomic_load_explicit(&theirs->back, memory_order_acquire) - front;
        count -= count / 2;
        if (count == 0)
            return NULL;
        if (count > RH__RING / 2)
            continue; /* the two values were not read at the same moment */
        for (uint32_t i = 0; i < count; i++) {
            struct rh__slot *slot = atomic_load_explicit(&theirs->at[(front + i) % RH__RING], memory_order_relaxed);
            atomic_store_explicit(&mine->at[(back + i) % RH__RING], slot, memory_order_relaxed);
        }
        if (!atomic_compare_exchange_strong_explicit(&theirs->front, &front, front + count, memory_order_acq_rel,
                                                     memory_order_relaxed))
            continue;
        back += count - 1;
        struct rh__slot *slot = atomic_load_explicit(&mine->at[back % RH__RING], memory_order_relaxed);
        atomic_store_explicit(&mine->back, back, memory_order_release);
        return slot;
    }
}

/* ---- what to run next ------------------------------------------------------------------------------------------ */

void rh__worker_ready(struct rh__worker *worker, struct rh__slot *slot)
{
    if (!worker) {
        rh__pool_put(slot, slot);
        return;
    }
    /* Thieves only ever empty `latest`. */
    if (!atomic_load_explicit(&worker->latest, memory_order_relaxed)) {
        atomic_store_explicit(&worker->latest, slot, memory_order_release);
        return;
    }
    struct rh__slot *before = atomic_exchange_explicit(&worker->latest, slot, memory_order_acq_rel);
    if (before)
        rh__worker_later(worker, before);
}

void rh__worker_give_up(struct rh__worker *worker, struct rh__slot *slot)
{
    if (rh__rt.limited)
        rh__room_offer(worker, slot);
    if (!rh__mailbox_rest(slot))
        rh__worker_later(worker, slot);
}

static struct rh__slot *latest_take(struct rh__worker *worker)
{
    if (!atomic_load_explicit(&worker->latest, memory_order_relaxed))
        return NULL;
    return atomic_exchange_explicit(&worker->latest, NULL, memory_order_acq_rel);
}

static struct rh__slot *next_local(struct rh__worker *worker)
{
    struct rh__slot *slot = NULL;
    uint32_t ticks = atomic_load_explicit(&worker->ticks, memory_order_relaxed);
    if (ticks % SHARED_EVERY == 0 && (slot = rh__pool_take()))
        return slot;
    if (worker->latest_runs < LATEST_IN_A_ROW && (slot = latest_take(worker))) {
        worker->latest_runs++;
        return slot;
    }
    worker->latest_runs = 0;
    if ((slot = ring_take(&worker->ring)) || (slot = latest_take(worker)))
        return slot;
    return rh__pool_take();
}

/* Steals the slot that a victim keeps for itself, but only if the victim has been running the same slot all the
 * time. */
static struct rh__slot *steal_latest(struct rh__worker *worker, const uint32_t *ticks)
{
    for (uint32_t i = 0; i < rh__rt.threads; i++) {
        struct rh__worker *victim = &rh__rt.workers[i];
        struct rh__slot *slot;
        if (victim != worker && atomic_load_explicit(&victim->ticks, memory_order_relaxed) == ticks[i] &&
            (slot = latest_take(victim)))
            return slot;
    }
    return NULL;
}

static struct rh__slot *search(struct rh__worker *worker)
{
    uint32_t ticks[RH__MAX_THREADS], threads = rh__rt.threads;
    struct rh__slot *slot = NULL;
    rh__pool_searching(true);
    while (!slot && !atomic_load_explicit(&rh__rt.stopping, memory_order_relaxed)) {
        for (uint32_t i = 0; i < threads; i++)
            ticks[i] = atomic_load_explicit(&rh__rt.workers[i].ticks, memory_order_relaxed);
        for (int round = 0; threads > 1 && !slot && round < SEARCHES; round++) {
            uint32_t at = rh__random_below(&worker->chance, threads);
            for (uint32_t i = 0; i < threads && !slot; i++, at = at + 1 < threads ? at + 1 : 0)
                if (&rh__rt.workers[at] != worker)
                    slot = ring_steal(&worker->ring, &rh__rt.workers[at].ring);
            if (!slot)
                slot = rh__pool_take();
            for (int i = 0; !slot && i < 16; i++)
                relax();
        }
        if (!slot)
            slot = steal_latest(worker, ticks);
        if (!slot)
            slot = rh__pool_sleep(worker);
    }
    rh__pool_searching(false);
    return slot;
}

static void run_timed(struct rh__worker *worker, struct rh__slot *slot)
{
    uint32_t ticks = atomic_load_explicit(&worker->ticks, memory_order_relaxed);
    int64_t before = rh__now_ns();
    rh__slot_run(worker, slot);
    if (rh__worker() != worker || atomic_load_explicit(&worker->ticks, memory_order_relaxed) != ticks)
        return; /* the actor was parked meanwhile */
    int64_t took = rh__now_ns() - before;
    took = took > 1000000 ? 1000000 : took;
    worker->slot_ns = (uint32_t)((worker->slot_ns * 3 + (uint32_t)took) / 4);
}

_Noreturn void rh__worker_loop(void)
{
    for (;;) {
        struct rh__worker *worker = rh__worker(); /* read again each time: a slot may move us to another thread */
        if (atomic_load_explicit(&rh__rt.stopping, memory_order_relaxed))
            rh__fiber_leave(worker);
        struct rh__slot *slot = next_local(worker);
        if (!slot && !(slot = search(worker)))
            continue;
        uint32_t ticks = atomic_load_explicit(&worker->ticks, memory_order_relaxed) + 1;
        atomic_store_explicit(&worker->ticks, ticks, memory_order_relaxed);
        if (ticks % SAMPLE_EVERY == 0)
            run_timed(worker, slot);
        else
            rh__slot_run(worker, slot);
    }
}

void *rh__worker_thread(void *worker)
{
    this_worker = worker;
    rh__fiber_enter(worker);
    return NULL;
}
