/* What a run asks for: races between its events, and the choices that reverse them [Flanagan 2005] [Eta 2011, 5].
 *
 * A race is a pair of dependent events that no third event orders.  For each race a choice that reverses it is selected
 * at the node before the earlier event: the evil ancestor of the later one.  Of several such choices, the good
 * siblings, it is the last one at the node, whatever else is selected there: see dpor.h.
 *
 * A handler cannot see the order in which others send to a mailbox.  So for mailboxes the nearest evil ancestor is
 * enough: after the reversal the next one is the nearest.  What an actor finds in a shared object may decide what the
 * actor does next, so for shared objects all evil ancestors count.
 *
 * The paper's actors take every message once, in the order of their mailbox.  Ours do not, which adds races:
 *
 *   study_own, study_untaken   Two messages to one actor can be taken in either order, unless the delivery model
 *                              forbids it. If the actor could have taken a message at an earlier event, that event is
 *                              an evil ancestor of the delivery, even if the delivery never happened because the
 *                              actor ended or deferred the message for ever.
 *                              So is an exit signal at a process that has stopped between two operations (kills), which
 *                              takes it or goes on: study_disabled keeps the operation that it would have made instead.
 *   study_disabled             A choice that is open before an event and not after it is a good sibling of the event:
 *                              another value of rh_choose, a timer that was cancelled, a message that could be lost.
 *   study_holders,             With ordered time, and without pauses, the clock advances only if nobody is inside a
 *   study_setting              handler.  Whoever begins one, or asks the clock, is an evil ancestor of every advance
 *                              that could come before, whether it ever came or not.
 *   study_early_end            A finding ends its run.  What the other actors would have done is explored in a run in
 *                              which an independent actor moves first. */
#include "explore/dpor/dpor.h"
#include "world/live.h"

#define place_of rh__dpor_place_of

static void want(struct dpor *d, const struct rh__run *r, uint32_t node, uint32_t place)
{
    if (d->images.pairs)
        rh__dpor_images_want(d, r, node, place);
    else
        rh__dpor_mark(d, node, place);
}

static void want_all(struct dpor *d, const struct rh__run *r, uint32_t node)
{
    for (uint32_t i = 0; i < d->node[node].count; i++)
        want(d, r, node, i);
}

/* The node before the unit that begins with this event. */
static uint32_t before(uint32_t unit)
{
    return unit - 1;
}

/* Whether the user or a limit has ended it all: then what is not studied is not known.  Asked now and then, by the
 * number of what is looked at. */
static bool over(struct dpor *d, uint32_t number)
{
    if (number % 256 == 0 && rh_exploration_is_over(d->exploration))
        d->cut = d->over = true;
    return d->over;
}

/* ---- evil ancestors and good siblings (5.2) ---------------------------------------------------------------------- */

/* Whether no event after `evil` must happen before this one. */
static bool comes_first(const struct dpor *d, uint32_t evil, uint32_t unit)
{
    for (uint32_t i = evil + 1; i < unit; i++)
        if (rh__is_unit(&d->history, i) && d->history.step[i].walk == d->history.walk &&
            rh__dependence(&d->history, i, unit) == RH__MEET)
            return false;
    return true;
}

/* All sets that the actor can take at the node are explored; false if it can take none. */
static bool want_all_sets(struct dpor *d, const struct rh__run *r, uint32_t node, uint32_t actor)
{
    const struct node *n = &d->node[node];
    bool any = false;
    for (uint32_t i = 0; i < n->count; i++) {
        const struct rh_choice *c = &d->choice[n->first + i];
        if (c->kind != RH_CHOICE_DELIVER || c->actor != actor)
            continue;
        want(d, r, node, i);
        any |= !rh__is_exit_signal(rh__run_message(r, c->what)) && !rh__run_message(r, c->what)->wake;
    }
    return any;
}

/* Whether the unit takes a message that is sent from `evil` on. */
static bool takes_later(const struct dpor *d, const struct rh__run *r, uint32_t unit, uint32_t evil)
{
    for (uint32_t i = unit; i <= d->history.step[unit].last; i++) {
        const struct rh_choice *c = &rh__run_event(r, i)->choice;
        if (c->kind == RH_CHOICE_DELIVER && rh__run_message(r, c->what)->event >= evil)
            return true;
    }
    return false;
}

/* A good sibling of `evil` is selected: what is in the past of this walk and lies behind `evil`, up to `last`; false
 * where there is none.  Which one is of no consequence for what is found; the last one at the node makes about as few
 * runs as one that is selected already would (2 % more at most over the programs of tests/explore/dpor.c). */
