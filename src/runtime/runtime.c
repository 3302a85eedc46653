/* Start, wait, stop.  At the end, first no foreign thread may enter; then the workers finish their handlers; then the
 * threads for timers and writes stop; and when nothing runs any more, all memory is freed. */
#define _GNU_SOURCE
#include "runtime/runtime.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/random.h"
#include "runtime/actor.h"
#include "runtime/failure.h"
#include "runtime/mailbox_limit.h"
#include "runtime/rt_history.h"
#include "runtime/rt_names.h"
#include "runtime/rt_pool.h"
#include "runtime/rt_registry.h"
#include "runtime/rt_seam.h"
#include "runtime/rt_store.h"
#include "runtime/rt_tables.h"
#include "runtime/rt_tape.h"

enum { CLOSED = 1u << 31, FIRST_SLOT_NS = 5000 };

struct rh__runtime rh__rt = { .cache_lock = PTHREAD_MUTEX_INITIALIZER };

static pthread_mutex_t life = PTHREAD_MUTEX_INITIALIZER; /* start and stop exclude each other */
static bool running;
static _Atomic(uint32_t) gate = CLOSED; /* number of foreign threads inside, and whether more may enter */
static pthread_mutex_t live_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t live_none = PTHREAD_COND_INITIALIZER;
static struct rh_runtime_counts last_counts; /* of the last runtime */

/* ---- small things that all use --------------------------------------------------------------------------------- */

bool rh__gate_enter(void)
{
    if (atomic_fetch_add(&gate, 1) & CLOSED) {
        atomic_fetch_sub(&gate, 1);
        return false;
    }
    return true;
}

void rh__gate_leave(void)
{
    atomic_fetch_sub(&gate, 1);
}

void *rh__need(size_t size)
{
    return rh__need_more(NULL, size);
}

void *rh__need_more(void *at, size_t size)
{
    void *p = realloc(at, size ? size : 1);
    if (!p)
        rh__out_of_memory();
    return p;
}

struct rh__message *rh__block_new(struct rh__worker *worker, size_t bytes)
{
    if (worker)
        return rh__message_alloc(&worker->cache, bytes);
    pthread_mutex_lock(&rh__rt.cache_lock);
    struct rh__message *m = rh__message_alloc(&rh__rt.cache, bytes);
    pthread_mutex_unlock(&rh__rt.cache_lock);
    return m;
}

void rh__block_free(struct rh__worker *worker, struct rh__message *m)
{
    if (worker) {
        rh__message_free(&worker->cache, m);
        return;
    }
    pthread_mutex_lock(&rh__rt.cache_lock);
    rh__message_free(&rh__rt.cache, m);
    pthread_mutex_unlock(&rh__rt.cache_lock);
}

int64_t rh__now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void rh__live_down(void)
{
    atomic_fetch_add_explicit(&rh__rt.ended, 1, memory_order_relaxed);
    if (atomic_fetch_sub(&rh__rt.live, 1) == 1) {
        pthread_mutex_lock(&live_lock);
        pthread_cond_broadcast(&live_none);
        pthread_mutex_unlock(&live_lock);
    }
}

/* ---- start ----------------------------------------------------------------------------------------------------- */

static const char *text_kept(const char *text)
{
    size_t size = text ? strlen(text) + 1 : 0;
    return text ? memcpy(rh__need(size), text, size) : NULL;
}

