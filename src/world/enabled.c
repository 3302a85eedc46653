/* What may happen next.
 *
 * While an actor is in rh_choose there is nothing but its values: choosing is part of its handler.  Otherwise: messages
 * that can be delivered, timers, writes that complete, preempted processes, and within their budgets faults.  When
 * nothing of the ordinary is left the run is over; where actors could still crash then, that is offered beside
 * RH_CHOICE_END.  The order is fixed by the run: messages by channel, then the rest in the order above. */
#include "world/actors.h"
#include "world/knowledge.h"
#include "world/network.h"
#include "world/objects.h"
#include "world/step.h"
#include "world/store.h"

static void offer(struct rh_world *w, uint32_t kind, uint32_t actor, uint32_t what, uint32_t arg)
{
    if (w->choice_count < w->choice_capacity)
        w->choices[w->choice_count++] = (struct rh_choice){ kind, actor, what, arg };
    else
        rh__fail(w, RH_OUTCOME_LIMIT, RH_NONE, "", "more than %u choices are open at once (max_messages)",
                 w->choice_capacity);
}

static void offer_delivery(struct rh_world *w, uint32_t message)
{
    offer(w, RH_CHOICE_DELIVER, w->messages[message].receiver, message, 0);
}

static void offer_messages(struct rh_world *w)
{
    uint32_t words = (w->channel_count + 63) / 64;
    for (uint32_t i = 0; i < words; i++)
        for (uint64_t bits = w->ready[i]; bits; bits &= bits - 1) {
            uint32_t c = i * 64 + (uint32_t)__builtin_ctzll(bits);
            if (rh__first_is_open(w, c))
                offer_delivery(w, w->channels[c].first);
            else if (w->channels[c].receiver == RH_NONE)
                offer(w, RH_CHOICE_ACCEPT, w->channels[c].sender, w->channels[c].first, 0);
            else
                rh__channel_deliverable(w, c, offer_delivery);
        }
}

/* A wait does not end for lack of a message that is there already: under mailbox any (with granularity object those of which
 * the actor can know); where messages of one sender come in order, one that was passed over when a later one was taken; under
 * causal one that was sent before another that was taken, whoever sent that; and what the actor has sent to itself. */
static bool has_arrived(struct rh_world *w, const struct channel *c, uint32_t message)
{
    if ((w->semantics.model == RH_MAILBOX && !rh__fine(w)) || c->sender == c->receiver ||
        rh__message_passed_over(w, message))
        return rh__message_deliverable(w, message);
    if (w->semantics.model != RH_MAILBOX && w->semantics.model != RH_CAUSAL)
        return false;
    return rh__message_deliverable(w, message) && rh__message_known(w, message);
}

bool rh__must_take(struct rh_world *w, const struct actor *a)
{
    if (a->status != STATUS_WAITING)
        return false;
    for (uint32_t c = a->channels; c != RH_NONE; c = w->channels[c].next)
        for (uint32_t m = w->channels[c].first; m != RH_NONE; m = w->messages[m].next)
            if (has_arrived(w, &w->channels[c], m))
                return true;
    return false;
}

/* With granularity object one that stopped in the middle of something does nothing else before it has gone on. */
static bool busy(const struct rh_world *w, const struct actor *a)
{
    return rh__fine(w) && (a->status == STATUS_PREEMPTED || a->status == STATUS_CHOOSING);
}

/* The actor must be able to take a timer's message, and want it. */
static bool can_take_timer(struct rh_world *w, const struct timer *t)
{
    const struct actor *a = &w->actors[t->actor];
    const struct rh_entry *entry;
    if (a->outbox != RH_NONE && w->channels[a->outbox].first != RH_NONE)
        return false; /* its sends are not over */
    if (busy(w, a))
        return false;
    if (!t->type)
        return !rh__must_take(w, a);
    if (a->type->kind == RH_KIND_PROCESS)
        return !has_ended(a) && a->start == RH_NONE; /* it goes to the mailbox */
    if (a->status == STATUS_WAITING && a->asking == RH_NONE)
        return true; /* the same: a receive inside a handler may be for it */
    return a->status == STATUS_IDLE && a->start == RH_NONE && rh__disposition(a, t->type, &entry) != RH_ACTION_DEFER;
}

/* free, logical  a timer may fire at any moment once it is set: sound for programs that must not depend on speed
 * ordered        only timers with the earliest deadline may fire, of those that somebody can take now; messages may still
 *                arrive at any moment; with granularity object the clock has the timers, and there is one that is next */
bool rh__timer_open(struct rh_world *w, uint32_t timer)
{
    if (w->timers[timer].clocked)
        return timer == rh__clock_next(w);
    if (!can_take_timer(w, &w->timers[timer]))
        return false;
    if (w->semantics.time != RH_TIME_ORDERED || w->clock != RH_NONE)
        return true;
    for (uint32_t i = w->timer_newest; i != RH_NONE; i = w->timers[i].older)
        if (w->timers[i].deadline_ns < w->timers[timer].deadline_ns && can_take_timer(w, &w->timers[i]))
            return false;
    return true;
}

