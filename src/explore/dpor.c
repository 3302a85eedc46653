/* dpor: dfs with dynamic partial order reduction, as in Eta 5.
 *
 * After each run its events are looked at bottom up.  Where two of them are concurrent and their order may matter, a branch
 * that has them in the other order is selected; only selected branches are visited.
 *
 *     the paper                       here
 *     execution, message sequence     a run and its events
 *     state, decision tree            node: the choices open before an event, which are selected and which are done; only those
 *                                     of the current branch are kept, with their events, so memory is linear in the depth
 *     happens-before (5.3)            in_past: the earlier events of the same actor, the event that sent the message, and
 *                                     those before an operation on the same shared object, taken together
 *     independence (5.4)              no trace in common: under mailbox a mailbox that both send to, as in the paper
 *     evil ancestor                   an earlier event that is neither independent nor in the past
 *     good sibling                    a choice open before the evil ancestor that is the event itself or in its past; one
 *                                     that is selected already is preferred
 *
 * A handler sees what is in its mailbox only by taking it, so the order in which others send says nothing about what it does,
 * and is no part of its past.  What it finds in a shared object it does see; hence all evil ancestors count that share an
 * object, where for mailboxes the nearest is enough: behind it the others become nearest in turn.
 *
 * The paper's actors take every message once, in the order of their mailbox.  Ours do not, and so there is more to look at:
 *
 *   races at a receiver   Two messages to one actor can be taken in either order, unless the delivery model forbids.  The
 *                         event before which a message could have been taken is an evil ancestor of its delivery, even of one
 *                         that never came to be: the receiver had ended, or put it off for ever.
 *   disabled choices      A choice that was open before an event and is not after it is a good sibling of that event: two
 *                         values of rh_choose, a timer that was cancelled, a message that could have been lost.
 *   runs that end early   By a finding.  One more sibling is selected before the last event, so that what the others would
 *                         have done is looked at all the same.
 *
 * Events whose effect is everywhere are dependent on all: faults; timers once the program has asked for the time; with
 * ordered time those of actors that have timers, on each other.  The values of rh_choose belong to the step they are part of
 * (unit).  Globals that several actors use are not seen.  A run that is cut has unknown siblings, so the verdict is then
 * `sampled`.
 *
 * What is found: every outcome of dfs, and every behaviour of the runs that come to their end. */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "explore/estimate.h"
#include "explore/explorers.h"
#include "world/network.h"
#include "world/objects.h"

enum { SELECTED = 1, DONE = 2, FATAL = 4 }; /* of a choice; fatal: a run ended with it */

struct node {
    uint32_t first, count; /* its choices */
    uint32_t pick;
};

/* What events can meet at; bit 0 is set where it is no way to learn of another (see above: mailboxes). */
typedef uint64_t meeting;

/* What its actor would have taken before the event, as far as it is known. */
struct stance {
    const struct rh_behaviour *behaviour;
    const struct rh_message_type *type; /* a receive, of these only */
    uint64_t from;
    uint32_t status, asking;
    bool timers;
};

struct step {
    struct stance stance;
    uint64_t signature; /* a bit for each meeting; like `last` and `walk` on the first event of a unit */
    uint32_t meetings;  /* the first of them; those of the next event follow */
    uint32_t unit;      /* first event of it */
    uint32_t last;      /* event of the unit */
    uint32_t walk;      /* it is in the past, in the walk of this number */
    bool everywhere;    /* dependent on all */
    bool timed, waits;
};

struct seen {
    meeting at;
    uint32_t walk;
};

enum { MOST_CHOICES = 1 << 24, MOST_MEETINGS = 1 << 24, SEEN = 1 << 17 };

struct dpor {
    struct node *node;               /* node[i] is before event i + 1 */
    struct step *step;               /* step[i] is event i; one more for the end */
    struct rh__level *level, *space; /* of selected and of all choices */
    struct rh_choice *choice;
    unsigned char *marks; /* of choices */
    meeting *meeting;
    struct seen *seen;   /* where the past has been; open addressing */
    uint32_t top, floor; /* nodes; choices before the floor are a decorator's */
    uint32_t fresh;      /* the first event that was not studied */
    uint32_t walk;
    bool past_any, past_all; /* something is in the past; everything from here back is */
    bool started, placed, confused, cut;
};

