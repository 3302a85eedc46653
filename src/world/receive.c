/* See receive.h.
 *
 * A blocked actor holds the reason on its own stack (the filter) and in its record (status, wake timer, request); the
 * step that unblocks it leaves what it waited for in w->resumed_with.
 *
 * Replies: one that nobody waits for any more (the asker gave up, or another reply was quicker) is dropped where it
 * would be noticed, so a reply under way always has someone waiting. */
#include "world/receive.h"

#include <string.h>

#include "base/copy.h"
#include "world/actors.h"
#include "world/fiber.h"
#include "world/fingerprint.h"
#include "world/log.h"
#include "world/memory.h"
#include "world/network.h"
#include "world/objects.h"
#include "world/outcome.h"
#include "world/step.h"

static struct rh_envelope envelope_of(const struct rh_world *w, uint32_t message)
{
    const struct message *m = &w->messages[message];
    return (struct rh_envelope){ .type = m->type,
                                 .value = rh__message_value(w, m),
                                 .sender = ref_of(m->seen_as),
                                 .tail = m->tail_size ? rh__message_tail(w, m) : NULL,
                                 .tail_size = m->tail_size };
}

bool rh__filter_fits(struct rh_world *w, const struct rh_filter *f, uint32_t message)
{
    const struct message *m = &w->messages[message];
    if (m->answers != RH_NONE)
        return false;
    if (f->type && m->type != f->type)
        return false;
    if (f->types) {
        const struct rh_message_type *const *t = f->types;
        while (*t && *t != m->type)
            t++;
        if (!*t)
            return false;
    }
    if (!rh_is_nobody(f->from) && f->from.id != ref_of(m->seen_as).id)
        return false;
    if (f->match) {
        struct rh_envelope e = envelope_of(w, message);
        w->matching = m->receiver; /* whose code it is, should it crash */
        bool fits = f->match(&e, f->arg);
        w->matching = RH_NONE;
        return fits;
    }
    return true;
}

bool rh__filter_matches(struct rh_world *w, const struct actor *a, uint32_t message)
{
    if (a->asking != RH_NONE)
        return w->messages[message].answers == a->asking;
    return rh__filter_fits(w, a->filter, message);
}

static void block(struct rh_world *w, uint32_t status, const char *place)
{
    struct actor *a = &w->actors[w->current];
    if (w->observing != RH_NONE)
        rh__misuse(w, place, "the handler of a monitor must not block");
    put32(w, &a->status, status);
    put_pointer(w, &a->place, place);
    rh__fiber_block(w);
}

static void set_wake(struct rh_world *w, int64_t delay_ns, const char *place)
{
    struct actor *a = &w->actors[w->current];
    bool by_clock = w->clock != RH_NONE && delay_ns > 0;
    if (by_clock) {
        rh__clock_operation(w, place);
        put32(w, &a->waits, a->waits + 1);
        put32(w, &a->wait, a->waits);
    }
    uint32_t timer = rh__timer_set(w, w->current, NULL, delay_ns, NULL, NULL);
    if (timer == RH_NONE)
        rh__fiber_abandon(w); /* the limit is recorded */
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
    struct actor *a = &w->actors[actor];
    if (a->wake != RH_NONE) {
        rh__timer_unset(w, a->wake);
        put32(w, &a->wake, RH_NONE);
    }
    rh__wait_forget(w, actor);
    if (message != RH_NONE && a->status == STATUS_WAITING) { /* otherwise it is the value of rh_choose */
        bool taken = a->asking == RH_NONE && a->type->kind == RH_KIND_PROCESS;
        if (taken)
            put32(w, &a->taken, message);
        put32(w, &a->received, taken ? RH_NONE : message); /* a handler still handles what it handled */
    }
    if (a->asking != RH_NONE && a->status == STATUS_WAITING) { /* else it has yet to begin */
        uint32_t request = a->asking;
        put32(w, &a->asking, RH_NONE);
        rh__replies_drop(w, actor, request);
        rh__request_over(w, request);
    }
    if (a->status == STATUS_PREEMPTED || (a->status == STATUS_CHOOSING && rh__fine(w)))
        put32(w, &w->halted, w->halted - 1);
    put32(w, &a->status, STATUS_RUNNING);
    w->resumed_with = message;
    rh__fiber_resume(w, actor);
}

/* Where the clock ends waits it cannot know of messages: a wait that need not end without one is not told to it. */
static bool is_there(struct rh_world *w, struct actor *a)
{
    put32(w, &a->status, STATUS_WAITING);
    bool there = rh__must_take(w, a);
    put32(w, &a->status, STATUS_RUNNING);
    return there;
}

const struct rh_envelope *rh__receive(struct rh_world *w, const struct rh_filter *filter, const char *place)
{
    struct actor *a = &w->actors[w->current];
    put_pointer(w, &a->filter, filter);
    if (a->receives != place) { /* a process changes what it handles by going on to another receive */
        if (a->receives)
            w->events[w->event_count - 1].flags |= RH_EVENT_BECOMES;
        put_pointer(w, &a->receives, place);
    }
    if (filter->timeout_ms && !(w->clock != RH_NONE && filter->timeout_ms > 0 && is_there(w, a)))
        set_wake(w, rh__ms(filter->timeout_ms), place);
    block(w, STATUS_WAITING, place);
    if (w->resumed_with == RH_NONE)
        return NULL;
    struct rh_envelope *e = (struct rh_envelope *)(void *)(w->payload + rh__payload_take(w, sizeof *e));
    *e = envelope_of(w, w->resumed_with);
    return e;
}

uint32_t rh__await_reply(struct rh_world *w, uint32_t request, int64_t timeout_ms, const char *place)
{
    struct actor *a = &w->actors[w->current];
    put32(w, &a->asking, request);
    if (timeout_ms > 0)
        set_wake(w, rh__ms(timeout_ms), place);
    block(w, STATUS_WAITING, place);
    return w->resumed_with;
}

void rh__sleep(struct rh_world *w, int64_t ns, const char *place)
{
    set_wake(w, ns, place);
    block(w, STATUS_SLEEPING, place);
}

uint32_t rh__choose(struct rh_world *w, uint32_t n, const char *place)
{
    put32(w, &w->actors[w->current].choices, n);
    if (rh__fine(w)) {
        rh__halt(w, STATUS_CHOOSING, place);
    } else {
        put32(w, &w->chooser, w->current);
        block(w, STATUS_CHOOSING, place);
    }
    return w->resumed_with;
}

void rh__halt(struct rh_world *w, uint32_t status, const char *place)
{
    put32(w, &w->halted, w->halted + 1);
    block(w, status, place);
}

void rh__preempt(struct rh_world *w, const char *place)
{
    if (w->semantics.granularity == RH_GRAIN_OPERATION && w->inside && w->observing == RH_NONE &&
        w->actors[w->current].type->kind == RH_KIND_PROCESS)
        rh__halt(w, STATUS_PREEMPTED, place);
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