/* Ordered time: the earliest deadline of those that somebody can take now. */
static int64_t earliest_deadline(struct rh_world *w)
{
    int64_t earliest = INT64_MAX;
    for (uint32_t i = w->timer_newest; i != RH_NONE; i = w->timers[i].older)
        if (w->timers[i].deadline_ns < earliest && can_take_timer(w, &w->timers[i]))
            earliest = w->timers[i].deadline_ns;
    return earliest;
}

/* As rh__timer_open says of each. */
static void offer_timers(struct rh_world *w)
{
    bool ordered = w->semantics.time == RH_TIME_ORDERED && w->clock == RH_NONE;
    int64_t latest = ordered ? earliest_deadline(w) : INT64_MAX;
    for (uint32_t i = w->timer_newest; i != RH_NONE; i = w->timers[i].older)
        if (!w->timers[i].clocked && w->timers[i].deadline_ns <= latest && can_take_timer(w, &w->timers[i]))
            offer(w, RH_CHOICE_TIMER, w->timers[i].actor, i, rh__timer_name(w, i));
    uint32_t next = w->clock == RH_NONE ? RH_NONE : rh__clock_next(w);
    if (next != RH_NONE)
        offer(w, RH_CHOICE_TIMER, w->clock, next, rh__timer_name(w, next));
}

static void offer_openings(struct rh_world *w, uint32_t actor)
{
    offer(w, RH_CHOICE_OPEN, actor, RH__STORE_GOOD, 0);
    if (w->failed_opens && actor)
        offer(w, RH_CHOICE_OPEN, actor, RH__STORE_FAILED, 0);
    if (w->damaged_stores && actor)
        offer(w, RH_CHOICE_OPEN, actor, RH__STORE_DAMAGED, 0);
}

static void offer_values(struct rh_world *w, uint32_t actor)
{
    if (w->actors[actor].opening) {
        offer_openings(w, actor);
        return;
    }
    for (uint32_t i = 0; i < w->actors[actor].choices; i++)
        offer(w, RH_CHOICE_VALUE, actor, i, w->actors[actor].choices);
}

/* See rh__test_is_over.  Where somebody has looked before, the end comes all the same, so that a reduction sees the two operations
 * whose order matters. */
static bool end_is_noticed(struct rh_world *w)
{
    const struct actor *test = &w->actors[0];
    bool noticed =
        test->links != RH_NONE || test->monitors != RH_NONE || rh__object_entry(w, test->object)->touches > 0;
    for (uint32_t i = 1; w->halted && !noticed && i < w->actor_count; i++)
        noticed = w->actors[i].status == STATUS_PREEMPTED && w->actors[i].object == test->object;
    return noticed;
}

static void offer_actors(struct rh_world *w)
{
    bool over = rh__test_is_over(w);
    if (over && end_is_noticed(w))
        offer(w, RH_CHOICE_RESUME, 0, 0, 0);
    if (!w->writes_open && !w->halted)
        return;
    for (uint32_t i = over; i < w->actor_count; i++) {
        const struct actor *a = &w->actors[i];
        if (a->writes_open && !busy(w, a))
            offer(w, RH_CHOICE_STORED, i, 0, 0);
        if (a->status == STATUS_PREEMPTED)
            offer(w, RH_CHOICE_RESUME, i, 0, 0);
        if (a->status == STATUS_CHOOSING)
            offer_values(w, i);
    }
}

bool rh__can_crash(const struct rh_world *w, uint32_t actor)
{
    const struct actor *a = &w->actors[actor];
    return actor != 0 && a->type->kind != RH_KIND_MONITOR && a->status != STATUS_OUTSIDE && !has_ended(a) &&
           !busy(w, a) && rh__is_among(w->semantics.may_crash, a->type);
}

static void offer_crashes(struct rh_world *w)
{
    for (uint32_t i = 1; w->crashes && i < w->actor_count; i++)
        for (uint32_t k = 0; rh__can_crash(w, i) && k <= w->actors[i].writes_open; k++)
            offer(w, RH_CHOICE_CRASH, i, k, w->actors[i].writes_open);
}

static void offer_failed_puts(struct rh_world *w)
{
    for (uint32_t i = 1; w->failed_puts && w->writes_open && i < w->actor_count; i++)
        if (rh__store_can_fail(w, i))
            offer(w, RH_CHOICE_UNSTORED, i, 0, 0);
}

static void offer_restarts(struct rh_world *w)
{
    for (uint32_t i = 1; (w->restarts || w->kept_restarts) && i < w->actor_count; i++)
        if (w->actors[i].status == STATUS_CRASHED) {
            if (w->restarts)
                offer(w, RH_CHOICE_RESTART, i, 0, 0);
            if (w->kept_restarts)
                offer(w, RH_CHOICE_RESTART, i, 1, 0);
        }
}

