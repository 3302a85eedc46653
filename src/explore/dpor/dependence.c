/* Meetings of events, links between meetings, walks through the past of an event (dependence.h). */
#include "explore/dpor/dependence.h"

#include <string.h>

#include "base/hash.h"
#include "world/live.h"

enum { MOST_MEETINGS = 1 << 24, SEEN = 1 << 17, NAMES = 1 << 20 };

/* ---- where events meet (5.4) ------------------------------------------------------------------------------------- */

enum { MEET_ACTOR = 1, MEET_SENDER, MEET_TIME, MEET_MAILBOX, MEET_GRAVE, MEET_WAIT, MEET_STILLNESS };

/* The lowest bits of a meeting say what kind it is, the others are its name.  Two that only look at an object do not
 * meet. */
enum { IS_BLIND = 1, AT_OBJECT = 2, ONLY_LOOKS = 4, KINDS = 7 };

static void meet(struct rh__history *h, struct rh__dpor_step *of, uint32_t *end, uint64_t at)
{
    if (*end == MOST_MEETINGS) {
        h->full = true;
        return;
    }
    h->meeting[(*end)++] = at;
    of->signature |= (uint64_t)1 << (at / (KINDS + 1)) % 64;
}

static uint64_t learns(uint64_t what, uint64_t kind)
{
    return rh__mix(what, kind) & ~(uint64_t)KINDS;
}
static uint64_t blind(uint64_t what, uint64_t kind)
{
    return learns(what, kind) | IS_BLIND;
}
static uint64_t at_object(uint64_t object, bool only_looks)
{
    return (object & ~(uint64_t)KINDS) | AT_OBJECT | (only_looks ? ONLY_LOOKS : 0);
}
static uint64_t name_of(uint64_t meeting)
{
    return meeting & ~(uint64_t)ONLY_LOOKS;
}
static bool is_blind(uint64_t meeting)
{
    return meeting & IS_BLIND;
}
static bool both_look(uint64_t one, uint64_t other)
{
    return one & other & ONLY_LOOKS;
}

static bool accepts_one_by_one(const struct rh__run *r)
{
    return r->semantics->granularity == RH_GRAIN_SEND;
}

static bool shared_mailboxes(const struct rh__run *r)
{
    return r->delivery->by_receiver;
}

/* True if the message goes to the mailbox: with granularity object, messages of the world do not. */
static bool to_mailbox(const struct rh__run *r, const struct rh__run_message *m)
{
    return shared_mailboxes(r) && (m->posted || !rh__run_by_object(r));
}

/* True for the message of a timer: the event that makes the message also takes it. */
static bool passes_through(const struct rh__run_message *m)
{
    return m->taken_by == m->event && m->channel != RH_NONE;
}

/* True if a message sent after the end of its receiver differs from a message that was in transit at that end. */
static bool ends_matter(const struct rh__run *r)
{
    return (r->semantics->dead_letters == RH_DEAD_LETTER_FAIL && !rh__run_by_object(r)) || accepts_one_by_one(r);
}

static void meet_by_sending(struct rh__history *h, const struct rh__run *r, struct rh__dpor_step *of, uint32_t *end,
                            uint32_t message)
{
    const struct rh__run_message *m = rh__run_message(r, message);
    if (ends_matter(r))
        meet(h, of, end, blind(m->receiver, MEET_GRAVE));
    if (accepts_one_by_one(r) && m->answers != RH_NONE)
        meet(h, of, end, blind(m->receiver, MEET_WAIT));
    if (passes_through(m) || !r->delivery->in_order)
        return;
    /* Also for a receiver that has ended: sent before, the message could have been ahead of those that it took. */
    if (accepts_one_by_one(r))
        meet(h, of, end, blind(m->sender, MEET_SENDER));
    else if (to_mailbox(r, m))
        meet(h, of, end, blind(m->receiver, MEET_MAILBOX));
    else if (!r->delivery->causal) /* others may send for an external sender or an ended actor */
        meet(h, of, end, blind((uint64_t)m->sender << 32 | m->receiver, MEET_SENDER));
    else
        /* A causal message carries the knowledge of all who sent for this sender. */
        meet(h, of, end, learns(m->sender, MEET_SENDER));
}

