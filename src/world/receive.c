/* See receive.h.
 *
 * A blocked actor has the reason on its own stack (the filter) and in its record (status, wake timer, request).  The
 * step that unblocks it stores the result of the wait in w->resumed_with.
 *
 * Replies: a reply that nobody waits for any more (the asker gave up, or another reply was faster) is dropped where it
 * would be noticed, so an actor always waits for each reply under way. */
#include "world/receive.h"

#include <stdio.h>
#include <string.h>

#include "actor/blocking.h"
#include "base/copy.h"
#include "world/actors.h"
#include "world/fiber.h"
#include "world/fingerprint.h"
#include "world/log.h"
#include "world/memory.h"
#include "world/network.h"
#include "world/objects.h"
#include "world/outcome.h"
#include "world/sets.h"
#include "world/step.h"

static struct rh_envelope envelope_of(const struct rh_world *w, uint32_t message)
{
    const struct world_message *m = &w->messages[message];
    return (struct rh_envelope){ .type = m->type == &rh__exit_signal ? &rh_message_rh_exited : m->type,
                                 .value = rh__message_value(w, m),
                                 .sender = ref_of(m->seen_as),
                                 .tail = m->tail_size ? rh__message_tail(w, m) : NULL,
                                 .tail_size = m->tail_size };
}

static bool ask_predicate(struct rh_world *w, const struct rh_filter *f, uint32_t message)
{
    struct rh_envelope e = envelope_of(w, message);
    w->matching = w->messages[message].receiver; /* the actor to blame if the predicate crashes */
    bool fits = f->match(&e, f->arg);
    w->matching = RH_NONE;
    return fits;
}

bool rh__filter_predicate(struct rh_world *w, uint32_t message)
{
    return ask_predicate(w, w->actors[w->messages[message].receiver].filter, message);
}

bool rh__filter_fits(struct rh_world *w, const struct rh_filter *f, uint32_t message)
{
    struct rh__stance s = { .kind = RH__WAITS };
    rh__stance_filter(&s, f);
    struct rh__mail m = rh__live_mail(w, message);
    if (m.signal)
        m.type = &rh_message_rh_exited;
    enum rh__taking takes = rh__wait_takes(&s, &m);
    return takes == RH__ASK_PREDICATE ? ask_predicate(w, f, message) : takes == RH__TAKES;
}

static void block(struct rh_world *w, uint32_t status, const char *place)
{
    struct world_actor *a = &w->actors[w->current];
    if (w->observing != RH_NONE)
        rh__misuse(w, place, "the handler of a monitor must not block");
    put32(w, &a->status, status);
    put_pointer(w, &a->place, place);
    put32(w, &a->blocked_messages, w->message_count);
    put64(w, &a->blocked_payload, w->payload_at);
    put_pointer(w, &a->frame, rh__program_frame);
    rh__fiber_block(w);
}

/* The end of a wait by time; `name` is that of its budget, NULL for none. */
static void set_wake(struct rh_world *w, const char *name, int64_t delay_ns, const char *place)
{
    struct world_actor *a = &w->actors[w->current];
    bool by_clock = w->clock != RH_NONE && delay_ns > 0;
    if (by_clock) {
        rh__clock_operation(w, place);
        put32(w, &a->waits, a->waits + 1);
        put32(w, &a->wait, a->waits);
    }
    uint32_t timer = rh__timer_set(w, w->current, delay_ns > 0 ? name : NULL, delay_ns, NULL, NULL);
    if (timer == RH_NONE)
        rh__fiber_abandon(w); /* the limit has been recorded */
    if (!by_clock)
        put32(w, &a->wake, timer);
}

void rh__wait_forget(struct rh_world *w, uint32_t actor)
{
    if (!w->actors[actor].wait)
        return;
    put32(w, &w->actors[actor].wait, 0);
    rh__wakes_drop(w, actor);
}

void rh__wait_over(struct rh_world *w, uint32_t actor, uint32_t message)
{
    struct world_actor *a = &w->actors[actor];
    if (a->wake != RH_NONE) {
        rh__timer_unset(w, a->wake);
        put32(w, &a->wake, RH_NONE);
    }
    rh__wait_forget(w, actor);
    if (message != RH_NONE && a->status == STATUS_WAITING) { /* otherwise it is the value of rh_choose */
        bool taken = a->asking == RH_NONE && a->type->kind == RH_KIND_PROCESS;
        if (taken)
            put32(w, &a->taken, message);
        put32(w, &a->received, taken ? RH_NONE : message); /* a handler still handles its own message */
    }
    if (a->asking != RH_NONE && a->status == STATUS_WAITING) { /* otherwise the ask has not begun yet */
        uint32_t request = a->asking;
        put32(w, &a->asking, RH_NONE);
        rh__replies_drop(w, actor, request);
        rh__request_over(w, request);
    }
    if (a->status == STATUS_PREEMPTED || (a->status == STATUS_CHOOSING && rh__by_object(w)))
        put32(w, &w->halted, w->halted - 1);
    put32(w, &a->status, STATUS_RUNNING);
    w->resumed_with = message;
    rh__fiber_resume(w, actor);
}

