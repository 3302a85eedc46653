/* See rt_timers.h.  A binary heap under one lock; its thread also runs the watchdog of rt_pool.c. */
#include "runtime/rt_timers.h"

#include <stdlib.h>
#include <time.h>

#include "runtime/actor.h"
#include "runtime/rt_pool.h"
#include "runtime/rt_tape.h"

enum { WATCH_NS = 5000000 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct rh__timer **heap; /* heap[0] has the earliest deadline */
    size_t count, room;
    uint64_t orders;
    _Atomic(bool) watching;
    bool stop;
    pthread_t thread;
} timers = { .lock = PTHREAD_MUTEX_INITIALIZER };

static _Thread_local bool is_timers_thread;

/* ---- the heap, with the lock ----------------------------------------------------------------------------------- */

static bool before(const struct rh__timer *a, const struct rh__timer *b)
{
    return a->due_ns != b->due_ns ? a->due_ns < b->due_ns : a->order < b->order;
}

static void place(struct rh__timer *timer, size_t i)
{
    timers.heap[i] = timer;
    timer->at = i + 1;
}

static void move_up(struct rh__timer *timer, size_t i)
{
    for (; i > 0 && before(timer, timers.heap[(i - 1) / 2]); i = (i - 1) / 2)
        place(timers.heap[(i - 1) / 2], i);
    place(timer, i);
}

static void move_down(struct rh__timer *timer, size_t i)
{
    for (size_t child; (child = 2 * i + 1) < timers.count; i = child) {
        if (child + 1 < timers.count && before(timers.heap[child + 1], timers.heap[child]))
            child++;
        if (!before(timers.heap[child], timer))
            break;
        place(timers.heap[child], i);
    }
    place(timer, i);
}

static void heap_add(struct rh__timer *timer, int64_t delay_ms)
{
    int64_t longest = INT64_MAX / 4000000;
    timer->due_ns = rh__now_ns() + (delay_ms > longest ? longest : delay_ms) * 1000000;
    timer->order = timers.orders++;
    if (timers.count == timers.room) {
        timers.room = timers.room ? timers.room * 2 : 64;
        timers.heap = rh__need_more(timers.heap, timers.room * sizeof *timers.heap);
    }
    move_up(timer, timers.count++);
    rh__pool_busy(1);
    if (timer->at == 1)
        pthread_cond_signal(&timers.changed);
}

/* Does not tell the pool. */
static void heap_remove(struct rh__timer *timer)
{
    size_t i = timer->at - 1;
    struct rh__timer *last = timers.heap[--timers.count];
    timer->at = 0;
    if (last == timer)
        return;
    if (i > 0 && before(last, timers.heap[(i - 1) / 2]))
        move_up(last, i);
    else
        move_down(last, i);
}

/* Removes the timer from the heap if it is there; returns the message that will not be sent. */
static struct rh__message *disarm(struct rh__timer *timer)
{
    pthread_mutex_lock(&timers.lock);
    bool armed = timer->at != 0;
    struct rh__message *m = timer->message;
    timer->message = NULL;
    if (armed)
        heap_remove(timer);
    pthread_mutex_unlock(&timers.lock);
    if (armed)
        rh__pool_busy(-1);
    return m;
}

/* ---- the thread ------------------------------------------------------------------------------------------------ */

static void fire(struct rh__timer *timer)
{
    struct rh__message *m = timer->message;
    timer->message = NULL;
    if (!m) {
        m = rh__message_make(NULL, RH__WAKE, rh_nobody(), &rh_message_rh_start, 0);
        m->ticket = timer->ticket;
    }
    heap_remove(timer);
    rh__post(NULL, (rh_ref){ timer->to }, m);
    rh__pool_busy(-1);
}

static void wait_until(int64_t due_ns)
{
    struct timespec at = { .tv_sec = (time_t)(due_ns / 1000000000), .tv_nsec = (long)(due_ns % 1000000000) };
    pthread_cond_timedwait(&timers.changed, &timers.lock, &at);
}

static void *timers_thread(void *unused)
{
    (void)unused;
    int64_t look = 0;
    is_timers_thread = true;
    pthread_mutex_lock(&timers.lock);
    while (!timers.stop) {
        int64_t now = rh__now_ns();
        while (timers.count && timers.heap[0]->due_ns <= now)
            fire(timers.heap[0]);
        if (atomic_load(&timers.watching) && now >= look) {
            if (!rh__pool_watch())
                atomic_store(&timers.watching, false);
            look = now + WATCH_NS;
        }
        int64_t due = timers.count ? timers.heap[0]->due_ns : INT64_MAX;
        if (atomic_load(&timers.watching) && look < due)
            due = look;
        if (due == INT64_MAX)
            pthread_cond_wait(&timers.changed, &timers.lock);
        else
            wait_until(due);
    }
    pthread_mutex_unlock(&timers.lock);
    return NULL;
}

