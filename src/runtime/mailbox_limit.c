/* See mailbox_limit.h.  A waiting actor is parked and woken by a message; a thread that is not a worker sleeps on a
 * condition variable.  A sender that finds the mailbox full enters itself in the list and then checks again; a
 * receiver makes room first and then checks the list: so one of the two sees the other.  The receiver may be at rest
 * by the time that a woken sender continues; a sender that does not use its place then passes it on. */
#include "runtime/mailbox_limit.h"

#include "runtime/actor.h"
#include "runtime/failure.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t room_made = PTHREAD_COND_INITIALIZER;

static bool reserve(struct rh__slot *slot)
{
    if (atomic_fetch_add(&slot->counted, 1) < rh__rt.options.mailbox_limit)
        return true;
    atomic_fetch_sub(&slot->counted, 1);
    return false;
}

/* Returns false if there is room after all.  The caller holds the lock. */
static bool enlist(struct rh__slot *slot, struct rh__room *room)
{
    struct rh__room **end = &slot->waiters;
    while (*end)
        end = &(*end)->next;
    room->next = NULL;
    *end = room;
    atomic_store(&slot->has_waiters, true);
    room->listed = atomic_load(&slot->counted) >= rh__rt.options.mailbox_limit;
    if (room->listed)
        return true;
    *end = NULL;
    atomic_store(&slot->has_waiters, slot->waiters != NULL);
    return false;
}

/* The caller holds the lock. */
static void strike(struct rh__slot *slot, struct rh__room *room)
{
    struct rh__room **at = &slot->waiters;
    while (*at != room)
        at = &(*at)->next;
    *at = room->next;
    room->listed = false;
    atomic_store(&slot->has_waiters, slot->waiters != NULL);
}

static void wait_as_actor(struct rh__actor *actor, struct rh__slot *slot, const char *here)
{
    struct rh__room *room = &actor->room;
    room->who = actor->self;
    room->ticket = ++actor->tickets;
    pthread_mutex_lock(&lock);
    bool waits = enlist(slot, room);
    pthread_mutex_unlock(&lock);
    if (!waits)
        return;
    room->slot = slot;
    actor->wait.what = RH__WAIT_WAKE;
    rh__wait(actor, 0, here);
    room->slot = NULL;
}

static void wait_as_thread(struct rh__slot *slot)
{
    struct rh__room room = { .slot = slot };
    pthread_mutex_lock(&lock);
    if (enlist(slot, &room))
        while (room.listed && !atomic_load(&rh__rt.stopping))
            pthread_cond_wait(&room_made, &lock);
    if (room.listed) /* the runtime is ending */
        strike(slot, &room);
    pthread_mutex_unlock(&lock);
}

enum rh__room_answer rh__room_wait(struct rh__slot *slot, rh_ref to, const char *here)
{
    struct rh__worker *worker = rh__worker();
    struct rh__actor *actor = worker ? worker->actor : NULL;
    while (rh__slot_has(slot, to)) {
        if (reserve(slot))
            return RH__ROOM_YES;
        if (actor && rh_same(actor->self, to)) { /* it would wait for itself */
            atomic_fetch_add(&slot->counted, 1);
            return RH__ROOM_YES;
        }
        if (rh__rt.options.overflow == RH_OVERFLOW_FAIL && actor) {
            rh__count_dropped(worker);
            rh__count_sent(worker);
            rh__rt_fail("overflow", here, "it ends: the mailbox it sends to holds mailbox_limit = %u messages",
                        rh__rt.options.mailbox_limit);
            rh__actor_exit(actor, "overflow", NULL);
        }
        if (rh__rt.options.overflow != RH_OVERFLOW_WAIT || atomic_load(&rh__rt.stopping))
            return RH__ROOM_NONE;
        if (actor)
            wait_as_actor(actor, slot, here);
        else
            wait_as_thread(slot);
    }
    rh__room_offer(rh__worker(), slot); /* for senders that wait for the next tenant */
    return RH__ROOM_NONE;
}

void rh__room_offer(struct rh__worker *worker, struct rh__slot *slot)
{
    if (!atomic_load(&slot->has_waiters))
        return;
    pthread_mutex_lock(&lock);
    uint32_t counted = atomic_load(&slot->counted), limit = rh__rt.options.mailbox_limit;
    uint32_t places = counted < limit ? limit - counted : 0;
    bool alive = atomic_load(&slot->generation) % 2 == 1, threads = false;
    for (struct rh__room *room; (room = slot->waiters) && (places > 0 || !alive); places--) {
        slot->waiters = room->next;
        room->listed = false;
        if (rh_is_nobody(room->who)) {
            threads = true;
            continue;
        }
        struct rh__message *m = rh__message_make(worker, RH__WAKE, rh_nobody(), &rh_message_rh_start, 0);
        m->ticket = room->ticket;
        rh__post(worker, room->who, m);
    }
    atomic_store(&slot->has_waiters, slot->waiters != NULL);
    if (threads)
        pthread_cond_broadcast(&room_made);
    pthread_mutex_unlock(&lock);
}

void rh__room_leave(struct rh__worker *worker, struct rh__actor *actor)
{
    struct rh__room *room = &actor->room;
    if (!room->slot)
        return;
    pthread_mutex_lock(&lock);
    bool woken = !room->listed;
    if (!woken)
        strike(room->slot, room);
    pthread_mutex_unlock(&lock);
    if (woken)
        rh__room_offer(worker, room->slot);
}

void rh__room_close(void)
{
    pthread_mutex_lock(&lock);
    pthread_cond_broadcast(&room_made);
    pthread_mutex_unlock(&lock);
}
