/* grow(EXPLORER): runs that do not end are cut early, and the limit grows by itself.
 *
 * A protocol with heartbeats never ends: with a limit of 100,000 events a sampler makes a handful of runs, all of them
 * cut, and most of each run repeats what it did before.  Here runs are cut after 100 events, then after 300, 1,000,
 * 3,000, ...: whenever more than half of the last runs were cut, the limit is the next one, up to --max-steps.  Tests
 * whose runs end lose some runs at most.
 *
 * A clean result is never more than sampled: runs were cut at different depths. */
#include <stdio.h>

#include "explore/explorers.h"

enum { FIRST = 100, WINDOW = 32 };

struct grow {
    struct rh_inner inner;
    uint32_t limit, most;
    uint32_t runs, cut;  /* since the limit changed or the window ended */
    uint64_t all, ended; /* runs, and those that came to their end */
};

static bool grow_open(void *state, struct rh_exploration *x, const struct rh_arguments *a, char *error,
                      size_t error_size)
{
    struct grow *g = state;
    g->most = rh_exploration_max_steps(x);
    g->limit = g->most < FIRST ? g->most : FIRST;
    return rh_only_open(state, x, a, error, error_size);
}

static uint32_t grow_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    struct grow *g = state;
    return g->limit < g->most && rh__depth(w) > g->limit ? RH_NONE : rh_inner_choose(&g->inner, w, open, count);
}

/* 100, 300, 1,000, ... */
static uint32_t next_limit(const struct grow *g)
{
    uint32_t power = FIRST;
    while (power <= g->limit / 10)
        power *= 10;
    uint32_t next = g->limit < 3 * power ? 3 * power : 10 * power;
    return next < g->most ? next : g->most;
}

static void grow_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    struct grow *g = state;
    bool cut = run->outcome == RH_OUTCOME_CUT || (run->outcome == RH_OUTCOME_RUNNING && run->events > g->limit);
    g->all++;
    g->ended += !cut;
    g->cut += cut;
    if (++g->runs == WINDOW) {
        if (g->cut > WINDOW / 2)
            g->limit = next_limit(g);
        g->runs = g->cut = 0;
    }
    rh_inner_end(&g->inner, w, run);
}

static void grow_notes(const void *state, char *buffer, size_t size)
{
    const struct grow *g = state;
    if (g->all != g->ended)
        snprintf(
            buffer, size,
            "runs were cut after %u events at last; the limit has grown from %u; %llu of %llu runs came to their end",
            g->limit, FIRST < g->most ? FIRST : g->most, (unsigned long long)g->ended, (unsigned long long)g->all);
}

static const struct rh_explorer_report grow_report = { .notes = grow_notes };

const struct rh_explorer rh__explorer_grow = {
    .name = "grow",
    .summary = "as EXPLORER wants, but runs are cut after 100, 300, 1,000, ... events while most of them are cut",
    .state_size = sizeof(struct grow),
    .arguments = rh_only_arguments,
    .resets_only = true,
    .open = grow_open,
    .choose = grow_choose,
    .end = grow_end,
    .report = &grow_report,
    .decorator = &rh_only_decorator,
};
