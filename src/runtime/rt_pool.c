/* The shared run queue and the sleeping workers.  One lock guards both, so that a slot that is queued and a worker that
 * is about to sleep cannot miss each other.  A worker that makes slots ready in its own ring need not wake anybody: it
 * runs them itself.  It wakes another worker only if its backlog costs more than the wake-up (rh__pool_share).  For
 * handlers that turn out to be long, a watchdog looks every few milliseconds (rh__pool_watch, on the timers'
 * thread). */
#include "runtime/rt_pool.h"

#include "runtime/rt_timers.h"
#include "runtime/runtime.h"

enum { WAKE_NS = 20000, IDLE_LOOKS = 20 };

static struct {
    pthread_mutex_t lock;
    struct rh__slot *first, *last;
    _Atomic(uint32_t) queued;
    struct rh__worker *sleepers;
    _Atomic(uint32_t) sleeping;
    _Atomic(int) searching;
    _Atomic(long) busy;
    _Atomic(int) waiters; /* in rh__pool_wait_quiet */
    pthread_cond_t quiet;
    bool watched;
    int looks; /* consecutive looks of the watchdog that found all workers asleep */
} pool = { .lock = PTHREAD_MUTEX_INITIALIZER, .quiet = PTHREAD_COND_INITIALIZER };

void rh__pool_init(void)
{
    pool.first = pool.last = NULL;
    pool.sleepers = NULL;
    pool.watched = false;
    pool.looks = 0;
    atomic_store(&pool.queued, 0);
    atomic_store(&pool.sleeping, 0);
    atomic_store(&pool.searching, 0);
    atomic_store(&pool.busy, 0);
}

/* The caller holds the lock. */
static struct rh__worker *sleeper_take(void)
{
    struct rh__worker *worker = pool.sleepers;
    if (worker) {
        pool.sleepers = worker->sleep_next;
        worker->asleep = false;
        atomic_fetch_sub(&pool.sleeping, 1);
        atomic_fetch_add(&pool.searching, 1);
    }
    return worker;
}

/* Whether the watchdog must be started.  The caller holds the lock. */
static bool watch_begins(void)
{
    bool begins = !pool.watched && rh__rt.threads > 1;
    pool.watched |= begins;
    pool.looks = 0;
    return begins;
}

void rh__pool_put(struct rh__slot *first, struct rh__slot *last)
{
    uint32_t count = 1;
    for (struct rh__slot *slot = first; slot != last; slot = slot->run_next)
        count++;
    pthread_mutex_lock(&pool.lock);
    last->run_next = NULL;
    if (pool.last)
        pool.last->run_next = first;
    else
        pool.first = first;
    pool.last = last;
    atomic_fetch_add(&pool.queued, count);
    struct rh__worker *woken = sleeper_take();
    bool begins = woken && watch_begins();
    pthread_mutex_unlock(&pool.lock);
    if (woken)
        pthread_cond_signal(&woken->wake);
    if (begins)
        rh__timers_kick();
}

/* The caller holds the lock. */
static struct rh__slot *queue_take(void)
{
    struct rh__slot *slot = pool.first;
    if (slot) {
        pool.first = slot->run_next;
        if (!pool.first)
            pool.last = NULL;
        atomic_fetch_sub(&pool.queued, 1);
    }
    return slot;
}

struct rh__slot *rh__pool_take(void)
{
    if (atomic_load_explicit(&pool.queued, memory_order_relaxed) == 0)
        return NULL;
    pthread_mutex_lock(&pool.lock);
    struct rh__slot *slot = queue_take();
    pthread_mutex_unlock(&pool.lock);
    return slot;
}

/* The caller holds the lock. */
static bool is_quiet(void)
{
    return atomic_load(&pool.sleeping) == rh__rt.threads && !pool.first && atomic_load(&pool.busy) == 0;
}

struct rh__slot *rh__pool_sleep(struct rh__worker *worker)
{
    pthread_mutex_lock(&pool.lock);
    struct rh__slot *slot = queue_take();
    if (!slot && !atomic_load(&rh__rt.stopping)) {
        worker->sleep_next = pool.sleepers;
        pool.sleepers = worker;
        worker->asleep = true;
        atomic_fetch_add(&pool.sleeping, 1);
        atomic_fetch_sub(&pool.searching, 1);
        if (atomic_load(&pool.waiters) && is_quiet())
            pthread_cond_broadcast(&pool.quiet);
        while (worker->asleep)
            pthread_cond_wait(&worker->wake, &pool.lock);
        slot = queue_take();
    }
    pthread_mutex_unlock(&pool.lock);
    return slot;
}

void rh__pool_share(uint64_t backlog_ns)
{
    if (atomic_load_explicit(&pool.sleeping, memory_order_relaxed) == 0 || backlog_ns < WAKE_NS ||
        atomic_load_explicit(&pool.searching, memory_order_relaxed) > 0)
        return;
    pthread_mutex_lock(&pool.lock);
    struct rh__worker *woken = sleeper_take();
    pthread_mutex_unlock(&pool.lock);
    if (woken)
        pthread_cond_signal(&woken->wake);
}

void rh__pool_searching(bool yes)
{
    atomic_fetch_add(&pool.searching, yes ? 1 : -1);
}

void rh__pool_wake_all(void)
{
    pthread_mutex_lock(&pool.lock);
    for (struct rh__worker *woken; (woken = sleeper_take());)
        pthread_cond_signal(&woken->wake);
    pthread_cond_broadcast(&pool.quiet);
    pthread_mutex_unlock(&pool.lock);
}

/* Whether a worker is stuck in one handler, or has a long queue, while others sleep. */
static bool somebody_needs_help(void)
{
    bool needs = false;
    for (uint32_t i = 0; i < rh__rt.threads; i++) {
        struct rh__worker *w = &rh__rt.workers[i];
        uint32_t ticks = atomic_load_explicit(&w->ticks, memory_order_relaxed);
        bool stuck = ticks == w->ticks_seen;
        w->ticks_seen = ticks;
        if (w->asleep || !stuck)
            continue;
        needs |= atomic_load_explicit(&w->latest, memory_order_relaxed) ||
                 atomic_load_explicit(&w->ring.front, memory_order_relaxed) !=
                     atomic_load_explicit(&w->ring.back, memory_order_relaxed);
    }
    return needs;
}

bool rh__pool_watch(void)
{
    struct rh__worker *woken = NULL;
    pthread_mutex_lock(&pool.lock);
    if (pool.watched) {
        if (atomic_load(&pool.sleeping) < rh__rt.threads)
            pool.looks = 0;
        else if (++pool.looks > IDLE_LOOKS)
            pool.watched = false;
        if (somebody_needs_help() || pool.first)
            woken = sleeper_take();
    }
    bool go_on = pool.watched;
    pthread_mutex_unlock(&pool.lock);
    if (woken)
        pthread_cond_signal(&woken->wake);
    return go_on;
}

void rh__pool_busy(int change)
{
    long now = atomic_fetch_add(&pool.busy, change) + change;
    if (now == 0 && atomic_load(&pool.waiters)) {
        pthread_mutex_lock(&pool.lock);
        if (is_quiet())
            pthread_cond_broadcast(&pool.quiet);
        pthread_mutex_unlock(&pool.lock);
    }
}

void rh__pool_wait_quiet(void)
{
    atomic_fetch_add(&pool.waiters, 1);
    pthread_mutex_lock(&pool.lock);
    while (!is_quiet() && !atomic_load(&rh__rt.stopping))
        pthread_cond_wait(&pool.quiet, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
    atomic_fetch_sub(&pool.waiters, 1);
}
