/* See steps.h. */
#include "coverage/steps.h"

#include <string.h>

/* ---- from a run -------------------------------------------------------------------------------------------------- */

static bool is_receive(const struct rh__run *r, const struct rh_event *e)
{
    if (e->flags & RH_EVENT_INSIDE)
        return false;
    if (e->choice.kind == RH_CHOICE_DELIVER)
        return !rh__is_start(rh__run_message(r, e->choice.what));
    return e->choice.kind == RH_CHOICE_TIMER && rh__event_of_actor(r, e) && e->choice.actor != r->clock;
}

/* No step of its actor can be moved across it. */
static bool is_fence(const struct rh__run *r, const struct rh_event *e)
{
    if (e->choice.kind == RH_CHOICE_DELIVER)
        return rh__is_start(rh__run_message(r, e->choice.what));
    return rh_choice_attributes(e->choice.kind) & RH_GLOBAL && !rh__befalls(&e->choice);
}

/* State while steps are made from events. */
struct making {
    const struct rh__run *r;
    struct rh__coverage_step *list;
    uint32_t *last_fence; /* of each actor */
    uint32_t *sites;      /* of each actor: the site where it received, 0 for none yet; SELECTS */
    uint32_t *last_taken; /* of each channel: the last step that took a message from it */
    uint32_t *earlier;    /* of each step: the previous step on its channel */
    uint32_t *accepted;   /* of each message: the step that accepted it, 0 for none */
    uint32_t fence;       /* the last fence of the whole run; 0 for none */
    uint32_t timer;       /* the last step that was a timer */
};

size_t rh__steps_scratch(const struct rh__run *r)
{
    return 2 * (size_t)r->actor_count + r->channel_count + r->event_count + r->message_count;
}

/* A message is available when it was sent; under mailbox with granularity send, when it was accepted. */
static uint32_t cause_of(const struct making *m, const struct rh_event *e)
{
    if (e->choice.kind == RH_CHOICE_TIMER && m->r->first_sets)
        return m->r->first_sets[e - m->r->events]; /* it could have fired since then, however often it was set anew */
    if (!rh__is_about_message(&e->choice))
        return e->set_by; /* of a timer; else RH_NONE */
    if (e->choice.kind == RH_CHOICE_DELIVER && m->accepted[e->choice.what])
        return m->accepted[e->choice.what];
    return rh__run_message(m->r, e->choice.what)->event;
}

/* Whether the order of sends (by_sends) concerns the message.  It does not for a copy under causal; nor, with
 * granularity object, for messages of the world, which are not in the order of the mailbox. */
static bool is_queued(const struct rh__run *r, const struct rh__run_message *m)
{
    if (rh__is_exit_signal(m))
        return false;
    return rh__run_delivery(r)->by_receiver ? m->posted || !rh__run_by_object(r) : m->copy_of == RH_NONE;
}

/* Whether the message carries another past than that of the step that sent it: a message of an external sender, or news
 * of an ended actor. */
static bool in_anothers_name(const struct rh__run *r, const struct rh__run_message *m)
{
    return rh__run_is_outside(r, m->sender) ||
           (m->type == &rh_message_rh_down && !m->posted && rh__run_event(r, m->event)->choice.actor != m->sender);
}

enum { SELECTS = 0xffffffffu };

/* Finds the actors that choose what they take: an actor that defers; a process that receives in several places, or by
 * more than the type. */
static void find_selecting(struct making *m, uint32_t count)
{
    const struct rh__run *r = m->r;
    for (uint32_t i = 0; i < r->actor_count; i++)
        if (rh__run_actor(r, i)->flags & FLAG_DEFERRED)
            m->sites[i] = SELECTS;
    for (uint32_t i = 1; i < count; i++) {
        const struct rh_event *e = rh__run_event(r, i);
        if (!is_receive(r, e))
            continue;
        uint32_t *site = &m->sites[e->choice.actor];
        bool deferred = e->choice.kind == RH_CHOICE_DELIVER &&
                        rh__run_message(r, e->choice.what)->type->unhandled == RH_UNHANDLED_DEFER;
        bool process = rh__run_actor(r, e->choice.actor)->type->kind == RH_KIND_PROCESS;
        if (deferred || e->flags & RH_EVENT_MATCHED || (process && *site && *site != e->site))
            *site = SELECTS;
        else if (process && !*site)
            *site = e->site;
    }
}

