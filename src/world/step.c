/* One step: records the choice as an event, and executes its consequences to the end or to the next wait. */
#include "world/step.h"

#include <string.h>

#include "actor/set_items.h"
#include "base/fail.h"
#include "world/actors.h"
#include "world/crash_points.h"
#include "world/faults.h"
#include "world/fiber.h"
#include "world/fingerprint.h"
#include "world/liveness.h"
#include "world/log.h"
#include "world/memory.h"
#include "world/network.h"
#include "world/objects.h"
#include "world/pages.h"
#include "world/receive.h"
#include "world/scenario.h"
#include "world/self_check.h"
#include "world/sets.h"
#include "world/store.h"

/* ---- running an actor's code ------------------------------------------------------------------------------------- */

static bool watched(const struct rh_world *w, const struct world_actor *a)
{
    (void)w;
    return a->links != RH_NONE || a->monitors != RH_NONE;
}

static bool is_abnormal(const char *reason)
{
    return strcmp(reason, "normal") != 0 && strcmp(reason, "shutdown") != 0;
}

/* Ends an actor: by its own rh_exit if `place` is set.  An abnormal exit is a finding if no actor is linked to or
 * monitors the actor.  An abnormal exit of the test's body is always a finding. */
static void end_for(struct rh_world *w, uint32_t actor, const char *reason, const char *place)
{
    bool abnormal = place && is_abnormal(reason);
    bool alone = !watched(w, &w->actors[actor]);
    rh__actor_end(w, actor, reason);
    if (abnormal && alone)
        rh__fail(w, RH_OUTCOME_ABNORMAL_EXIT, actor, place,
                 "it ended with reason \"%s\", and nobody was linked "
                 "to it or monitored it",
                 reason);
    else if (abnormal && actor == 0)
        rh__fail(w, RH_OUTCOME_ABNORMAL_EXIT, actor, place, "the body of the test ended with reason \"%s\"", reason);
}

/* The actor has called rh_exit.  With granularity object, ENDS_BY_EXIT and `place` record the call for the later
 * step. */
static void exit_now(struct rh_world *w, uint32_t actor)
{
    const char *reason = w->exit_reason;
    w->exit_reason = NULL;
    if (rh__by_object(w)) {
        put_pointer(w, &w->actors[actor].place, w->exit_place);
        rh__actor_end_in_turn(w, actor, reason);
        put32(w, &w->actors[actor].then_what, ENDS_BY_EXIT);
        if (is_abnormal(reason))
            rh__settle_first(w, actor);
    } else {
        end_for(w, actor, reason, w->exit_place);
    }
}

static void copy_reason(char to[RH_REASON_SIZE], const char *from)
{
    size_t n = strnlen(from, RH_REASON_SIZE - 1);
    memcpy(to, from, n);
    to[n] = 0;
}

/* Continues an actor that stopped before its end, a crash or a restart (granularity object). */
static void come_to_end(struct rh_world *w, uint32_t actor)
{
    struct world_actor *a = &w->actors[actor];
    enum world_then then = a->then;
    char reason[RH_REASON_SIZE];
    if (rh__settle(w, actor))
        return;
    copy_reason(reason, w->payload + (uint64_t)a->reason * 16);
    if (actor || !rh__test_is_over(w))
        put32(w, &w->halted, w->halted - 1);
    put32(w, &a->then, THEN_GO_ON);
    put32(w, &a->status, STATUS_RUNNING); /* the actor's stack is gone */
    if (then == THEN_CRASH)
        rh__actor_crash(w, actor, a->then_what);
    else if (then == THEN_RESTART)
        rh__actor_restart(w, actor, a->then_what != 0);
    else
        end_for(w, actor, reason, a->then_what == ENDS_BY_EXIT ? a->place : NULL);
}

/* Updates the actor after its fiber has returned control. */
RH__APART static void settle(struct rh_world *w, uint32_t actor)
{
    struct world_actor *a = &w->actors[actor];
    if (w->observing != RH_NONE) { /* abandoned inside a monitor's handler */
        rh__region_leave(w, w->observing);
        w->observing = RH_NONE;
    }
    switch (w->yield) {
    case YIELD_DONE:
        if (actor == 0) {
            rh__test_end_in_turn(w);
        } else if (a->type->kind == RH_KIND_PROCESS || a->flags & FLAG_STOPPING) {
            rh__actor_end_in_turn(w, actor, "normal");
        } else if (a->status != STATUS_IDLE) {
            put32(w, &a->status, STATUS_IDLE);
        }
        break;
    case YIELD_BLOCKED:
        break;
    case YIELD_ABANDONED:
        if (w->exit_reason)
            exit_now(w, actor);
        break;
    }
}

