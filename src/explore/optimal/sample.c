/* sample: random parts of the search tree of optimal, which sample distinct runs and estimate their number
 * (sampler.c).  It ends when a part was the whole tree. */
#include <math.h>
#include <stdio.h>

#include "explore/explorers.h"
#include "explore/optimal/sampler.h"

static bool sample_open(void *state, struct rh_exploration *x, const struct rh_arguments *a, char *error,
                        size_t error_size)
{
    struct sampler *s = state;
    s->search.sampler = s;
    if (!rh__optimal_open(&s->search, x, a, error, error_size))
        return false;
    if (rh__sampler_open(s, x))
        return true;
    snprintf(error, error_size, "no memory for explorer sample");
    return false;
}

static uint32_t sample_begin(void *state, const struct rh_world *w)
{
    struct sampler *s = state;
    struct optimal *o = &s->search;
    struct optimal_graph *g = &o->graph;
    rh__graph_look(g, w);
    if (o->diverged || o->full)
        return 0;
    if (g->level_count && (o->on_way || o->failed)) {
        o->on_way = o->failed = false;
        return rh__graph_common(g);
    }
    for (; g->level_count; rh__graph_pop(g)) {
        uint32_t stamp = rh__optimal_last_with_options(g);
        if (stamp == RH_NONE)
            continue;
        rh__sampler_next_child(s, rh__graph_top(g)->first + stamp);
        return rh__optimal_take_option(o, stamp);
    }
    if (s->frame_count)
        rh__sampler_end_tour(s);
    if (s->exact)
        return 0;
    o->on_way = o->failed = false;
    rh__sampler_begin_tour(s);
    rh__graph_begin(g, w);
    return 1;
}

/* The interval is computed for the logarithm of the mean, which is less skewed than the mean.  It always contains the
 * number of distinct runs that were seen.
 *
 * Estimates of tours have a long tail: as long as a rare and large subtree was not met, the mean and the variance are
 * too low.  Hence the variance is that of one tour more, whose estimate is twice the mean, and the interval is wider
 * above than below, the more so the fewer tours there are.  The factors are measured (tests/explore/estimate.c): with
 * them the interval contained the number in 95 % of the estimates over generated programs, with faults and without,
 * with few and with many runs.  That is an average over programs. */
static void find_interval(const struct sampler *s, double estimate_of_tour, double seen, struct rh__size *size)
{
    bool under_way = s->frame_count && s->found;
    double aim = under_way ? s->aim : 0, square = aim * aim, x = under_way ? estimate_of_tour : 0;
    double n = (double)s->count + under_way, weights = s->weights + aim;
    double mean = weights > 0 ? (s->weighted + aim * x) / weights : 0;
    size->estimate = size->low = size->high = fmax(mean, seen);
    if (!(mean > 0))
        return;
    double squares = (s->squares[2] + square * x * x) - 2 * mean * (s->squares[1] + square * x) +
                     mean * mean * (s->squares[0] + square);
    double variance = n > 1 ? squares / (weights * weights) * n / (n - 1) : 0;
    double deviation = sqrt(log(1 + fmax(0, variance / (mean * mean)) + 1 / (n * n)));
    double down = 2.5, up = 4.5 + 200 / n;
    size->low = fmax(mean * exp(-down * deviation), seen);
    size->high *= exp(up * deviation);
}

void rh__sample_result(const void *state, uint64_t seen, struct rh__size *size)
{
    const struct sampler *s = state;
    *size = (struct rh__size){ .samples = s->leaves, .exact = s->exact };
    if (s->exact)
        size->estimate = size->low = size->high = s->exactly;
    else if (!s->leaves)
        size->estimate = size->high = INFINITY; /* nothing is known */
    else
        find_interval(s, s->frame_count ? rh__sampler_estimate_tour(s) : 0, (double)seen, size);
}

void rh__sample_was_cut(struct rh__size *size, uint64_t seen)
{
    size->cut = true;
    size->exact = false;
    size->low = (double)seen;
    size->high = INFINITY;
}

static double sample_estimate(const void *state)
{
    struct rh__size size;
    rh__sample_result(state, 0, &size);
    return size.estimate;
}

static bool sample_diverged(const void *state)
{
    return ((const struct sampler *)state)->search.diverged;
}

static const struct rh_explorer_report sample_report = { .estimate = sample_estimate, .diverged = sample_diverged };

const struct rh_explorer rh__explorer_sample = {
    .name = "sample",
    .summary = "random parts of the tree of optimal; estimates the number of distinct runs",
    .state_size = sizeof(struct sampler),
    .arguments = rh__optimal_arguments,
    .needs_object_granularity = true,
    .needs_beginning = true,
    .open = sample_open,
    .begin = sample_begin,
    .choose = rh__optimal_choose,
    .end = rh__optimal_end,
    .report = &sample_report,
};
