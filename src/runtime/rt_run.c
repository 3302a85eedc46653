/* Taking messages: the behaviour's decision, deferred messages, and the turn of a slot. */
#include "runtime/actor.h"

#include "actor/set_items.h"
#include "runtime/failure.h"
#include "runtime/mailbox_limit.h"
#include "runtime/rt_tape.h"

enum { TURN = 128 }; /* messages that a slot handles before other slots run */

/* ---- messages set aside ---------------------------------------------------------------------------------------- */

/* Where messages of this type are counted. */
static size_t *count_of(struct rh__actor *actor, const struct rh_message_type *type)
{
    struct rh__aside_type *unused = NULL;
    for (uint32_t i = 0; i < RH__ASIDE_TYPES; i++) {
        if (actor->aside_types[i].type == type)
            return &actor->aside_types[i].count;
        if (!unused && !actor->aside_types[i].type)
            unused = &actor->aside_types[i];
    }
    if (!unused)
        return &actor->aside_others;
    unused->type = type;
    return &unused->count;
}

void rh__actor_set_aside(struct rh__actor *actor, struct rh__message *m)
{
    ++*count_of(actor, m->type);
    m->held = 1;
    m->link = NULL;
    *actor->aside_end = m;
    actor->aside_end = &m->link;
}

struct rh__message *rh__actor_unlink(struct rh__actor *actor, struct rh__message **at)
{
    struct rh__message *m = *at;
    --*count_of(actor, m->type);
    *at = m->link;
    if (actor->aside_end == &m->link)
        actor->aside_end = at;
    if (actor->seen == &m->link)
        actor->seen = at;
    return m;
}

void rh__actor_let_go(struct rh__actor *actor, struct rh__message **held)
{
    if (*held && !(actor->set && rh__set_holds(actor, *held)))
        rh__mailbox_release(actor->slot, &rh__worker()->cache, *held);
    *held = NULL;
}

bool rh__message_stands(struct rh__actor *actor, const struct rh__message *m)
{
    return (m->kind != RH__TIMER || rh__timer_due(actor, m->ticket, false)) &&
           (m->kind != RH__DOWN || rh__signal_watches(actor, m->ticket)) && (m->kind != RH__EXITED || m->ticket == 0);
}

bool rh__message_claim(struct rh__actor *actor, struct rh__message *m)
{
    if (m->kind == RH__TIMER && rh__recording())
        rh__timer_record(actor, m);
    if ((m->kind == RH__TIMER && !rh__timer_due(actor, m->ticket, true)) ||
        (m->kind == RH__DOWN && !rh__signal_claim(actor, m->ticket)) || (m->kind == RH__EXITED && m->ticket != 0))
        return false;
    if (m->kind != RH__PLAIN) {
        m->kind = RH__PLAIN;
        m->ticket = 0;
    }
    return true;
}

/* ---- the behaviour --------------------------------------------------------------------------------------------- */

static inline const struct rh_entry *entry_of(const struct rh_behaviour *behaviour, const struct rh_message_type *type)
{
    if (!behaviour)
        return NULL;
    const struct rh_entry *entry = behaviour->entries, *end = entry + behaviour->entry_count;
    for (; entry < end; entry++)
        if (entry->type == type)
            return entry;
    return NULL;
}

static void call(struct rh__worker *worker, struct rh__actor *actor, struct rh__message *m, rh_handler_fn *handler)
{
    actor->current = m;
    actor->last = m;
    worker->actor = actor;
    rh__count(&worker->tally.handled);
    rh__message_left(actor->slot, m);
    if (rh__recording())
        rh__tape_add(RH__TAPE_HANDLE, actor, m);
    handler(actor->self, actor->state, rh__message_value(m));
    if (__builtin_expect(m->held, 0))
        rh__mailbox_release(actor->slot, &rh__worker()->cache, m);
    actor->current = NULL;
}

static enum rh_action action_for(const struct rh_entry *entry, const struct rh_message_type *type, bool *known)
{
    *known = entry || type->unhandled != RH_UNHANDLED_ERROR;
    if (entry)
        return entry->action;
    return type->unhandled == RH_UNHANDLED_DEFER ? RH_ACTION_DEFER : RH_ACTION_IGNORE;
}

