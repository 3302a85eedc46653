/* See outcome.h. */
#include "world/outcome.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/visible.h"
#include "world/actors.h"
#include "world/fiber.h"
#include "world/history.h"
#include "world/liveness.h"
#include "world/log.h"
#include "world/memory.h"
#include "world/network.h"
#include "world/sets.h"

const char *rh_outcome_name(enum rh_outcome_kind kind)
{
    static const char *const names[] = {
#define RH_X(name, text) text,
        RH_OUTCOMES(RH_X)
#undef RH_X
    };
    return (size_t)kind < sizeof names / sizeof *names ? names[kind] : "?";
}

const char *rh_choice_name(enum rh_choice_kind kind)
{
    static const char *const names[] = {
#define RH_X(name, text, attributes, line, people, word) text,
        RH_CHOICES(RH_X)
#undef RH_X
    };
    return (size_t)kind < sizeof names / sizeof *names ? names[kind] : "?";
}

const struct rh__choice_texts *rh__choice_texts(uint32_t kind)
{
    static const struct rh__choice_texts texts[] = {
#define RH_X(name, text, attributes, line, people, word) { line, people, word },
        RH_CHOICES(RH_X)
#undef RH_X
    };
    return &texts[kind];
}

static void record(struct rh_world *w, enum rh_outcome_kind kind, uint32_t actor, const char *place, const char *format,
                   va_list args)
{
    if (w->over)
        return; /* the first failure counts */
    put32(w, &w->over, 1);
    w->outcome.kind = kind;
    w->outcome.actor = actor;
    snprintf(w->outcome.place, sizeof w->outcome.place, "%s", place);
    vsnprintf(w->outcome.text, sizeof w->outcome.text, format, args);
}

void rh__fail(struct rh_world *w, enum rh_outcome_kind kind, uint32_t actor, const char *place, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    record(w, kind, actor, place, format, args);
    va_end(args);
}

void rh__fail_inside(struct rh_world *w, enum rh_outcome_kind kind, const char *place, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    record(w, kind, code_of(w), place, format, args);
    va_end(args);
    rh__fiber_abandon(w);
}

void rh__misuse(struct rh_world *w, const char *place, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (w->inside) {
        record(w, RH_OUTCOME_MISUSE, code_of(w), place, format, args);
        va_end(args);
        rh__fiber_abandon(w);
    }
    char text[1024];
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    rh__complain("%s: %s", place, text);
}

void rh__note(struct rh_world *w, uint32_t actor, const char *text)
{
    if (w->line_count == MAX_LINES)
        return;
    struct rh__run_line *line = &w->lines[w->line_count];
    line->text = rh__payload_text(w, text);
    line->event = w->event_count - 1;
    line->actor = actor;
    put32(w, &w->line_count, w->line_count + 1);
}

/* ---- the end of a run in which nothing went wrong ---------------------------------------------------------------- */

static bool blocked_for_ever(const struct rh_world *w, uint32_t actor)
{
    const struct world_actor *a = &w->actors[actor];
    if (actor == 0 && rh__test_is_over(w))
        return false;
    if (a->status == STATUS_WAITING)
        return a->asking != RH_NONE || !a->filter->idle;
    return a->status == STATUS_SLEEPING || a->status == STATUS_SYNCING || a->status == STATUS_PREEMPTED;
}

/* An exit signal for an earlier life of the actor, or one that it does not hear of. */
static bool without_effect(const struct rh_world *w, const struct world_actor *a, uint32_t message)
{
    struct rh__mail m = rh__live_mail(w, message);
    return m.signal && ((m.life && m.life != a->restarts + 1) || (m.quiet && m.heard && !(a->flags & FLAG_TRAPS)));
}

bool rh__may_remain(const struct rh_world *w, const struct rh_message_type *type, uint32_t sender)
{
    const struct rh_message_type *const *types = w->semantics.may_remain;
    const struct world_actor *from = &w->actors[sender];
    while (types && *types && *types != type)
        types++;
    return (types && *types) || (w->semantics.outside_may_remain && from->status == STATUS_OUTSIDE) ||
           (w->semantics.may_remain_from && rh__is_among(w->semantics.may_remain_from, from->type));
}

static bool message_may_remain(const struct rh_world *w, const struct world_message *m)
{
    return rh__may_remain(w, m->type, m->seen_as);
}

static bool must_not_remain(const struct rh_world *w, const struct world_actor *a, uint32_t message)
{
    return !without_effect(w, a, message) && !rh__set_joins(w, message) &&
           !message_may_remain(w, &w->messages[message]);
}

RH__APART static uint32_t count_deferred(const struct rh_world *w, uint32_t actor)
{
    uint32_t n = 0;
    for (uint32_t c = w->actors[actor].channels; c != RH_NONE; c = w->channels[c].next)
        for (uint32_t m = w->channels[c].first; m != RH_NONE; m = w->messages[m].next)
            n += must_not_remain(w, &w->actors[actor], m);
    return n;
}