/* Definition 6: the first message on a channel is received first, if the model keeps channels in order.  An actor that
 * selects keeps that order only for messages of one type.  (Mailboxes are in the order of all sends: see by_sends.) */
static uint32_t received_before(struct making *m, uint32_t message, uint32_t at)
{
    enum { FAR = 64 }; /* how far to look back; a missed order costs only a try */
    const struct rh__run_message *now = rh__run_message(m->r, message);
    if (now->channel >= m->r->channel_count)
        return RH_NONE;
    bool by_type = m->sites[now->receiver] == SELECTS, outside = rh__run_is_outside(m->r, now->sender);
    uint32_t before = m->last_taken[now->channel], far = FAR;
    m->earlier[at] = before;
    m->last_taken[now->channel] = at;
    if (!rh__run_delivery(m->r)->in_order || now->timer || now->copy_of != RH_NONE || rh__is_exit_signal(now))
        return RH_NONE;
    if (rh__run_delivery(m->r)->by_receiver && outside && !by_type)
        return RH_NONE; /* several actors may send in its name; only which of them was first counts */
    for (; before && far; before = m->earlier[before], far--) {
        const struct rh__run_message *then = rh__run_message(m->r, m->r->events[before].choice.what);
        if (then->sender == now->sender && then->copy_of == RH_NONE && then < now && !rh__is_exit_signal(then) &&
            (!by_type || then->type == now->type))
            return before;
    }
    return RH_NONE;
}

static struct rh__coverage_step step_of(struct making *m, const struct rh__identities *n, uint32_t at)
{
    const struct rh__run *r = m->r;
    const struct rh_event *e = rh__run_event(r, at);
    bool own = rh__event_of_actor(r, e), deliver = e->choice.kind == RH_CHOICE_DELIVER;
    struct rh__coverage_step s = { .id = n->id[at],
                                   .actor = own ? e->choice.actor : RH_NONE,
                                   .cause = cause_of(m, e),
                                   .born = RH_NONE,
                                   .before = n->previous[at],
                                   .after = RH_NONE,
                                   .earlier = RH_NONE,
                                   .elder = RH_NONE,
                                   .arrival = at,
                                   .parent = n->parent[at] };
    if (n->root[at] != at)
        s.flags |= RH__STEP_PART;
    if (is_receive(r, e))
        s.flags |= RH__STEP_RECEIVE;
    if (e->flags & RH_EVENT_MORE)
        s.flags |= RH__STEP_MORE;
    if (is_fence(r, e))
        s.flags |= RH__STEP_FENCE;
    if (own) {
        s.born = m->last_fence[s.actor];
        s.born = s.born != RH_NONE ? s.born : rh__run_actor(r, s.actor)->born;
    }
    if (m->fence && (s.born == RH_NONE || s.born < m->fence))
        s.born = m->fence;
    if (deliver)
        s.after = received_before(m, e->choice.what, at);
    if (deliver && in_anothers_name(r, rh__run_message(r, e->choice.what)))
        s.flags |= RH__STEP_APART;
    if (deliver && is_queued(r, rh__run_message(r, e->choice.what)))
        s.flags |= RH__STEP_QUEUED;
    if (own && m->sites[s.actor] == SELECTS) {
        s.flags |= RH__STEP_CHOSEN;
        s.site = e->site;
    }
    s.type = 1; /* a timer, the end of a wait */
    if (deliver)
        s.type = (uint32_t)((uintptr_t)rh__run_message(r, e->choice.what)->type >> 3);
    if (deliver && rh__run_delivery(r)->by_receiver)
        s.arrival = s.cause;
    if (e->choice.kind == RH_CHOICE_TIMER && e->choice.arg && rh__run_choice(r, n->parent[at])->kind == RH_CHOICE_TIMER)
        s.after = n->parent[at]; /* it has fired once more */
    if (e->choice.kind == RH_CHOICE_TIMER && r->semantics->time == RH_TIME_ORDERED) {
        s.after = m->timer ? m->timer : RH_NONE; /* in the order of deadlines */
        m->timer = at;
    }
    if (e->choice.kind == RH_CHOICE_ACCEPT)
        m->accepted[e->choice.what] = at;
    if (s.flags & RH__STEP_FENCE)
        *(own ? &m->last_fence[s.actor] : &m->fence) = at;
    if (e->flags & RH_EVENT_BECOMES)
        *(s.flags & RH__STEP_PART ? &m->list[n->root[at]].flags : &s.flags) |= RH__STEP_BECOMES;
    return s;
}

