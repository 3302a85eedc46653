/* One step: the choice is recorded as an event, and what follows from it is done to the end or to the next wait. */
#include "world/step.h"

#include <stdio.h>
#include <string.h>

#include "world/actors.h"
#include "world/fiber.h"
#include "world/fingerprint.h"
#include "world/log.h"
#include "world/memory.h"
#include "world/network.h"
#include "world/objects.h"
#include "world/pages.h"
#include "world/receive.h"
#include "world/store.h"

/* ---- is it open? --------------------------------------------------------------------------------------------------- */

static bool message_fault_open(struct rh_world *w, uint32_t message, uint32_t budget)
{
    if (rh__fine(w))
        return budget && message < w->message_count && !w->messages[message].over &&
               rh__message_may_fail(w, &w->messages[message]) && !rh__message_is_double(w, message);
    return budget && rh__message_deliverable(w, message) && rh__message_may_fail(w, &w->messages[message]);
}

static bool timer_is_set(const struct rh_world *w, uint32_t timer)
{
    uint32_t i = w->timer_newest;
    while (i != RH_NONE && i != timer)
        i = w->timers[i].older;
    return i != RH_NONE;
}

/* Rare kinds are looked up among all that is open: simple, and never at odds with enabled.c. */
static bool offered(struct rh_world *w, const struct rh_choice *c)
{
    uint32_t n;
    const struct rh_choice *open = rh_world_enabled(w, &n);
    for (uint32_t i = 0; i < n; i++)
        if (open[i].kind == c->kind && open[i].actor == c->actor && open[i].what == c->what)
            return true;
    return false;
}

bool rh__choice_open(struct rh_world *w, const struct rh_choice *c)
{
    if (w->over || !w->begun || w->event_count > w->semantics.max_steps)
        return false;
    if (w->chooser != RH_NONE && w->actors[w->chooser].opening)
        return offered(w, c);
    if (w->chooser != RH_NONE)
        return c->kind == RH_CHOICE_VALUE && c->actor == w->chooser && c->what < w->actors[w->chooser].choices;
    switch (c->kind) {
    case RH_CHOICE_DELIVER:
        if (c->what < w->message_count) {
            const struct message *m = &w->messages[c->what];
            if (m->receiver == c->actor && m->taken_by == RH_NONE && m->channel != RH_NONE &&
                w->channels[m->channel].first == c->what && rh__first_is_open(w, m->channel))
                return true;
        }
        return c->what < w->message_count && w->messages[c->what].receiver == c->actor &&
               rh__message_deliverable(w, c->what);
    case RH_CHOICE_TIMER:
        return c->what < w->timer_pool.count && timer_is_set(w, c->what) &&
               c->actor == (w->timers[c->what].clocked ? w->clock : w->timers[c->what].actor) &&
               rh__timer_open(w, c->what);
    case RH_CHOICE_LOSE:
        return message_fault_open(w, c->what, w->losses) && w->messages[c->what].receiver == c->actor &&
               !(rh__fine(w) && rh__message_passed_over(w, c->what));
    case RH_CHOICE_DUPLICATE:
        return message_fault_open(w, c->what, w->duplicates) && w->messages[c->what].receiver == c->actor &&
               w->messages[c->what].copy_of == RH_NONE;
    default:
        return offered(w, c);
    }
}

/* ---- running an actor's code --------------------------------------------------------------------------------------- */

static bool watched(const struct rh_world *w, const struct actor *a)
{
    (void)w;
    return a->links != RH_NONE || a->monitors != RH_NONE;
}

/* By its own rh_exit, at `place`, or else without one.  An abnormal exit is for others to see to; but of that of a test's
 * body only who wrote the test should hear. */
