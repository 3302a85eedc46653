/* dpor: dfs with dynamic partial order reduction, as in Eta 5.
 *
 * After each run its events are looked at bottom up.  Where two of them are concurrent and their order may matter, a branch
 * that has them in the other order is selected; only selected branches are visited.
 *
 *     the paper                       here
 *     execution, message sequence     a run and its events
 *     state, decision tree            node: the choices open before an event, which are selected and which are done; only
 *                                     those of the current branch are kept, so memory is linear in the depth
 *     happens-before (5.3)            the past of an event: dependence.h
 *     independence (5.4)              they meet nowhere: dependence.h; under mailbox they meet where both send to, as in
 *                                     the paper
 *     evil ancestor (5.2)             an earlier event that is not independent, and not in the past
 *     good sibling (5.2)              a choice open before the evil ancestor: the event itself, or one from its past that
 *                                     can come first; one that is selected already is preferred
 *
 * The order in which others send to a mailbox is nothing that a handler can see, so there the nearest evil ancestor is
 * enough: behind it the others become nearest in turn.  What it finds in a shared object may decide what it does next, so
 * there all of them count.
 *
 * The paper's actors take every message once, in the order of their mailbox.  Ours do not, and there is more to look at:
 *
 *   study_own, study_untaken   Two messages to one actor can be taken in either order, unless the delivery model forbids.
 *                              What the actor did when it could have taken a message instead is an evil ancestor of its
 *                              delivery, even of one that never came to be: the actor had ended, or put it off for ever.
 *   study_disabled             A choice that was open before an event and is not after it is a good sibling of that event:
 *                              another value of rh_choose, a timer that was cancelled, a message that could be lost.
 *   study_early_end            After a finding nobody goes on.  What the others would have done is looked at in a run in
 *                              which one who has nothing to do with it moves first.
 *
 * Found is every outcome of dfs, and every behaviour of runs that come to their end.  Not seen are globals that several
 * actors use.  A run that is cut has siblings that nobody knows of, so the verdict is then `sampled`. */
#include <stdio.h>
#include <string.h>

#include "explore/dependence.h"
#include "explore/estimate.h"
#include "explore/explorers.h"
#include "world/state.h"

enum { SELECTED = 1, DONE = 2, FATAL = 4 }; /* of a choice; fatal: a run ended with it */

struct node {
    uint32_t first, count; /* its choices */
    uint32_t pick;
};

enum { MOST_CHOICES = 1 << 24 };