bool rh__is_everywhere(const struct rh__history *h, const struct rh__run *r, const struct rh_choice *c)
{
    if (rh_choice_attributes(c->kind) & RH_GLOBAL || rh__is_fault(c))
        return true; /* all actors share the budget of a fault */
    if (c->kind == RH_CHOICE_TIMER)
        return (h->reads && !r->own_clocks) || *r->semantics->timer_budgets; /* which all timers of a name share */
    return r->semantics->fail_allocation != 0; /* allocations are counted in the order of the run */
}

/* True if a monitor starts to observe in this event, when other actors may have announced something already. */
static bool observes_late(const struct rh__run *r, uint32_t event)
{
    for (uint32_t i = 0; i < r->monitor_count; i++)
        if (r->monitors[i] >= r->first_actors) {
            uint32_t n;
            uint64_t object = rh__run_object_of(r, RH__OBJECT_MONITOR, r->monitors[i]);
            const struct rh__access *a = rh__run_accesses(r, event, &n);
            for (uint32_t k = 0; k < n; k++)
                if (a[k].object == object && a[k].ordinal == 0)
                    return true;
        }
    return false;
}

static bool ends_itself(const struct rh__run *r, uint32_t event)
{
    uint32_t n, actor = rh__run_event(r, event)->choice.actor;
    const struct rh__access *a = rh__run_accesses(r, event, &n);
    for (uint32_t i = 0; actor != RH_NONE && i < n; i++)
        if (a[i].object == rh__run_object_of(r, RH__OBJECT_LIFE, actor))
            return true;
    return false;
}

static bool joins_unit(const struct rh__history *h, const struct rh__run *r, uint32_t event)
{
    if (rh__run_goes_on_with_set(r, event) || rh__run_event(r, event)->flags & RH_EVENT_AT_POINT)
        return event > h->floor + 1;
    return event > 1 && !rh__run_by_object(r) &&
           (rh__run_event(r, event)->choice.kind == RH_CHOICE_VALUE ||
            rh__run_event(r, event)->choice.kind == RH_CHOICE_OPEN);
}

/* Returns the unit that sent the message of the choice; RH_NONE if the choice is not about a message. */
static uint32_t cause_of(const struct rh__history *h, const struct rh__run *r, const struct rh_choice *c)
{
    return rh__is_about_message(c) ? h->step[rh__run_message(r, c->what)->event].unit : RH_NONE;
}

/* True if a wait is over: its time is, or the clock says so. */
static bool ends_a_wait(const struct rh__run *r, const struct rh_choice *c)
{
    return c->kind == RH_CHOICE_DELIVER ? rh__run_message(r, c->what)->wake != 0
                                        : c->kind == RH_CHOICE_TIMER && !c->arg;
}

static void place(struct rh__history *h, const struct rh__run *r, uint32_t event)
{
    const struct rh_event *e = rh__run_event(r, event);
    struct rh__dpor_step *s = &h->step[event];
    uint32_t end = s->meetings, actor = e->choice.actor, n;
    uint32_t last = event + 1 < r->event_count ? rh__run_event(r, event + 1)->first_message : r->message_count;
    s->unit = joins_unit(h, r, event) ? h->step[event - 1].unit : event;
    s->cause = cause_of(h, r, &e->choice);
    struct rh__dpor_step *unit = &h->step[s->unit];
    if (s->unit == event) {
        s->signature = 0;
        s->everywhere = false;
    }
    unit->last = event;
    unit->holds |= s->holds;
    unit->sets |= s->sets;
    unit->asks |= s->asks;
    unit->everywhere |= rh__is_everywhere(h, r, &e->choice) || observes_late(r, event);
    if (actor != RH_NONE)
        meet(h, unit, &end, learns(actor, MEET_ACTOR));
    const struct rh__access *access = rh__run_accesses(r, event, &n);
    for (uint32_t i = 0; i < n; i++)
        meet(h, unit, &end, at_object(access[i].object, !access[i].wrote));
    bool ends = ends_itself(r, event);
    if (ends_matter(r) && ends)
        meet(h, unit, &end, blind(actor, MEET_GRAVE));
    for (uint32_t m = e->first_message; m < last && ends; m++)
        if (rh__run_message(r, m)->type == &rh__exit_signal) /* the other actor's list of links has changed too */
            meet(h, unit, &end,
                 at_object(rh__run_object_of(r, RH__OBJECT_LIFE, rh__run_message(r, m)->receiver), false));
    for (uint32_t m = e->first_message; m < last; m++)
        meet_by_sending(h, r, unit, &end, m);
    if (e->choice.kind == RH_CHOICE_ACCEPT) {
        meet(h, unit, &end, blind(rh__run_message(r, e->choice.what)->receiver, MEET_MAILBOX));
        meet(h, unit, &end, blind(rh__run_message(r, e->choice.what)->receiver, MEET_GRAVE));
    }
    if (s->waits || (shared_mailboxes(r) && ends_a_wait(r, &e->choice)))
        meet(h, unit, &end, blind(actor, MEET_MAILBOX)); /* a wait times out only if the mailbox is empty */
    if (accepts_one_by_one(r) && h->stance[event].kind == RH__WAITS)
        meet(h, unit, &end, blind(actor, MEET_WAIT)); /* after the wait, a reply may not even be sent */
    if (s->timed)
        meet(h, unit, &end, learns(0, MEET_TIME));
    if (s->advances || s->lets_go)
        meet(h, unit, &end, at_object(rh__mix(0, MEET_STILLNESS), !s->advances));
    h->step[event + 1].meetings = end;
}