static bool options_set(const struct rh_runtime_options *given)
{
    struct rh_runtime_options o = given ? *given : (struct rh_runtime_options){ 0 };
    cpu_set_t cpus;
    if (o.overflow > RH_OVERFLOW_FAIL) {
        fprintf(stderr, "rehearse: rh_runtime_start: %d is not a value of enum rh_overflow\n", (int)o.overflow);
        return false;
    }
    if (o.threads == 0)
        o.threads = sched_getaffinity(0, sizeof cpus, &cpus) == 0 ? (uint32_t)CPU_COUNT(&cpus) : 1;
    if (o.threads > RH__MAX_THREADS)
        o.threads = RH__MAX_THREADS;
    if (o.mailbox_limit == 0)
        o.mailbox_limit = 65536;
    if (o.max_message_bytes == 0)
        o.max_message_bytes = 1 << 20;
    if (o.stack_bytes == 0)
        o.stack_bytes = 256 << 10;
    if (o.seed == 0 && getrandom(&o.seed, sizeof o.seed, 0) != sizeof o.seed)
        o.seed = (uint64_t)rh__now_ns();
    o.store_folder = text_kept(o.store_folder);
    o.record = text_kept(o.record);
    o.record_test = text_kept(o.record_test);
    if (o.record_limit == 0)
        o.record_limit = 1 << 20;
    rh__rt.options = o;
    rh__rt.threads = o.threads;
    rh__rt.limited = o.overflow != RH_OVERFLOW_GROW;
    return true;
}

static void options_release(void)
{
    free((char *)(uintptr_t)rh__rt.options.store_folder);
    free((char *)(uintptr_t)rh__rt.options.record);
    free((char *)(uintptr_t)rh__rt.options.record_test);
    rh__rt.options = (struct rh_runtime_options){ 0 };
}

static void state_clear(void)
{
    memset(&rh__rt.cache, 0, sizeof rh__rt.cache);
    atomic_store(&rh__rt.stopping, false);
    atomic_store(&rh__rt.spawned, 0);
    atomic_store(&rh__rt.ended, 0);
    atomic_store(&rh__rt.live, 0);
    atomic_store(&rh__rt.outside.sent, 0);
    atomic_store(&rh__rt.outside.dropped, 0);
    atomic_store(&rh__rt.chance, rh__random_seed(rh__rt.options.seed, 0));
    rh__pool_init();
}

static void workers_end(uint32_t count)
{
    atomic_store(&rh__rt.stopping, true);
    rh__room_close();
    rh__pool_wake_all();
    for (uint32_t i = 0; i < count; i++)
        pthread_join(rh__rt.workers[i].thread, NULL);
}

static void workers_free(void)
{
    for (uint32_t i = 0; i < rh__rt.threads; i++) {
        struct rh__worker *worker = &rh__rt.workers[i];
        pthread_cond_destroy(&worker->wake);
        while (worker->spares) { /* of a worker whose thread was never created */
            struct rh__fiber *fiber = worker->spares;
            worker->spares = fiber->next;
            rh__fiber_free(fiber);
        }
    }
    free(rh__rt.workers);
    rh__rt.workers = NULL;
}

static bool workers_start(void)
{
    size_t size = (rh__rt.threads * sizeof *rh__rt.workers + 63) & ~(size_t)63;
    rh__rt.workers = aligned_alloc(64, size);
    if (!rh__rt.workers)
        return false;
    memset(rh__rt.workers, 0, size);
    for (uint32_t i = 0; i < rh__rt.threads; i++) {
        pthread_cond_init(&rh__rt.workers[i].wake, NULL);
        rh__rt.workers[i].slot_ns = FIRST_SLOT_NS;
        rh__rt.workers[i].chance = rh__random_seed(rh__rt.options.seed, i + 1);
    }
    for (uint32_t i = 0; i < rh__rt.threads; i++) {
        struct rh__worker *worker = &rh__rt.workers[i];
        if (!rh__fiber_prepare(worker) || pthread_create(&worker->thread, NULL, rh__worker_thread, worker) != 0) {
            workers_end(i);
            workers_free();
            return false;
        }
    }
    return true;
}

