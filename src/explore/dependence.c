/* See dependence.h. */
#include "explore/dependence.h"

#include <string.h>

#include "base/hash.h"
#include "world/network.h"
#include "world/objects.h"

enum { MOST_MEETINGS = 1 << 24, SEEN = 1 << 17, NAMES = 1 << 20 };

/* ---- where events meet (5.4) --------------------------------------------------------------------------------------------- */

enum { MEET_ACTOR = 1, MEET_SENDER, MEET_TIME, MEET_MAILBOX, MEET_GRAVE, MEET_WAIT };

static void meet(struct rh__history *h, struct rh__step *of, uint32_t *end, uint64_t at)
{
    if (*end == MOST_MEETINGS) {
        h->full = true;
        return;
    }
    h->meeting[(*end)++] = at;
    of->signature |= (uint64_t)1 << (at >> 1) % 64;
}

static uint64_t learns(uint64_t what, uint64_t kind)
{
    return rh__mix(what, kind) & ~(uint64_t)1;
}
static uint64_t blind(uint64_t what, uint64_t kind)
{
    return rh__mix(what, kind) | 1;
}

static bool accepts_one_by_one(const struct rh_world *w)
{
    return w->semantics.granularity == RH_GRAIN_SEND;
}

static bool shared_mailboxes(const struct rh_world *w)
{
    return w->semantics.model == RH_MAILBOX && !rh__fine(w);
}

/* A timer's message is taken at once. */
static bool passes_through(const struct message *m)
{
    return m->taken_by == m->event && m->channel != RH_NONE;
}

/* Whether a message that comes too late differs from one that was under way when its receiver ended. */
static bool ends_matter(const struct rh_world *w)
{
    return w->semantics.dead_letters == RH_DEAD_LETTER_FAIL || accepts_one_by_one(w);
}

static void meet_by_sending(struct rh__history *h, const struct rh_world *w, struct rh__step *of, uint32_t *end,
                            uint32_t message)
{
    const struct message *m = &w->messages[message];
    if (ends_matter(w))
        meet(h, of, end, blind(m->receiver, MEET_GRAVE));
    if (accepts_one_by_one(w) && m->answers != RH_NONE)
        meet(h, of, end, blind(m->receiver, MEET_WAIT));
    if (m->channel == RH_NONE || passes_through(m) || w->semantics.model == RH_BAG)
        return;
    if (accepts_one_by_one(w))
        meet(h, of, end, blind(m->sender, MEET_SENDER));
    else if (shared_mailboxes(w))
        meet(h, of, end, blind(m->receiver, MEET_MAILBOX));
    else if (w->semantics.model != RH_CAUSAL) /* others may speak for one outside, or one that has ended */
        meet(h, of, end, blind(m->channel, MEET_SENDER));
    else
        meet(h, of, end, learns(m->sender, MEET_SENDER)); /* his messages carry what all of them know */
}

bool rh__is_everywhere(const struct rh_world *w, const struct rh_choice *c)
{
    switch ((enum rh_choice_kind)c->kind) {
    case RH_CHOICE_LOSE:
    case RH_CHOICE_DUPLICATE:
    case RH_CHOICE_CRASH:
    case RH_CHOICE_UNSTORED:
    case RH_CHOICE_RESTART:
    case RH_CHOICE_PARTITION:
    case RH_CHOICE_HEAL:
    case RH_CHOICE_END:
        return true;
    case RH_CHOICE_OPEN:
        return c->what != 0 || w->semantics.fail_allocation != 0; /* the budget is everybody's */
    case RH_CHOICE_TIMER:
        return w->clock_used && !w->own_clocks;
    default:
        return w->semantics.fail_allocation != 0; /* they are counted in the order of the run */
    }
}

/* One that begins to observe when others may have announced something. */
static bool observes_late(const struct rh_world *w, uint32_t event)
{
    for (uint32_t i = 0; i < w->monitor_count; i++)
        if (w->monitors[i] >= w->baseline_actors) {
            uint32_t n;
            uint64_t object = rh__object_of_actor(w, RH__OBJECT_MONITOR, w->monitors[i]);
            const struct rh__access *a = rh__event_accesses(w, event, &n);
            for (uint32_t k = 0; k < n; k++)
                if (a[k].object == object && a[k].ordinal == 0)
                    return true;
        }
    return false;
}