/* The number of messages that an idle actor defers, and that must not remain.  Those that wait for others of their set
 * (RH_SETS) are not among them: votes beyond a quorum are nothing unusual. */
static inline uint32_t deferred_for_ever(const struct rh_world *w, uint32_t actor)
{
    return w->actors[actor].status == STATUS_IDLE && w->under_way ? count_deferred(w, actor) : 0;
}

/* One of them is of an external sender. */
static bool defers_from_outside(const struct rh_world *w, uint32_t actor)
{
    const struct world_actor *a = &w->actors[actor];
    for (uint32_t c = a->channels; c != RH_NONE; c = w->channels[c].next)
        for (uint32_t m = w->channels[c].first; m != RH_NONE; m = w->messages[m].next)
            if (w->actors[w->messages[m].seen_as].status == STATUS_OUTSIDE && must_not_remain(w, a, m))
                return true;
    return false;
}

/* An actor that asked, and to which the asked actor has sent a message instead of a reply: an easy mistake.  A question
 * of its own (rh_ask) is none: the two ask each other. */
static const struct world_message *answer_by_send(const struct rh_world *w, const struct world_actor *a)
{
    if (a->status != STATUS_WAITING || a->asking >= w->message_count)
        return NULL;
    for (uint32_t c = a->channels; c != RH_NONE; c = w->channels[c].next)
        for (uint32_t i = w->channels[c].first; i != RH_NONE; i = w->messages[i].next)
            if (w->messages[i].sender == w->messages[a->asking].receiver && w->messages[i].request == RH_NONE)
                return &w->messages[i];
    return NULL;
}

/* What is in the mailbox of a blocked actor: "mailbox: 2 ready from worker#1, turn from server#1". */
static void add_mailbox(struct rh_world *w, const struct world_actor *a, struct rh__text *t)
{
    enum { MOST = 5 };
    uint32_t listed = 0;
    for (uint32_t c = a->channels; c != RH_NONE; c = w->channels[c].next)
        for (uint32_t m = w->channels[c].first; m != RH_NONE && listed <= MOST;) {
            const struct world_message *one = &w->messages[m];
            char from[128];
            uint32_t count = 0;
            for (; m != RH_NONE && w->messages[m].type == one->type && w->messages[m].seen_as == one->seen_as;
                 m = w->messages[m].next)
                count += !without_effect(w, a, m);
            if (!count)
                continue;
            rh__text_add(t, listed ? ", " : "; mailbox: ");
            if (listed++ == MOST) {
                rh__text_add(t, "...");
                break;
            }
            if (count > 1)
                rh__text_add(t, "%u ", count);
            rh_world_actor_name(w, one->seen_as, from, sizeof from);
            rh__text_add(t, "%s from %s", one->type->name, from);
        }
    if (!listed)
        rh__text_add(t, "; mailbox empty");
}

/* The actor for which a blocked actor certainly waits: the one that has its request, or the only sender that its
 * receive takes.  RH_NONE: it is not known, or there are several. */
static uint32_t waits_for(const struct rh_world *w, uint32_t actor)
{
    const struct world_actor *a = &w->actors[actor];
    uint32_t holder = RH_NONE;
    if (a->status != STATUS_WAITING || !blocked_for_ever(w, actor))
        return RH_NONE;
    if (a->asking == RH_NONE)
        return actor_of(w, a->filter->from);
    for (uint32_t m = a->asking; m < w->message_count; m++)
        if (w->messages[m].request == a->asking)
            holder = w->messages[m].receiver; /* the last one to which it was forwarded */
    return holder;
}

/* Actors that wait for each other in a circle, first of all: "deadlock: a waits for b, b waits for a". */
static void add_deadlock(struct rh_world *w, uint32_t first, struct rh__text *t)
{
    for (uint32_t begin = first; begin < w->actor_count; begin++) {
        uint32_t at = waits_for(w, begin), steps = 1;
        while (at != RH_NONE && at != begin && steps++ < w->actor_count)
            at = waits_for(w, at);
        if (at != begin)
            continue;
        rh__text_add(t, "deadlock: ");
        do {
            uint32_t next = waits_for(w, at);
            char name[128], other[128];
            rh_world_actor_name(w, at, name, sizeof name);
            rh_world_actor_name(w, next, other, sizeof other);
            rh__text_add(t, "%s%s waits for %s (%s)", at == begin ? "" : ", ", name, other,
                         w->actors[at].place ? w->actors[at].place : "?");
            at = next;
        } while (at != begin);
        rh__text_add(t, "\n");
        return;
    }
}