/* A clock that ends waits does not know of messages, so it is not told of a wait that need not time out.  In a
 * mailbox that is a matter of order with the senders: there the end of the wait is not taken while the mailbox has a
 * message for it. */
static bool is_there(struct rh_world *w, struct world_actor *a)
{
    if (w->clock == RH_NONE || w->delivery.by_receiver)
        return false;
    put32(w, &a->status, STATUS_WAITING);
    bool there = rh__must_take(w, a);
    put32(w, &a->status, STATUS_RUNNING);
    return there;
}

const struct rh_envelope *rh__envelopes_of_set(struct rh_world *w, const struct world_actor *a)
{
    struct rh_envelope *e = rh__set_envelopes(w, a);
    for (uint32_t i = 0; i < a->set_count; i++)
        e[i] = envelope_of(w, rh__set_messages(w, a)[i]);
    return e;
}

void rh__turn_to(struct rh_world *w, const struct rh_envelope *envelope, const char *place)
{
    struct world_actor *a = &w->actors[w->current];
    uintptr_t at = (uintptr_t)envelope - (uintptr_t)rh__set_envelopes(w, a);
    if (at >= rh__set_held(a) * sizeof *envelope || at % sizeof *envelope)
        rh__misuse(w, place, "rh_turn_to: the envelope is not one of the set that was received last");
    put32(w, a->type->kind == RH_KIND_PROCESS || rh__set_handles(w, a) ? &a->taken : &a->received,
          rh__set_messages(w, a)[at / sizeof *envelope]);
}

void rh__note_sets(struct rh_world *w, int64_t timeout_ms, const char *place)
{
    rh__set_seen(w);
    if (!w->no_sets || (w->no_timed_sets_only && !timeout_ms))
        return;
    /* Not an error of the program: the user is told, and there is no finding. */
    snprintf(w->refused, sizeof w->refused, "%s", w->no_sets);
    if (w->inside)
        rh__fail_inside(w, RH_OUTCOME_MISUSE, place, "%s", w->refused);
    else
        rh__fail(w, RH_OUTCOME_MISUSE, w->current, place, "%s", w->refused);
}

const struct rh_envelope *rh__receive(struct rh_world *w, const struct rh_filter *filter, const char *place)
{
    struct world_actor *a = &w->actors[w->current];
    if (rh__set_handles(w, a))
        rh__misuse(w, place, "a handler that runs for a set (RH_SETS) must not receive other messages");
    if (filter->count)
        rh__note_sets(w, filter->timeout_ms, place);
    put_pointer(w, &a->filter, filter);
    if (a->receives != place) { /* a process changes its handlers by waiting in another receive */
        if (a->receives)
            w->events[w->event_count - 1].flags |= RH_EVENT_BECOMES;
        put_pointer(w, &a->receives, place);
    }
    if (filter->timeout_ms && !(filter->timeout_ms > 0 && is_there(w, a)))
        set_wake(w, RH_WAIT_TIMER, rh__ms(filter->timeout_ms), place);
    block(w, STATUS_WAITING, place);
    if (w->resumed_with == RH_NONE)
        return NULL;
    if (filter->count)
        return rh__envelopes_of_set(w, a);
    if (a->set)
        put64(w, &a->set, 0);
    struct rh_envelope *e = (struct rh_envelope *)(void *)(w->payload + rh__payload_take(w, sizeof *e));
    *e = envelope_of(w, w->resumed_with);
    return e;
}

uint32_t rh__await_reply(struct rh_world *w, uint32_t request, int64_t timeout_ms, const char *place)
{
    struct world_actor *a = &w->actors[w->current];
    put32(w, &a->asking, request);
    if (timeout_ms > 0)
        set_wake(w, RH_WAIT_TIMER, rh__ms(timeout_ms), place);
    block(w, STATUS_WAITING, place);
    return w->resumed_with;
}

void rh__sleep(struct rh_world *w, int64_t ns, const char *place)
{
    set_wake(w, NULL, ns, place);
    block(w, STATUS_SLEEPING, place);
}

uint32_t rh__choose(struct rh_world *w, uint32_t n, const char *place)
{
    put32(w, &w->actors[w->current].choices, n);
    if (rh__by_object(w)) {
        rh__halt(w, STATUS_CHOOSING, place);
    } else {
        put32(w, &w->chooser, w->current);
        block(w, STATUS_CHOOSING, place);
    }
    return w->resumed_with;
}

void rh__halt(struct rh_world *w, uint32_t status, const char *place)
{
    bool mortal = w->kill_points && status == STATUS_PREEMPTED && w->actors[w->current].type->kind == RH_KIND_PROCESS;
    put32(w, &w->halted, w->halted + 1);
    if (mortal)
        put_flag(w, &w->actors[w->current].flags, FLAG_MORTAL, true);
    block(w, status, place);
    if (mortal)
        put_flag(w, &w->actors[w->current].flags, FLAG_MORTAL, false);
}

uint32_t rh__choose_opening(struct rh_world *w, const char *place)
{
    put32(w, &w->actors[w->current].opening, 1);
    uint32_t state = rh__choose(w, 3, place);
    put32(w, &w->actors[w->current].opening, 0);
    return state;
}

void rh__block_syncing(struct rh_world *w, const char *place)
{
    block(w, STATUS_SYNCING, place);
}
