/* dpor: dfs with dynamic partial order reduction [Flanagan 2005], as in [Eta 2011, 5].
 *
 * After each run its events are examined, last one first.  A race is a pair of dependent events that no third event
 * orders.  For each race a choice that reverses it is selected at the node before the earlier event.  Only selected
 * choices are explored.
 *
 *     the paper                       here
 *     execution, message sequence     a run and its events
 *     state, decision tree            node: the open choices before an event, which are selected and which are done;
 *                                     only the nodes of the current branch are kept, so memory is linear in the depth
 *     happens-before (Def. 5.3)       the past of an event: dependence.h
 *     independence (Def. 5.4)         the events do not meet: dependence.h; under mailbox two events meet in the
 *                                     mailbox that both send to, as in the paper
 *     evil ancestor (5.2)             an earlier event that is dependent and not in the past: the other event of a race
 *     good sibling (5.2)              a choice that is open before the evil ancestor: the event itself, or an event
 *                                     of its past that can come first; a choice that is already selected is preferred
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
 *   study_disabled             A choice that is open before an event and not after it is a good sibling of the event:
 *                              another value of rh_choose, a timer that was cancelled, a message that could be lost.
 *   study_holders,             With ordered time, and without pauses, the clock advances only if nobody is inside a
 *   study_setting              handler.  Whoever begins one, or asks the clock, is an evil ancestor of every advance
 *                              that could come before, whether it ever came or not.
 *   study_early_end            A finding ends its run.  What the other actors would have done is explored in a run in
 *                              which an independent actor moves first.
 *
 * dpor finds every outcome that dfs finds, and every distinct run that comes to its end.  It does not see global
 * variables that several actors use.  A run that is cut may have races after the cut, so the verdict is then
 * `sampled`. */
#include <stdio.h>
#include <string.h>

#include "explore/dpor/dependence.h"
#include "explore/engine/tree_estimate.h"
#include "explore/explorers.h"
#include "world/live.h"

enum { SELECTED = 1, DONE = 2, FATAL = 4 }; /* marks of a choice; FATAL: a run ended with it */

struct node {
    uint32_t first, count; /* of its choices in `choice` */
    uint32_t pick;
};

enum { MOST_CHOICES = 1 << 24 };

struct dpor {
    struct rh__history history;
    struct node *node;               /* node[i] is before event i + 1 */
    struct rh__level *level, *space; /* estimates over the selected and over all choices */
    struct rh_choice *choice;
    unsigned char *marks; /* one for each choice */
    uint32_t top, floor;  /* nodes; a decorator takes the choices before the floor */
    uint32_t fresh;       /* the first event that was not studied */
    bool of_all;          /* estimate all sequences of choices, not only the selected ones */
    bool started, placed, cut;
    bool diverged; /* the program did not repeat what it did after the same choices */
    bool full;     /* out of memory */
    bool over;     /* a run was not examined to its end */
    struct rh_exploration *exploration;
};

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static bool same(const struct rh_choice *a, const struct rh_choice *b)
{
    bool arg = a->kind == RH_CHOICE_TIMER || a->kind == RH_CHOICE_CRASH;
    return a->kind == b->kind && a->what == b->what && a->actor == b->actor && (!arg || a->arg == b->arg);
}

/* The index of a choice at the node; RH_NONE if it was not open. */
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
        want(d, node, i);
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
 * where there is none. */
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
        if (is_selected(d, node, at))
            return true;
        good = at;
    }
    if (good != RH_NONE)
        want(d, node, good);
    return good != RH_NONE;
}

static void want_all(struct dpor *d, uint32_t node)
{
    for (uint32_t i = 0; i < d->node[node].count; i++)
        want(d, node, i);
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
                want_all(d, before(i)); /* should not happen; selecting all is always sound */
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
            want(d, before(i), at);
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
static void study_disabled(struct dpor *d, uint32_t unit)
{
    uint32_t node = before(unit), next = d->history.step[unit].last;
    const struct node *n = &d->node[node];
    for (uint32_t i = 0; i < n->count; i++)
        if (!is_selected(d, node, i) && (next >= d->top || place_of(d, next, &d->choice[n->first + i]) == RH_NONE))
            want(d, node, i);
}

/* The clock stands still while somebody holds it, so events that begin to hold it, or ask it, do not commute with its
 * advance, even where the advance is not open because others hold it, too.  Where a timer is set already, those let go
 * first: one of their steps is selected.  (Once nobody holds it, the advance is open; then see study_disabled.) */
static void study_holders(struct dpor *d, uint32_t unit)
{
    const struct rh__clock_holders *held = &d->history.holders[unit];
    uint32_t node = before(unit), own = d->choice[d->node[node].first + d->node[node].pick].actor, good = RH_NONE;
    for (uint32_t i = 0; held->set && i < d->node[node].count; i++) {
        uint32_t actor = d->choice[d->node[node].first + i].actor;
        if (actor == RH_NONE || actor == own || !(held->some >> actor % 64 & 1))
            continue;
        if (is_selected(d, node, i))
            return;
        good = i;
    }
    if (good != RH_NONE)
        want(d, node, good);
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
            want_all(d, before(i));
    }
}