/* An actor that is busy and ready in turn, and defers meanwhile, would look at all of its messages for each of them. */
void rh__actor_look_again(struct rh__actor *actor)
{
    bool all_deferred = !actor->aside_others;
    for (uint32_t i = 0; i < RH__ASIDE_TYPES && all_deferred; i++) {
        const struct rh__aside_type *a = &actor->aside_types[i];
        bool known;
        if (a->count)
            all_deferred = action_for(entry_of(actor->behaviour, a->type), a->type, &known) == RH_ACTION_DEFER && known;
    }
    actor->seen = all_deferred ? actor->aside_end : &actor->aside;
    if (!all_deferred)
        actor->attention |= RH__RESCAN;
}

static void not_handled(struct rh__worker *worker, struct rh__actor *actor, struct rh__message *m)
{
    const char *behaviour = actor->behaviour ? actor->behaviour->name : "none";
    worker->actor = actor;
    actor->last = NULL;
    rh__message_left(actor->slot, m);
    if (rh__recording())
        rh__tape_add(RH__TAPE_HANDLE, actor, m);
    rh__rt_fail("unhandled", "", "no handler for message %s in behaviour %s%s%s%s", m->type->name, behaviour,
                actor->behaviour ? " (" : "", actor->behaviour ? actor->behaviour->place : "",
                actor->behaviour ? ")" : "");
    rh__count(&worker->tally.dropped);
    rh__rt_actor_end(worker, actor, "failed");
}

/* Handles, defers or drops a message.  `at` is its place among the messages set aside, NULL for a new message. */
static void deliver(struct rh__worker *worker, struct rh__actor *actor, struct rh__message *m, struct rh__message **at)
{
    const struct rh_entry *entry = entry_of(actor->behaviour, m->type);
    struct rh__slot *slot = actor->slot;
    bool known;
    enum rh_action action = action_for(entry, m->type, &known);
    if (known && action == RH_ACTION_GATHER)
        action = (int32_t)rh__set_number(entry, actor->state) < 2 ? RH_ACTION_HANDLE : RH_ACTION_DEFER;
    if (known && action == RH_ACTION_DEFER) {
        if (at) {
            actor->seen = &m->link;
            return;
        }
        bool all_seen = actor->seen == actor->aside_end;
        rh__actor_set_aside(actor, m);
        if (all_seen)
            actor->seen = actor->aside_end;
        return;
    }
    if (at)
        rh__actor_unlink(actor, at);
    if (!rh__message_claim(actor, m)) {
        rh__count(&worker->tally.dropped);
    } else if (!known) {
        not_handled(worker, actor, m);
    } else if (action == RH_ACTION_HANDLE) {
        call(worker, actor, m, entry->call); /* it releases the message */
        return;
    } else {
        rh__count(&worker->tally.handled);
        if (rh__recording())
            rh__tape_add(RH__TAPE_HANDLE, actor, m);
    }
    rh__message_left(slot, m);
    if (at)
        rh__mailbox_release(slot, &worker->cache, m);
}

/* Runs the handler of a set, if one is complete.  What it leaves to do comes before the next one. */
static bool gather(struct rh__slot *slot)
{
    struct rh__actor *actor = slot->actor;
    if (!rh__set_gather(rh__worker(), actor))
        return false;
    if (slot->actor == actor)
        actor->attention |= RH__RESCAN;
    return true;
}

/* Looks again at the messages set aside that the current behaviour has not seen. */
static void rescan(struct rh__slot *slot)
{
    struct rh__actor *actor;
    while ((actor = slot->actor) && *actor->seen && !atomic_load_explicit(&rh__rt.stopping, memory_order_relaxed)) {
        deliver(rh__worker(), actor, *actor->seen, actor->seen);
        if (slot->actor == actor && actor->attention & RH__STOP)
            return;
        if (slot->actor == actor && actor->attention & RH__GATHERS && gather(slot))
            return;
    }
}

/* Does what a handler has left to do. */
static void attend(struct rh__slot *slot)
{
    struct rh__actor *actor = slot->actor;
    while (actor && (actor->attention & ~(uint32_t)RH__GATHERS || (actor->attention && gather(slot)))) {
        uint32_t attention = actor->attention;
        actor->attention &= RH__GATHERS;
        if (attention & RH__RELEASE) {
            rh__actor_let_go(actor, &actor->received);
            rh__actor_let_go(actor, &actor->answer);
            rh__set_release(actor);
        }
        if (attention & RH__STOP) {
            rh__rt_actor_end(rh__worker(), actor, "normal");
            return;
        }
        if (attention & RH__RESCAN)
            rescan(slot);
        actor = slot->actor;
        if (actor && atomic_load_explicit(&rh__rt.stopping, memory_order_relaxed))
            return;
    }
}