/* ---- watching a run ---------------------------------------------------------------------------------------------- */

void rh__history_before(struct rh__history *h, const struct rh__run *r, uint32_t event, uint32_t actor)
{
    struct rh__stance *s = &h->stance[event];
    h->questions = rh__clock_questions(r->live);
    h->under_way = event;
    if (r->clock != RH_NONE)
        h->holders[event] = rh__clock_holders(r->live);
    h->step[event].timers = actor != RH_NONE && rh__actor_has_timers(r->live, actor);
    if (actor == RH_NONE) {
        s->kind = RH__TAKES_NOTHING;
        return;
    }
    *s = rh__stance_of(r->live, actor);
    rh__stance_keep(s, NULL, 0);
}

static bool sends_to_a_clock_watcher(const struct rh__run *r, uint32_t event)
{
    for (uint32_t m = rh__run_event(r, event)->first_message; m < r->message_count; m++)
        if (rh__actor_has_timers(r->live, rh__run_message(r, m)->receiver))
            return true;
    return false;
}

/* `event` is the last event so far. */
void rh__history_after(struct rh__history *h, const struct rh__run *r, uint32_t event)
{
    struct rh__dpor_step *s = &h->step[event];
    uint32_t actor = rh__run_event(r, event)->choice.actor;
    const struct rh__run_actor *a = actor == RH_NONE ? NULL : rh__run_actor(r, actor);
    s->waits = a && shared_mailboxes(r) && a->status == STATUS_WAITING &&
               (rh__actor_is_timed(r->live, actor) || rh__stance_of(r->live, actor).wait);
    s->timed = a && r->semantics->time == RH_TIME_ORDERED && !rh__run_by_object(r) &&
               (s->timers || rh__actor_has_timers(r->live, actor) ||
                (shared_mailboxes(r) && sends_to_a_clock_watcher(r, event)));
    if (h->under_way == event) /* not an event that is kept from another run */
        s->reads = h->questions != rh__clock_questions(r->live);
    h->under_way = 0;
    s->advances = s->lets_go = s->holds = s->sets = s->asks = false;
    if (r->clock == RH_NONE || r->semantics->pauses)
        return;
    struct rh__clock_holders was = h->holders[event], is = rh__clock_holders(r->live);
    s->advances = actor == r->clock && is.now_ns != was.now_ns;
    s->lets_go = is.sum != was.sum;
    s->holds = s->lets_go && (is.some & ~was.some || is.many);
    s->sets = is.set_now > 0;
    uint32_t n;
    const struct rh__access *access = rh__run_accesses(r, event, &n);
    for (uint32_t i = 0; i < n; i++)
        s->asks |= access[i].object == rh__object(RH__OBJECT_CLOCK, 0) && !access[i].wrote;
}

bool rh__history_open(struct rh__history *h, struct rh_exploration *x)
{
    size_t events = (size_t)rh_exploration_max_steps(x) + 3;
    h->step = rh_exploration_memory(x, events * sizeof *h->step);
    h->stance = rh_exploration_memory(x, events * sizeof *h->stance);
    h->holders = rh_exploration_memory(x, events * sizeof *h->holders);
    h->meeting = rh_exploration_memory(x, MOST_MEETINGS * sizeof *h->meeting);
    h->seen = rh_exploration_memory(x, SEEN * sizeof *h->seen);
    h->link = rh_exploration_memory(x, MOST_MEETINGS * sizeof *h->link);
    h->cursor = rh_exploration_memory(x, MOST_MEETINGS * sizeof *h->cursor);
    h->name = rh_exploration_memory(x, NAMES * sizeof *h->name);
    return h->step && h->stance && h->holders && h->meeting && h->seen && h->link && h->cursor && h->name;
}

