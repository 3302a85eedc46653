/* deepen: runs of growing length [Desai, Qadeer and Seshia 2015, 6]: with `random` their iterative random scheduler.
 *
 *     deepen([STEP], [factor=F], EXPLORER)   F runs that end after STEP events, then F^2 after 2 STEP events, and so on
 *
 * A long run of a sampler that has gone wrong early costs as much as many short ones. */
#include "explore/explorers.h"

enum { USUAL_STEP = 100, USUAL_FACTOR = 3 };

struct deepen {
    struct rh_inner inner;
    uint64_t step, factor;
    uint64_t depth;      /* of this round */
    uint64_t runs, left; /* of this round */
};

static bool deepen_open(void *state, struct rh_exploration *x, const struct rh_arguments *a, char *error,
                        size_t error_size)
{
    struct deepen *d = state;
    d->step = rh_arguments_number(a, "step", USUAL_STEP);
    d->factor = rh_arguments_number(a, "factor", USUAL_FACTOR);
    d->runs = 1;
    return rh_exploration_inner(x, a, 0, &d->inner, error, error_size);
}

static uint32_t deepen_begin(void *state, const struct rh_world *w)
{
    struct deepen *d = state;
    if (!d->left) {
        d->depth += d->step;
        d->runs = d->runs < UINT64_MAX / d->factor ? d->runs * d->factor : d->runs;
        d->left = d->runs;
    }
    d->left--;
    return rh_inner_begin(&d->inner, w);
}

static uint32_t deepen_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    struct deepen *d = state;
    return rh__depth(w) > d->depth ? RH_NONE : rh_inner_choose(&d->inner, w, open, count);
}

static const struct rh_argument deepen_arguments[] = {
    { .name = "step",
      .kind = RH_ARGUMENT_NUMBER,
      .least = 1,
      .most = 1 << 25,
      .help = "each round makes runs of so many events more (100)" },
    { .name = "factor",
      .kind = RH_ARGUMENT_NUMBER,
      .least = 1,
      .most = 1 << 20,
      .named = true,
      .help = "and so many times as many runs (3)" },
    { .name = "explorer", .kind = RH_ARGUMENT_EXPLORER, .required = true, .help = "makes the runs" },
    { .name = NULL },
};

const struct rh_explorer rh__explorer_deepen = {
    .name = "deepen",
    .summary = "as EXPLORER wants, in rounds of more and longer runs",
    .state_size = sizeof(struct deepen),
    .arguments = deepen_arguments,
    .open = deepen_open,
    .begin = deepen_begin,
    .choose = deepen_choose,
    .decorator = &rh_only_decorator,
};