static void end_for(struct rh_world *w, uint32_t actor, const char *reason, const char *place)
{
    bool abnormal = place && strcmp(reason, "normal") != 0 && strcmp(reason, "shutdown") != 0;
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

/* By its own rh_exit: `place` remembers that it was. */
static void exit_now(struct rh_world *w, uint32_t actor)
{
    const char *reason = w->exit_reason;
    w->exit_reason = NULL;
    if (rh__fine(w)) {
        put_pointer(w, &w->actors[actor].place, w->exit_place);
        rh__actor_end_in_turn(w, actor, reason);
        put32(w, &w->actors[actor].then_what, ENDS_BY_EXIT);
    } else {
        end_for(w, actor, reason, w->exit_place);
    }
}

/* It stopped before its end, with granularity object. */
static void come_to_end(struct rh_world *w, uint32_t actor)
{
    struct actor *a = &w->actors[actor];
    enum then then = a->then;
    char reason[RH_REASON_SIZE];
    snprintf(reason, sizeof reason, "%s", w->payload + (uint64_t)a->reason * 16);
    if (actor || !rh__test_is_over(w))
        put32(w, &w->halted, w->halted - 1);
    put32(w, &a->then, THEN_GO_ON);
    if (then == THEN_SIGNAL) {
        rh__actor_signal_in_turn(w, actor);
        return;
    }
    put32(w, &a->status, STATUS_RUNNING); /* its stack is gone */
    if (then == THEN_CRASH)
        rh__actor_crash(w, actor, a->then_what);
    else if (then == THEN_RESTART)
        rh__actor_restart(w, actor, a->then_what != 0);
    else
        end_for(w, actor, reason, a->then_what == ENDS_BY_EXIT ? a->place : NULL);
}

/* What the fiber's return means for its actor. */
static void settle(struct rh_world *w, uint32_t actor)
{
    struct actor *a = &w->actors[actor];
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

static void run(struct rh_world *w, uint32_t actor, rh_body_fn *body, rh_handler_fn *handler, const void *value)
{
    struct actor *a = &w->actors[actor];
    w->job_body = body;
    w->job_handler = handler;
    w->job_state = a->region;
    w->job_value = value;
    rh__region_enter(w, actor);
    rh__fiber_start(w, actor);
    rh__region_leave(w, actor);
    settle(w, actor);
}

static void resume(struct rh_world *w, uint32_t actor, uint32_t with)
{
    rh__region_enter(w, actor);
    rh__wait_over(w, actor, with);
    rh__region_leave(w, actor);
    settle(w, actor);
}

static void handle(struct rh_world *w, uint32_t actor, const struct rh_message_type *type, const void *value,
                   uint32_t sender)
{
    struct actor *a = &w->actors[actor];
    const struct rh_entry *entry;
    if (rh__disposition(a, type, &entry) == RH_ACTION_IGNORE)
        return;
    if (entry && entry->call) {
        run(w, actor, NULL, entry->call, value);
        return;
    }
    char name[128], from[128];
    rh_world_actor_name(w, actor, name, sizeof name);
    rh_world_actor_name(w, sender, from, sizeof from);
    rh__fail(w, RH_OUTCOME_UNHANDLED, actor, "", "%s in behaviour %s has no handler for %s from %s", name,
             a->behaviour->name, type->name, from);
}

/* ---- the kinds of choice -------------------------------------------------------------------------------------------- */

static void take_up(struct rh_world *w, struct actor *a, uint32_t message)
{
    a->taken = message; /* logged with `events` when the step began */
    if (a->received != RH_NONE)
        put32(w, &a->received, RH_NONE);
}

/* The event under way is part of what its actor was doing. */
static void goes_on(struct rh_world *w)
{
    w->events[w->event_count - 1].flags |= RH_EVENT_INSIDE;
}

static void deliver(struct rh_world *w, uint32_t actor, uint32_t message)
{
    struct actor *a = &w->actors[actor];
    const struct message *m = &w->messages[message];
    rh__message_take(w, message);
    if (m->type == &rh__exit_signal) {
        rh__actor_signal(w, actor, message);
        return;
    }
    if (m->wake) {
        resume(w, actor, RH_NONE);
        return;
    }
    if (m->type == &rh_message_rh_down && !m->posted)
        rh__watch(w, actor, m->seen_as, false);
    if (a->status == STATUS_WAITING) {
        if (a->asking != RH_NONE)
            goes_on(w);
        else if (a->filter->match || !rh_is_nobody(a->filter->from))
            w->events[w->event_count - 1].flags |= RH_EVENT_MATCHED;
        resume(w, actor, message);
        return;
    }
    take_up(w, a, message);
    if (a->start == message)
        put32(w, &a->start, RH_NONE);
    if (a->type->kind == RH_KIND_PROCESS) {
        put32(w, &a->status, STATUS_RUNNING);
        run(w, actor, a->type->body, NULL, NULL);
    } else {
        handle(w, actor, m->type, rh__message_value(w, m), m->seen_as);
    }
}

static void fire(struct rh_world *w, uint32_t actor, uint32_t timer)
{
    struct timer t = w->timers[timer];
    struct actor *a = &w->actors[actor];
    if (t.deadline_ns > w->now_ns && !w->tick_ns)
        put_time(w, &w->now_ns, t.deadline_ns);
    bool at_once = t.type && a->type->kind != RH_KIND_PROCESS && a->status == STATUS_IDLE;
    if (w->own_clocks && !at_once) {
        rh__clock_hear(w, actor, 0);
        rh__clock_reach(w, actor, t.deadline_ns);
    }
    if (!t.type) {
        if (a->status != STATUS_WAITING || a->asking != RH_NONE)
            goes_on(w);
        resume(w, actor, RH_NONE);
        return;
    }
    rh__timer_unset(w, timer);
    /* A message from the actor to itself, taken at once; a process, and a handler that waits, find it in the mailbox. */
    struct sending s = SENDING(.from = actor, .to = actor, .type = t.type, .value = w->payload + t.payload);
    uint32_t m = rh__message_send(w, &s);
    if (!at_once) {
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

static void accept(struct rh_world *w, uint32_t message)
{
    uint32_t receiver = w->messages[message].receiver;
    rh__message_accept(w, message);
    if (has_ended(&w->actors[receiver]))
        rh__messages_drop(w, receiver);
}

static void act(struct rh_world *w, const struct rh_choice *c)
{
    switch ((enum rh_choice_kind)c->kind) {
    case RH_CHOICE_BEGIN:
        rh__clock_begin(w);
        put32(w, &w->actors[0].status, STATUS_RUNNING);
        run(w, 0, w->test->body, NULL, NULL);
        break;
    case RH_CHOICE_DELIVER:
        deliver(w, c->actor, c->what);
        break;
    case RH_CHOICE_TIMER:
        if (c->actor == w->clock)
            rh__clock_ring(w, c->what);
        else
            fire(w, c->actor, c->what);
        break;
    case RH_CHOICE_VALUE:
        goes_on(w);
        choose(w, c->actor, c->what);
        break;
    case RH_CHOICE_OPEN:
        goes_on(w);
        if (c->what == RH__STORE_FAILED)
            put32(w, &w->failed_opens, w->failed_opens - 1);
        else if (c->what == RH__STORE_DAMAGED)
            put32(w, &w->damaged_stores, w->damaged_stores - 1);
        choose(w, c->actor, c->what);
        break;
    case RH_CHOICE_UNSTORED:
        put32(w, &w->failed_puts, w->failed_puts - 1);
        rh__store_fail(w, c->actor);
        break;
    case RH_CHOICE_RESUME:
        goes_on(w);
        if (w->actors[c->actor].then != THEN_GO_ON)
            come_to_end(w, c->actor);
        else
            resume(w, c->actor, RH_NONE);
        break;
    case RH_CHOICE_ACCEPT:
        accept(w, c->what);
        break;
    case RH_CHOICE_STORED:
        goes_on(w);
        rh__region_enter(w, c->actor);
        w->yield = YIELD_BLOCKED;
        rh__store_complete(w, c->actor);
        rh__region_leave(w, c->actor);
        settle(w, c->actor);
        break;
    case RH_CHOICE_LOSE:
        put32(w, &w->losses, w->losses - 1);
        rh__message_lose(w, c->what);
        break;
    case RH_CHOICE_DUPLICATE:
        put32(w, &w->duplicates, w->duplicates - 1);
        rh__message_duplicate(w, c->what);
        break;
    case RH_CHOICE_CRASH:
        put32(w, &w->crashes, w->crashes - 1);
        rh__actor_crash_in_turn(w, c->actor, c->what);
        break;
    case RH_CHOICE_RESTART:
        if (c->what)
            put32(w, &w->kept_restarts, w->kept_restarts - 1);
        else
            put32(w, &w->restarts, w->restarts - 1);
        rh__actor_restart_in_turn(w, c->actor, c->what != 0);
        break;
    case RH_CHOICE_PARTITION:
        put32(w, &w->partitions, w->partitions - 1);
        put32(w, &w->cut, c->what);
        break;
    case RH_CHOICE_HEAL:
        put32(w, &w->cut, 0);
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

/* As a choice carries it: one that has never been blocked may still come to its end in turn, at no place of its own. */
static uint32_t resume_place(struct rh_world *w, const struct actor *a)
{
    return (uint32_t)(rh__payload_text(w, a->place ? a->place : "") / 16);
}

static uint32_t site_of(const struct actor *a)
{
    return (uint32_t)((uintptr_t)(a->status == STATUS_WAITING ? (const void *)a->place : a->behaviour) >> 2);
}

void rh__take(struct rh_world *w, const struct rh_choice *c)
{
    struct rh_choice choice = *c; /* it may be in the table that is about to be filled anew */
    struct rh_event *e = &w->events[w->event_count];
    if (choice.kind == RH_CHOICE_TIMER)
        choice.arg = rh__timer_name(w, choice.what);
    uint64_t payload_before = w->payload_at;
    if (choice.kind == RH_CHOICE_RESUME) /* where it goes on, for people */
        choice.arg = resume_place(w, &w->actors[choice.actor]);
    e->choice = choice;
    bool counts = choice.actor != RH_NONE && choice.kind != RH_CHOICE_LOSE && choice.kind != RH_CHOICE_DUPLICATE;
    e->number = counts ? w->actors[choice.actor].events : 0; /* what befalls a message is no event of its receiver */
    e->first_message = w->message_count;
    e->first_access = w->access_count;
    e->flags = 0;
    e->set_by = choice.kind == RH_CHOICE_TIMER ? w->timers[choice.what].event : RH_NONE;
    e->site = choice.actor == RH_NONE ? 0 : site_of(&w->actors[choice.actor]);
    e->private_mark[0] = (uint64_t)(uintptr_t)w->log;
    e->private_mark[1] = payload_before;
    e->private_mark[2] = w->under_way;
    w->event_count++;
    w->event_sends = 0;
    w->counts.steps++;
    if (!w->no_undo)
        w->epoch++;
    if (counts) {
        rh__actor_stale(w, choice.actor);
        log_pair(w, &w->actors[choice.actor].events);
        w->actors[choice.actor].events = e->number + 1;
    }
    if (w->hot_pages)
        rh__globals_sync(w);
    act(w, &choice);
    w->current = RH_NONE;
    if (w->hot_pages)
        rh__globals_diff(w);
    if (!rh__log_room(w) || !rh__payload_room(w) || w->event_count >= MAX_EVENTS - 1)
        rh__fail(w, RH_OUTCOME_LIMIT, RH_NONE, "", "the record of the run is full after %u events", w->event_count);
}

bool rh_world_step(struct rh_world *w, const struct rh_choice *choice)
{
    if (!rh__choice_just_offered(w, choice) && !rh__choice_open(w, choice))
        return false;
    rh__take(w, choice);
    return true;
}