/* ---- links ------------------------------------------------------------------------------------------------------- */

/* Returns the entry for the name of a meeting.  NULL if the table has no room for another name. */
static struct rh__last *last_of(struct rh__history *h, uint64_t meeting)
{
    uint32_t i = (uint32_t)(meeting / (KINDS + 1)) & (NAMES - 1);
    while (h->name[i].used && h->name[i].meeting != meeting)
        i = (i + 1) & (NAMES - 1);
    if (h->name[i].used)
        return &h->name[i];
    if (h->names == NAMES / 4 * 3)
        return NULL;
    h->names++;
    h->name[i] = (struct rh__last){ meeting, RH_NONE, 1 };
    return &h->name[i];
}

static uint32_t owner_of(const struct rh__run *r, uint32_t unit)
{
    return rh__run_event(r, unit)->choice.actor;
}

static bool link_one(struct rh__history *h, const struct rh__run *r, uint32_t at, uint32_t unit)
{
    struct rh__last *last = last_of(h, name_of(h->meeting[at]));
    if (!last)
        return false;
    uint32_t before = last->at, actor = owner_of(r, unit);
    struct rh__link *l = &h->link[at];
    *l = (struct rh__link){ unit, before, before };
    if (before != RH_NONE && actor != RH_NONE && owner_of(r, h->link[before].unit) == actor)
        l->before_other = h->link[before].before_other;
    last->at = at;
    return true;
}

static bool link_from(struct rh__history *h, const struct rh__run *r, uint32_t first)
{
    for (uint32_t i = first; i < r->event_count; i++)
        for (uint32_t k = h->step[i].meetings; k < h->step[i + 1].meetings; k++, h->linked++)
            if (!link_one(h, r, k, h->step[i].unit))
                return false;
    return true;
}

/* Unlinks the meetings from this one on, before they are overwritten. */
static void unlink_from(struct rh__history *h, uint32_t first_meeting)
{
    while (!h->unlinked && h->linked > first_meeting) {
        h->linked--;
        last_of(h, name_of(h->meeting[h->linked]))->at = h->link[h->linked].before;
    }
}

static void link_again(struct rh__history *h, const struct rh__run *r, uint32_t first)
{
    if (h->unlinked || link_from(h, r, first))
        return;
    /* The table holds names of many runs.  The names of this run alone may fit. */
    memset(h->name, 0, NAMES * sizeof *h->name);
    h->names = h->linked = 0;
    h->unlinked = !link_from(h, r, h->floor + 1);
}

/* Whether a timer depends on everything is a matter of the whole run: if another run was otherwise, all is placed
 * anew. */
bool rh__history_settle(struct rh__history *h, const struct rh__run *r, uint32_t first)
{
    bool reads = false, again;
    for (uint32_t i = h->floor + 1; i < r->event_count && !reads; i++)
        reads = h->step[i].reads;
    again = reads != h->reads;
    first = again ? h->floor + 1 : first;
    h->reads = reads;
    if (first >= r->event_count)
        return again;
    unlink_from(h, h->step[first].meetings);
    for (uint32_t i = first; i < r->event_count; i++)
        place(h, r, i);
    link_again(h, r, first);
    for (uint32_t i = first; i < r->event_count; i++) {
        uint32_t before = i > h->floor + 1 ? h->step[i - 1].unit : 0;
        h->step[i].everywhere_before = before && h->step[before].everywhere ? before
                                       : before                             ? h->step[i - 1].everywhere_before
                                                                            : 0;
    }
    return again;
}

/* ---- questions: which units may depend on a unit ----------------------------------------------------------------- */

static uint32_t meetings_of(const struct rh__history *h, uint32_t unit, uint32_t *first)
{
    *first = h->step[unit].meetings;
    return h->step[h->step[unit].last + 1].meetings - *first;
}

/* Returns the nearest meeting, from `at` on backwards, that meets `asking` and belongs to an earlier unit of another
 * actor. */
