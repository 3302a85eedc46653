/* See forecast.h.
 *
 * A depth-first search that has not come to its end has seen one corner of the tree, which says little about the rest.
 * Samples come from all of it.  They belong to no result, and what they find is not reported: the search makes the same
 * runs in its turn. */
#include "runner/forecast.h"

#include <math.h>

#include "explore/explorers.h"

/* Steps of samples: some milliseconds, or few in comparison with a long search.  If steps are slow, the samples take a
 * second at most, or a small part of the time that the user allows. */
enum { FEW_STEPS = 10000, MANY_STEPS = 20000, ONE_IN = 20 };
/* auto makes so many steps, a first slice of each member, before it asks how many runs there are: most bugs are found
 * in fewer steps than the samples would take. */
enum { BEFORE_SAMPLES = 8000, FIRST_STEPS = 4000 };

static bool is_automatic(const struct rh__session *s)
{
    return s->x->explorer.explorer == &rh__explorer_auto;
}

static bool applies(const struct rh__session *s)
{
    const struct rh_explorer *e = s->x->explorer.explorer;
    char why[256];
    bool automatic = is_automatic(s) && !rh__optimal_refuses(rh_world_semantics(s->world), why, sizeof why);
    return (e == &rh__explorer_optimal || automatic) && !s->x->sampled.exact;
}

/* False if the tool failed. */
static bool sample(struct rh__session *s, uint64_t steps)
{
    char error[256];
    double seconds = s->plan.limits.max_seconds;
    struct rh__limits limits = {
        .max_all_steps = steps, .max_seconds = seconds > 0 ? seconds / ONE_IN : 1, .keep_going = true, .unchecked = true
    };
    struct rh_exploration *x =
        rh__exploration_new(s->world, "sample", s->plan.semantics.seed, &limits, error, sizeof error);
    struct rh__size size;
    if (!x)
        return true;
    x->mute = true;
    bool good = rh__explore(x);
    s->spent += x->clock.processor_seconds;
    rh__sample_result(x->explorer.state, x->results->distinct.count, &size);
    if (good && !x->results->diverged && !x->results->count.cut && isfinite(size.estimate))
        s->x->sampled = (struct rh__sampled){ size.estimate, size.exact };
    rh__session_interrupted(s, x);
    rh__exploration_free(x);
    return good;
}

/* The members of auto go on where they were only in one process; workers have the samples before. */
static bool is_alone(const struct rh__session *s)
{
    return s->plan.workers <= 1 && !s->plan.checkpoint && !s->plan.cluster;
}

bool rh__forecast_before(struct rh__session *s)
{
    if (!applies(s) || (is_automatic(s) ? is_alone(s) : !s->plan.progress))
        return true;
    return sample(s, is_automatic(s) ? FIRST_STEPS : MANY_STEPS);
}

bool rh__forecast_within(struct rh__session *s)
{
    struct rh_exploration *x = s->x;
    if (!is_automatic(s) || !applies(s))
        return rh__explore(x);
    x->limits.pause = BEFORE_SAMPLES;
    bool good = rh__explore(x);
    x->limits.pause = 0;
    if (!good || !x->end.paused)
        return good;
    double before = s->spent;
    good = sample(s, FIRST_STEPS);
    x->clock.meter->before += s->spent - before;
    return good && rh__explore(x);
}

bool rh__forecast_after(struct rh__session *s)
{
    const struct rh_exploration *x = s->x;
    uint64_t steps = x->results->count.steps;
    bool found_it = x->results->finding_count && !x->limits.keep_going;
    if (!applies(s) || x->end.exhausted || x->end.interrupted || x->end.dies_in_body || x->results->diverged ||
        found_it)
        return true;
    return sample(s, (steps < FEW_STEPS ? FEW_STEPS : steps < MANY_STEPS ? steps : MANY_STEPS) + steps / ONE_IN);
}