/* ---- the turn of a slot ---------------------------------------------------------------------------------------- */

static void begin(struct rh__worker *worker, struct rh__slot *slot, struct rh__message *m)
{
    struct rh__actor *actor;
    memcpy(&actor, (char *)rh__message_value(m) + rh__message_tail_at(sizeof(struct rh_start)), sizeof actor);
    slot->actor = actor;
    slot->tenant = m->generation;
    if (actor->type->kind == RH_KIND_PROCESS) {
        worker->actor = actor;
        if (rh__recording())
            rh__tape_start_of(actor, m);
        actor->type->body(actor->self, actor->state);
        rh__actor_let_go(actor, &actor->current);
        rh__rt_actor_end(rh__worker(), actor, "normal");
        return;
    }
    const struct rh_entry *entry = entry_of(actor->behaviour, &rh_message_rh_start);
    if (entry && entry->action == RH_ACTION_HANDLE) {
        m->kind = RH__PLAIN;
        rh__count(&worker->tally.sent);
        if (rh__recording())
            rh__tape_start_of(actor, m);
        call(worker, actor, m, entry->call);
    }
}

static void unusual(struct rh__worker *worker, struct rh__slot *slot, struct rh__message *m)
{
    if (m->kind == RH__STUB)
        return;
    if (m->generation != slot->tenant) {
        if (m->kind == RH__BEGIN) {
            begin(worker, slot, m);
        } else {
            rh__message_left(slot, m);
            rh__undeliverable(worker, rh__ref_make(slot->index, m->generation), m);
        }
        return;
    }
    if (rh__rt_signal(worker, slot->actor, m) == RH__DELIVER)
        deliver(worker, slot->actor, m, NULL);
}

/* Offers the messages of a parked actor to its wait, and resumes the actor when the wait is over.  Returns true if the
 * actor ended. */
static bool run_parked(struct rh__worker *worker, struct rh__slot *slot)
{
    struct rh__actor *actor = slot->actor;
    struct rh__message *m;
    while (slot->actor == actor && (m = rh__mailbox_take(slot, &worker->cache))) {
        if (m->kind == RH__STUB)
            continue;
        if (m->generation != slot->tenant) {
            unusual(worker, slot, m);
        } else if (rh__offer(worker, actor, m) == RH__DELIVER) {
            struct rh__fiber *fiber = actor->fiber;
            actor->fiber = NULL;
            worker->actor = actor;
            rh__rt_fiber_resume(worker, fiber);
        }
    }
    return slot->actor != actor;
}

/* Frees a large message that is kept only because it was taken last. */
static void shed(struct rh__worker *worker, struct rh__slot *slot)
{
    struct rh__message *m = slot->taken;
    if (m->size_class != RH__CLASS_LARGE || m->held)
        return;
    if (atomic_load_explicit(&slot->newest, memory_order_relaxed) != (uintptr_t)m)
        return;
    rh__mailbox_push(slot, &slot->stub);
    /* If a producer was faster, the slot gets another turn. */
    if (atomic_load_explicit(&m->next, memory_order_relaxed) == &slot->stub)
        rh__mailbox_take(slot, &worker->cache);
}

void rh__slot_run(struct rh__worker *worker, struct rh__slot *slot)
{
    if (slot->actor && slot->actor->fiber && !run_parked(worker, slot)) {
        rh__worker_give_up(worker, slot);
        return;
    }
    for (int left = TURN; left > 0; left--) {
        struct rh__message *m = rh__mailbox_take(slot, &worker->cache);
        if (!m)
            break;
        const struct rh_entry *entry;
        if (m->generation == slot->tenant && m->kind == RH__PLAIN &&
            (entry = entry_of(slot->actor->behaviour, m->type)) && entry->action == RH_ACTION_HANDLE)
            call(worker, slot->actor, m, entry->call);
        else if (m->generation == slot->tenant && m->kind == RH__PLAIN)
            deliver(worker, slot->actor, m, NULL);
        else
            unusual(worker, slot, m);
        if (slot->actor && __builtin_expect(slot->actor->attention, 0))
            attend(slot);
        worker = rh__worker();
        if (__builtin_expect(atomic_load_explicit(&rh__rt.stopping, memory_order_relaxed), 0))
            break;
    }
    worker->actor = NULL;
    shed(worker, slot);
    rh__worker_give_up(worker, slot);
}
