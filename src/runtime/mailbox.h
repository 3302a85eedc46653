/* A slot: the place of an actor, with its mailbox.
 *
 * The mailbox is a linked queue with many producers and one consumer (Vyukov's intrusive queue; the mark on `newest` is
 * Pony's).  A push is one exchange and one store.  The node that was taken last stays in the queue as its first node,
 * so a queue always has a node.
 *
 *   newest   the last node, marked with RH__AT_REST if no worker runs the slot or is about to.  A producer that pushes
 *            onto a marked queue must schedule the slot; so a slot is in at most one run queue.
 *   taken    the node taken last; only the worker that runs the slot accesses it
 *
 * A slot is never freed while the runtime runs, so a push is safe at any time, even if another actor lives in the slot
 * by then: each message carries the generation for which it is meant, and the consumer drops messages for other
 * generations.  A new tenant arrives as a message (RH__BEGIN), so everything except the first few fields belongs to the
 * consumer alone. */
#ifndef RH_RUNTIME_MAILBOX_H
#define RH_RUNTIME_MAILBOX_H

#include "runtime/message.h"

#define RH__AT_REST ((uintptr_t)1)

struct rh__actor;
struct rh__name;
struct rh__room;

/* One end of a link or of a monitor.  The number distinguishes it from earlier ones between the same two actors. */
struct rh__tie {
    rh_ref who;
    uint32_t number;
    bool mine; /* of a link: the actor that has this end made the link */
};

struct rh__ties {
    struct rh__tie *at;
    uint32_t count, room;
};

struct rh__slot {
    /* Shared by all threads. */
    _Alignas(64) _Atomic(uintptr_t) newest;
    _Atomic(uint32_t) generation; /* odd while an actor lives here; references contain it */
    uint32_t index;
    _Atomic(uint32_t) counted; /* messages that count towards the limit of the mailbox */
    _Atomic(bool) has_waiters; /* a sender waits for room; the lock of mailbox_limit.c guards the list */
    _Atomic(bool) has_names;   /* in the registry */
    struct rh__room *waiters;
    struct rh__slot *run_next;  /* in the shared run queue; guarded by its lock */
    struct rh__slot *free_next; /* in the list of free slots; the lock of the table guards it and the name */
    struct rh__name *name;      /* of the last tenant */
    struct rh__ties links;      /* of the tenant; a lock of signals.c guards them and the end of the tenant */
    struct rh__ties watchers;   /* actors that monitor the tenant; guarded by the same lock */
    /* Only for the consumer. */
    _Alignas(64) struct rh__message *taken;
    struct rh__actor *actor; /* NULL if the slot is empty */
    uint32_t tenant;         /* the generation of `actor`; 0 if there is none */
    struct rh__message stub;
};

static inline void rh__mailbox_init(struct rh__slot *slot)
{
    slot->stub.kind = RH__STUB;
    slot->stub.size_class = RH__CLASS_LARGE;
    slot->stub.held = 1; /* never freed: it is part of the slot */
    slot->taken = &slot->stub;
    atomic_store_explicit(&slot->newest, (uintptr_t)&slot->stub | RH__AT_REST, memory_order_relaxed);
}

/* Returns true if the slot was at rest; the caller must then schedule it. */
static inline bool rh__mailbox_push(struct rh__slot *slot, struct rh__message *m)
{
    atomic_store_explicit(&m->next, NULL, memory_order_relaxed);
    uintptr_t before = atomic_exchange_explicit(&slot->newest, (uintptr_t)m, memory_order_acq_rel);
    struct rh__message *last = (struct rh__message *)(before & ~RH__AT_REST);
    atomic_store_explicit(&last->next, m, memory_order_release);
    return before & RH__AT_REST;
}

/* The next message, or NULL.  It stays valid until the next take, and longer if it is held. */
static inline struct rh__message *rh__mailbox_take(struct rh__slot *slot, struct rh__cache *cache)
{
    struct rh__message *old = slot->taken;
    struct rh__message *m = atomic_load_explicit(&old->next, memory_order_acquire);
    if (!m)
        return NULL;
    slot->taken = m;
    __builtin_prefetch(atomic_load_explicit(&m->next, memory_order_relaxed));
    if (!old->held)
        rh__message_free(cache, old);
    return m;
}

/* Releases a message that was held. */
static inline void rh__mailbox_release(struct rh__slot *slot, struct rh__cache *cache, struct rh__message *m)
{
    if (m == slot->taken)
        m->held = 0;
    else
        rh__message_free(cache, m);
}

/* The consumer gives up the slot.  Returns false if a message has arrived or is arriving; the caller then keeps the
 * slot. */
static inline bool rh__mailbox_rest(struct rh__slot *slot)
{
    uintptr_t last = (uintptr_t)slot->taken;
    return atomic_compare_exchange_strong_explicit(&slot->newest, &last, last | RH__AT_REST, memory_order_acq_rel,
                                                   memory_order_relaxed);
}

#endif
