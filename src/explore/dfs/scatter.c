/* scatter: every sequence of choices, once, in random order [Eta 2011, 4].  After each run the next one begins at a
 * choice that is drawn among all untried ones of the tree, and goes on with random choices.  So the runs so far come
 * from all parts of the tree, where dfs knows one corner of it; the estimate of the number of all runs is steadier
 * (Figures 2 and 3 of the paper, bench/eta_figures.c).
 *
 * The price is the paper's: the whole tree is in memory, about 32 bytes for each child of a state that was visited.
 *
 *     decision tree     node: a choice of the tree, once the state before it was visited; the root is the beginning
 *     seeds             `seed`: the nodes that no run has gone through
 *     the estimate      of a node: the mean estimate of the visited children, times the number of all children
 *
 * An item has no place here: untried choices of one tree need the tree.  So there is no -j, and no checkpoint. */
#include <stdio.h>

#include "base/random.h"
#include "explore/explorers.h"
#include "world/live.h"

enum { MOST_NODES = 1 << 24 };

struct node {
    uint32_t parent, first, count; /* its children are first .. first + count - 1; count 0: a leaf, or not visited */
    uint32_t tried;                /* children that runs have gone through */
    uint32_t seed;                 /* its place among the seeds; RH_NONE: a run has gone through it */
    double sum, estimate;          /* of the tried children; of the runs through it */
};

struct scatter {
    struct node *node;
    uint32_t *seed, *path; /* path[i] is the node of choice i of the run */
    uint32_t nodes, seeds;
    uint32_t top;         /* choices of the run so far, and before it is there, those that lead to the seed */
    uint32_t room, floor; /* a decorator takes the choices before the floor */
    uint64_t random;
    bool started, placed, diverged, full;
};

static bool scatter_open(void *state, struct rh_exploration *x, const struct rh_arguments *a, char *error,
                         size_t error_size)
{
    (void)a;
    struct scatter *s = state;
    s->room = rh_exploration_max_steps(x) + 2;
    s->node = rh_exploration_memory(x, (size_t)MOST_NODES * sizeof *s->node);
    s->seed = rh_exploration_memory(x, (size_t)MOST_NODES * sizeof *s->seed);
    s->path = rh_exploration_memory(x, (size_t)s->room * sizeof *s->path);
    if (!s->node || !s->seed || !s->path) {
        snprintf(error, error_size, "no memory for explorer scatter");
        return false;
    }
    s->random = rh__random_seed(rh_exploration_seed(x), 0x5ca77e);
    s->nodes = 1;
    s->node[0] = (struct node){ .parent = RH_NONE, .seed = RH_NONE };
    return true;
}

/* ---- the tree ---------------------------------------------------------------------------------------------------- */

static uint32_t node_before(const struct scatter *s, uint32_t choice)
{
    return choice ? s->path[choice - 1] : 0;
}

/* The state after this node has so many choices.  False if memory is short. */
static bool add_children(struct scatter *s, uint32_t of, uint32_t count)
{
    if (count > MOST_NODES - s->nodes)
        return false;
    s->node[of].first = s->nodes;
    s->node[of].count = count;
    for (uint32_t i = 0; i < count; i++) {
        s->node[s->nodes] = (struct node){ .parent = of, .seed = s->seeds };
        s->seed[s->seeds++] = s->nodes++;
    }
    return true;
}

static void no_seed_any_more(struct scatter *s, uint32_t node)
{
    uint32_t place = s->node[node].seed, last;
    if (place == RH_NONE)
        return;
    last = s->seed[--s->seeds];
    s->seed[place] = last;
    s->node[last].seed = place;
    s->node[node].seed = RH_NONE;
}

/* The run through path[0 .. top - 1] has ended: from its end up, each node gets a new estimate. */
static void estimate_again(struct scatter *s)
{
    double estimate = 1;
    for (uint32_t i = s->top;; i--) {
        struct node *n = &s->node[node_before(s, i)];
        if (n->count)
            estimate = n->tried == n->count ? n->sum : n->sum / n->tried * n->count;
        double before = n->estimate;
        n->estimate = estimate;
        if (n->parent == RH_NONE)
            return;
        struct node *above = &s->node[n->parent];
        above->tried += before == 0;
        above->sum += estimate - before;
    }
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

static uint32_t depth_of(const struct scatter *s, uint32_t node)
{
    uint32_t depth = 0;
    for (; s->node[node].parent != RH_NONE; node = s->node[node].parent)
        depth++;
    return depth;
}

static uint32_t scatter_begin(void *state, const struct rh_world *w)
{
    (void)w;
    struct scatter *s = state;
    if (!s->started) {
        s->started = true;
        return 1;
    }
    if (!s->seeds || s->diverged || s->full)
        return 0;
    uint32_t node = s->seed[rh__random_below(&s->random, s->seeds)], depth = depth_of(s, node), kept = 0;
    no_seed_any_more(s, node);
    uint32_t planned = depth;
    for (; depth; depth--, node = s->node[node].parent) {
        if (depth <= s->top && s->path[depth - 1] == node) {
            kept = depth;
            break;
        }
        s->path[depth - 1] = node;
    }
    s->top = planned;
    return s->floor + kept + 1;
}

static uint32_t scatter_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    (void)open;
    struct scatter *s = state;
    uint32_t events = rh__depth(w) - 1;
    if (!s->placed) {
        s->placed = true;
        s->floor = events;
    }
    uint32_t at = events - s->floor, before = node_before(s, at);
    if (at >= s->top && !s->node[before].count)
        s->full |= !add_children(s, before, count);
    if (s->full || s->node[before].count != count) {
        s->diverged |= !s->full; /* the program is not deterministic: the counts would be wrong */
        return RH_NONE;
    }
    if (at >= s->top) {
        s->path[at] = s->node[before].first + rh__random_below(&s->random, count);
        s->top = at + 1;
        no_seed_any_more(s, s->path[at]);
    }
    return s->path[at] - s->node[before].first;
}

static void scatter_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    (void)w, (void)run;
    struct scatter *s = state;
    if (!s->full && !s->diverged)
        estimate_again(s);
}

static bool scatter_diverged(const void *state)
{
    return ((const struct scatter *)state)->diverged;
}

static enum rh_verdict scatter_verdict(const void *state)
{
    const struct scatter *s = state;
    return s->diverged || s->full ? RH_VERDICT_SAMPLED : RH_VERDICT_EXHAUSTIVE;
}

static double scatter_estimate(const void *state)
{
    return ((const struct scatter *)state)->node[0].estimate;
}

static void scatter_notes(const void *state, char *buffer, size_t size)
{
    const struct scatter *s = state;
    *buffer = 0;
    if (s->full)
        snprintf(buffer, size, "scatter has no room for more than %u choices of the tree; dfs needs none", MOST_NODES);
}

static const struct rh_explorer_report scatter_report = {
    .verdict = scatter_verdict, .estimate = scatter_estimate, .notes = scatter_notes, .diverged = scatter_diverged
};

const struct rh_explorer rh__explorer_scatter = {
    .name = "scatter",
    .summary = "every sequence of choices, in random order; the tree is in memory",
    .state_size = sizeof(struct scatter),
    .open = scatter_open,
    .begin = scatter_begin,
    .choose = scatter_choose,
    .end = scatter_end,
    .report = &scatter_report,
};
