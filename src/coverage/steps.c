/* See steps.h. */
#include "coverage/steps.h"

#include <string.h>

#include "world/network.h"
#include "world/objects.h"
#include "world/state.h"

/* ---- from a run -------------------------------------------------------------------------------------------------------- */

static bool is_receive(const struct rh_world *w, const struct rh_event *e)
{
    if (e->flags & RH_EVENT_INSIDE)
        return false;
    if (e->choice.kind == RH_CHOICE_DELIVER)
        return !rh__message_is_start(&w->messages[e->choice.what]);
    return e->choice.kind == RH_CHOICE_TIMER && rh__event_of_actor(w, e) && e->choice.actor != w->clock;
}

/* Nothing of its actor can come before it, nor anything that came before it come behind it. */
static bool is_fence(const struct rh_world *w, const struct rh_event *e)
{
    switch ((enum rh_choice_kind)e->choice.kind) {
    case RH_CHOICE_DELIVER:
        return rh__message_is_start(&w->messages[e->choice.what]);
    case RH_CHOICE_CRASH:
    case RH_CHOICE_UNSTORED:
    case RH_CHOICE_RESTART:
    case RH_CHOICE_PARTITION:
    case RH_CHOICE_HEAL:
        return true;
    default:
        return false;
    }
}

/* While steps are made from events. */
struct making {
    const struct rh_world *w;
    struct rh__step *list;
    uint32_t *last_fence; /* of each actor */
    uint32_t *sites;      /* of each actor: the one where it received, 0 for none yet; SELECTS */
    uint32_t *last_taken; /* of each channel: the step that took from it last */
    uint32_t *earlier;    /* of each step: the one before it on its channel */
    uint32_t *accepted;   /* of each message: the step, 0 for none */
    uint32_t fence;       /* the last one of all; 0 for none */
    uint32_t timer;       /* the last step that was one */
};

size_t rh__steps_scratch(const struct rh_world *w)
{
    return 2 * (size_t)w->actor_count + w->channel_count + w->event_count + w->message_count;
}

/* A message is there when it was sent; under mailbox with granularity send when it was accepted. */
static uint32_t cause_of(const struct making *m, const struct rh_event *e)
{
    const struct message *what = &m->w->messages[e->choice.what];
    switch ((enum rh_choice_kind)e->choice.kind) {
    case RH_CHOICE_DELIVER:
        return m->accepted[e->choice.what] ? m->accepted[e->choice.what] : what->event;
    case RH_CHOICE_ACCEPT:
    case RH_CHOICE_LOSE:
    case RH_CHOICE_DUPLICATE:
        return what->event;
    case RH_CHOICE_TIMER:
        return e->set_by;
    default:
        return RH_NONE;
    }
}

/* Whether the order of sends (by_sends) is about it.  A copy is out of it under causal; with granularity object what the world
 * itself tells is not in the order of the mailbox. */
static bool is_queued(const struct rh_world *w, const struct message *m)
{
    if (m->type == &rh__exit_signal)
        return false;
    return w->semantics.model == RH_MAILBOX ? m->posted || !rh__fine(w) : m->copy_of == RH_NONE;
}

/* What it tells of the past is not what the step that sent it had seen: of somebody outside, and news of one that had ended. */
static bool in_anothers_name(const struct rh_world *w, const struct message *m)
{
    return w->actors[m->sender].status == STATUS_OUTSIDE ||
           (m->type == &rh_message_rh_down && !m->posted && w->events[m->event].choice.actor != m->sender);
}

enum { SELECTS = 0xffffffffu };

/* Who chooses what to take: an actor that defers; a process that receives in several places, or by more than the type. */
static void find_selecting(struct making *m, uint32_t count)
{
    const struct rh_world *w = m->w;
    for (uint32_t i = 0; i < w->actor_count; i++)
        if (w->actors[i].flags & FLAG_DEFERRED)
            m->sites[i] = SELECTS;
    for (uint32_t i = 1; i < count; i++) {
        const struct rh_event *e = &w->events[i];
        if (!is_receive(w, e))
            continue;
        uint32_t *site = &m->sites[e->choice.actor];
        bool deferred =
            e->choice.kind == RH_CHOICE_DELIVER && w->messages[e->choice.what].type->unhandled == RH_UNHANDLED_DEFER;
        bool process = w->actors[e->choice.actor].type->kind == RH_KIND_PROCESS;
        if (deferred || e->flags & RH_EVENT_MATCHED || (process && *site && *site != e->site))
            *site = SELECTS;
        else if (process && !*site)
            *site = e->site;
    }
}

/* Definition 6: what was sent first on a channel is received first, where the model keeps channels in order.  Who selects
 * keeps to that for messages of one type only.  (Mailboxes are in the order of all sends: see by_sends.) */
static uint32_t received_before(struct making *m, uint32_t message, uint32_t at)
{
    enum { FAR = 64 }; /* looking back: leaving an order out is no harm but a try */
    const struct message *all = m->w->messages, *now = &all[message];
    if (now->channel >= m->w->channel_count)
        return RH_NONE;
    bool by_type = m->sites[now->receiver] == SELECTS, outside = m->w->actors[now->sender].status == STATUS_OUTSIDE;
    uint32_t before = m->last_taken[now->channel], far = FAR;
    m->earlier[at] = before;
    m->last_taken[now->channel] = at;
    if (m->w->semantics.model == RH_BAG || now->timer || now->copy_of != RH_NONE || now->type == &rh__exit_signal)
        return RH_NONE;
    if (m->w->semantics.model == RH_MAILBOX && outside && !by_type)
        return RH_NONE; /* several may send in its name; who of them was first is all that counts */
    for (; before && far; before = m->earlier[before], far--) {
        const struct message *then = &all[m->w->events[before].choice.what];
        if (then->sender == now->sender && then->copy_of == RH_NONE && then < now && then->type != &rh__exit_signal &&
            (!by_type || then->type == now->type))
            return before;
    }
    return RH_NONE;
}

