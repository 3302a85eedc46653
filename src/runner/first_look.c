/* See first_look.h. */
#include "runner/first_look.h"

#include <string.h>

#include "explore/explorers.h"

/* Steps of a search that is tried: some tens of milliseconds. */
enum { FEW_STEPS = 30000 };

static bool is_automatic(const struct rh__session *s)
{
    return strcmp(s->plan.explorer, "auto") == 0 || strcmp(s->plan.explorer, "auto(shared)") == 0;
}

/* A part of the time that the user allows is enough for what comes before the exploration. */
static double seconds_of_part(const struct rh__session *s, double most)
{
    enum { ONE_IN = 8 };
    double allowed = s->plan.limits.max_seconds;
    return allowed > 0 && allowed / ONE_IN < most ? allowed / ONE_IN : most;
}

/* One run.  False if the tool has failed. */
static bool look(struct rh__session *s, struct rh_world *w, const char *explorer)
{
    char error[512];
    struct rh__limits limits = {
        .max_runs = 1, .max_seconds = seconds_of_part(s, 2), .keep_going = true, .unchecked = true
    };
    struct rh_exploration *x =
        rh__exploration_new(w, explorer, rh_world_semantics(w)->seed, &limits, error, sizeof error);
    if (!x)
        return true;
    x->mute = true;
    bool good = rh__explore(x);
    for (uint32_t i = 0; good && i < x->results->finding_count; i++)
        if (x->results->findings[i].outcome.kind == RH_OUTCOME_ISOLATION)
            s->plan.semantics.check_isolation = true;
    s->spent += x->clock.processor_seconds;
    s->endless |= good && (x->results->count.cut || x->end.unfinished);
    rh__session_interrupted(s, x);
    rh__exploration_free(x);
    return good;
}

bool rh__first_look(struct rh__session *s)
{
    char error[512];
    if (!is_automatic(s) || s->plan.resume)
        return true;
    struct rh_semantics own = s->plan.semantics;
    own.check_isolation = true;
    struct rh_world_options options = { .test = s->plan.test,
                                        .semantics = &own,
                                        .params = s->plan.params,
                                        .param_count = s->plan.param_count,
                                        .quiet = true };
    struct rh_world *w = rh_world_new(&options, error, sizeof error);
    if (!w)
        return true; /* the session says why */
    /* dfs takes always the first choice: in a run like that, some timer may fire for ever. */
    bool good = look(s, w, "random") && (s->interrupted || look(s, w, "dfs"));
    rh_world_free(w);
    if (s->endless)
        s->plan.explorer = strcmp(s->plan.explorer, "auto") == 0 ? "auto(grow)" : "auto(shared, grow)";
    return good;
}

/* A search that is through in few steps; NULL if it is not. */
static struct rh_exploration *search(struct rh__session *s, const char *explorer, bool *good)
{
    const struct rh__limits *l = &s->plan.limits;
    struct rh__limits limits = *l;
    char error[256];
    limits.max_all_steps = l->max_all_steps && l->max_all_steps < FEW_STEPS ? l->max_all_steps : FEW_STEPS;
    limits.max_seconds = seconds_of_part(s, 10);
    struct rh_exploration *x =
        rh__exploration_new(s->world, explorer, s->plan.semantics.seed, &limits, error, sizeof error);
    if (!x)
        return NULL;
    x->mute = s->plan.mute;
    *good = rh__explore(x);
    s->spent += x->clock.processor_seconds;
    if (*good && x->end.exhausted && !x->results->finding_count && rh__exploration_verdict(x) == RH_VERDICT_EXHAUSTIVE)
        return x;
    rh__session_interrupted(s, x);
    rh__exploration_free(x);
    return NULL;
}

bool rh__few_states(struct rh__session *s, bool *good)
{
    char why[256];
    bool automatic = s->x->explorer.explorer == &rh__explorer_auto && !s->plan.checkpoint;
    bool hard = s->endless || rh__optimal_refuses(rh_world_semantics(s->world), why, sizeof why);
    *good = true;
    if (!automatic || !hard || s->x->measure || s->plan.limits.max_runs || s->plan.curves)
        return false;
    /* dpor first: its proof does not rest on fingerprints. */
    struct rh_exploration *x = s->endless ? NULL : search(s, "dpor", good);
    if (!x && *good && !s->x->end.interrupted)
        x = search(s, "stateful", good);
    if (!x)
        return false;
    x->repeats.known_to_differ = s->x->repeats.known_to_differ;
    rh__exploration_free(s->x);
    s->x = x;
    return true;
}
