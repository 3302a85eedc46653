/* dfs: every sequence of choices, once (Eta 3).  Of the decision tree only the current branch is kept, so memory is linear
 * in the depth; the next run keeps what it shares with the last.
 *
 * The estimate is the number of runs so far divided by the share of the tree that lies behind them, if at every branching
 * all subtrees weighed the same; at the end that share is one and the estimate exact. */
#include <stdio.h>

#include "explore/explorers.h"

struct branch {
    uint32_t pick, size;
};

struct dfs {
    struct branch *path;
    uint32_t top;
    uint32_t floor; /* choices before this one are not ours: a decorator takes them */
    bool started, placed, confused;
    uint64_t runs;
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
    while (d->top > d->floor && d->path[d->top - 1].pick + 1 == d->path[d->top - 1].size)
        d->top--;
    if (d->top <= d->floor || d->confused)
        return 0;
    d->path[d->top - 1].pick++;
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
        d->path[depth] = (struct branch){ 0, count };
        d->top = depth + 1;
    } else if (d->path[depth].size != count) {
        d->confused = true; /* the program is not deterministic: counting on would be wrong */
        return RH_NONE;
    }
    return d->path[depth].pick;
}

static void dfs_end(void *state, struct rh_world *w, const struct rh_run *run)
{
    (void)w, (void)run;
    ((struct dfs *)state)->runs++;
}

static enum rh_verdict dfs_verdict(const void *state)
{
    return ((const struct dfs *)state)->confused ? RH_VERDICT_SAMPLED : RH_VERDICT_EXHAUSTIVE;
}

static double dfs_estimate(const void *state)
{
    const struct dfs *d = state;
    double behind = 0, weight = 1;
    for (uint32_t i = d->floor; i < d->top && weight > 1e-300; i++) {
        weight /= d->path[i].size;
        behind += weight * d->path[i].pick;
    }
    behind += weight; /* the run that ended last */
    return (double)d->runs / behind;
}

const struct rh_explorer rh__explorer_dfs = {
    .name = "dfs",
    .summary = "every sequence of choices",
    .state_size = sizeof(struct dfs),
    .open = dfs_open,
    .begin = dfs_begin,
    .choose = dfs_choose,
    .end = dfs_end,
    .verdict = dfs_verdict,
    .estimate = dfs_estimate,
};