/* Actor `first` is the first one that cannot go on. */
RH__APART static void tell_who_is_stuck(struct rh_world *w, uint32_t first)
{
    struct rh__text t;
    uint32_t count = 0;
    bool receives = false, defers = false, outside = false;
    rh__text_init(&t, w->outcome.text, sizeof w->outcome.text);
    add_deadlock(w, first, &t);
    for (uint32_t i = first; i < w->actor_count; i++) {
        uint32_t put_off = deferred_for_ever(w, i);
        if (!blocked_for_ever(w, i) && !put_off)
            continue;
        char name[128], doing[256];
        rh_world_actor_name(w, i, name, sizeof name);
        rh_world_actor_text(w, i, doing, sizeof doing);
        rh__text_add(&t, "%s%s %s", count++ ? "\n" : "nobody can move: ", name, doing);
        if (!put_off)
            add_mailbox(w, &w->actors[i], &t);
        defers |= put_off != 0;
        outside |= put_off != 0 && defers_from_outside(w, i);
        if (put_off)
            rh__text_add(&t, ", with %u deferred message%s left", put_off, put_off == 1 ? "" : "s");
        const struct world_message *sent = answer_by_send(w, &w->actors[i]);
        if (sent)
            rh__text_add(&t, "; %s from it is not a reply: answer rh_ask with rh_reply", sent->type->name);
        receives |= i != 0 && w->actors[i].status == STATUS_WAITING && w->actors[i].asking == RH_NONE;
    }
    if (defers)
        rh__text_add(&t,
                     "\n(if deferred messages may remain, name them in .may_remain or .may_remain_from of the test%s)",
                     outside ? "; for external senders: .outside_may_remain = true" : "");
    if (receives)
        rh__text_add(&t, "\n(if this is a server that may wait for ever, set .idle = true in its receive)");
    w->outcome.kind = RH_OUTCOME_STUCK;
    w->outcome.actor = first;
    snprintf(w->outcome.place, sizeof w->outcome.place, "%s",
             blocked_for_ever(w, first) && w->actors[first].place ? w->actors[first].place : "");
}

static bool stuck(struct rh_world *w)
{
    uint32_t i = 0;
    if (!w->stack_count && !w->under_way)
        return false; /* no actor was ever suspended, and no message is left */
    while (i < w->actor_count && !blocked_for_ever(w, i) && !deferred_for_ever(w, i))
        i++;
    if (i < w->actor_count)
        tell_who_is_stuck(w, i);
    return i < w->actor_count;
}

static bool was_taken(const struct rh_world *w, uint32_t message)
{
    const struct world_message *m = &w->messages[message];
    const struct rh_choice *by = m->taken_by == RH_NONE ? NULL : &w->events[m->taken_by].choice;
    return by && by->kind == RH_CHOICE_DELIVER && by->what == message;
}

/* True if the message is a dead letter once its receiver has ended: neither it nor a copy of it was taken, and faults
 * have not lost all of them. */
static bool dies_with_receiver(const struct rh_world *w, uint32_t message)
{
    const struct world_message *m = &w->messages[message];
    if (!m->posted || m->answers != RH_NONE || m->sender == m->receiver || m->copy_of != RH_NONE ||
        was_taken(w, message) || message_may_remain(w, m))
        return false;
    bool dies = !(m->marks & MARK_OVER);
    for (uint32_t i = message + 1; w->semantics.duplicates && i < w->message_count; i++) {
        if (w->messages[i].copy_of == message && was_taken(w, i))
            return false;
        dies |= w->messages[i].copy_of == message && !(w->messages[i].marks & MARK_OVER);
    }
    return dies;
}

/* The message, or a copy of it. */
static bool is_under_way(const struct rh_world *w, uint32_t message)
{
    bool is = w->messages[message].taken_by == RH_NONE;
    for (uint32_t i = message + 1; !is && w->semantics.duplicates && i < w->message_count; i++)
        is = w->messages[i].copy_of == message && w->messages[i].taken_by == RH_NONE;
    return is;
}

static bool receiver_has_ended(const struct rh_world *w, const struct world_message *m)
{
    return w->actors[m->receiver].status == STATUS_ENDED || (!m->receiver && rh__test_is_over(w));
}

static bool message_is_dead(const struct rh_world *w, uint32_t message)
{
    return receiver_has_ended(w, &w->messages[message]) && dies_with_receiver(w, message);
}

bool rh__message_may_die(const struct rh_world *w, uint32_t message)
{
    return (is_under_way(w, message) || receiver_has_ended(w, &w->messages[message])) && dies_with_receiver(w, message);
}

/* An order of messages that is the same in every run. */
static bool goes_first(const struct rh_world *w, const struct world_message *a, const struct world_message *b)
{
    const struct rh_event *x = &w->events[a->event], *y = &w->events[b->event];
    uint64_t one = w->actors[x->choice.actor].identity, other = w->actors[y->choice.actor].identity;
    if (one != other)
        return one < other;
    return x->number != y->number ? x->number < y->number : a->ordinal < b->ordinal;
}

