/* See beside.h. */
#include "runner/beside.h"

#include <stdio.h>
#include <string.h>

#include "explore/explorers.h"
#include "report/result.h"
#include "runner/first_look.h"

/* Steps count events that a run keeps from the run before, which cost next to nothing: of them stateful makes ten times
 * as many a second as auto. */
enum {
    FEW_STEPS = 30000,    /* of the first slice of a search: some tens of milliseconds */
    FIRST_SLICE = 100000, /* of auto; each slice is as long as all before it */
    TIMES = 5,            /* steps of the search for each step of auto: about as long again by half */
    ONLY_SECONDS = 10,    /* of the first slice */
};
static const char *const over_states = "stateful(kb=131072, fits)";

/* True if the search has visited everything that auto could find. */
static bool is_through(const struct rh_exploration *x)
{
    return x->end.exhausted && !x->results->count.cut && rh__exploration_verdict(x) != RH_VERDICT_SAMPLED &&
           (!x->results->finding_count || x->limits.keep_going);
}

/* The exploration of the session is over: nothing is to be added. */
static bool is_over(const struct rh_exploration *x)
{
    return x->end.interrupted || (x->results->finding_count && !x->limits.keep_going) ||
           rh__exploration_verdict(x) != RH_VERDICT_SAMPLED;
}

/* What it has found is the session's. */
static void drop(struct rh__session *s)
{
    struct rh_exploration *x = s->search, *mine = s->x;
    if (x->end.interrupted) {
        rh__session_interrupted(s, x);
    } else if (x->results->finding_count) {
        if (rh__results_add(mine->results, x->results))
            rh__distinct_settle(&mine->results->distinct);
        mine->end.stopped |= !mine->limits.keep_going;
    }
    rh__exploration_free(x);
    s->search = NULL;
}

static void take_over(struct rh__session *s)
{
    struct rh_exploration *x = s->search;
    x->end.interrupted = s->x->end.interrupted;
    x->clock.seconds += s->x->clock.seconds;
    rh__exploration_free(s->x);
    s->x = x;
    s->search = NULL;
}

static bool open_search(struct rh__session *s, const char *explorer)
{
    char error[256];
    struct rh__limits limits = s->plan.limits;
    limits.max_all_steps = 0;
    s->search = rh__exploration_new(s->world, explorer, s->plan.semantics.seed, &limits, error, sizeof error);
    if (!s->search)
        return false;
    s->search->mute = s->plan.mute;
    s->search->repeats.known_to_differ = s->x->repeats.known_to_differ;
    return true;
}

/* Goes on until the search has made so many steps, or for so many seconds.  After that there is no search if it is
 * over.  False if the tool failed. */
static bool go_on(struct rh__session *s, uint64_t steps, double seconds)
{
    struct rh_exploration *x = s->search;
    double before = x->clock.processor_seconds;
    x->limits.pause = steps;
    x->limits.max_seconds = seconds > 0 ? before + seconds : 0;
    bool good = rh__explore(x);
    s->x->clock.meter->before += x->clock.processor_seconds - before;
    if (good && is_through(x))
        take_over(s);
    else if (!x->end.paused || x->results->count.cut)
        drop(s);
    return good;
}

/* A search that is over after few steps, or goes on later.  True if it has ended the exploration of the session. */
static bool try(struct rh__session *s, const char *explorer, bool *good)
{
    uint64_t most = s->plan.limits.max_all_steps;
    const struct rh_exploration *before = s->x;
    if (!open_search(s, explorer))
        return false;
    *good = go_on(s, most && most < FEW_STEPS ? most : FEW_STEPS, rh__seconds_of_part(s, ONLY_SECONDS));
    return s->x != before || s->x->end.stopped || s->x->end.interrupted;
}

bool rh__search_begin(struct rh__session *s, bool *good)
{
    char why[256];
    bool automatic = s->x->explorer.explorer == &rh__explorer_auto && !s->plan.checkpoint && !s->plan.cluster;
    bool hard = s->endless || rh__optimal_refuses(rh_world_semantics(s->world), why, sizeof why);
    *good = true;
    if (!automatic || !hard || s->x->measure || s->plan.limits.max_runs || s->plan.curves)
        return false;
    /* dpor first: its proof does not rest on fingerprints. */
    if (!s->endless && try(s, "dpor", good))
        return true;
    if (s->search)
        drop(s);
    return *good && try(s, over_states, good);
}

/* ---- slices ------------------------------------------------------------------------------------------------------ */

static void say_how_far(struct rh__session *s)
{
    const struct rh__counts *c = &s->search->results->count;
    snprintf(s->x->beside, sizeof s->x->beside,
             "beside these runs, stateful made %s steps of a search over states, which found nothing and was not "
             "through",
             rh__grouped(c->steps));
}

/* A slice of the search, as long as auto's runs so far allow. */
static bool take_turn(struct rh__session *s, double seconds)
{
    uint64_t steps = s->x->results->count.steps * TIMES;
    const struct rh_exploration *before = s->x;
    if (steps <= s->search->results->count.steps)
        return true;
    if (!go_on(s, steps, seconds))
        return false;
    if (s->search)
        say_how_far(s);
    else if (s->x == before)
        s->x->beside[0] = 0;
    return true;
}

/* Of the processor time that the user allows; 0: there is no limit. */
static double seconds_left(const struct rh__session *s)
{
    enum { LEAST = 1 }; /* of a thousandth */
    double allowed = s->plan.limits.max_seconds, left = allowed - rh__meter_seconds(s->x->clock.meter);
    return allowed <= 0 ? 0 : left > 1e-3 * LEAST ? left : 1e-3 * LEAST;
}

bool rh__search_beside(struct rh__session *s)
{
    bool good = true;
    for (bool paused = true; good && paused && s->search;) {
        struct rh_exploration *x = s->x;
        uint64_t steps = x->results->count.steps;
        x->limits.pause = steps + (steps < FIRST_SLICE ? FIRST_SLICE : steps);
        good = rh__explore(x);
        paused = x->end.paused;
        if (good && !is_over(x))
            good = take_turn(s, seconds_left(s));
        paused &= s->x == x && !x->end.stopped;
        x = s->x;
        x->limits.pause = 0;
        if (good && paused && !s->search)
            good = rh__explore(x); /* alone */
    }
    return good;
}

bool rh__search_after(struct rh__session *s)
{
    return !s->search || is_over(s->x) || take_turn(s, rh__seconds_of_part(s, s->plan.limits.max_seconds));
}