/* Every way to split a few nodes in two; of many nodes only one against the rest. */
static void offer_partitions(struct rh_world *w)
{
    if (w->cut || !w->partitions || w->node_count < 2 || rh__fine(w))
        return; /* a partition only delays: see docs/exploration.md for granularity object */
    if (w->node_count <= 5)
        for (uint32_t side = 1; side < 1u << (w->node_count - 1); side++)
            offer(w, RH_CHOICE_PARTITION, RH_NONE, side << 1, 0);
    else
        for (uint32_t i = 0; i < w->node_count; i++)
            offer(w, RH_CHOICE_PARTITION, RH_NONE, 1u << i, 0);
}

static void offer_faults_of(struct rh_world *w, uint32_t message)
{
    const struct message *m = &w->messages[message];
    if (!rh__message_may_fail(w, m) || (rh__fine(w) && rh__message_is_double(w, message)))
        return;                                                             /* there only one thing befalls a message */
    if (w->losses && !(rh__fine(w) && rh__message_passed_over(w, message))) /* what has come cannot be lost */
        offer(w, RH_CHOICE_LOSE, m->receiver, message, 0);
    if (w->duplicates && m->copy_of == RH_NONE)
        offer(w, RH_CHOICE_DUPLICATE, m->receiver, message, 0);
}

/* What is lost never comes, whenever that happens; so it is enough to offer it for what could be taken now.  With granularity
 * object it is offered for all that nobody has received: then it can be decided when the message is sent, and whether its
 * receiver has ended by then makes no difference. */
static void offer_message_faults(struct rh_world *w, uint32_t ordinary)
{
    if (rh__fine(w)) {
        for (uint32_t i = 0; i < w->message_count; i++)
            if (!w->messages[i].over)
                offer_faults_of(w, i);
        return;
    }
    for (uint32_t i = 0; i < ordinary; i++) {
        struct rh_choice c = w->choices[i];
        if (c.kind == RH_CHOICE_DELIVER)
            offer_faults_of(w, c.what);
    }
}

/* With granularity object whether a fault may happen never depends on what others can do. */
static void offer_faults_at_any_time(struct rh_world *w)
{
    offer_restarts(w);
    uint32_t ordinary = w->choice_count;
    if (w->losses || w->duplicates)
        offer_message_faults(w, ordinary);
    offer_crashes(w);
    offer_failed_puts(w);
    if (!ordinary && w->choice_count)
        offer(w, RH_CHOICE_END, RH_NONE, 0, 0);
}

static void offer_faults(struct rh_world *w)
{
    uint32_t ordinary = w->choice_count;
    if (w->losses || w->duplicates)
        offer_message_faults(w, ordinary);
    offer_restarts(w);
    if (ordinary) {
        offer_crashes(w);
        offer_failed_puts(w);
        offer_partitions(w);
    }
    if (w->cut && (ordinary || w->under_way))
        offer(w, RH_CHOICE_HEAL, RH_NONE, 0, 0);
    if (!w->choice_count && w->crashes) {
        offer(w, RH_CHOICE_END, RH_NONE, 0, 0);
        offer_crashes(w);
        if (w->choice_count == 1)
            w->choice_count = 0; /* nobody is left who could crash: just over */
    }
}

/* Nothing has changed since the table of choices was filled. */
static bool still_open(const struct rh_world *w)
{
    return w->choices_events == w->event_count && w->choices_log == w->log;
}

bool rh__choice_just_offered(const struct rh_world *w, const struct rh_choice *c)
{
    return c >= w->choices && c < w->choices + w->choice_count && still_open(w);
}

static void fill(struct rh_world *w)
{
    if (w->chooser != RH_NONE) {
        offer_values(w, w->chooser);
        return;
    }
    offer_messages(w);
    if (w->timer_newest != RH_NONE)
        offer_timers(w);
    offer_actors(w);
    if (w->any_faults && rh__fine(w))
        offer_faults_at_any_time(w);
    else if (w->any_faults)
        offer_faults(w);
}

const struct rh_choice *rh_world_enabled(struct rh_world *w, uint32_t *count)
{
    if (!still_open(w)) {
        w->choice_count = 0;
        w->cut_short = false;
        w->choices_events = w->event_count;
        w->choices_log = w->log;
        if (!w->over && w->begun)
            fill(w);
        if (w->over) /* a predicate has failed */
            w->choice_count = 0;
        if (w->event_count > w->semantics.max_steps) {
            w->cut_short = w->choice_count > 0;
            w->choice_count = 0;
        }
    }
    *count = w->choice_count;
    return w->choices;
}

const struct rh_outcome *rh_world_outcome(struct rh_world *w)
{
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