/* ---- nodes -------------------------------------------------------------------------------------------------------------- */

static bool same(const struct rh_choice *a, const struct rh_choice *b)
{
    bool arg = a->kind == RH_CHOICE_TIMER || a->kind == RH_CHOICE_CRASH;
    return a->kind == b->kind && a->what == b->what && a->actor == b->actor && (!arg || a->arg == b->arg);
}

/* Where among the choices of the node this one stands; RH_NONE if it was not open. */
static uint32_t place_of(const struct dpor *d, uint32_t node, const struct rh_choice *c)
{
    const struct node *n = &d->node[node];
    for (uint32_t i = 0; i < n->count; i++)
        if (same(&d->choice[n->first + i], c))
            return i;
    return RH_NONE;
}

static bool is_selected(const struct dpor *d, uint32_t node, uint32_t place)
{
    return d->marks[d->node[node].first + place] & SELECTED;
}

static void want(struct dpor *d, uint32_t node, uint32_t place)
{
    if (!is_selected(d, node, place)) {
        d->marks[d->node[node].first + place] |= SELECTED;
        d->level[node].children++;
    }
}

/* The node before the unit that begins with this event. */
static uint32_t before(uint32_t unit)
{
    return unit - 1;
}

/* ---- where events meet (5.4) --------------------------------------------------------------------------------------------- */

enum { MEET_ACTOR = 1, MEET_SENDER, MEET_TIME, MEET_MAILBOX, MEET_GRAVE, MEET_WAIT };

static void meet(struct dpor *d, struct step *of, uint32_t *end, meeting at)
{
    if (*end == MOST_MEETINGS) {
        d->confused = true;
        return;
    }
    d->meeting[(*end)++] = at;
    of->signature |= (uint64_t)1 << (at >> 1) % 64;
}

static meeting learns(uint64_t what, uint64_t kind)
{
    return rh__mix(what, kind) & ~(uint64_t)1;
}
static meeting blind(uint64_t what, uint64_t kind)
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

static void meet_by_sending(struct dpor *d, const struct rh_world *w, struct step *of, uint32_t *end, uint32_t actor,
                            uint32_t message)
{
    const struct message *m = &w->messages[message];
    if (ends_matter(w))
        meet(d, of, end, blind(m->receiver, MEET_GRAVE));
    if (accepts_one_by_one(w) && m->answers != RH_NONE)
        meet(d, of, end, blind(m->receiver, MEET_WAIT));
    if (m->channel == RH_NONE || passes_through(m) || w->semantics.model == RH_BAG)
        return;
    if (shared_mailboxes(w) && !accepts_one_by_one(w))
        meet(d, of, end, blind(m->receiver, MEET_MAILBOX));
    else if (m->sender != actor)
        meet(d, of, end, learns(m->sender, MEET_SENDER)); /* one outside, for whom several speak */
}