static inline void run(struct rh_world *w, uint32_t actor, rh_handler_fn *handler, const void *value)
{
    struct world_actor *a = &w->actors[actor];
    rh__region_enter(w, actor);
    rh__fiber_start(w, actor, handler, a->region, value);
    rh__region_leave(w, actor);
    bool over = w->yield == YIELD_DONE && a->status == STATUS_IDLE && !(a->flags & FLAG_STOPPING);
    if (!over) /* the common case is a handler that has returned: then nothing is to be done */
        settle(w, actor);
}

RH__APART static void run_body(struct rh_world *w, uint32_t actor, rh_body_fn *body)
{
    put32(w, &w->actors[actor].status, STATUS_RUNNING);
    rh__region_enter(w, actor);
    rh__fiber_start_body(w, actor, body);
    rh__region_leave(w, actor);
    settle(w, actor);
}

RH__APART static void resume(struct rh_world *w, uint32_t actor, uint32_t with)
{
    rh__region_enter(w, actor);
    rh__wait_over(w, actor, with);
    rh__region_leave(w, actor);
    settle(w, actor);
}

RH__APART static void fail_unhandled(struct rh_world *w, uint32_t actor, const struct rh_message_type *type,
                                     uint32_t sender)
{
    const struct world_actor *a = &w->actors[actor];
    const char *sent = rh__sent_at(w, a->taken), *t = type->name;
    char from[128];
    rh_world_actor_name(w, sender, from, sizeof from);
    rh__fail(w, RH_OUTCOME_UNHANDLED, actor, a->behaviour->place,
             "behaviour %s has no handler for %s from %s%s%s\n"
             "write RH_HANDLER(%s, %s) and list %s in this RH_BEHAVIOUR,\n"
             "or RH_IGNORE(%s) to drop it, or RH_DEFER(%s) to keep it for another behaviour",
             a->behaviour->name, t, from, *sent ? ", sent at " : "", sent, a->type->name, t, t, t, t);
}

static inline void handle(struct rh_world *w, uint32_t actor, const struct rh_message_type *type, const void *value,
                          uint32_t sender)
{
    const struct rh_entry *entry;
    if (rh__disposition(w->actors[actor].behaviour, type, &entry) == RH_ACTION_IGNORE)
        return;
    if (entry && entry->call)
        run(w, actor, entry->call, value);
    else
        fail_unhandled(w, actor, type, sender);
}

/* ---- the kinds of choice ----------------------------------------------------------------------------------------- */

static void take_up(struct rh_world *w, struct world_actor *a, uint32_t message)
{
    a->taken = message; /* logged with `events` at the start of the step */
    if (a->received != RH_NONE)
        put32(w, &a->received, RH_NONE);
    if (a->set)
        put64(w, &a->set, 0); /* of the handler before */
}

/* Marks the current event as a continuation of the actor's earlier event. */
static void goes_on(struct rh_world *w)
{
    w->events[w->event_count - 1].flags |= RH_EVENT_INSIDE;
}

/* The last message of a set that an idle actor gathers: the handler runs for each of them. */
RH__APART static void handle_set(struct rh_world *w, uint32_t actor, uint32_t last)
{
    struct world_actor *a = &w->actors[actor];
    const struct rh_entry *entry = rh__set_entry(a->behaviour);
    uint64_t at = rh__payload_take(w, sizeof(struct rh__set_call));
    struct rh__set_call *call = (struct rh__set_call *)(void *)(w->payload + at);
    uint64_t set = a->set;
    take_up(w, a, last);
    put64(w, &a->set, set);
    w->sets_gathered = true;
    *call = (struct rh__set_call){ rh__envelopes_of_set(w, a), a->set_count, w->sets_backwards, entry->call,
                                   rh__fiber_clean };
    run(w, actor, rh__handle_set, call);
}

static void end_wait(struct rh_world *w, uint32_t actor, uint32_t message)
{
    const struct world_actor *a = &w->actors[actor];
    if (a->asking != RH_NONE)
        goes_on(w);
    else if (a->filter->match || !rh_is_nobody(a->filter->from))
        w->events[w->event_count - 1].flags |= RH_EVENT_MATCHED;
    if (rh__set_awaited(a))
        message = rh__set_take(w, actor);
    if (message != RH_NONE)
        resume(w, actor, message);
}

/* The actor sees to the signal, or hears of it at once.  Returns the message that it takes then; else RH_NONE. */
RH__APART static uint32_t take_signal(struct rh_world *w, uint32_t actor, uint32_t message)
{
    struct rh__stance s = rh__live_stance(&w->actors[actor]);
    bool heard = rh__message_heard(w, &s, message);
    uint32_t exited = rh__actor_signal(w, actor, message);
    if (!heard || exited == RH_NONE)
        return RH_NONE;
    rh__message_take(w, exited);
    return exited;
}