static bool ends_itself(const struct rh_world *w, uint32_t event)
{
    uint32_t n, actor = w->events[event].choice.actor;
    const struct rh__access *a = rh__event_accesses(w, event, &n);
    for (uint32_t i = 0; actor != RH_NONE && i < n; i++)
        if (a[i].object == rh__object_of_actor(w, RH__OBJECT_LIFE, actor))
            return true;
    return false;
}

static bool joins_unit(const struct rh_world *w, uint32_t event)
{
    return event > 1 && !rh__fine(w) &&
           (w->events[event].choice.kind == RH_CHOICE_VALUE || w->events[event].choice.kind == RH_CHOICE_OPEN);
}

static void place(struct rh__history *h, const struct rh_world *w, uint32_t event)
{
    const struct rh_event *e = &w->events[event];
    struct rh__step *s = &h->step[event];
    uint32_t end = s->meetings, actor = e->choice.actor, n;
    uint32_t last = event + 1 < w->event_count ? w->events[event + 1].first_message : w->message_count;
    s->unit = joins_unit(w, event) ? h->step[event - 1].unit : event;
    struct rh__step *unit = &h->step[s->unit];
    if (s->unit == event) {
        s->signature = 0;
        s->everywhere = false;
    }
    unit->last = event;
    unit->everywhere |= rh__is_everywhere(w, &e->choice) || observes_late(w, event);
    if (actor != RH_NONE)
        meet(h, unit, &end, learns(actor, MEET_ACTOR));
    const struct rh__access *access = rh__event_accesses(w, event, &n);
    for (uint32_t i = 0; i < n; i++)
        meet(h, unit, &end, access[i].object & ~(uint64_t)1);
    bool ends = ends_itself(w, event);
    if (ends_matter(w) && ends)
        meet(h, unit, &end, blind(actor, MEET_GRAVE));
    for (uint32_t m = e->first_message; m < last && ends; m++)
        if (w->messages[m].type == &rh__exit_signal) /* the other's list of links has changed too */
            meet(h, unit, &end, rh__object_of_actor(w, RH__OBJECT_LIFE, w->messages[m].receiver) & ~(uint64_t)1);
    for (uint32_t m = e->first_message; m < last; m++)
        meet_by_sending(h, w, unit, &end, m);
    if (e->choice.kind == RH_CHOICE_ACCEPT) {
        meet(h, unit, &end, blind(w->messages[e->choice.what].receiver, MEET_MAILBOX));
        meet(h, unit, &end, blind(w->messages[e->choice.what].receiver, MEET_GRAVE));
    }
    if (s->waits || (shared_mailboxes(w) && e->choice.kind == RH_CHOICE_TIMER && !e->choice.arg))
        meet(h, unit, &end, blind(actor, MEET_MAILBOX)); /* a wait ends only if nothing is there */
    if (accepts_one_by_one(w) && s->stance.status == STATUS_WAITING)
        meet(h, unit, &end, blind(actor, MEET_WAIT)); /* a reply may come too late even to be sent */
    if (s->timed)
        meet(h, unit, &end, learns(0, MEET_TIME));
    h->step[event + 1].meetings = end;
}

/* ---- watching a run ---------------------------------------------------------------------------------------------------- */

void rh__history_before(struct rh__history *h, const struct rh_world *w, uint32_t event, uint32_t actor)
{
    struct rh__stance *s = &h->step[event].stance;
    memset(s, 0, sizeof *s);
    if (actor == RH_NONE)
        return;
    const struct actor *a = &w->actors[actor];
    s->behaviour = a->behaviour;
    s->status = a->status;
    s->asking = a->asking;
    s->timers = a->timers != RH_NONE;
    if (a->status == STATUS_WAITING && a->asking == RH_NONE) {
        s->type = a->filter->type;
        s->from = a->filter->from.id;
    }
}

static bool sends_to_a_clock_watcher(const struct rh_world *w, uint32_t event)
{
    for (uint32_t m = w->events[event].first_message; m < w->message_count; m++)
        if (w->actors[w->messages[m].receiver].timers != RH_NONE)
            return true;
    return false;
}

