/* bound(depth=N, runs=N, steps=N, EXPLORER): ends runs after N events, and the search after N runs or steps.  The
 * verdict of an exhaustive EXPLORER is then bounded.
 *
 * The engine limits the time (--max-seconds): explorers read no clock. */
#include <stdio.h>

#include "explore/explorers.h"

struct bound {
    struct rh_inner inner;
    uint64_t depth, runs, steps; /* 0: no limit */
    uint64_t runs_made, steps_made;
    bool cut, stopped;
};

static bool bound_open(void *state, struct rh_exploration *x, const struct rh_arguments *a, char *error,
                       size_t error_size)
{
    struct bound *b = state;
    b->depth = rh_arguments_number(a, "depth", 0);
    b->runs = rh_arguments_number(a, "runs", 0);
    b->steps = rh_arguments_number(a, "steps", 0);
    if (!b->depth && !b->runs && !b->steps) {
        snprintf(error, error_size,
                 "bound wants a depth, runs or steps, as in bound(20, dfs) or bound(runs=1000, random)");
        return false;
    }
    return rh_exploration_inner(x, a, 0, &b->inner, error, error_size);
}

static uint32_t bound_begin(void *state, const struct rh_world *w)
{
    struct bound *b = state;
    if ((b->runs && b->runs_made >= b->runs) || (b->steps && b->steps_made >= b->steps)) {
        b->stopped = true;
        return 0;
    }
    return rh_inner_begin(&b->inner, w);
}

static uint32_t bound_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    struct bound *b = state;
    if (b->depth && rh__depth(w) > b->depth) {
        b->cut = true;
        return RH_NONE;
    }
    return rh_inner_choose(&b->inner, w, open, count);
}

static void bound_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    struct bound *b = state;
    b->runs_made++;
    b->steps_made += run->events - 1;
    rh_inner_end(&b->inner, w, run);
}

static enum rh_verdict bound_verdict(const void *state)
{
    const struct bound *b = state;
    enum rh_verdict v = rh_inner_verdict(&b->inner);
    if (b->stopped)
        return RH_VERDICT_SAMPLED;
    return v == RH_VERDICT_EXHAUSTIVE && b->cut ? RH_VERDICT_BOUNDED : v;
}

/* This process does not know how many runs and steps other processes have made.  So only a bound of the depth can be
 * shared. */
static bool bound_can_share(const void *state)
{
    const struct bound *b = state;
    return !b->runs && !b->steps;
}

static const struct rh_explorer_report bound_report = { .verdict = bound_verdict };
static const struct rh_explorer_share bound_share = { .can = bound_can_share };
static const struct rh_argument bound_arguments[] = {
    { .name = "depth", .kind = RH_ARGUMENT_NUMBER, .least = 1, .help = "runs end after so many events" },
    { .name = "runs", .kind = RH_ARGUMENT_NUMBER, .least = 1, .named = true, .help = "the search ends after so many" },
    { .name = "steps",
      .kind = RH_ARGUMENT_NUMBER,
      .least = 1,
      .named = true,
      .help = "the same, of all runs together" },
    { .name = "explorer", .kind = RH_ARGUMENT_EXPLORER, .required = true, .help = "makes the runs" },
    { .name = NULL },
};

const struct rh_explorer rh__explorer_bound = {
    .name = "bound",
    .summary = "as EXPLORER wants, but runs end after DEPTH events",
    .state_size = sizeof(struct bound),
    .arguments = bound_arguments,
    .resets_only = true,
    .open = bound_open,
    .begin = bound_begin,
    .choose = bound_choose,
    .end = bound_end,
    .report = &bound_report,
    .share = &bound_share,
    .decorator = &rh_only_decorator,
};