/* Whether the choice is no fault, and of an actor with which no run from this node ended. */
static bool is_bystander(const struct dpor *d, const struct rh__run *r, uint32_t node, uint32_t place)
{
    const struct node *n = &d->node[node];
    const struct rh_choice *c = &d->choice[n->first + place];
    for (uint32_t i = 0; i < n->count; i++)
        if (d->marks[n->first + i] & FATAL && d->choice[n->first + i].actor == c->actor)
            return false;
    return !rh__is_everywhere(r, c);
}

/* The run ended with this unit: select an actor that is independent of it, so that the others go on. */
static void study_early_end(struct dpor *d, const struct rh__run *r, uint32_t unit)
{
    uint32_t node = before(unit), best = RH_NONE;
    const struct node *n = &d->node[node];
    d->marks[n->first + n->pick] |= FATAL;
    for (uint32_t i = 0; i < n->count; i++)
        if (is_bystander(d, r, node, i) && (best == RH_NONE || is_selected(d, node, i)))
            best = i;
    if (best != RH_NONE)
        want(d, node, best);
    else
        want_all(d, node);
}

enum how_it_ended { AT_REST, EARLY, CUT };

static enum how_it_ended how_it_ended(const struct rh__run *r, enum rh_outcome_kind outcome)
{
    switch (outcome) {
    case RH_OUTCOME_RUNNING:
    case RH_OUTCOME_CUT:
    case RH_OUTCOME_ENDLESS_RUN:
        return CUT;
    case RH_OUTCOME_HISTORY:     /* which a run that was cut may have, too */
    case RH_OUTCOME_DEAD_LETTER: /* with granularity object; else a step has failed, and the run is over */
        if (!r->over && r->event_count > r->semantics->max_steps)
            return CUT;
        return r->over && rh__run_event(r, r->event_count - 1)->choice.kind != RH_CHOICE_END ? EARLY : AT_REST;
    case RH_OUTCOME_FINISHED:
    case RH_OUTCOME_STUCK:
    case RH_OUTCOME_MONITOR:
    case RH_OUTCOME_PROPERTY: /* an `eventually` property, unless the run is over */
        return r->over && rh__run_event(r, r->event_count - 1)->choice.kind != RH_CHOICE_END ? EARLY : AT_REST;
    default:
        return EARLY;
    }
}

static void study(struct dpor *d, const struct rh__run *r, enum how_it_ended how)
{
    uint32_t end = r->event_count, fresh = d->fresh;
    rh__history_settle(&d->history, r, fresh);
    if (fresh < end)
        fresh = d->history.step[fresh].unit;
    for (uint32_t i = end; --i >= fresh && i > d->floor && !over(d, i);) {
        if (!rh__is_unit(&d->history, i))
            continue;
        bool last = d->history.step[i].last + 1 == end;
        study_others(d, r, i);
        study_own(d, r, i);
        if (d->history.step[i].holds || d->history.step[i].asks)
            study_holders(d, i);
        if (d->history.step[i].sets)
            study_setting(d, r, i);
        if (!last || how == AT_REST)
            study_disabled(d, i);
        else if (how == EARLY)
            study_early_end(d, r, i);
    }
    study_untaken(d, r);
}

/* ---- the explorer ------------------------------------------------------------------------------------------------ */