static uint32_t next_other(const struct rh__history *h, const struct rh__run *r, uint32_t at, uint32_t unit,
                           uint64_t asking)
{
    uint32_t actor = owner_of(r, unit);
    while (at != RH_NONE) {
        const struct rh__link *l = &h->link[at];
        bool own = actor != RH_NONE && owner_of(r, l->unit) == actor;
        if (l->unit != unit && !own && !both_look(h->meeting[at], asking))
            break;
        at = own ? l->before_other : l->before;
    }
    return at;
}

void rh__question_begin(struct rh__history *h, const struct rh__run *r, uint32_t unit)
{
    uint32_t first, n = meetings_of(h, unit, &first);
    h->asking = unit;
    if (h->unlinked || h->step[unit].everywhere)
        return;
    for (uint32_t i = 0; i < n; i++)
        h->cursor[i] = next_other(h, r, first + i, unit, h->meeting[first + i]);
}

uint32_t rh__question_next(const struct rh__history *h, uint32_t i)
{
    uint32_t first, n = meetings_of(h, h->asking, &first), unit = h->step[i].unit;
    if (i <= h->floor)
        return 0;
    if (h->unlinked || h->step[h->asking].everywhere)
        return i;
    uint32_t nearest = h->step[unit].everywhere ? unit : h->step[unit].everywhere_before;
    for (uint32_t k = 0; k < n; k++)
        if (h->cursor[k] != RH_NONE && h->link[h->cursor[k]].unit > nearest)
            nearest = h->link[h->cursor[k]].unit;
    return nearest;
}

void rh__question_pass(struct rh__history *h, const struct rh__run *r, uint32_t unit)
{
    uint32_t first, n = meetings_of(h, h->asking, &first);
    for (uint32_t k = 0; k < n && !h->unlinked && !h->step[h->asking].everywhere; k++) {
        uint32_t *c = &h->cursor[k];
        if (*c == RH_NONE || h->link[*c].unit != unit)
            continue;
        if (!is_blind(h->meeting[first + k]) && !(h->meeting[*c] & ONLY_LOOKS))
            *c = RH_NONE; /* the walk has seen this name: all earlier meetings are in its past */
        else
            while (*c != RH_NONE && h->link[*c].unit == unit)
                *c = next_other(h, r, h->link[*c].before, h->asking, h->meeting[first + k]);
    }
}

enum rh__dependence rh__dependence(const struct rh__history *h, uint32_t one, uint32_t other)
{
    const struct rh__dpor_step *a = &h->step[one], *b = &h->step[other];
    enum rh__dependence found = RH__INDEPENDENT;
    if (a->everywhere || b->everywhere)
        return RH__MEET_BLINDLY;
    if (!(a->signature & b->signature))
        return RH__INDEPENDENT;
    for (uint32_t i = a->meetings; i < h->step[a->last + 1].meetings; i++)
        for (uint32_t k = b->meetings; k < h->step[b->last + 1].meetings; k++)
            if (name_of(h->meeting[i]) == name_of(h->meeting[k]) && !both_look(h->meeting[i], h->meeting[k])) {
                if (!is_blind(h->meeting[i]))
                    return RH__MEET;
                found = RH__MEET_BLINDLY;
            }
    return found;
}

/* ---- happens before (5.3) ---------------------------------------------------------------------------------------- */

/* The entry that an earlier meeting like this one asks for.  One that only looks asks for a seen change of its
 * object, any other one for a seen meeting of its name. */
static struct rh__seen *seen_at(const struct rh__history *h, uint64_t at)
{
    uint32_t i = (uint32_t)(at >> 1) & (SEEN - 1);
    while (h->seen[i].walk == h->walk && h->seen[i].meeting != at)
        i = (i + 1) & (SEEN - 1);
    return &h->seen[i];
}

static void see(struct rh__history *h, uint64_t at)
{
    uint64_t name = name_of(at);
    *seen_at(h, name) = (struct rh__seen){ name, h->walk };
    if (name == at && at & AT_OBJECT)
        *seen_at(h, at | ONLY_LOOKS) = (struct rh__seen){ at | ONLY_LOOKS, h->walk };
}

void rh__walk_begin(struct rh__history *h)
{
    h->walk++;
    h->any = h->all = false;
}

void rh__walk_put(struct rh__history *h, uint32_t event)
{
    h->step[h->step[event].unit].walk = h->walk;
}

void rh__walk_actor(struct rh__history *h, uint32_t actor)
{
    see(h, learns(actor, MEET_ACTOR));
}

