/* See room.h.  An actor that waits is parked and woken by a message; a thread that is no worker sleeps on a condition.
 * A sender that finds the mailbox full enters itself in the list and then looks again; a receiver makes room first and
 * then looks at the list: so one of the two sees the other. */
#include "runtime/room.h"

#include <stdlib.h>

#include "runtime/actor.h"
#include "runtime/failure.h"

struct rh__room {
    struct rh__room *next;
    rh_ref who;      /* an actor that waits, or nobody: a foreign thread */
    uint32_t ticket; /* of its wait */
    bool *free_now;  /* the foreign thread's */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t room_made = PTHREAD_COND_INITIALIZER;

static bool reserve(struct rh__slot *slot)
{
    if (atomic_fetch_add(&slot->counted, 1) < rh__rt.options.mailbox_limit)
        return true;
    atomic_fetch_sub(&slot->counted, 1);
    return false;
}

/* With the lock.  False where there is room after all. */
static bool enlist(struct rh__slot *slot, struct rh__room *room)
{
    struct rh__room **end = &slot->waiters;
    while (*end)
        end = &(*end)->next;
    room->next = NULL;
    *end = room;
    atomic_store(&slot->has_waiters, true);
    if (atomic_load(&slot->counted) >= rh__rt.options.mailbox_limit)
        return true;
    *end = NULL;
    atomic_store(&slot->has_waiters, slot->waiters != NULL);
    return false;
}

/* False where it cannot wait. */
static bool wait_as_actor(struct rh__actor *actor, struct rh__slot *slot, const char *here)
{
    struct rh__room *room = rh__need(sizeof *room);
    room->who = actor->self;
    room->ticket = ++actor->tickets;
    room->free_now = NULL;
    pthread_mutex_lock(&lock);
    bool waits = enlist(slot, room);
    pthread_mutex_unlock(&lock);
    if (!waits) {
        free(room);
        return true;
    }
    actor->wait.what = RH__WAIT_WAKE;
    return rh__wait(actor, 0, here);
}

static void wait_as_thread(struct rh__slot *slot)
{
    bool free_now = false;
    struct rh__room *room = rh__need(sizeof *room);
    room->who = rh_nobody();
    room->free_now = &free_now;
    pthread_mutex_lock(&lock);
    if (enlist(slot, room)) {
        while (!free_now && !atomic_load(&rh__rt.stopping))
            pthread_cond_wait(&room_made, &lock);
        if (!free_now) { /* the runtime ends, and the list with it */
            for (struct rh__room **at = &slot->waiters; *at; at = &(*at)->next)
                if (*at == room) {
                    *at = room->next;
                    free(room);
                    break;
                }
        }
    } else {
        free(room);
    }
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
            rh__actor_exit(actor, "overflow");
        }
        if (rh__rt.options.overflow != RH_OVERFLOW_WAIT || atomic_load(&rh__rt.stopping))
            return RH__ROOM_NONE;
        if (!actor)
            wait_as_thread(slot);
        else if (!wait_as_actor(actor, slot, here))
            return RH__ROOM_NONE;
    }
    return RH__ROOM_NONE;
}

void rh__room_offer(struct rh__worker *worker, struct rh__slot *slot)
{
    if (!atomic_load(&slot->has_waiters))
        return;
    pthread_mutex_lock(&lock);
    uint32_t counted = atomic_load(&slot->counted), limit = rh__rt.options.mailbox_limit;
    uint32_t places = counted < limit ? limit - counted : 0;
    bool alive = atomic_load(&slot->generation) % 2 == 1;
    struct rh__room *woken = NULL, **end = &woken;
    while (slot->waiters && (places > 0 || !alive)) {
        struct rh__room *room = slot->waiters;
        slot->waiters = room->next;
        places--;
        room->next = NULL;
        *end = room;
        end = &room->next;
    }
    atomic_store(&slot->has_waiters, slot->waiters != NULL);
    for (struct rh__room *room = woken; room; room = room->next)
        if (room->free_now)
            *room->free_now = true;
    pthread_cond_broadcast(&room_made);
    pthread_mutex_unlock(&lock);
    while (woken) {
        struct rh__room *room = woken;
        woken = room->next;
        if (!rh_is_nobody(room->who)) {
            struct rh__message *m = rh__message_make(worker, RH__WAKE, rh_nobody(), &rh_message_rh_start, 0);
            m->ticket = room->ticket;
            rh__post(worker, room->who, m);
        }
        free(room);
    }
}

void rh__room_clear(struct rh__slot *slot)
{
    while (slot->waiters) {
        struct rh__room *room = slot->waiters;
        slot->waiters = room->next;
        free(room);
    }
}

void rh__room_close(void)
{
    pthread_mutex_lock(&lock);
    pthread_cond_broadcast(&room_made);
    pthread_mutex_unlock(&lock);
}
