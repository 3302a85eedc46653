/* The enabled choices.  rh_world_enabled lists them, rh__choice_open checks one choice; both use the same conditions.
 * The hostile build compares the two for every list.  Faults are in faults.c.
 *
 * While an actor is in rh_choose, only its values are enabled, because choosing is part of its handler.  Otherwise the
 * enabled choices are: deliverable messages, timers, completing writes, preempted processes, and faults within their
 * budgets.  The run is over when no choice is enabled.  The run determines the order of the list: messages by channel,
 * then the rest in the order above. */
#include "base/fail.h"
#include "world/actors.h"
#include "world/crash_points.h"
#include "world/faults.h"
#include "world/log.h"
#include "world/network.h"
#include "world/objects.h"
#include "world/scenario.h"
#include "world/self_check.h"
#include "world/sets.h"
#include "world/step.h"
#include "world/store.h"

static void offer_delivery(struct rh_world *w, uint32_t message)
{
    rh__offer(w, RH_CHOICE_DELIVER, w->messages[message].receiver, message, 0);
}

static void offer_channel(struct rh_world *w, uint32_t channel)
{
    const struct world_channel *c = &w->channels[channel];
    if (rh__heads_are_free(w) && rh__first_is_open(c, w->actors, w->messages))
        offer_delivery(w, c->first);
    else if (c->receiver == RH_NONE)
        rh__offer(w, RH_CHOICE_ACCEPT, c->sender, c->first, 0);
    else
        rh__channel_offer(w, channel);
}

RH__APART static void offer_channels(struct rh_world *w)
{
    uint32_t words = (w->channel_count + 63) / 64;
    for (uint32_t i = 0; i < words; i++)
        for (uint64_t bits = w->ready[i]; bits; bits &= bits - 1)
            offer_channel(w, i * 64 + (uint32_t)__builtin_ctzll(bits));
}

/* The common case of offer_channels: each channel offers its first message.  False if some channel needs a closer look.
 * The loop calls nothing, so that what it needs of the world stays in registers. */
static inline bool offer_heads(struct rh_world *w)
{
    const struct world_channel *channels = w->channels;
    const struct world_actor *actors = w->actors;
    const struct world_message *messages = w->messages;
    const uint64_t *ready = w->ready, *end = ready + (w->channel_count + 63) / 64;
    struct rh_choice *next = w->choices;
    uint32_t open = RH_NONE; /* the receiver of the channel before */
    if (!rh__heads_are_free(w) || w->channel_count > w->choice_capacity)
        return false;
    for (; ready < end; ready++, channels += 64)
        for (uint64_t bits = *ready; bits; bits &= bits - 1) {
            const struct world_channel *c = &channels[__builtin_ctzll(bits)];
            if (c->receiver != open || open == RH_NONE) {
                open = c->receiver;
                if (open == RH_NONE || !rh__takes_every(&actors[open]))
                    return false;
            }
            if (!rh__message_is_plain(&messages[c->first]))
                return false;
            *next++ = (struct rh_choice){ RH_CHOICE_DELIVER, c->receiver, c->first, 0 };
        }
    w->choice_count = (uint32_t)(next - w->choices);
    return true;
}

/* An actor has taken a part of its set: the rest follows at once. */
static void offer_set(struct rh_world *w, uint32_t actor)
{
    uint32_t n = rh__set_find(w, actor);
    for (uint32_t i = 0; i < n; i++)
        if (w->members[i].open)
            offer_delivery(w, w->members[i].message);
}

/* A wait does not time out if the message has certainly arrived.  This holds for a message that the actor has sent to
 * itself, and for these messages:
 *
 *     mailbox       all that are in the mailbox
 *     ordered       a message that was passed over when a later message of the same sender was taken
 *     causal        a message that was sent before another message that was taken, from any sender */
static bool must_be_there(struct rh_world *w, uint32_t message)
{
    const struct world_message *m = &w->messages[message];
    const struct world_channel *c = &w->channels[m->channel];
    if (rh__channel_key(w, m->sender, m->posted) == RH_NONE || c->sender == c->receiver ||
        rh__message_passed_over(w, message))
        return true;
    return w->delivery.causal && m->type != &rh__exit_signal &&
           rh__message_in_vector(w, m, w->actors[m->receiver].clock);
}

static bool has_arrived(struct rh_world *w, uint32_t message)
{
    return must_be_there(w, message) && rh__message_deliverable(w, message);
}