static inline void deliver(struct rh_world *w, uint32_t actor, uint32_t message)
{
    struct world_actor *a = &w->actors[actor];
    const struct world_message *m = &w->messages[message];
    rh__message_take(w, message);
    if (m->type == &rh__exit_signal) {
        message = take_signal(w, actor, message);
        if (message == RH_NONE)
            return;
        m = &w->messages[message];
    }
    rh__begins_with(w, a, m);
    if (m->wake) {
        resume(w, actor, RH_NONE);
        return;
    }
    if (rh__message_is_down(m))
        rh__watch(w, actor, m->seen_as, false);
    if (a->status == STATUS_WAITING) {
        end_wait(w, actor, message);
        return;
    }
    if (__builtin_expect(a->flags & FLAG_GATHERS, 0) && rh__set_joins(w, message)) {
        message = rh__set_take(w, actor);
        if (message != RH_NONE)
            handle_set(w, actor, message);
        return;
    }
    take_up(w, a, message);
    if (a->start == message)
        put32(w, &a->start, RH_NONE);
    if (a->type->kind == RH_KIND_PROCESS)
        run_body(w, actor, a->type->body);
    else
        handle(w, actor, m->type, rh__message_value(w, m), m->seen_as);
}

/* Whether the idle actor takes messages of this type in sets: then one must wait for others. */
static bool gathers(const struct world_actor *a, const struct rh_message_type *type)
{
    struct rh__stance s = rh__live_stance(a);
    return s.set_type == type;
}

static void fire(struct rh_world *w, uint32_t actor, uint32_t timer)
{
    struct world_timer t = w->timers[timer];
    struct world_actor *a = &w->actors[actor];
    rh__begins_with(w, a, NULL);
    if (t.deadline_ns > w->now_ns && !w->tick_ns)
        put_time(w, &w->now_ns, t.deadline_ns);
    bool at_once = t.type && a->type->kind != RH_KIND_PROCESS && a->status == STATUS_IDLE && !gathers(a, t.type);
    if (w->own_clocks && !at_once) {
        rh__clock_hear(w, actor, 0);
        rh__clock_reach(w, actor, t.deadline_ns);
    }
    if (!t.type) {
        rh__timer_spend(w, &t);
        if (a->status != STATUS_WAITING || a->asking != RH_NONE)
            goes_on(w);
        resume(w, actor, RH_NONE);
        return;
    }
    rh__timer_spend(w, &t);
    rh__timer_unset(w, timer);
    /* The actor sends a message to itself.  An idle actor takes the message at once.  A process, or a handler that
     * waits, finds the message in the mailbox. */
    struct world_sending s = SENDING(.from = actor, .to = actor, .type = t.type, .value = w->payload + t.payload);
    uint32_t m = rh__message_send(w, &s);
    if (!at_once) {
        w->footprint.timer_mail = true;
        w->messages[m].timer = (uint32_t)(t.name / 16);
        return;
    }
    rh__message_take(w, m);
    if (w->own_clocks)
        rh__clock_reach(w, actor, t.deadline_ns);
    take_up(w, a, m);
    handle(w, actor, t.type, rh__message_value(w, &w->messages[m]), actor);
}

static void choose(struct rh_world *w, uint32_t actor, uint32_t value)
{
    if (w->chooser != RH_NONE)
        put32(w, &w->chooser, RH_NONE);
    resume(w, actor, value);
}

/* As without this step: an actor that has ended gets nothing, and one that is down only what can wait for a restart. */
static void accept(struct rh_world *w, uint32_t message)
{
    uint32_t receiver = w->messages[message].receiver;
    rh__message_accept(w, message);
    if (w->actors[receiver].status == STATUS_ENDED)
        rh__messages_drop(w, receiver);
    else if (w->actors[receiver].status == STATUS_CRASHED)
        rh__messages_drop_own(w, receiver);
}

/* Everything but a delivery. */
RH__APART static void act(struct rh_world *w, const struct rh_choice *c)
{
    if (rh__is_fault(c)) /* including an OPEN that fails */
        rh__fault_spend(w, c);
    switch ((enum rh_choice_kind)c->kind) {
    case RH_CHOICE_BEGIN:
        rh__clock_begin(w);
        run_body(w, 0, w->test->body);
        break;
    case RH_CHOICE_DELIVER:
        break;
    case RH_CHOICE_TIMER:
        if (c->actor == w->clock)
            rh__clock_ring(w, c->what);
        else
            fire(w, c->actor, c->what);
        break;
    case RH_CHOICE_VALUE:
    case RH_CHOICE_OPEN:
        choose(w, c->actor, c->what);
        break;
    case RH_CHOICE_RESUME:
        if (w->actors[c->actor].then != THEN_GO_ON)
            come_to_end(w, c->actor);
        else
            resume(w, c->actor, RH_NONE);
        break;
    case RH_CHOICE_ACCEPT:
        accept(w, c->what);
        break;
    case RH_CHOICE_STORED:
        rh__region_enter(w, c->actor);
        w->yield = YIELD_BLOCKED;
        rh__store_complete(w, c->actor);
        rh__region_leave(w, c->actor);
        settle(w, c->actor);
        break;
        RH__FAULT_CASES
        rh__fault_apply(w, c);
        break;
    case RH_CHOICE_END:
        rh__conclude(w);
        put32(w, &w->over, 1);
        break;
    }
}