/* Dead, or just left in a mailbox at the end of the run. */
static bool unreceived(struct rh_world *w, uint32_t message, bool left)
{
    if (!left)
        return message_is_dead(w, message);
    return is_under_way(w, message) && dies_with_receiver(w, message) && !rh__set_joins(w, message);
}

static bool has_unreceived(struct rh_world *w, bool left)
{
    const struct world_message *first = NULL;
    char from[128], to[128];
    for (uint32_t i = 0; i < w->message_count; i++)
        if (unreceived(w, i, left) && (!first || goes_first(w, &w->messages[i], first)))
            first = &w->messages[i];
    if (!first)
        return false;
    w->outcome.kind = RH_OUTCOME_DEAD_LETTER;
    w->outcome.actor = w->events[first->event].choice.actor;
    rh_world_actor_name(w, first->seen_as, from, sizeof from);
    rh_world_actor_name(w, first->receiver, to, sizeof to);
    snprintf(w->outcome.place, sizeof w->outcome.place, "%s", rh__sent_at(w, (uint32_t)(first - w->messages)));
    snprintf(w->outcome.text, sizeof w->outcome.text, "%s from %s to %s was never taken: %s %s", first->type->name,
             from, to, to, receiver_has_ended(w, first) ? "has ended" : "does not take it any more");
    return true;
}

static bool dead_letter(struct rh_world *w)
{
    return rh__dead_letters_at_end(w) && has_unreceived(w, false);
}

static bool left_over(struct rh_world *w)
{
    return w->semantics.dead_letters == RH_DEAD_LETTER_STRICT && has_unreceived(w, true);
}

void rh__conclude(struct rh_world *w)
{
    bool could_go_on = w->timer_budget_count && rh__timers_are_spent(w);
    if ((w->operation_count && rh__histories_fail(w)) || dead_letter(w) || (!could_go_on && (stuck(w) || left_over(w))))
        return;
    for (uint32_t i = 0; i < w->monitor_count && !could_go_on; i++) {
        const struct world_actor *m = &w->actors[w->monitors[i]];
        if (m->behaviour->hot) {
            w->outcome.kind = RH_OUTCOME_MONITOR;
            w->outcome.actor = w->monitors[i];
            snprintf(w->outcome.place, sizeof w->outcome.place, "%s", m->behaviour->place);
            snprintf(w->outcome.text, sizeof w->outcome.text, "the run ends while monitor %s is in hot behaviour %s",
                     m->type->name, m->behaviour->name);
            return;
        }
    }
    for (uint32_t i = 0; i < w->property_count && !could_go_on; i++) {
        const struct world_property *p = &w->properties[i];
        if (p->kind == RH_EVENTUALLY && (p->run & LAST) == LAST_FALSE) {
            w->outcome.kind = RH_OUTCOME_PROPERTY;
            w->outcome.actor = RH_NONE;
            snprintf(w->outcome.place, sizeof w->outcome.place, "%s", p->place);
            snprintf(w->outcome.text, sizeof w->outcome.text, "eventually `%s` does not hold at the end of the run",
                     p->name);
            return;
        }
    }
    static const char finished[] = "nothing is left to do";
    w->outcome.kind = RH_OUTCOME_FINISHED;
    w->outcome.actor = RH_NONE;
    w->outcome.place[0] = 0;
    memcpy(w->outcome.text, finished, sizeof finished);
}

/* A program with a periodic timer never comes to rest, and need not.  A program that continues for thousands of events
 * with messages alone runs in a circle, unless what would end it was kept waiting for half of them: explorers need not
 * be fair.  A lower limit was set to cut runs, not to find such programs. */
void rh__conclude_cut(struct rh_world *w)
{
    enum { LONG = 10000 };
    bool driven = w->event_count < LONG;
    if (rh__histories_fail(w) || dead_letter(w)) /* what is wrong with a part of a history is wrong with all of it */
        return;
    w->outcome.kind = RH_OUTCOME_CUT;
    snprintf(w->outcome.text, sizeof w->outcome.text, "the run was cut after %u events (max_steps)",
             w->event_count - 1);
    for (uint32_t i = w->event_count / 2; i < w->event_count && !driven; i++)
        driven = w->events[i].choice.kind == RH_CHOICE_TIMER;
    if (driven || rh__keeps_waiting(w, w->choices, w->cut_short, w->event_count / 2))
        return;
    w->outcome.kind = RH_OUTCOME_ENDLESS_RUN;
    w->outcome.actor = w->events[w->event_count - 1].choice.actor;
    snprintf(w->outcome.text, sizeof w->outcome.text,
             "the run has not ended after %u events, and no timer drives "
             "it: messages go in a circle",
             w->event_count - 1);
}