static bool set_has_arrived(struct rh_world *w, const struct world_actor *a)
{
    uint32_t actor = (uint32_t)(a - w->actors);
    for (uint32_t c = a->channels; c != RH_NONE; c = w->channels[c].next)
        for (uint32_t m = w->channels[c].first; m != RH_NONE; m = w->messages[m].next)
            if ((w->messages[m].type == &rh__exit_signal || w->messages[m].wake) && has_arrived(w, m))
                return true;
    return rh__set_size(w, actor, must_be_there) >= rh__set_awaited(a);
}

static bool must_take(struct rh_world *w, const struct world_actor *a, bool apart)
{
    if (a->status != STATUS_WAITING)
        return false;
    if (rh__set_awaited(a))
        return set_has_arrived(w, a);
    for (uint32_t c = a->channels; c != RH_NONE; c = w->channels[c].next)
        for (uint32_t m = w->channels[c].first; m != RH_NONE; m = w->messages[m].next)
            if (!(apart && w->channels[c].sender == RH_NONE) && has_arrived(w, m))
                return true;
    return false;
}

bool rh__must_take(struct rh_world *w, const struct world_actor *a)
{
    return must_take(w, a, false);
}

bool rh__must_take_apart(const struct rh_world *w, uint32_t actor)
{
    return must_take((struct rh_world *)(uintptr_t)w, &w->actors[actor], true); /* asking changes nothing that lasts */
}

/* True if the actor can take the timer's message now, and does not defer it. */
static bool can_take_timer(struct rh_world *w, const struct world_timer *t)
{
    const struct world_actor *a = &w->actors[t->actor];
    const struct rh_entry *entry;
    if (a->outbox != RH_NONE && w->channels[a->outbox].first != RH_NONE)
        return false; /* its messages are not yet accepted */
    if (rh__is_busy(w, a) || rh__timer_is_spent(w, t))
        return false;
    if (!t->type)
        return !rh__must_take(w, a);
    if (a->type->kind == RH_KIND_PROCESS)
        return !has_ended(a) && a->start == RH_NONE; /* the message goes to the mailbox */
    if (a->status == STATUS_WAITING && a->asking == RH_NONE)
        return true; /* goes to the mailbox: a receive inside a handler may take it */
    bool takes_all = !(a->flags & FLAG_DEFERS) && t->type->unhandled != RH_UNHANDLED_DEFER;
    return a->status == STATUS_IDLE && a->start == RH_NONE &&
           (takes_all || rh__disposition(a->behaviour, t->type, &entry) != RH_ACTION_DEFER);
}

/* When a timer may fire depends on the time semantics:
 *
 *     free, logical   at any moment after it is set: sound for programs that must not depend on speed
 *     ordered         if its deadline is the earliest of all timers that can be taken now; messages may still arrive at
 *                     any moment; with granularity object the clock owns the timers, and at most one timer is next */
static bool may_fire(struct rh_world *w, const struct world_timer *t, int64_t latest)
{
    return !t->clocked && t->deadline_ns <= latest && can_take_timer(w, t);
}

/* Returns the latest deadline that may be reached now.  Ordered time: the earliest deadline of all timers that can be
 * taken now. */
static int64_t latest_deadline(struct rh_world *w)
{
    int64_t earliest = INT64_MAX;
    if (w->semantics.time != RH_TIME_ORDERED || w->clock != RH_NONE)
        return earliest;
    for (uint32_t i = w->timer_newest; i != RH_NONE; i = w->timers[i].older)
        if (w->timers[i].deadline_ns < earliest && can_take_timer(w, &w->timers[i]))
            earliest = w->timers[i].deadline_ns;
    return earliest;
}

static bool timer_open(struct rh_world *w, uint32_t timer)
{
    if (w->timers[timer].clocked)
        return timer == rh__clock_next(w) && rh__clock_may_reach(w, timer);
    return may_fire(w, &w->timers[timer], latest_deadline(w));
}

RH__APART static void offer_timers(struct rh_world *w)
{
    int64_t latest = latest_deadline(w);
    for (uint32_t i = w->timer_newest; i != RH_NONE; i = w->timers[i].older)
        if (may_fire(w, &w->timers[i], latest))
            rh__offer(w, RH_CHOICE_TIMER, w->timers[i].actor, i, rh__timer_name(w, i));
    uint32_t next = w->clock == RH_NONE ? RH_NONE : rh__clock_next(w);
    if (next != RH_NONE && rh__clock_may_reach(w, next))
        rh__offer(w, RH_CHOICE_TIMER, w->clock, next, rh__timer_name(w, next));
}