static bool want_good_sibling(struct dpor *d, const struct rh__run *r, uint32_t evil, uint32_t last)
{
    uint32_t node = before(evil), good = RH_NONE;
    for (uint32_t i = last; i > evil && !over(d, i); i--) {
        const struct rh_choice *c = &rh__run_event(r, i)->choice;
        if (!rh__is_unit(&d->history, i) || d->history.step[i].walk != d->history.walk || takes_later(d, r, i, evil))
            continue;
        if (rh__takes_set(&d->history, r, i)) { /* which of its messages comes first may have changed */
            if (comes_first(d, evil, i) && want_all_sets(d, r, node, c->actor))
                return true;
            continue;
        }
        uint32_t at = place_of(d, node, c);
        if (at == RH_NONE || at == d->node[node].pick || !comes_first(d, evil, i))
            continue;
        if (good == RH_NONE || at > good)
            good = at;
    }
    if (good != RH_NONE)
        want(d, r, node, good);
    return good != RH_NONE;
}

/* Races with events of other actors. */
static void study_others(struct dpor *d, const struct rh__run *r, uint32_t unit)
{
    const struct rh_choice *c = &rh__run_event(r, unit)->choice;
    rh__walk_begin(&d->history);
    rh__walk_put(&d->history, unit);
    rh__walk_causes(&d->history, unit);
    if (!d->history.step[unit].everywhere)
        rh__walk_actor(&d->history, c->actor);
    rh__question_begin(&d->history, r, unit);
    uint32_t next = rh__question_next(&d->history, unit - 1);
    for (uint32_t i = unit - 1; i > d->floor && next > d->floor && !d->history.all && !over(d, i); i--) {
        if (!rh__is_unit(&d->history, i))
            continue;
        if (rh__walk_meets(&d->history, r, i)) {
            rh__walk_follow(&d->history, i);
        } else {
            enum rh__dependence how = rh__dependence(&d->history, i, unit);
            if (how == RH__INDEPENDENT)
                continue;
            if (want_good_sibling(d, r, i, unit) && how == RH__MEET_BLINDLY)
                return;
            rh__walk_follow(&d->history, i); /* without a good sibling the unit is in the past */
        }
        if (i == next) {
            rh__question_pass(&d->history, r, i);
            next = rh__question_next(&d->history, i - 1);
        }
    }
}

/* The nearest event before the arrival of m at which the receiver could have taken m. */
static void study_message(struct dpor *d, const struct rh__run *r, uint32_t m, uint32_t until)
{
    uint32_t arrival = rh__arrival(&d->history, r, m, until), receiver = rh__run_message(r, m)->receiver;
    if (arrival == RH_NONE)
        return;
    rh__walk_begin(&d->history);
    rh__walk_put(&d->history, arrival);
    for (uint32_t i = arrival; i > d->floor && !d->history.all && !over(d, i); i--) {
        if (!rh__is_unit(&d->history, i))
            continue;
        bool at_receiver = rh__run_event(r, i)->choice.actor == receiver;
        if (rh__walk_meets(&d->history, r, i)) {
            if (at_receiver)
                return; /* and so are all events before it */
            rh__walk_follow(&d->history, i);
        } else if (at_receiver && rh__could_take(&d->history, r, i, m)) {
            if (!want_good_sibling(d, r, i, arrival))
                want_all(d, r, before(i)); /* should not happen; selecting all is always sound */
            return;
        }
    }
}

/* Races with events of the same actor, for each message that the unit takes. */
static void study_own(struct dpor *d, const struct rh__run *r, uint32_t unit)
{
    uint32_t i = unit - 1, actor = rh__run_event(r, unit)->choice.actor;
    if (actor == RH_NONE || d->history.step[unit].everywhere)
        return;
    while (i > d->floor && (!rh__is_unit(&d->history, i) || rh__run_event(r, i)->choice.actor != actor))
        i--;
    for (uint32_t k = unit; k <= d->history.step[unit].last; k++) {
        const struct rh_choice *c = &rh__run_event(r, k)->choice;
        if (k > unit && c->kind != RH_CHOICE_DELIVER)
            continue;
        uint32_t at = i > d->floor ? place_of(d, before(i), c) : RH_NONE;
        if (at != RH_NONE)
            want(d, r, before(i), at);
        else if (c->kind == RH_CHOICE_DELIVER)
            study_message(d, r, c->what, unit);
    }
    if (rh__takes_set(&d->history, r, unit))
        want_all_sets(d, r, before(unit), actor);
}

