/* weighted and swarm: a class of choices first, then a choice of that class; faults are spread over the run
 * (classes.h).
 *
 * swarm varies this from run to run: weights, budgets that are not used, and channels, senders or receivers of
 * different speeds. */
#include "base/random.h"
#include "explore/explorers.h"
#include "explore/samplers/classes.h"
#include "explore/samplers/stream.h"

struct weighted {
    struct rh__stream stream; /* `learned` is the length of runs */
    bool swarm;
    struct rh__classes classes;
    enum rh__speeds speeds;    /* of the run under way */
    const struct rh__run *run; /* it */
};

static uint32_t weighted_begin(void *state, const struct rh_world *w)
{
    struct weighted *x = state;
    uint64_t seed = rh__random_next(&x->stream.next);
    rh__classes_begin(&x->classes, rh_world_semantics(w), seed, x->stream.learned, x->swarm);
    x->speeds = x->swarm ? rh__random_below(&x->classes.random, RH__SPEED_KINDS) : RH__SPEED_NONE;
    return x->stream.active;
}

static void weighted_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    struct weighted *x = state;
    (void)w;
    x->stream.learned = rh__classes_learn(x->stream.learned, run);
}

static uint64_t speed_of(const void *state, const struct rh_world *w, const struct rh_choice *c)
{
    const struct weighted *x = state;
    (void)w;
    return rh__speed_of(x->speeds, x->classes.seed, x->run, c);
}

static uint32_t weighted_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    struct weighted *x = state;
    if (x->speeds == RH__SPEED_NONE)
        return rh__classes_choose(&x->classes, w, open, count, NULL);
    x->run = rh__world_run(w);
    return rh__classes_choose(&x->classes, w, open, count, &(struct rh__factors){ speed_of, x, 1, false });
}

/* ---- the tables -------------------------------------------------------------------------------------------------- */

static bool weighted_open(void *state, struct rh_exploration *x, const struct rh_arguments *a, char *error,
                          size_t error_size)
{
    (void)error, (void)error_size;
    rh__stream_open(state, x, RH__STREAM_WEIGHTED);
    rh__classes_open(&((struct weighted *)state)->classes, a);
    return true;
}

static bool swarm_open(void *state, struct rh_exploration *x, const struct rh_arguments *a, char *error,
                       size_t error_size)
{
    (void)error, (void)error_size;
    rh__stream_open(state, x, RH__STREAM_SWARM);
    rh__classes_open(&((struct weighted *)state)->classes, a);
    ((struct weighted *)state)->swarm = true;
    return true;
}

const struct rh_explorer rh__explorer_weighted = {
    .name = "weighted",
    .summary = "a random class of choices by weight, then one of it; faults are spread over the run",
    .state_size = sizeof(struct weighted),
    .arguments = rh__class_arguments,
    .resets_only = true,
    .open = weighted_open,
    .begin = weighted_begin,
    .choose = weighted_choose,
    .end = weighted_end,
    .share = &rh__stream_share,
};

const struct rh_explorer rh__explorer_swarm = {
    .name = "swarm",
    .summary = "weighted, with weights, budgets and speeds drawn for each run",
    .state_size = sizeof(struct weighted),
    .arguments = rh__class_arguments,
    .resets_only = true,
    .open = swarm_open,
    .begin = weighted_begin,
    .choose = weighted_choose,
    .end = weighted_end,
    .share = &rh__stream_share,
};