static struct rh__step step_of(struct making *m, const struct rh__identities *n, uint32_t at)
{
    const struct rh_world *w = m->w;
    const struct rh_event *e = &w->events[at];
    bool own = rh__event_of_actor(w, e), deliver = e->choice.kind == RH_CHOICE_DELIVER;
    struct rh__step s = { .id = n->id[at],
                          .actor = own ? e->choice.actor : RH_NONE,
                          .cause = cause_of(m, e),
                          .born = RH_NONE,
                          .before = n->previous[at],
                          .after = RH_NONE,
                          .earlier = RH_NONE,
                          .elder = RH_NONE,
                          .arrival = at };
    if (n->root[at] != at)
        s.flags |= RH__STEP_PART;
    if (is_receive(w, e))
        s.flags |= RH__STEP_RECEIVE;
    if (is_fence(w, e))
        s.flags |= RH__STEP_FENCE;
    if (own) {
        s.born = m->last_fence[s.actor];
        s.born = s.born != RH_NONE ? s.born : w->actors[s.actor].born;
    }
    if (m->fence && (s.born == RH_NONE || s.born < m->fence))
        s.born = m->fence;
    if (deliver)
        s.after = received_before(m, e->choice.what, at);
    if (deliver && in_anothers_name(w, &w->messages[e->choice.what]))
        s.flags |= RH__STEP_APART;
    if (deliver && is_queued(w, &w->messages[e->choice.what]))
        s.flags |= RH__STEP_QUEUED;
    if (own && m->sites[s.actor] == SELECTS) {
        s.flags |= RH__STEP_CHOSEN;
        s.site = e->site;
    }
    s.type = 1; /* a timer, the end of a wait */
    if (deliver)
        s.type = (uint32_t)((uintptr_t)w->messages[e->choice.what].type >> 3);
    if (deliver && w->semantics.model == RH_MAILBOX)
        s.arrival = s.cause;
    if (e->choice.kind == RH_CHOICE_TIMER && w->semantics.time == RH_TIME_ORDERED) {
        s.after = m->timer ? m->timer : RH_NONE; /* by their deadlines */
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

/* ---- causal: which messages are in the past of one that the same event, or the same sender outside, sent --------------- */

/* The step that took it, RH_NONE for none. */
static uint32_t taker_of(const struct rh_world *w, const struct rh__steps *s, uint32_t message)
{
    uint32_t by = w->messages[message].taken_by;
    bool taken =
        by < s->count && w->events[by].choice.kind == RH_CHOICE_DELIVER && w->events[by].choice.what == message;
    return taken ? by : RH_NONE;
}

/* Behind the last one that was linked, if that has the same cause. */
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

/* `last`: a number for each actor.  A copy tells what the original does. */
static void link_sends(const struct rh_world *w, struct rh__steps *s, uint32_t *last)
{
    uint32_t elder = RH_NONE;
    memset(last, 0xff, w->actor_count * sizeof *last);
    for (uint32_t i = 0; i < w->message_count; i++) {
        const struct message *m = &w->messages[i];
        uint32_t taker = taker_of(w, s, i);
        bool outside = w->actors[m->sender].status == STATUS_OUTSIDE;
        if (m->copy_of != RH_NONE)
            continue;
        if (outside && taker != RH_NONE) {
            s->list[taker].earlier = last[m->sender];
            last[m->sender] = taker;
        } else if (!outside) {
            link_elder(s, &elder, taker);
        }
        for (uint32_t k = i + 1; w->semantics.duplicates && k < w->message_count; k++) {
            uint32_t copy = w->messages[k].copy_of == i ? taker_of(w, s, k) : RH_NONE;
            if (outside && copy != RH_NONE)
                s->list[copy].earlier = last[m->sender];
            else if (copy != RH_NONE)
                link_elder(s, &elder, w->messages[k].event);
        }
    }
}

void rh__steps_of(const struct rh_world *w, const struct rh__identities *n, struct rh__steps *s, struct rh__step *list,
                  uint32_t *scratch)
{
    struct making m = { .w = w, .list = list, .last_fence = scratch };
    m.sites = m.last_fence + w->actor_count;
    m.last_taken = m.sites + w->actor_count;
    m.earlier = m.last_taken + w->channel_count;
    m.accepted = m.earlier + w->event_count;
    memset(m.last_fence, 0xff, w->actor_count * sizeof *m.last_fence);
    memset(m.sites, 0, (rh__steps_scratch(w) - w->actor_count) * sizeof *m.sites);
    *s = (struct rh__steps){ .list = list,
                             .count = n->events,
                             .actors = w->actor_count,
                             .by_sends = w->semantics.model == RH_CAUSAL || w->semantics.model == RH_MAILBOX,
                             .mailbox = w->semantics.model == RH_MAILBOX };
    if (s->count && w->events[s->count - 1].choice.kind == RH_CHOICE_END)
        s->count--; /* whoever makes such a run will end it when nothing else is left */
    find_selecting(&m, s->count);
    for (uint32_t i = 0; i < s->count; i++)
        list[i] = step_of(&m, n, i);
    if (w->semantics.model == RH_CAUSAL)
        link_sends(w, s, m.last_fence);
}