/* Races with deliveries that did not happen: messages that were never taken. */
static void study_untaken(struct dpor *d, const struct rh__run *r)
{
    for (uint32_t i = 0; i < r->message_count && !over(d, i); i++)
        if (!rh__is_taken(r, i))
            study_message(d, r, i, r->event_count);
}

/* Choices that are open before the unit and not after it. */
static void study_disabled(struct dpor *d, const struct rh__run *r, uint32_t unit)
{
    uint32_t node = before(unit), next = d->history.step[unit].last;
    const struct node *n = &d->node[node];
    for (uint32_t i = 0; i < n->count; i++)
        if ((next >= d->top || place_of(d, next, &d->choice[n->first + i]) == RH_NONE))
            want(d, r, node, i);
}

/* The clock stands still while somebody holds it, so events that begin to hold it, or ask it, do not commute with its
 * advance, even where the advance is not open because others hold it, too.  Where a timer is set already, those let go
 * first: one of their steps is selected.  (Once nobody holds it, the advance is open; then see study_disabled.) */
static void study_holders(struct dpor *d, const struct rh__run *r, uint32_t unit)
{
    const struct rh__clock_holders *held = &d->history.holders[unit];
    uint32_t node = before(unit), own = d->choice[d->node[node].first + d->node[node].pick].actor, good = RH_NONE;
    for (uint32_t i = 0; held->set && i < d->node[node].count; i++) {
        uint32_t actor = d->choice[d->node[node].first + i].actor;
        if (actor == RH_NONE || actor == own || !(held->some >> actor % 64 & 1))
            continue;
        good = i;
    }
    if (good != RH_NONE)
        want(d, r, node, good);
}

/* A timer that is set before them makes an advance possible that is not possible after them. */
static void study_setting(struct dpor *d, const struct rh__run *r, uint32_t unit)
{
    struct rh__history *h = &d->history;
    rh__walk_begin(h);
    rh__walk_put(h, unit);
    rh__walk_causes(h, unit);
    rh__walk_actor(h, rh__run_event(r, unit)->choice.actor);
    for (uint32_t i = unit - 1; i > d->floor && !h->all && !over(d, i); i--) {
        if (!rh__is_unit(h, i))
            continue;
        if (rh__walk_meets(h, r, i))
            rh__walk_follow(h, i);
        else if ((h->step[i].holds || h->step[i].sets) && !want_good_sibling(d, r, i, unit))
            want_all(d, r, before(i));
    }
}

/* The run ended with this unit.  The others go on in a run in which the next actor at the node that is independent of
 * it comes first; if that ends as early, the one behind it.  Behind the last one all choices are selected, also faults:
 * then perhaps nobody goes on. */
static void study_early_end(struct dpor *d, const struct rh__run *r, uint32_t unit)
{
    uint32_t node = before(unit);
    const struct node *n = &d->node[node];
    uint32_t own = d->choice[n->first + n->pick].actor;
    for (uint32_t i = n->pick + 1; i < n->count; i++) {
        const struct rh_choice *c = &d->choice[n->first + i];
        if (c->actor == own || rh__is_everywhere(&d->history, r, c))
            continue;
        want(d, r, node, i);
        if (!d->images.pairs || d->images.first[n->first + i] == i)
            return; /* the image of an earlier one ends as early as that */
    }
    want_all(d, r, node);
}

void rh__dpor_study(struct dpor *d, const struct rh__run *r, enum how_it_ended how)
{
    uint32_t end = r->event_count, fresh = d->fresh;
    if (rh__history_settle(&d->history, r, d->unlinked ? d->floor + 1 : fresh) || d->unlinked)
        fresh = d->floor + 1; /* what the first events ask for may not be known yet */
    if (d->images.rule)
        rh__dpor_images_find(d, r, fresh > d->floor + 1 ? fresh : d->floor);
    d->unlinked = false;
    if (fresh < end)
        fresh = d->history.step[fresh].unit;
    for (uint32_t i = end; --i >= fresh && i > d->floor && !over(d, i);) {
        if (!rh__is_unit(&d->history, i))
            continue;
        bool last = d->history.step[i].last + 1 == end;
        d->images.unit = i;
        study_others(d, r, i);
        study_own(d, r, i);
        if (d->history.step[i].holds || d->history.step[i].asks)
            study_holders(d, r, i);
        if (d->history.step[i].sets)
            study_setting(d, r, i);
        if (!last || how == AT_REST)
            study_disabled(d, r, i);
        else if (how == EARLY)
            study_early_end(d, r, i);
    }
    d->images.unit = end;
    study_untaken(d, r);
}