/* It is the last event so far. */
void rh__history_after(struct rh__history *h, const struct rh_world *w, uint32_t event)
{
    struct rh__step *s = &h->step[event];
    uint32_t actor = w->events[event].choice.actor;
    const struct actor *a = actor == RH_NONE ? NULL : &w->actors[actor];
    s->waits = a && shared_mailboxes(w) && a->status == STATUS_WAITING && a->wake != RH_NONE;
    s->timed =
        a && w->semantics.time == RH_TIME_ORDERED && !rh__fine(w) &&
        (s->stance.timers || a->timers != RH_NONE || (shared_mailboxes(w) && sends_to_a_clock_watcher(w, event)));
}

bool rh__history_open(struct rh__history *h, struct rh_exploration *x)
{
    h->step = rh_exploration_memory(x, ((size_t)rh_exploration_max_steps(x) + 3) * sizeof *h->step);
    h->meeting = rh_exploration_memory(x, MOST_MEETINGS * sizeof *h->meeting);
    h->seen = rh_exploration_memory(x, SEEN * sizeof *h->seen);
    h->link = rh_exploration_memory(x, MOST_MEETINGS * sizeof *h->link);
    h->cursor = rh_exploration_memory(x, MOST_MEETINGS * sizeof *h->cursor);
    h->name = rh_exploration_memory(x, NAMES * sizeof *h->name);
    return h->step && h->meeting && h->seen && h->link && h->cursor && h->name;
}

/* ---- links ---------------------------------------------------------------------------------------------------------------- */