struct dpor {
    struct rh__history history;
    struct node *node;               /* node[i] is before event i + 1 */
    struct rh__level *level, *space; /* of selected and of all choices */
    struct rh_choice *choice;
    unsigned char *marks; /* of choices */
    uint32_t top, floor;  /* nodes; choices before the floor are a decorator's */
    uint32_t fresh;       /* the first event that was not studied */
    bool of_all;          /* what is estimated: sequences of choices, visited or not */
    bool started, placed, cut;
    bool confused; /* the program did not do again what it had done */
    bool full;     /* of memory */
    bool over;     /* the study of a run was not finished */
    struct rh_exploration *exploration;
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

/* Whether the user or a limit has ended it all: then what is not studied is not known.  Asked now and then, by the number of
 * what is looked at. */
static bool over(struct dpor *d, uint32_t number)
{
    if (number % 256 == 0 && rh_exploration_is_over(d->exploration))
        d->cut = d->over = true;
    return d->over;
}

/* ---- evil ancestors and good siblings (5.2) ------------------------------------------------------------------------------ */

/* Whether nothing in the past that lies behind `evil` has to come before this. */
static bool comes_first(const struct dpor *d, uint32_t evil, uint32_t unit)
{
    for (uint32_t i = evil + 1; i < unit; i++)
        if (rh__is_unit(&d->history, i) && d->history.step[i].walk == d->history.walk &&
            rh__dependence(&d->history, i, unit) == RH__MEET)
            return false;
    return true;
}

/* A good sibling of `evil` is selected: what is in the past of this walk and lies behind `evil`, up to `last`; false where
 * there is none. */
static bool want_good_sibling(struct dpor *d, const struct rh_world *w, uint32_t evil, uint32_t last)
{
    uint32_t node = before(evil), good = RH_NONE;
    for (uint32_t i = last; i > evil && !over(d, i); i--) {
        const struct rh_choice *c = &w->events[i].choice;
        if (!rh__is_unit(&d->history, i) || d->history.step[i].walk != d->history.walk ||
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

static void want_all(struct dpor *d, uint32_t node)
{
    for (uint32_t i = 0; i < d->node[node].count; i++)
        want(d, node, i);
}

/* The ancestors on other actors. */
static void study_others(struct dpor *d, const struct rh_world *w, uint32_t unit)
{
    const struct rh_choice *c = &w->events[unit].choice;
    rh__walk_begin(&d->history);
    rh__walk_put(&d->history, unit);
    rh__walk_cause(&d->history, w, c);
    if (!d->history.step[unit].everywhere)
        rh__walk_actor(&d->history, c->actor);
    rh__question_begin(&d->history, w, unit);
    uint32_t next = rh__question_next(&d->history, unit - 1);
    for (uint32_t i = unit - 1; i > d->floor && next > d->floor && !d->history.all && !over(d, i); i--) {
        if (!rh__is_unit(&d->history, i))
            continue;
        if (rh__walk_meets(&d->history, w, i)) {
            rh__walk_follow(&d->history, w, i);
        } else {
            enum rh__dependence how = rh__dependence(&d->history, i, unit);
            if (how == RH__INDEPENDENT)
                continue;
            if (want_good_sibling(d, w, i, unit) && how == RH__MEET_BLINDLY)
                return;
            rh__walk_follow(&d->history, w, i); /* if there is no sibling, it made this unit possible */
        }
        if (i == next) {
            rh__question_pass(&d->history, w, i);
            next = rh__question_next(&d->history, i - 1);
        }
    }
}

/* The nearest event before m's arrival at which its receiver could have taken it. */
static void study_message(struct dpor *d, const struct rh_world *w, uint32_t m, uint32_t until)
{
    uint32_t arrival = rh__arrival(&d->history, w, m, until), receiver = w->messages[m].receiver;
    if (arrival == RH_NONE)
        return;
    rh__walk_begin(&d->history);
    rh__walk_put(&d->history, arrival);
    for (uint32_t i = arrival; i > d->floor && !d->history.all && !over(d, i); i--) {
        if (!rh__is_unit(&d->history, i))
            continue;
        bool at_receiver = w->events[i].choice.actor == receiver;
        if (rh__walk_meets(&d->history, w, i)) {
            if (at_receiver)
                return; /* and so are all before it */
            rh__walk_follow(&d->history, w, i);
        } else if (at_receiver && rh__could_take(&d->history, w, i, m)) {
            if (!want_good_sibling(d, w, i, arrival))
                want_all(d, before(i)); /* it should not come to this */
            return;
        }
    }
}

/* The ancestors on the same actor. */
static void study_own(struct dpor *d, const struct rh_world *w, uint32_t unit)
{
    const struct rh_choice *c = &w->events[unit].choice;
    uint32_t i = unit - 1;
    if (c->actor == RH_NONE || d->history.step[unit].everywhere)
        return;
    while (i > d->floor && (!rh__is_unit(&d->history, i) || w->events[i].choice.actor != c->actor))
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
    for (uint32_t i = 0; i < w->message_count && !over(d, i); i++)
        if (!rh__is_taken(w, i))
            study_message(d, w, i, w->event_count);
}

/* What was open before the unit and is not behind it. */
static void study_disabled(struct dpor *d, uint32_t unit)
{
    uint32_t node = before(unit), next = d->history.step[unit].last;
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
    return !rh__is_everywhere(w, c);
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

enum how_it_ended { AT_REST, EARLY, CUT };

static enum how_it_ended how_it_ended(const struct rh_world *w, enum rh_outcome_kind outcome)
{
    switch (outcome) {
    case RH_OUTCOME_RUNNING:
    case RH_OUTCOME_CUT:
    case RH_OUTCOME_ENDLESS_RUN:
        return CUT;
    case RH_OUTCOME_FINISHED:
    case RH_OUTCOME_STUCK:
    case RH_OUTCOME_MONITOR:
    case RH_OUTCOME_PROPERTY: /* `eventually`, unless the run is over */
        return w->over && w->events[w->event_count - 1].choice.kind != RH_CHOICE_END ? EARLY : AT_REST;
    default:
        return EARLY;
    }
}

static void study(struct dpor *d, const struct rh_world *w, enum how_it_ended how)
{
    uint32_t end = w->event_count, fresh = d->fresh;
    rh__history_settle(&d->history, w, fresh);
    if (fresh < end)
        fresh = d->history.step[fresh].unit;
    for (uint32_t i = end; --i >= fresh && i > d->floor && !over(d, i);) {
        if (!rh__is_unit(&d->history, i))
            continue;
        bool last = d->history.step[i].last + 1 == end;
        study_others(d, w, i);
        study_own(d, w, i);
        if (!last || how == AT_REST)
            study_disabled(d, i);
        else if (how == EARLY)
            study_early_end(d, w, i);
    }
    study_untaken(d, w);
}

/* ---- the explorer ------------------------------------------------------------------------------------------------------- */

static bool dpor_open(void *state, struct rh_exploration *x, const char *arg, char *error, size_t error_size)
{
    struct dpor *d = state;
    size_t steps = (size_t)rh_exploration_max_steps(x) + 3;
    d->exploration = x;
    d->of_all = strcmp(arg, "space") == 0;
    if (*arg && !d->of_all) {
        snprintf(error, error_size, "explorer dpor takes no argument but \"space\", not \"%s\"", arg);
        return false;
    }
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
    if (at <= d->floor || d->confused || d->full)
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
        d->floor = d->history.floor = depth;
        d->fresh = depth + 1;
    }
    if (depth > d->floor)
        rh__history_after(&d->history, w, depth);
    const struct node *n = &d->node[depth];
    if (depth >= d->top)
        d->full |= !enter(d, w, depth, open, count);
    else
        d->confused |= n->count != count || !same(&open[n->pick], &d->choice[n->first + n->pick]);
    if (d->full || d->confused)
        return RH_NONE;
    rh__history_before(&d->history, w, depth + 1, open[n->pick].actor);
    return n->pick;
}

static void dpor_end(void *state, struct rh_world *w, const struct rh_run *run)
{
    struct dpor *d = state;
    if (!d->placed || d->confused || d->full)
        return;
    enum how_it_ended how = how_it_ended(w, run->outcome);
    d->cut |= how == CUT;
    if (w->event_count - 1 > d->floor)
        rh__history_after(&d->history, w, w->event_count - 1);
    study(d, w, how);
    d->full |= d->history.full;
}

static enum rh_verdict dpor_verdict(const void *state)
{
    const struct dpor *d = state;
    return d->confused || d->full || d->cut ? RH_VERDICT_SAMPLED : RH_VERDICT_EXHAUSTIVE;
}

static bool dpor_confused(const void *state)
{
    return ((const struct dpor *)state)->confused;
}

/* Of the runs that it will make, with the children selected so far; or, as the paper does (5.3, Table 3), of the tree that it
 * makes them in. */
static double dpor_estimate(const void *state)
{
    const struct dpor *d = state;
    return d->started ? rh__levels_estimate(d->of_all ? d->space : d->level, d->floor, d->top) : 0;
}

const struct rh_explorer rh__explorer_dpor = {
    .name = "dpor",
    .summary = "every behaviour, by partial order reduction; dpor:space estimates how many sequences dfs would make",
    .reduces = true,
    .state_size = sizeof(struct dpor),
    .open = dpor_open,
    .begin = dpor_begin,
    .choose = dpor_choose,
    .end = dpor_end,
    .verdict = dpor_verdict,
    .estimate = dpor_estimate,
    .confused = dpor_confused,
};