static void offer_openings(struct rh_world *w, uint32_t actor)
{
    rh__offer(w, RH_CHOICE_OPEN, actor, RH__STORE_GOOD, 0);
    if (w->left.failed_opens && actor)
        rh__offer(w, RH_CHOICE_OPEN, actor, RH__STORE_FAILED, 0);
    if (w->left.damaged_stores && actor)
        rh__offer(w, RH_CHOICE_OPEN, actor, RH__STORE_DAMAGED, 0);
}

RH__APART static void offer_values(struct rh_world *w, uint32_t actor)
{
    if (w->actors[actor].opening) {
        offer_openings(w, actor);
        return;
    }
    for (uint32_t i = 0; i < w->actors[actor].choices; i++)
        rh__offer(w, RH_CHOICE_VALUE, actor, i, w->actors[actor].choices);
}

/* See rh__test_is_over.  If an actor has accessed the life of the test before, the end is offered too.  So a reduction
 * sees both operations whose order matters. */
static bool end_is_noticed(struct rh_world *w)
{
    const struct world_actor *test = &w->actors[0];
    bool noticed =
        test->links != RH_NONE || test->monitors != RH_NONE || rh__object_entry(w, test->object)->touches > 0;
    for (uint32_t i = 1; w->halted && !noticed && i < w->actor_count; i++)
        noticed = w->actors[i].status == STATUS_PREEMPTED && w->actors[i].object == test->object;
    return noticed;
}

RH__APART static void offer_actors(struct rh_world *w)
{
    bool over = rh__test_is_over(w);
    if (over && end_is_noticed(w))
        rh__offer(w, RH_CHOICE_RESUME, 0, 0, 0);
    if (!w->writes_open && !w->halted)
        return;
    uint32_t point = rh__at_point_now(w);
    for (uint32_t i = over; i < w->actor_count; i++) {
        const struct world_actor *a = &w->actors[i];
        if (a->writes_open && !rh__is_busy(w, a))
            rh__offer(w, RH_CHOICE_STORED, i, 0, 0);
        if (a->status == STATUS_PREEMPTED && i != point)
            rh__offer(w, RH_CHOICE_RESUME, i, 0, 0);
        if (a->status == STATUS_CHOOSING)
            offer_values(w, i);
    }
}

/* `looked`: offer_heads has found a channel that needs a closer look. */
static inline void fill(struct rh_world *w, bool looked)
{
    if (w->chooser != RH_NONE) {
        offer_values(w, w->chooser);
        return;
    }
    if (w->gathered) {
        offer_set(w, w->gatherer);
        return;
    }
    uint32_t point = w->crash_points ? rh__at_point_now(w) : RH_NONE;
    if (__builtin_expect(point != RH_NONE, 0)) {
        rh__point_offer(w, point); /* first: see rh__world_narrows */
        offer_channels(w);
    } else if (looked || !offer_heads(w)) {
        offer_channels(w);
    }
    if (w->timer_newest != RH_NONE)
        offer_timers(w);
    if (w->writes_open | w->halted | rh__test_is_over(w))
        offer_actors(w);
    if (rh__holds_any(w))
        rh__leave_out_held(w);
    if (w->any_faults)
        rh__faults_offer(w);
    if (__builtin_expect(w->demand, 0))
        rh__demand_narrow(w);
}

void rh__choices_inside(struct rh_world *w)
{
    w->choices = w->choice_table + w->lists_end;
    w->choice_count = 0;
    w->choices_events = RH_NONE; /* nobody else may use this list */
    rh__sets_anew(w);
    fill(w, false);
}

/* The common case of fill: there is nothing but messages to offer.  With w->heads_first there is no fault, hold or
 * crash point. */
static inline bool only_messages(const struct rh_world *w)
{
    bool other = w->over | w->gathered | w->writes_open | w->halted | w->demand | rh__test_is_over(w);
    return w->heads_first && w->begun && !other && (w->chooser & w->timer_newest) == RH_NONE &&
           w->event_count <= w->semantics.max_steps;
}

/* ---- one choice -------------------------------------------------------------------------------------------------- */