static bool is_everywhere(const struct rh_world *w, const struct rh_choice *c)
{
    switch ((enum rh_choice_kind)c->kind) {
    case RH_CHOICE_LOSE:
    case RH_CHOICE_DUPLICATE:
    case RH_CHOICE_CRASH:
    case RH_CHOICE_RESTART:
    case RH_CHOICE_PARTITION:
    case RH_CHOICE_HEAL:
    case RH_CHOICE_END:
        return true;
    case RH_CHOICE_TIMER:
        return w->clock_used && !rh__fine(w);
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
    return event > 1 && w->events[event].choice.kind == RH_CHOICE_VALUE && !rh__fine(w);
}

static void place(struct dpor *d, const struct rh_world *w, uint32_t event)
{
    const struct rh_event *e = &w->events[event];
    struct step *s = &d->step[event];
    uint32_t end = s->meetings, actor = e->choice.actor, n;
    uint32_t last = event + 1 < w->event_count ? w->events[event + 1].first_message : w->message_count;
    s->unit = joins_unit(w, event) ? d->step[event - 1].unit : event;
    struct step *unit = &d->step[s->unit];
    if (s->unit == event) {
        s->signature = 0;
        s->everywhere = false;
    }
    unit->last = event;
    unit->everywhere |= is_everywhere(w, &e->choice) || observes_late(w, event);
    if (actor != RH_NONE)
        meet(d, unit, &end, learns(actor, MEET_ACTOR));
    const struct rh__access *access = rh__event_accesses(w, event, &n);
    for (uint32_t i = 0; i < n; i++)
        meet(d, unit, &end, access[i].object & ~(uint64_t)1);
    if (ends_matter(w) && ends_itself(w, event))
        meet(d, unit, &end, blind(actor, MEET_GRAVE));
    for (uint32_t m = e->first_message; m < last; m++)
        meet_by_sending(d, w, unit, &end, actor, m);
    if (e->choice.kind == RH_CHOICE_ACCEPT) {
        meet(d, unit, &end, blind(w->messages[e->choice.what].receiver, MEET_MAILBOX));
        meet(d, unit, &end, blind(w->messages[e->choice.what].receiver, MEET_GRAVE));
    }
    if (s->waits || (shared_mailboxes(w) && e->choice.kind == RH_CHOICE_TIMER && !e->choice.arg))
        meet(d, unit, &end, blind(actor, MEET_MAILBOX)); /* a wait ends only if nothing is there */
    if (accepts_one_by_one(w) && s->stance.status == STATUS_WAITING)
        meet(d, unit, &end, blind(actor, MEET_WAIT)); /* a reply may come too late even to be sent */
    if (s->timed)
        meet(d, unit, &end, learns(0, MEET_TIME));
    d->step[event + 1].meetings = end;
}

enum dependence { INDEPENDENT, MEET_BLINDLY, MEET };

static enum dependence dependence(const struct dpor *d, uint32_t one, uint32_t other)
{
    const struct step *a = &d->step[one], *b = &d->step[other];
    enum dependence found = INDEPENDENT;
    if (a->everywhere || b->everywhere)
        return MEET_BLINDLY;
    if (!(a->signature & b->signature))
        return INDEPENDENT;
    for (uint32_t i = a->meetings; i < d->step[a->last + 1].meetings; i++)
        for (uint32_t k = b->meetings; k < d->step[b->last + 1].meetings; k++)
            if (d->meeting[i] == d->meeting[k]) {
                if (!(d->meeting[i] & 1))
                    return MEET;
                found = MEET_BLINDLY;
            }
    return found;
}

/* ---- happens before (5.3) -------------------------------------------------------------------------------------------------- */

static struct seen *seen_at(struct dpor *d, meeting at)
{
    uint32_t i = (uint32_t)(at >> 1) & (SEEN - 1);
    while (d->seen[i].walk == d->walk && d->seen[i].at != at)
        i = (i + 1) & (SEEN - 1);
    return &d->seen[i];
}

static void begin_walk(struct dpor *d)
{
    d->walk++;
    d->past_any = d->past_all = false;
}

static void put_in_past(struct dpor *d, uint32_t event)
{
    d->step[d->step[event].unit].walk = d->walk;
}

/* What made this choice possible, if it is about a message. */
static void put_cause_in_past(struct dpor *d, const struct rh_world *w, const struct rh_choice *c)
{
    if (c->kind == RH_CHOICE_DELIVER || c->kind == RH_CHOICE_ACCEPT || c->kind == RH_CHOICE_LOSE ||
        c->kind == RH_CHOICE_DUPLICATE)
        put_in_past(d, w->messages[c->what].event);
}

/* Not dropped, lost or wasted. */
static bool is_taken(const struct rh_world *w, uint32_t message)
{
    const struct message *m = &w->messages[message];
    const struct rh_choice *c = m->taken_by == RH_NONE ? NULL : &w->events[m->taken_by].choice;
    return passes_through(m) || (c && c->kind == RH_CHOICE_DELIVER && c->what == message);
}

static bool in_past(struct dpor *d, const struct rh_world *w, uint32_t unit)
{
    const struct step *s = &d->step[unit];
    const struct rh_choice *c = &w->events[unit].choice;
    if (s->walk == d->walk || d->past_all)
        return true;
    if (s->everywhere)
        return d->past_any;
    if (c->kind == RH_CHOICE_ACCEPT && is_taken(w, c->what) &&
        d->step[d->step[w->messages[c->what].taken_by].unit].walk == d->walk)
        return true;
    for (uint32_t i = s->meetings; i < d->step[s->last + 1].meetings; i++)
        if (!(d->meeting[i] & 1) && seen_at(d, d->meeting[i])->walk == d->walk)
            return true;
    return false;
}

/* With all that is before it: a walk goes backwards. */
static void follow(struct dpor *d, const struct rh_world *w, uint32_t unit)
{
    struct step *s = &d->step[unit];
    s->walk = d->walk;
    d->past_any = true;
    d->past_all |= s->everywhere;
    put_cause_in_past(d, w, &w->events[unit].choice);
    for (uint32_t i = s->meetings; i < d->step[s->last + 1].meetings; i++)
        if (!(d->meeting[i] & 1))
            *seen_at(d, d->meeting[i]) = (struct seen){ d->meeting[i], d->walk };
}

/* ---- evil ancestors and good siblings (5.2) ------------------------------------------------------------------------------ */

/* Whether nothing in the past that lies behind `evil` has to come before this. */
static bool comes_first(const struct dpor *d, uint32_t evil, uint32_t unit)
{
    for (uint32_t i = evil + 1; i < unit; i++)
        if (d->step[i].unit == i && d->step[i].walk == d->walk && dependence(d, i, unit) == MEET)
            return false;
    return true;
}

/* A good sibling of `evil` is selected: what is in the past of this walk and lies behind `evil`, up to `last`; false where
 * there is none. */
static bool want_good_sibling(struct dpor *d, const struct rh_world *w, uint32_t evil, uint32_t last)
{
    uint32_t node = before(evil), good = RH_NONE;
    for (uint32_t i = last; i > evil; i--) {
        const struct rh_choice *c = &w->events[i].choice;
        if (d->step[i].unit != i || d->step[i].walk != d->walk ||
            (c->kind == RH_CHOICE_DELIVER && w->messages[c->what].event >= evil))
            continue;
        uint32_t at = place_of(d, node, c);
        if (at == RH_NONE || at == d->node[node].pick || !comes_first(d, evil, i))
            continue;
        if (is_selected(d, node, at))
            return true;
        good = at;
    }
    if (good != RH_NONE)
        want(d, node, good);
    return good != RH_NONE;
}

/* It should not come to this: something is in the past that we do not know of. */
static void want_all(struct dpor *d, uint32_t node)
{
    for (uint32_t i = 0; i < d->node[node].count; i++)
        want(d, node, i);
}

/* The ancestors on other actors. */
static void study_others(struct dpor *d, const struct rh_world *w, uint32_t unit)
{
    const struct rh_choice *c = &w->events[unit].choice;
    const struct step *s = &d->step[unit];
    begin_walk(d);
    put_in_past(d, unit);
    put_cause_in_past(d, w, c);
    if (!s->everywhere) {
        meeting self = learns(c->actor, MEET_ACTOR);
        *seen_at(d, self) = (struct seen){ self, d->walk };
    }
    for (uint32_t i = unit - 1; i > d->floor && !d->past_all; i--) {
        if (d->step[i].unit != i)
            continue;
        if (in_past(d, w, i)) {
            follow(d, w, i);
            continue;
        }
        enum dependence how = dependence(d, i, unit);
        if (how == INDEPENDENT)
            continue;
        bool found = want_good_sibling(d, w, i, unit);
        if (!found && !s->everywhere && !d->step[i].everywhere)
            want_all(d, before(i));
        else if (found && how == MEET_BLINDLY)
            return;
        follow(d, w, i);
    }
}

/* Whether the model puts message x, which its receiver took before m was sent, before m. */
static bool is_ordered(const struct rh_world *w, uint32_t x, uint32_t m)
{
    const struct message *a = &w->messages[x], *b = &w->messages[m];
    bool signal = b->type == &rh__exit_signal;
    if (w->semantics.model == RH_BAG || signal != (a->type == &rh__exit_signal))
        return false;
    return a->channel == b->channel || (w->semantics.model == RH_CAUSAL && !signal && rh__sent_in_past(w, a, b));
}

/* Whether the actor would have left the message where it was, before an event of its. */
static bool is_unwilling(const struct stance *s, const struct message *m)
{
    const struct rh_entry *entry;
    if (m->type == &rh__exit_signal)
        return s->status == STATUS_PREEMPTED;
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
static bool is_race(const struct dpor *d, const struct rh_world *w, uint32_t unit, uint32_t m)
{
    const struct rh_choice *c = &w->events[unit].choice;
    bool took = c->kind == RH_CHOICE_DELIVER;
    if (d->step[unit].everywhere || is_unwilling(&d->step[unit].stance, &w->messages[m]))
        return false;
    if (took && w->messages[c->what].type == &rh_message_rh_start)
        return w->messages[m].type == &rh__exit_signal;
    return !took || !is_ordered(w, c->what, m);
}

/* The event that put m where its receiver could find it; RH_NONE if it never got there. */
static uint32_t arrival_of(const struct dpor *d, const struct rh_world *w, uint32_t m, uint32_t until)
{
    if (!accepts_one_by_one(w) || w->messages[m].channel == RH_NONE)
        return d->step[w->messages[m].event].unit;
    for (uint32_t i = until; --i > d->floor;)
        if (w->events[i].choice.kind == RH_CHOICE_ACCEPT && w->events[i].choice.what == m)
            return i;
    return RH_NONE;
}

/* The nearest event before m's arrival at which its receiver could have taken it. */
static void study_message(struct dpor *d, const struct rh_world *w, uint32_t m, uint32_t until)
{
    uint32_t arrival = arrival_of(d, w, m, until), receiver = w->messages[m].receiver;
    if (arrival == RH_NONE)
        return;
    begin_walk(d);
    put_in_past(d, arrival);
    for (uint32_t i = arrival; i > d->floor && !d->past_all; i--) {
        if (d->step[i].unit != i)
            continue;
        bool at_receiver = w->events[i].choice.actor == receiver;
        if (in_past(d, w, i)) {
            if (at_receiver)
                return; /* and so are all before it */
            follow(d, w, i);
        } else if (at_receiver && is_race(d, w, i, m)) {
            if (!want_good_sibling(d, w, i, arrival))
                want_all(d, before(i));
            return;
        }
    }
}

/* The ancestors on the same actor. */
static void study_own(struct dpor *d, const struct rh_world *w, uint32_t unit)
{
    const struct rh_choice *c = &w->events[unit].choice;
    uint32_t i = unit - 1;
    if (c->actor == RH_NONE || d->step[unit].everywhere)
        return;
    while (i > d->floor && (d->step[i].unit != i || w->events[i].choice.actor != c->actor))
        i--;
    uint32_t at = i > d->floor ? place_of(d, before(i), c) : RH_NONE;
    if (at != RH_NONE)
        want(d, before(i), at);
    else if (c->kind == RH_CHOICE_DELIVER)
        study_message(d, w, c->what, unit);
}

/* Messages that were never taken: their deliveries are events that did not come to be. */
static void study_untaken(struct dpor *d, const struct rh_world *w)
{
    uint32_t first = d->floor + 1 < w->event_count ? w->events[d->floor + 1].first_message : w->message_count;
    for (uint32_t i = accepts_one_by_one(w) ? 0 : first; i < w->message_count; i++)
        if (!is_taken(w, i))
            study_message(d, w, i, w->event_count);
}

/* What was open before the unit and is not behind it. */
static void study_disabled(struct dpor *d, uint32_t unit)
{
    uint32_t node = before(unit), next = d->step[unit].last;
    const struct node *n = &d->node[node];
    for (uint32_t i = 0; i < n->count; i++)
        if (!is_selected(d, node, i) && (next >= d->top || place_of(d, next, &d->choice[n->first + i]) == RH_NONE))
            want(d, node, i);
}

/* Whether this choice is none of an actor with which a run from this node ended, nor a fault. */
static bool is_bystander(const struct dpor *d, const struct rh_world *w, uint32_t node, uint32_t place)
{
    const struct node *n = &d->node[node];
    const struct rh_choice *c = &d->choice[n->first + place];
    for (uint32_t i = 0; i < n->count; i++)
        if (d->marks[n->first + i] & FATAL && d->choice[n->first + i].actor == c->actor)
            return false;
    return !is_everywhere(w, c);
}

/* The run ended with this unit; the others go on in a run in which a bystander moves first. */
static void study_early_end(struct dpor *d, const struct rh_world *w, uint32_t unit)
{
    uint32_t node = before(unit), best = RH_NONE;
    const struct node *n = &d->node[node];
    d->marks[n->first + n->pick] |= FATAL;
    for (uint32_t i = 0; i < n->count; i++)
        if (is_bystander(d, w, node, i) && (best == RH_NONE || is_selected(d, node, i)))
            best = i;
    if (best != RH_NONE)
        want(d, node, best);
    else
        want_all(d, node);
}

/* ---- watching a run ---------------------------------------------------------------------------------------------------- */

static void note_before(struct dpor *d, const struct rh_world *w, uint32_t event, uint32_t actor)
{
    struct stance *s = &d->step[event].stance;
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
static void note_after(struct dpor *d, const struct rh_world *w, uint32_t event)
{
    struct step *s = &d->step[event];
    uint32_t actor = w->events[event].choice.actor;
    const struct actor *a = actor == RH_NONE ? NULL : &w->actors[actor];
    s->waits = a && shared_mailboxes(w) && a->status == STATUS_WAITING && a->wake != RH_NONE;
    s->timed =
        a && w->semantics.time == RH_TIME_ORDERED &&
        (s->stance.timers || a->timers != RH_NONE || (shared_mailboxes(w) && sends_to_a_clock_watcher(w, event)));
}

static void study(struct dpor *d, const struct rh_world *w, bool ended_early)
{
    uint32_t end = w->event_count, fresh = d->fresh;
    for (uint32_t i = fresh; i < end; i++)
        place(d, w, i);
    if (fresh < end)
        fresh = d->step[fresh].unit;
    for (uint32_t i = end; --i >= fresh && i > d->floor;) {
        if (d->step[i].unit != i)
            continue;
        study_others(d, w, i);
        study_own(d, w, i);
        if (d->step[i].last + 1 < end)
            study_disabled(d, i);
        else if (ended_early)
            study_early_end(d, w, i);
        else if (!d->cut)
            study_disabled(d, i);
    }
    study_untaken(d, w);
}

/* ---- the explorer ------------------------------------------------------------------------------------------------------- */

static bool dpor_open(void *state, struct rh_exploration *x, const char *arg, char *error, size_t error_size)
{
    struct dpor *d = state;
    size_t steps = (size_t)rh_exploration_max_steps(x) + 3;
    if (*arg) {
        snprintf(error, error_size, "explorer dpor takes no argument (\"%s\")", arg);
        return false;
    }
    d->node = rh_exploration_memory(x, steps * sizeof *d->node);
    d->step = rh_exploration_memory(x, steps * sizeof *d->step);
    d->level = rh_exploration_memory(x, steps * sizeof *d->level);
    d->space = rh_exploration_memory(x, steps * sizeof *d->space);
    d->choice = rh_exploration_memory(x, MOST_CHOICES * sizeof *d->choice);
    d->marks = rh_exploration_memory(x, MOST_CHOICES);
    d->meeting = rh_exploration_memory(x, MOST_MEETINGS * sizeof *d->meeting);
    d->seen = rh_exploration_memory(x, SEEN * sizeof *d->seen);
    bool got = d->node && d->step && d->level && d->space && d->choice && d->marks && d->meeting && d->seen;
    if (!got)
        snprintf(error, error_size, "no memory for explorer dpor");
    return got;
}

/* The choice to go on with at this node; RH_NONE when all that are selected are done. */
static uint32_t next_of(struct dpor *d, uint32_t node)
{
    const struct node *n = &d->node[node];
    d->marks[n->first + n->pick] |= DONE;
    for (uint32_t i = 0; i < n->count; i++)
        if ((d->marks[n->first + i] & (SELECTED | DONE)) == SELECTED)
            return i;
    return RH_NONE;
}

static uint32_t dpor_begin(void *state, struct rh_world *w)
{
    (void)w;
    struct dpor *d = state;
    if (!d->started) {
        d->started = true;
        return 1;
    }
    uint32_t at = d->top, pick = RH_NONE;
    while (at > d->floor && (pick = next_of(d, at - 1)) == RH_NONE)
        at--;
    if (at <= d->floor || d->confused)
        return 0;
    rh__level_back(d->level, at - 1, d->top);
    rh__level_back(d->space, at - 1, d->top);
    d->node[at - 1].pick = pick;
    d->top = d->fresh = at;
    return at; /* the beginning and the choices before this one */
}

static bool enter(struct dpor *d, const struct rh_world *w, uint32_t depth, const struct rh_choice *open,
                  uint32_t count)
{
    uint32_t first = depth > d->floor ? d->node[depth - 1].first + d->node[depth - 1].count : 0;
    if (count > MOST_CHOICES - first)
        return false;
    d->node[depth] = (struct node){ first, count, 0 };
    memcpy(d->choice + first, open, count * sizeof *open);
    memset(d->marks + first, 0, count);
    rh__level_enter(&d->level[depth], 0);
    rh__level_enter(&d->space[depth], count);
    want(d, depth, 0);
    if (w->chooser != RH_NONE)
        want_all(d, depth);
    d->top = depth + 1;
    return true;
}

static uint32_t dpor_choose(void *state, struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    struct dpor *d = state;
    uint32_t depth = rh__depth(w) - 1;
    if (!d->placed) {
        d->placed = true;
        d->floor = depth;
        d->fresh = depth + 1;
    }
    if (depth > d->floor)
        note_after(d, w, depth);
    const struct node *n = &d->node[depth];
    if (depth >= d->top ? !enter(d, w, depth, open, count)
                        : n->count != count || !same(&open[n->pick], &d->choice[n->first + n->pick])) {
        d->confused = true; /* too large, or the program is not deterministic */
        return RH_NONE;
    }
    note_before(d, w, depth + 1, open[n->pick].actor);
    return n->pick;
}

/* By what an event did, not for lack of choices. */
static bool is_early_end(const struct rh_world *w, enum rh_outcome_kind outcome)
{
    if (w->over)
        return w->events[w->event_count - 1].choice.kind != RH_CHOICE_END;
    return rh_outcome_failed(outcome) && outcome != RH_OUTCOME_STUCK && outcome != RH_OUTCOME_MONITOR &&
           outcome != RH_OUTCOME_PROPERTY;
}

static void dpor_end(void *state, struct rh_world *w, const struct rh_run *run)
{
    struct dpor *d = state;
    if (!d->placed || d->confused)
        return;
    d->cut |=
        run->outcome == RH_OUTCOME_CUT || run->outcome == RH_OUTCOME_RUNNING || run->outcome == RH_OUTCOME_ENDLESS_RUN;
    if (w->event_count - 1 > d->floor)
        note_after(d, w, w->event_count - 1);
    study(d, w, is_early_end(w, run->outcome));
}

static enum rh_verdict dpor_verdict(const void *state)
{
    const struct dpor *d = state;
    return d->confused || d->cut ? RH_VERDICT_SAMPLED : RH_VERDICT_EXHAUSTIVE;
}

static double dpor_estimate(const void *state)
{
    const struct dpor *d = state;
    return d->started ? rh__levels_estimate(d->level, d->floor, d->top) : 0;
}

double rh__dpor_space(const void *state)
{
    const struct dpor *d = state;
    return d->started ? rh__levels_estimate(d->space, d->floor, d->top) : 0;
}

const struct rh_explorer rh__explorer_dpor = {
    .name = "dpor",
    .summary = "every behaviour, by partial order reduction (Eta)",
    .state_size = sizeof(struct dpor),
    .open = dpor_open,
    .begin = dpor_begin,
    .choose = dpor_choose,
    .end = dpor_end,
    .verdict = dpor_verdict,
    .estimate = dpor_estimate,
};
