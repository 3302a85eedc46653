/* dfs: every sequence of choices, once (Eta 3).  Of the decision tree only the current branch is kept, so memory is linear
 * in the depth; the next run keeps what it shares with the last.
 *
 * The estimate is the number of runs so far divided by the share of the tree that lies behind them, if at every branching
 * all subtrees weighed the same; at the end that share is one and the estimate exact. */
#include <stdio.h>

#include "explore/estimate.h"
#include "explore/explorers.h"

struct dfs {
    struct rh__level *path; /* at each, child number `done` is under way */
    uint32_t top;
    uint32_t floor; /* choices before this one are not ours: a decorator takes them */
    bool started, placed, confused;
};

static bool dfs_open(void *state, struct rh_exploration *x, const char *arg, char *error, size_t error_size)
{
    struct dfs *d = state;
    if (*arg) {
        snprintf(error, error_size, "explorer dfs takes no argument (\"%s\")", arg);
        return false;
    }
    d->path = rh_exploration_memory(x, ((size_t)rh_exploration_max_steps(x) + 2) * sizeof *d->path);
    if (!d->path)
        snprintf(error, error_size, "no memory for explorer dfs");
    return d->path != NULL;
}

static uint32_t dfs_begin(void *state, struct rh_world *w)
{
    (void)w;
    struct dfs *d = state;
    if (!d->started) {
        d->started = true;
        return 1;
    }
    uint32_t at = d->top;
    while (at > d->floor && d->path[at - 1].done + 1 == d->path[at - 1].children)
        at--;
    if (at <= d->floor || d->confused)
        return 0;
    rh__level_back(d->path, at - 1, d->top);
    d->top = at;
    return d->top; /* the beginning and the choices before this one */
}

static uint32_t dfs_choose(void *state, struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    (void)open;
    struct dfs *d = state;
    uint32_t depth = rh__depth(w) - 1;
    if (!d->placed) {
        d->placed = true;
        d->floor = depth;
    }
    if (depth >= d->top) {
        rh__level_enter(&d->path[depth], count);
        d->top = depth + 1;
    } else if (d->path[depth].children != count) {
        d->confused = true; /* the program is not deterministic: counting on would be wrong */
        return RH_NONE;
    }
    return d->path[depth].done;
}

static enum rh_verdict dfs_verdict(const void *state)
{
    return ((const struct dfs *)state)->confused ? RH_VERDICT_SAMPLED : RH_VERDICT_EXHAUSTIVE;
}

static double dfs_estimate(const void *state)
{
    const struct dfs *d = state;
    return d->started ? rh__levels_estimate(d->path, d->floor, d->top) : 0;
}

const struct rh_explorer rh__explorer_dfs = {
    .name = "dfs",
    .summary = "every sequence of choices",
    .state_size = sizeof(struct dfs),
    .open = dfs_open,
    .begin = dfs_begin,
    .choose = dfs_choose,
    .verdict = dfs_verdict,
    .estimate = dfs_estimate,
};