bool rh__timers_start(void)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&timers.changed, &attributes);
    pthread_condattr_destroy(&attributes);
    timers.stop = false;
    atomic_store(&timers.watching, false);
    if (pthread_create(&timers.thread, NULL, timers_thread, NULL) == 0)
        return true;
    pthread_cond_destroy(&timers.changed);
    return false;
}

void rh__timers_stop(void)
{
    pthread_mutex_lock(&timers.lock);
    timers.stop = true;
    pthread_cond_signal(&timers.changed);
    pthread_mutex_unlock(&timers.lock);
    pthread_join(timers.thread, NULL);
    pthread_cond_destroy(&timers.changed);
    for (size_t i = 0; i < timers.count; i++)
        timers.heap[i]->at = 0; /* actors free their timers */
    free(timers.heap);
    timers.heap = NULL;
    timers.count = timers.room = 0;
}

void rh__timers_kick(void)
{
    atomic_store(&timers.watching, true);
    if (is_timers_thread)
        return; /* the timers' thread holds the lock, and looks at the workers after it has fired the timers */
    pthread_mutex_lock(&timers.lock);
    pthread_cond_signal(&timers.changed);
    pthread_mutex_unlock(&timers.lock);
}

/* ---- an actor's timers ----------------------------------------------------------------------------------------- */

static struct rh__timer **find(struct rh__actor *actor, const char *name)
{
    struct rh__timer **at = &actor->timers;
    while (*at && strcmp((*at)->name, name) != 0)
        at = &(*at)->next;
    return at;
}

static void timer_free(struct rh__worker *worker, struct rh__timer **at)
{
    struct rh__timer *timer = *at;
    struct rh__message *m = disarm(timer);
    if (m)
        rh__block_free(worker, m);
    *at = timer->next;
    free(timer->name);
    free(timer);
}

void rh__rt_timer_set(struct rh__worker *worker, struct rh__actor *actor, const char *name, int64_t delay_ms,
                      const struct rh_message_type *type, const void *value)
{
    struct rh__timer **at = find(actor, name);
    if (*at)
        timer_free(worker, at);
    struct rh__timer *timer = rh__need(sizeof *timer);
    size_t size = strlen(name) + 1;
    *timer = (struct rh__timer){ .ticket = ++actor->tickets, .next = actor->timers, .to = actor->self.id };
    timer->name = memcpy(rh__need(size), name, size);
    actor->timers = timer;

    struct rh__message *m = rh__message_make(worker, RH__TIMER, actor->self, type, type->size);
    m->ticket = timer->ticket;
    rh__copy_fields(rh__message_value(m), value, type->size);
    if (delay_ms <= 0) {
        rh__post(worker, actor->self, m);
        return;
    }
    pthread_mutex_lock(&timers.lock);
    timer->message = m;
    heap_add(timer, delay_ms);
    pthread_mutex_unlock(&timers.lock);
}

bool rh__timer_cancel(struct rh__worker *worker, struct rh__actor *actor, const char *name)
{
    struct rh__timer **at = find(actor, name);
    if (!*at)
        return false;
    timer_free(worker, at);
    return true;
}

bool rh__timer_due(struct rh__actor *actor, uint32_t ticket, bool take)
{
    struct rh__timer **at = &actor->timers;
    while (*at && (*at)->ticket != ticket)
        at = &(*at)->next;
    if (!*at)
        return false;
    if (take)
        timer_free(rh__worker(), at);
    return true;
}

void rh__timer_record(struct rh__actor *actor, const struct rh__message *m)
{
    const struct rh__timer *timer = actor->timers;
    while (timer && timer->ticket != m->ticket)
        timer = timer->next;
    if (timer)
        rh__tape_fire(actor, m, timer->name);
}

void rh__timers_drop(struct rh__worker *worker, struct rh__actor *actor)
{
    while (actor->timers)
        timer_free(worker, &actor->timers);
}

void rh__alarm_set(struct rh__actor *actor, int64_t delay_ms)
{
    actor->alarm.to = actor->self.id;
    actor->alarm.ticket = actor->wait.ticket;
    pthread_mutex_lock(&timers.lock);
    heap_add(&actor->alarm, delay_ms);
    pthread_mutex_unlock(&timers.lock);
}

void rh__alarm_clear(struct rh__actor *actor)
{
    if (actor->alarm.to)
        disarm(&actor->alarm);
    actor->alarm.to = 0;
}