void rh__touch_monitor(struct rh_world *w, uint32_t monitor)
{
    rh__actor_stale(w, monitor);
    rh__region_enter(w, monitor);
}

/* Returns the place for the `arg` of a choice.  An actor that was never blocked has no place. */
static uint32_t resume_place(struct rh_world *w, const struct world_actor *a)
{
    return (uint32_t)(rh__payload_text(w, a->place ? a->place : "") / 16);
}

static uint32_t site_of(const struct world_actor *a)
{
    return (uint32_t)((uintptr_t)(a->status == STATUS_WAITING ? (const void *)a->place : a->behaviour) >> 2);
}

/* The event is one of the actor's events. */
static inline void count_event(struct rh_world *w, struct rh_event *e, uint32_t actor)
{
    struct world_actor *a = &w->actors[actor];
    e->number = a->events;
    e->site = site_of(a);
    rh__actor_stale(w, actor);
    log_pair(w, &a->events);
    a->events = e->number + 1;
}

/* Completes the record of an event that is no delivery. */
RH__APART static void record_other(struct rh_world *w, struct rh_event *e)
{
    struct rh_choice *c = &e->choice;
    uint32_t attributes = rh_choice_attributes(c->kind);
    if (c->kind == RH_CHOICE_TIMER) {
        c->arg = rh__timer_name(w, c->what);
        e->set_by = w->timers[c->what].event;
        w->first_sets[w->event_count] = w->timers[c->what].first_set;
    }
    if (c->kind == RH_CHOICE_RESUME) /* where the actor continues, for reports */
        c->arg = resume_place(w, &w->actors[c->actor]);
    if (attributes & RH_CONTINUES)
        e->flags = RH_EVENT_INSIDE;
    if (w->crash_points && c->actor != RH_NONE && c->actor == rh__at_point_now(w) && !w->delivery.by_receiver &&
        !(attributes & RH_BEFALLS))
        e->flags |= RH_EVENT_AT_POINT;
    e->number = 0;
    e->site = c->actor == RH_NONE ? 0 : site_of(&w->actors[c->actor]);
    if (c->actor != RH_NONE && !(attributes & RH_BEFALLS))
        count_event(w, e, c->actor);
}

static inline void take(struct rh_world *w, const struct rh_choice *c)
{
    if (RH__IS_HOSTILE)
        rh__check_step(w);
    if (!w->no_undo)
        rh__list_keep(w);
    struct rh_event *e = &w->events[w->event_count];
    rh__choice_copy(&e->choice, c); /* `c` may be in the table that is about to be refilled */
    e->first_message = w->message_count;
    e->first_access = w->access_count;
    e->flags = 0;
    e->set_by = RH_NONE;
    e->private_mark[0] = (uint64_t)(uintptr_t)w->log;
    e->private_mark[1] = w->payload_at;
    e->private_mark[2] = w->under_way;
    if (e->choice.kind == RH_CHOICE_DELIVER)
        count_event(w, e, e->choice.actor);
    else
        record_other(w, e);
    w->event_count++;
    w->event_sends = 0;
    w->counts.steps++;
    if (!w->no_undo)
        rh__epoch_begin(w);
    if (w->hot_pages)
        rh__globals_sync(w);
    if (e->choice.kind == RH_CHOICE_DELIVER)
        deliver(w, e->choice.actor, e->choice.what);
    else
        act(w, &e->choice);
    w->current = RH_NONE;
    if (__builtin_expect(w->demand, 0))
        rh__demand_step(w, e);
    if (w->hot_pages)
        rh__globals_diff(w);
    if (w->semantics.quiet_after | w->semantics.temperature)
        rh__liveness_step(w);
    if (!rh__log_room(w) || !rh__payload_room(w) || w->event_count >= MAX_EVENTS - 1)
        rh__fail(w, RH_OUTCOME_LIMIT, RH_NONE, "", "the record of the run is full after %u events", w->event_count);
}

void rh__take(struct rh_world *w, const struct rh_choice *c)
{
    take(w, c);
}

bool rh_world_step(struct rh_world *w, const struct rh_choice *choice)
{
    if (!rh__choice_just_offered(w, choice) && !rh__choice_open(w, choice))
        return false;
    take(w, choice);
    return true;
}