/* ---- causal: which messages are in the past of one that the same event, or the same sender outside, sent --------- */

/* The step that took the message, or RH_NONE. */
static uint32_t taker_of(const struct rh__run *r, const struct rh__steps *s, uint32_t message)
{
    uint32_t by = rh__run_message(r, message)->taken_by;
    bool taken = by < s->count && rh__run_event(r, by)->choice.kind == RH_CHOICE_DELIVER &&
                 rh__run_event(r, by)->choice.what == message;
    return taken ? by : RH_NONE;
}

/* Links the step behind the last one that was linked, if both have the same cause. */
static void link_elder(struct rh__steps *s, uint32_t *elder, uint32_t step)
{
    if (step == RH_NONE)
        return;
    s->list[step].flags |= RH__STEP_LAST;
    if (*elder != RH_NONE && s->list[*elder].cause == s->list[step].cause) {
        s->list[step].elder = *elder;
        s->list[*elder].flags &= ~(uint32_t)RH__STEP_LAST;
    }
    *elder = step;
}

/* `last` has an entry for each actor.  A copy carries the past of its original. */
static void link_sends(const struct rh__run *r, struct rh__steps *s, uint32_t *last)
{
    uint32_t elder = RH_NONE;
    memset(last, 0xff, r->actor_count * sizeof *last);
    for (uint32_t i = 0; i < r->message_count; i++) {
        const struct rh__run_message *m = rh__run_message(r, i);
        uint32_t taker = taker_of(r, s, i);
        bool outside = rh__run_is_outside(r, m->sender);
        if (m->copy_of != RH_NONE)
            continue;
        if (outside && taker != RH_NONE) {
            s->list[taker].earlier = last[m->sender];
            last[m->sender] = taker;
        } else if (!outside) {
            link_elder(s, &elder, taker);
        }
        for (uint32_t k = i + 1; r->semantics->duplicates && k < r->message_count; k++) {
            uint32_t copy = rh__run_message(r, k)->copy_of == i ? taker_of(r, s, k) : RH_NONE;
            if (outside && copy != RH_NONE)
                s->list[copy].earlier = last[m->sender];
            else if (copy != RH_NONE)
                link_elder(s, &elder, rh__run_message(r, k)->event);
        }
    }
}

void rh__steps_of(const struct rh__run *r, const struct rh__identities *n, struct rh__steps *s,
                  struct rh__coverage_step *list, uint32_t *scratch)
{
    struct making m = { .r = r, .list = list, .last_fence = scratch };
    m.sites = m.last_fence + r->actor_count;
    m.last_taken = m.sites + r->actor_count;
    m.earlier = m.last_taken + r->channel_count;
    m.accepted = m.earlier + r->event_count;
    memset(m.last_fence, 0xff, r->actor_count * sizeof *m.last_fence);
    memset(m.sites, 0, (rh__steps_scratch(r) - r->actor_count) * sizeof *m.sites);
    *s = (struct rh__steps){ .list = list,
                             .count = n->events,
                             .actors = r->actor_count,
                             .by_sends = rh__run_delivery(r)->causal || rh__run_delivery(r)->by_receiver,
                             .mailbox = rh__run_delivery(r)->by_receiver };
    if (s->count && rh__run_event(r, s->count - 1)->choice.kind == RH_CHOICE_END)
        s->count--; /* a run with such an end will end when nothing else is left */
    find_selecting(&m, s->count);
    for (uint32_t i = 0; i < s->count; i++)
        list[i] = step_of(&m, n, i);
    if (rh__run_delivery(r)->causal)
        link_sends(r, s, m.last_fence);
}
