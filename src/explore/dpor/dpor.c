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
 *                                     of its past that can come first; the last one at the node (races.c)
 *     master and workers (6)          items of work, which workers explore with their reduction (items.c)
 *     -                               choices that are left out because actors are alike (images.c)
 *
 * dpor finds every outcome that dfs finds, and every distinct run that comes to its end.  It does not see global
 * variables that several actors use.  A run that is cut may have races after the cut, so the verdict is then
 * `sampled`. */
#include <stdio.h>
#include <string.h>

#include "explore/dpor/dpor.h"
#include "explore/exchange.h"
#include "explore/explorers.h"
#include "world/live.h"

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static bool same(const struct rh_choice *a, const struct rh_choice *b)
{
    bool arg = a->kind == RH_CHOICE_TIMER || a->kind == RH_CHOICE_CRASH;
    return a->kind == b->kind && a->what == b->what && a->actor == b->actor && (!arg || a->arg == b->arg);
}

uint32_t rh__dpor_place_of(const struct dpor *d, uint32_t node, const struct rh_choice *c)
{
    const struct node *n = &d->node[node];
    for (uint32_t i = 0; i < n->count; i++)
        if (same(&d->choice[n->first + i], c))
            return i;
    return RH_NONE;
}

void rh__dpor_mark(struct dpor *d, uint32_t node, uint32_t place)
{
    unsigned char *marks = &d->marks[d->node[node].first + place];
    if (*marks & SELECTED)
        return;
    *marks |= SELECTED;
    if (node < d->shared) {
        *marks |= CLAIMED;
        d->claims++;
    } else {
        *marks |= UNTRIED;
        d->level[node].children++;
    }
}

/* ---- the explorer ------------------------------------------------------------------------------------------------ */

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

static bool dpor_open(void *state, struct rh_exploration *x, const struct rh_arguments *a, char *error,
                      size_t error_size)
{
    struct dpor *d = state;
    size_t steps = (size_t)rh_exploration_max_steps(x) + 3;
    d->exploration = x;
    d->steps = (uint32_t)steps;
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

bool rh__dpor_exchanges(void *state, struct rh__exchange *e)
{
    struct dpor *d = state;
    struct dpor_images *s = &d->images;
    s->class_of = rh_exploration_memory(d->exploration, e->most);
    s->ordinal = rh_exploration_memory(d->exploration, d->steps * sizeof *s->ordinal);
    s->left_out = rh_exploration_memory(d->exploration, d->steps * sizeof *s->left_out);
    s->first = rh_exploration_memory(d->exploration, MOST_CHOICES * sizeof *s->first);
    s->rule = e;
    return s->class_of && s->ordinal && s->left_out && s->first;
}

/* The first untried choice of the node; RH_NONE if all are tried. */
static uint32_t untried_of(const struct dpor *d, uint32_t node)
{
    const struct node *n = &d->node[node];
    for (uint32_t i = 0; i < n->count; i++)
        if (d->marks[n->first + i] & UNTRIED)
            return i;
    return RH_NONE;
}

static void pick(struct dpor *d, uint32_t node, uint32_t place)
{
    d->node[node].pick = place;
    d->marks[d->node[node].first + place] &= (unsigned char)~UNTRIED;
}

static uint32_t dpor_begin(void *state, const struct rh_world *w)
{
    (void)w;
    struct dpor *d = state;
    if (d->whole) {
        d->whole = false;
        return 1;
    }
    uint32_t at = d->top, next = RH_NONE;
    while (at > d->floor && (next = untried_of(d, at - 1)) == RH_NONE)
        at--;
    if (at <= d->floor || d->diverged || d->full)
        return 0;
    if (!d->moved) {
        rh__level_back(d->level, at - 1, d->top);
        rh__level_back(d->space, at - 1, d->top);
    }
    pick(d, at - 1, next);
    d->top = d->fresh = at;
    return d->moved ? 1 : at; /* the beginning and the choices before this one; the world holds none of an item */
}

static bool enter(struct dpor *d, const struct rh__run *r, uint32_t depth, const struct rh_choice *open, uint32_t count)
{
    uint32_t first = depth > d->floor ? d->node[depth - 1].first + d->node[depth - 1].count : 0;
    if (count > MOST_CHOICES - first)
        return false;
    d->node[depth] = (struct node){ first, count, 0, 0 };
    memcpy(d->choice + first, open, count * sizeof *open);
    memset(d->marks + first, 0, count);
    rh__level_enter(&d->level[depth], 0);
    rh__level_enter(&d->space[depth], count);
    rh__dpor_mark(d, depth, 0);
    for (uint32_t i = 0; i < count && rh__world_is_choosing(r->live); i++)
        rh__dpor_mark(d, depth, i);
    pick(d, depth, 0);
    d->top = depth + 1;
    return true;
}

/* Fills a node that comes from an item.  False if it is another one: the same picks led elsewhere. */
static bool fill(struct dpor *d, uint32_t depth, const struct rh_choice *open, uint32_t count)
{
    const struct node *n = &d->node[depth];
    if (n->count != count || (depth + 1 < d->bare && n->taken != rh__dpor_taken(&open[n->pick])))
        return false;
    memcpy(d->choice + n->first, open, count * sizeof *open);
    if (depth + 1 == d->bare)
        d->bare = 0;
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
    if (depth < d->bare)
        d->diverged |= !fill(d, depth, open, count);
    else if (depth >= d->top)
        d->full |= !enter(d, r, depth, open, count);
    else
        d->diverged |= n->count != count || !same(&open[n->pick], &d->choice[n->first + n->pick]);
    if (d->full || d->diverged)
        return RH_NONE;
    d->moved = d->moved && depth + 2 < d->top;
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
    rh__dpor_study(d, r, how);
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
    return d->top > d->floor ? rh__levels_estimate(d->of_all ? d->space : d->level, d->floor, d->top) : 0;
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
    .share = &rh__dpor_share,
};