static bool start(const struct rh_runtime_options *options)
{
    if (running) {
        fprintf(stderr, "rehearse: rh_runtime_start: a runtime is already running\n");
        return false;
    }
    if (!options_set(options))
        return false;
    state_clear();
    if (!rh__tape_start()) { /* it has printed the reason */
        options_release();
        return false;
    }
    if (!rh__store_start()) { /* so has it */
        rh__tape_release();
        options_release();
        return false;
    }
    if (!rh__timers_start())
        goto stop_store;
    if (!workers_start())
        goto stop_timers;
    running = true;
    rh_seam_use(&rh__runtime_seam);
    atomic_fetch_and(&gate, ~(uint32_t)CLOSED);
    return true;

stop_timers:
    rh__timers_stop();
stop_store:
    rh__store_stop();
    rh__rt_store_release();
    fprintf(stderr, "rehearse: rh_runtime_start: not enough threads or memory: %s\n", strerror(errno));
    rh__fiber_release_spares();
    rh__tape_release();
    options_release();
    return false;
}

bool rh_runtime_start(const struct rh_runtime_options *options)
{
    pthread_mutex_lock(&life);
    bool started = start(options);
    pthread_mutex_unlock(&life);
    return started;
}

/* ---- wait, count, stop ----------------------------------------------------------------------------------------- */

/* Whether the caller is a thread outside of actors, and a runtime runs. */
static bool enter_from_outside(const char *call)
{
    if (rh__worker()) {
        rh__misuse("", "%s was called inside an actor", call);
        return false;
    }
    if (!rh__gate_enter()) {
        rh__no_runtime(call, NULL);
        return false;
    }
    return true;
}

void rh_runtime_wait(void)
{
    if (!enter_from_outside("rh_runtime_wait"))
        return;
    pthread_mutex_lock(&live_lock);
    while (atomic_load(&rh__rt.live) > 0 && !atomic_load(&rh__rt.stopping))
        pthread_cond_wait(&live_none, &live_lock);
    pthread_mutex_unlock(&live_lock);
    rh__gate_leave();
}

void rh_runtime_wait_quiet(void)
{
    if (!enter_from_outside("rh_runtime_wait_quiet"))
        return;
    rh__pool_wait_quiet();
    rh__gate_leave();
}

static struct rh_runtime_counts counts_now(void)
{
    struct rh_runtime_counts counts = {
        .messages_sent = atomic_load(&rh__rt.outside.sent),
        .messages_dropped = atomic_load(&rh__rt.outside.dropped),
        .actors_spawned = atomic_load(&rh__rt.spawned),
        .actors_ended = atomic_load(&rh__rt.ended),
    };
    for (uint32_t i = 0; i < rh__rt.threads; i++) {
        counts.messages_sent += atomic_load(&rh__rt.workers[i].tally.sent);
        counts.messages_handled += atomic_load(&rh__rt.workers[i].tally.handled);
        counts.messages_dropped += atomic_load(&rh__rt.workers[i].tally.dropped);
    }
    return counts;
}

struct rh_runtime_counts rh_runtime_count(void)
{
    if (rh__worker())
        return counts_now();
    if (!rh__gate_enter())
        return last_counts;
    struct rh_runtime_counts counts = counts_now();
    rh__gate_leave();
    return counts;
}

static void stop(void)
{
    atomic_fetch_or(&gate, CLOSED);
    atomic_store(&rh__rt.stopping, true);
    pthread_mutex_lock(&live_lock);
    pthread_cond_broadcast(&live_none);
    pthread_mutex_unlock(&live_lock);
    rh__room_close();
    rh__pool_wake_all();
    while (atomic_load(&gate) != CLOSED)
        sched_yield();
    workers_end(rh__rt.threads);
    rh__timers_stop();
    rh__store_stop();
    rh__rt_histories_end();
    rh__tape_write();
    last_counts = counts_now();
    rh__table_release(rh__slot_clear);
    rh__rt_store_release();
    rh__tape_release();
    rh__registry_release();
    rh__tables_release();
    rh__name_forget_root();
    workers_free();
    rh__fiber_release_spares();
    rh__message_release_pools();
    options_release();
    running = false;
}

void rh_runtime_stop(void)
{
    if (rh__worker()) {
        rh__misuse("", "rh_runtime_stop was called inside an actor");
        return;
    }
    pthread_mutex_lock(&life);
    if (running)
        stop();
    pthread_mutex_unlock(&life);
}