/* NULL: there is no room for one more name. */
static struct rh__last *last_of(struct rh__history *h, uint64_t meeting)
{
    uint32_t i = (uint32_t)(meeting >> 1) & (NAMES - 1);
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

static uint32_t owner_of(const struct rh_world *w, uint32_t unit)
{
    return w->events[unit].choice.actor;
}

static bool link_one(struct rh__history *h, const struct rh_world *w, uint32_t at, uint32_t unit)
{
    struct rh__last *last = last_of(h, h->meeting[at]);
    if (!last)
        return false;
    uint32_t before = last->at, actor = owner_of(w, unit);
    struct rh__link *l = &h->link[at];
    *l = (struct rh__link){ unit, before, before };
    if (before != RH_NONE && actor != RH_NONE && owner_of(w, h->link[before].unit) == actor)
        l->before_other = h->link[before].before_other;
    last->at = at;
    return true;
}

static bool link_from(struct rh__history *h, const struct rh_world *w, uint32_t first)
{
    for (uint32_t i = first; i < w->event_count; i++)
        for (uint32_t k = h->step[i].meetings; k < h->step[i + 1].meetings; k++, h->linked++)
            if (!link_one(h, w, k, h->step[i].unit))
                return false;
    return true;
}

/* Before meetings from this one on are written over. */
static void unlink_from(struct rh__history *h, uint32_t first_meeting)
{
    while (!h->unlinked && h->linked > first_meeting) {
        h->linked--;
        last_of(h, h->meeting[h->linked])->at = h->link[h->linked].before;
    }
}

static void link_again(struct rh__history *h, const struct rh_world *w, uint32_t first)
{
    if (h->unlinked || link_from(h, w, first))
        return;
    /* Names of many runs have come together: those of this one alone may fit. */
    memset(h->name, 0, NAMES * sizeof *h->name);
    h->names = h->linked = 0;
    h->unlinked = !link_from(h, w, h->floor + 1);
}

void rh__history_settle(struct rh__history *h, const struct rh_world *w, uint32_t first)
{
    if (first >= w->event_count)
        return;
    unlink_from(h, h->step[first].meetings);
    for (uint32_t i = first; i < w->event_count; i++)
        place(h, w, i);
    link_again(h, w, first);
    for (uint32_t i = first; i < w->event_count; i++) {
        uint32_t before = i > h->floor + 1 ? h->step[i - 1].unit : 0;
        h->step[i].everywhere_before = before && h->step[before].everywhere ? before
                                       : before                             ? h->step[i - 1].everywhere_before
                                                                            : 0;
    }
}

/* ---- which units may depend on one -------------------------------------------------------------------------------------- */

static uint32_t meetings_of(const struct rh__history *h, uint32_t unit, uint32_t *first)
{
    *first = h->step[unit].meetings;
    return h->step[h->step[unit].last + 1].meetings - *first;
}

/* The nearest meeting of that name of a unit before `unit`, not of its actor. */
static uint32_t next_other(const struct rh__history *h, const struct rh_world *w, uint32_t at, uint32_t unit)
{
    uint32_t actor = owner_of(w, unit);
    while (at != RH_NONE) {
        const struct rh__link *l = &h->link[at];
        if (l->unit != unit && (actor == RH_NONE || owner_of(w, l->unit) != actor))
            break;
        at = actor == RH_NONE ? l->before : l->before_other;
    }
    return at;
}

void rh__question_begin(struct rh__history *h, const struct rh_world *w, uint32_t unit)
{
    uint32_t first, n = meetings_of(h, unit, &first);
    h->asking = unit;
    if (h->unlinked || h->step[unit].everywhere)
        return;
    for (uint32_t i = 0; i < n; i++)
        h->cursor[i] = next_other(h, w, first + i, unit);
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

void rh__question_pass(struct rh__history *h, const struct rh_world *w, uint32_t unit)
{
    uint32_t first, n = meetings_of(h, h->asking, &first);
    for (uint32_t k = 0; k < n && !h->unlinked && !h->step[h->asking].everywhere; k++) {
        uint32_t *c = &h->cursor[k];
        if (*c == RH_NONE || h->link[*c].unit != unit)
            continue;
        if (!(h->meeting[first + k] & 1))
            *c = RH_NONE; /* the walk has this name: all before are in its past */
        else
            while (*c != RH_NONE && h->link[*c].unit == unit)
                *c = next_other(h, w, h->link[*c].before, h->asking);
    }
}

enum rh__dependence rh__dependence(const struct rh__history *h, uint32_t one, uint32_t other)
{
    const struct rh__step *a = &h->step[one], *b = &h->step[other];
    enum rh__dependence found = RH__INDEPENDENT;
    if (a->everywhere || b->everywhere)
        return RH__MEET_BLINDLY;
    if (!(a->signature & b->signature))
        return RH__INDEPENDENT;
    for (uint32_t i = a->meetings; i < h->step[a->last + 1].meetings; i++)
        for (uint32_t k = b->meetings; k < h->step[b->last + 1].meetings; k++)
            if (h->meeting[i] == h->meeting[k]) {
                if (!(h->meeting[i] & 1))
                    return RH__MEET;
                found = RH__MEET_BLINDLY;
            }
    return found;
}

/* ---- happens before (5.3) -------------------------------------------------------------------------------------------------- */

static struct rh__seen *seen_at(const struct rh__history *h, uint64_t at)
{
    uint32_t i = (uint32_t)(at >> 1) & (SEEN - 1);
    while (h->seen[i].walk == h->walk && h->seen[i].meeting != at)
        i = (i + 1) & (SEEN - 1);
    return &h->seen[i];
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
    uint64_t self = learns(actor, MEET_ACTOR);
    *seen_at(h, self) = (struct rh__seen){ self, h->walk };
}

/* What made this choice possible, if it is about a message. */
void rh__walk_cause(struct rh__history *h, const struct rh_world *w, const struct rh_choice *c)
{
    if (c->kind == RH_CHOICE_DELIVER || c->kind == RH_CHOICE_ACCEPT || c->kind == RH_CHOICE_LOSE ||
        c->kind == RH_CHOICE_DUPLICATE)
        rh__walk_put(h, w->messages[c->what].event);
}

/* Not dropped, lost or wasted. */
bool rh__is_taken(const struct rh_world *w, uint32_t message)
{
    const struct message *m = &w->messages[message];
    const struct rh_choice *c = m->taken_by == RH_NONE ? NULL : &w->events[m->taken_by].choice;
    return passes_through(m) || (c && c->kind == RH_CHOICE_DELIVER && c->what == message);
}

bool rh__walk_meets(const struct rh__history *h, const struct rh_world *w, uint32_t unit)
{
    const struct rh__step *s = &h->step[unit];
    const struct rh_choice *c = &w->events[unit].choice;
    if (s->walk == h->walk || h->all)
        return true;
    if (s->everywhere)
        return h->any;
    if (c->kind == RH_CHOICE_ACCEPT && rh__is_taken(w, c->what) &&
        h->step[h->step[w->messages[c->what].taken_by].unit].walk == h->walk)
        return true;
    for (uint32_t i = s->meetings; i < h->step[s->last + 1].meetings; i++)
        if (!(h->meeting[i] & 1) && seen_at(h, h->meeting[i])->walk == h->walk)
            return true;
    return false;
}

/* With all that is before it: a walk goes backwards. */
void rh__walk_follow(struct rh__history *h, const struct rh_world *w, uint32_t unit)
{
    struct rh__step *s = &h->step[unit];
    s->walk = h->walk;
    h->any = true;
    h->all |= s->everywhere;
    rh__walk_cause(h, w, &w->events[unit].choice);
    for (uint32_t i = s->meetings; i < h->step[s->last + 1].meetings; i++)
        if (!(h->meeting[i] & 1))
            *seen_at(h, h->meeting[i]) = (struct rh__seen){ h->meeting[i], h->walk };
}

/* ---- messages ----------------------------------------------------------------------------------------------------------- */

/* Whether the model puts message x, which its receiver took before m was sent, before m. */
static bool is_ordered(const struct rh_world *w, uint32_t x, uint32_t m)
{
    const struct message *a = &w->messages[x], *b = &w->messages[m];
    bool signal = b->type == &rh__exit_signal;
    if ((b->life && a->channel == b->channel) || rh__message_comes_before_news(w, x, m))
        return true;
    if (w->semantics.model == RH_BAG || signal != (a->type == &rh__exit_signal))
        return false;
    return a->channel == b->channel || (w->semantics.model == RH_CAUSAL && !signal && rh__sent_in_past(w, a, b));
}

/* Whether the actor would have left the message where it was, before an event of its. */
static bool is_unwilling(const struct rh__stance *s, const struct message *m)
{
    const struct rh_entry *entry;
    if (m->type == &rh__exit_signal)
        return s->status == STATUS_PREEMPTED;
    if (m->wake)
        return s->status != STATUS_WAITING && s->status != STATUS_SLEEPING;
    if (s->status == STATUS_WAITING && s->asking != RH_NONE)
        return m->answers != s->asking;
    if (s->status == STATUS_WAITING)
        return m->answers != RH_NONE || (s->type && s->type != m->type) ||
               (s->from && s->from != ref_of(m->seen_as).id);
    if (s->status != STATUS_IDLE || !s->behaviour)
        return true; /* a process before its start, and one that is busy */
    struct actor a = { .behaviour = s->behaviour };
    return rh__disposition(&a, m->type, &entry) == RH_ACTION_DEFER;
}

/* Could the receiver have taken m, had it been there, instead of doing what it did in this event? */
bool rh__could_take(const struct rh__history *h, const struct rh_world *w, uint32_t unit, uint32_t m)
{
    const struct rh_choice *c = &w->events[unit].choice;
    bool took = c->kind == RH_CHOICE_DELIVER;
    if (h->step[unit].everywhere || is_unwilling(&h->step[unit].stance, &w->messages[m]))
        return false;
    if (took && rh__message_is_start(&w->messages[c->what]))
        return w->messages[m].type == &rh__exit_signal;
    return !took || !is_ordered(w, c->what, m);
}

/* The event that put m where its receiver could find it; RH_NONE if it never got there. */
uint32_t rh__arrival(const struct rh__history *h, const struct rh_world *w, uint32_t m, uint32_t until)
{
    if (!accepts_one_by_one(w) || w->messages[m].channel == RH_NONE)
        return h->step[w->messages[m].event].unit;
    for (uint32_t i = until; --i > h->floor;)
        if (w->events[i].choice.kind == RH_CHOICE_ACCEPT && w->events[i].choice.what == m)
            return i;
    return RH_NONE;
}
