/* See first_look.h. */
#include "runner/first_look.h"

#include <string.h>

#include "explore/engine/engine.h"

static bool is_automatic(const struct rh__session *s)
{
    return strcmp(s->plan.explorer, "auto") == 0 || strcmp(s->plan.explorer, "auto(shared)") == 0;
}

double rh__seconds_of_part(const struct rh__session *s, double most)
{
    enum { ONE_IN = 8 };
    double allowed = s->plan.limits.max_seconds;
    return allowed > 0 && allowed / ONE_IN < most ? allowed / ONE_IN : most;
}

/* A run by chance, and one that takes always the first choice: in a run like that, some timer may fire for ever.  The
 * second one is not made if the first was as long as a run may be.  False if the tool has failed. */
static bool look(struct rh__session *s, struct rh_world *w)
{
    char error[512];
    struct rh__limits limits = { .max_runs = 2,
                                 .max_all_steps = rh_world_semantics(w)->max_steps,
                                 .max_seconds = rh__seconds_of_part(s, 2),
                                 .keep_going = true,
                                 .unchecked = true };
    struct rh_exploration *x =
        rh__exploration_new(w, "portfolio(random, dfs)", rh_world_semantics(w)->seed, &limits, error, sizeof error);
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
    bool good = look(s, w);
    rh_world_free(w);
    if (s->endless)
        s->plan.explorer = strcmp(s->plan.explorer, "auto") == 0 ? "auto(grow)" : "auto(shared, grow)";
    return good;
}