/* Puts the sends of the unit's messages, if any, into the past. */
void rh__walk_causes(struct rh__history *h, uint32_t unit)
{
    for (uint32_t i = unit; i <= h->step[unit].last; i++)
        if (h->step[i].cause != RH_NONE)
            h->step[h->step[i].cause].walk = h->walk;
}

/* True if the message was delivered: not dropped, lost or wasted. */
bool rh__is_taken(const struct rh__run *r, uint32_t message)
{
    const struct rh__run_message *m = rh__run_message(r, message);
    const struct rh_choice *c = m->taken_by == RH_NONE ? NULL : &rh__run_event(r, m->taken_by)->choice;
    return passes_through(m) || (c && c->kind == RH_CHOICE_DELIVER && c->what == message);
}

bool rh__walk_meets(const struct rh__history *h, const struct rh__run *r, uint32_t unit)
{
    const struct rh__dpor_step *s = &h->step[unit];
    const struct rh_choice *c = &rh__run_event(r, unit)->choice;
    if (s->walk == h->walk || h->all)
        return true;
    if (s->everywhere)
        return h->any;
    if (c->kind == RH_CHOICE_ACCEPT && rh__is_taken(r, c->what) &&
        h->step[h->step[rh__run_message(r, c->what)->taken_by].unit].walk == h->walk)
        return true;
    for (uint32_t i = s->meetings; i < h->step[s->last + 1].meetings; i++)
        if (!is_blind(h->meeting[i]) && seen_at(h, h->meeting[i])->walk == h->walk)
            return true;
    return false;
}

/* Puts the unit into the past.  Its own past follows, because a walk goes backwards. */
void rh__walk_follow(struct rh__history *h, uint32_t unit)
{
    struct rh__dpor_step *s = &h->step[unit];
    s->walk = h->walk;
    h->any = true;
    h->all |= s->everywhere;
    rh__walk_causes(h, unit);
    for (uint32_t i = s->meetings; i < h->step[s->last + 1].meetings; i++)
        if (!is_blind(h->meeting[i]))
            see(h, h->meeting[i]);
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

/* If the unit took a message that is ahead of m in the same queue, the receiver could not take m instead.  The race is
 * then between the two sends into the queue.  Of a set, the receiver could leave out each message that is not ahead of
 * m. */
bool rh__could_take(const struct rh__history *h, const struct rh__run *r, uint32_t unit, uint32_t m)
{
    struct rh__mail mail = rh__mail_of(r->live, m);
    bool hears = rh__hears_signals(&h->stance[unit]);
    bool alone = h->stance[unit].set_type && !rh__joins(&h->stance[unit], mail.type);
    if (h->step[unit].everywhere || rh__takes(&h->stance[unit], &mail) == RH__LEAVES)
        return false;
    for (uint32_t i = unit; i <= h->step[unit].last; i++) {
        const struct rh_choice *c = &rh__run_event(r, i)->choice;
        if ((i == unit && c->kind != RH_CHOICE_DELIVER) ||
            (alone && rh__takes_set(h, r, unit)) || /* a set is not in the way of what is taken alone */
            (c->kind == RH_CHOICE_DELIVER &&
             !(rh__in_queue(r->live, c->what, m, hears) || rh__precedes_across(r->live, c->what, m, hears))))
            return true;
    }
    return false;
}

bool rh__takes_set(const struct rh__history *h, const struct rh__run *r, uint32_t unit)
{
    const struct rh_choice *c = &rh__run_event(r, unit)->choice;
    return c->kind == RH_CHOICE_DELIVER && rh__joins(&h->stance[unit], rh__run_message(r, c->what)->type) &&
           !rh__is_exit_signal(rh__run_message(r, c->what)) && !rh__run_message(r, c->what)->wake;
}

/* Returns the event that put m where its receiver could find it, or RH_NONE if there is none. */
uint32_t rh__arrival(const struct rh__history *h, const struct rh__run *r, uint32_t m, uint32_t until)
{
    if (!accepts_one_by_one(r) || rh__run_message(r, m)->channel == RH_NONE)
        return h->step[rh__run_message(r, m)->event].unit;
    for (uint32_t i = until; --i > h->floor;)
        if (rh__run_event(r, i)->choice.kind == RH_CHOICE_ACCEPT && rh__run_event(r, i)->choice.what == m)
            return i;
    return RH_NONE;
}