static bool dpor_open(void *state, struct rh_exploration *x, const struct rh_arguments *a, char *error,
                      size_t error_size)
{
    struct dpor *d = state;
    size_t steps = (size_t)rh_exploration_max_steps(x) + 3;
    d->exploration = x;
    d->of_all = rh_arguments_has(a, "space");
    d->node = rh_exploration_memory(x, steps * sizeof *d->node);
    d->level = rh_exploration_memory(x, steps * sizeof *d->level);
    d->space = rh_exploration_memory(x, steps * sizeof *d->space);
    d->choice = rh_exploration_memory(x, MOST_CHOICES * sizeof *d->choice);
    d->marks = rh_exploration_memory(x, MOST_CHOICES);
    bool got = d->node && d->level && d->space && d->choice && d->marks && rh__history_open(&d->history, x);
    if (!got)
        snprintf(error, error_size, "no memory for explorer dpor");
    return got;
}

/* The next selected choice of the node; RH_NONE if all selected ones are done. */
static uint32_t next_of(struct dpor *d, uint32_t node)
{
    const struct node *n = &d->node[node];
    d->marks[n->first + n->pick] |= DONE;
    for (uint32_t i = 0; i < n->count; i++)
        if ((d->marks[n->first + i] & (SELECTED | DONE)) == SELECTED)
            return i;
    return RH_NONE;
}

static uint32_t dpor_begin(void *state, const struct rh_world *w)
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
    if (at <= d->floor || d->diverged || d->full)
        return 0;
    rh__level_back(d->level, at - 1, d->top);
    rh__level_back(d->space, at - 1, d->top);
    d->node[at - 1].pick = pick;
    d->top = d->fresh = at;
    return at; /* the beginning and the choices before this one */
}

static bool enter(struct dpor *d, const struct rh__run *r, uint32_t depth, const struct rh_choice *open, uint32_t count)
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
    if (rh__world_is_choosing(r->live))
        want_all(d, depth);
    d->top = depth + 1;
    return true;
}

static uint32_t dpor_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    struct dpor *d = state;
    const struct rh__run *r = rh__world_run(w);
    uint32_t depth = r->event_count - 1;
    count = rh__world_narrows(w, open, count);
    if (!d->placed) {
        d->placed = true;
        d->floor = d->history.floor = depth;
        d->fresh = depth + 1;
    }
    if (depth > d->floor)
        rh__history_after(&d->history, r, depth);
    const struct node *n = &d->node[depth];
    if (depth >= d->top)
        d->full |= !enter(d, r, depth, open, count);
    else
        d->diverged |= n->count != count || !same(&open[n->pick], &d->choice[n->first + n->pick]);
    if (d->full || d->diverged)
        return RH_NONE;
    rh__history_before(&d->history, r, depth + 1, open[n->pick].actor);
    return n->pick;
}

static void dpor_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    struct dpor *d = state;
    if (!d->placed || d->diverged || d->full)
        return;
    const struct rh__run *r = rh__world_run(w);
    enum how_it_ended how = how_it_ended(r, run->outcome);
    d->cut |= how == CUT;
    if (r->event_count - 1 > d->floor)
        rh__history_after(&d->history, r, r->event_count - 1);
    study(d, r, how);
    d->full |= d->history.full;
}

static enum rh_verdict dpor_verdict(const void *state)
{
    const struct dpor *d = state;
    return d->diverged || d->full || d->cut ? RH_VERDICT_SAMPLED : RH_VERDICT_EXHAUSTIVE;
}

static bool dpor_diverged(const void *state)
{
    return ((const struct dpor *)state)->diverged;
}

/* The number of runs that dpor will make, from the choices selected so far; with `space`, as in the paper (5.3, Table
 * 3), the number of runs of dfs. */
static double dpor_estimate(const void *state)
{
    const struct dpor *d = state;
    return d->started ? rh__levels_estimate(d->of_all ? d->space : d->level, d->floor, d->top) : 0;
}

static const struct rh_explorer_report dpor_report = { .verdict = dpor_verdict,
                                                       .estimate = dpor_estimate,
                                                       .diverged = dpor_diverged };
static const struct rh_argument dpor_arguments[] = {
    { .name = "space", .kind = RH_ARGUMENT_FLAG, .help = "estimate how many sequences dfs would make" },
    { .name = NULL },
};

const struct rh_explorer rh__explorer_dpor = {
    .name = "dpor",
    .summary = "every distinct run, by partial order reduction",
    .is_reduction = true,
    .state_size = sizeof(struct dpor),
    .arguments = dpor_arguments,
    .open = dpor_open,
    .begin = dpor_begin,
    .choose = dpor_choose,
    .end = dpor_end,
    .report = &dpor_report,
};
