/* whole(EXPLORER): in half of the runs, handlers are not interrupted.
 *
 * Under granularity object a handler stops before each operation on an object, where other actors may go on, and where
 * it may crash.  Some bugs need that, and some are found sooner because it makes actors slower and faster; others are
 * found ten times as late, because most crashes come between two operations (bench/results, auto).  So in half of the
 * runs an actor that has begun goes on until it waits or its handler ends.  The other half are EXPLORER's own: each
 * open choice keeps a positive probability. */
#include "base/random.h"
#include "explore/explorers.h"
#include "explore/samplers/around.h"
#include "run/run.h"
#include "world/live.h"

enum { MOST_IN_A_ROW = 100 /* an actor may yield for ever */ };

struct whole {
    struct rh__around around;
    bool now;        /* the run under way has whole handlers */
    uint32_t forced; /* steps in a row */
};

static bool whole_open(void *state, struct rh_exploration *x, const struct rh_arguments *a, char *error,
                       size_t error_size)
{
    struct whole *o = state;
    return rh__around_open(&o->around, x, a, "swarm", RH__AROUND_WHOLE, error, error_size);
}

static uint32_t whole_begin(void *state, const struct rh_world *w)
{
    struct whole *o = state;
    uint32_t keep = rh_inner_begin(&o->around.inner, w);
    if (keep) {
        o->now = rh__random_below(&o->around.random, 2) != 0;
        o->forced = 0;
    }
    return keep;
}

static uint32_t whole_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    struct whole *o = state;
    const struct rh__run *r = rh__world_run(w);
    uint32_t last = r->event_count > 1 ? rh__run_choice(r, r->event_count - 1)->actor : RH_NONE;
    for (uint32_t i = 0; o->now && o->forced < MOST_IN_A_ROW && i < count; i++)
        if (open[i].kind == RH_CHOICE_RESUME && open[i].actor == last) {
            o->forced++;
            return i;
        }
    o->forced = 0;
    return rh_inner_choose(&o->around.inner, w, open, count);
}

static const struct rh_argument whole_arguments[] = {
    { .name = "explorer", .kind = RH_ARGUMENT_EXPLORER, .help = "a sampler; default swarm" },
    { .name = NULL },
};

const struct rh_explorer rh__explorer_whole = {
    .name = "whole",
    .summary = "as EXPLORER (swarm) wants, but in half of the runs handlers are not interrupted",
    .state_size = sizeof(struct whole),
    .arguments = whole_arguments,
    .prefers_object = true,
    .resets_only = true,
    .open = whole_open,
    .begin = whole_begin,
    .choose = whole_choose,
    .share = &rh__around_share,
    .decorator = &rh_only_decorator,
};