static bool delivery_open(struct rh_world *w, uint32_t message)
{
    const struct world_message *m = &w->messages[message];
    if (m->taken_by != RH_NONE || m->channel == RH_NONE)
        return false;
    if (w->channels[m->channel].first == message && rh__heads_are_free(w) &&
        rh__first_is_open(&w->channels[m->channel], w->actors, w->messages))
        return true;
    return rh__message_deliverable(w, message);
}

static bool timer_is_set(const struct rh_world *w, uint32_t timer)
{
    uint32_t i = w->timer_newest;
    while (i != RH_NONE && i != timer)
        i = w->timers[i].older;
    return i != RH_NONE;
}

bool rh__choice_offered(struct rh_world *w, const struct rh_choice *c)
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
    if (w->chooser != RH_NONE || w->gathered || w->demand || rh__holds_any(w))
        return rh__choice_offered(w, c);
    switch ((enum rh_choice_kind)c->kind) {
    case RH_CHOICE_DELIVER:
        return c->what < w->message_count && w->messages[c->what].receiver == c->actor && delivery_open(w, c->what);
    case RH_CHOICE_TIMER:
        return c->what < w->timer_pool.count && timer_is_set(w, c->what) &&
               c->actor == (w->timers[c->what].clocked ? w->clock : w->timers[c->what].actor) && timer_open(w, c->what);
    case RH_CHOICE_BEGIN:
        return false;
    case RH_CHOICE_VALUE:
    case RH_CHOICE_RESUME:
    case RH_CHOICE_ACCEPT:
    case RH_CHOICE_STORED:
    case RH_CHOICE_OPEN:
    case RH_CHOICE_END:
        return rh__choice_offered(w, c);
        RH__FAULT_CASES
        return rh__fault_open(w, c);
    }
    return false;
}

/* True if the list and rh__choice_open agree: every listed choice is enabled, and no unlisted message is
 * deliverable. */
static bool lists_agree(struct rh_world *w)
{
    bool agree = true;
    uint64_t listed = 0, deliverable = 0;
    for (uint32_t i = 0; i < w->choice_count && agree; i++) {
        agree = rh__choice_open(w, &w->choices[i]);
        listed += w->choices[i].kind == RH_CHOICE_DELIVER;
    }
    for (uint32_t m = 0; w->chooser == RH_NONE && agree && m < w->message_count; m++)
        deliverable += rh__choice_open(w, &(struct rh_choice){ RH_CHOICE_DELIVER, w->messages[m].receiver, m, 0 });
    return agree && listed == deliverable;
}

RH__APART static void list_any(struct rh_world *w, bool looked)
{
    w->choice_count = 0;
    if (!w->over && w->begun)
        fill(w, looked);
    if (w->over) /* a predicate has failed */
        w->choice_count = 0;
    if (w->event_count > w->semantics.max_steps) {
        w->cut_short = w->choice_count;
        w->choice_count = 0;
    }
}

/* Apart, so that a list that is fresh costs little. */
RH__APART static void list(struct rh_world *w)
{
    w->cut_short = 0;
    w->choices = w->choice_table + w->lists_end;
    w->choices_events = w->event_count;
    w->choices_log = w->log;
    rh__sets_anew(w);
    bool plain = only_messages(w);
    if (!plain || !offer_heads(w))
        list_any(w, plain);
    RH__CHECK(w->over || w->event_count > w->semantics.max_steps || lists_agree(w),
              "what is listed and what is open differ after event %u", w->event_count);
    if (RH__IS_HOSTILE)
        rh__check_choices(w);
}

const struct rh_choice *rh_world_enabled(struct rh_world *w, uint32_t *count)
{
    if (!rh__choices_are_fresh(w))
        list(w);
    *count = w->choice_count;
    return w->choices;
}

const struct rh_outcome *rh_world_outcome(const struct rh_world *world)
{
    struct rh_world *w = (struct rh_world *)world; /* the outcome is computed on demand */
    uint32_t open;
    if (w->over)
        return &w->outcome;
    rh_world_enabled(w, &open);
    if (w->over)
        return &w->outcome;
    w->outcome.kind = RH_OUTCOME_RUNNING;
    w->outcome.actor = RH_NONE;
    w->outcome.place[0] = w->outcome.text[0] = 0;
    if (w->begun && w->cut_short)
        rh__conclude_cut(w);
    else if (w->begun && !open)
        rh__conclude(w);
    return &w->outcome;
}
