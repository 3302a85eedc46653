/* grow([step=N], [factor=F], EXPLORER): runs that do not end are cut early, and the limit grows.
 *
 * A protocol with heartbeats never ends: with a limit of 100,000 events a sampler makes a handful of runs, all of them
 * cut, and most of each run repeats what it did before.  Here runs are cut after 100 events, then after 300, 1,000,
 * 3,000, ...: whenever more than half of the last runs were cut, the limit is the next one, up to --max-steps.  Tests
 * whose runs end lose some runs at most.
 *
 * With `step` or `factor` the limit grows whatever the runs do: F runs that end after N events, F^2 after 2 N, and so
 * on.  grow(step=100, random) is the iterative random scheduler of [Desai, Qadeer and Seshia 2015, 6].
 *
 * A clean result is never more than sampled: runs were cut at different depths. */
#include "base/text.h"
#include "explore/explorers.h"

enum { FIRST = RH__GROW_FIRST, WINDOW = 32, USUAL_FACTOR = 3 };

struct grow {
    struct rh_inner inner;
    uint32_t first, limit, most;
    uint32_t step;        /* 0: the limit grows while most runs are cut */
    uint64_t factor;      /* of the runs of two rounds */
    uint64_t round, left; /* runs of this round, all of them and those to come */
    uint32_t runs, cut;   /* since the limit changed or the window ended */
    uint64_t all, ended;  /* runs, and those that came to their end */
};

static bool grow_open(void *state, struct rh_exploration *x, const struct rh_arguments *a, char *error,
                      size_t error_size)
{
    struct grow *g = state;
    bool rounds = rh_arguments_has(a, "step") || rh_arguments_has(a, "factor");
    g->most = rh_exploration_max_steps(x);
    g->step = rounds ? (uint32_t)rh_arguments_number(a, "step", FIRST) : 0;
    g->factor = rh_arguments_number(a, "factor", USUAL_FACTOR);
    g->round = g->left = g->factor;
    g->first = rounds ? g->step : FIRST;
    g->first = g->limit = g->most < g->first ? g->most : g->first;
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

/* The round is over: the next one has more and longer runs. */
static void next_round(struct grow *g)
{
    g->limit = g->most - g->limit > g->step ? g->limit + g->step : g->most;
    g->round = g->round < UINT64_MAX / g->factor ? g->round * g->factor : g->round;
    g->left = g->round;
}

static void grow_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    struct grow *g = state;
    bool cut = run->outcome == RH_OUTCOME_CUT || (run->outcome == RH_OUTCOME_RUNNING && run->events > g->limit);
    g->all++;
    g->ended += !cut;
    g->cut += cut;
    if (g->step && !--g->left)
        next_round(g);
    if (!g->step && ++g->runs == WINDOW) {
        if (g->cut > WINDOW / 2)
            g->limit = next_limit(g);
        g->runs = g->cut = 0;
    }
    rh_inner_end(&g->inner, w, run);
}

static void grow_notes(const void *state, char *buffer, size_t size)
{
    const struct grow *g = state;
    char inner[1024];
    struct rh__text t;
    rh__text_init(&t, buffer, size);
    rh_inner_notes(&g->inner, inner, sizeof inner);
    if (g->all != g->ended)
        rh__text_add(
            &t,
            "runs were cut after %u events at last; the limit has grown from %u; %llu of %llu runs came to their end",
            g->limit, g->first, (unsigned long long)g->ended, (unsigned long long)g->all);
    if (*inner)
        rh__text_add(&t, "%s%s", g->all != g->ended ? "\n" : "", inner);
}

static const struct rh_argument grow_arguments[] = {
    { .name = "step",
      .kind = RH_ARGUMENT_NUMBER,
      .least = 1,
      .most = 1 << 25,
      .named = true,
      .help = "in rounds: each makes runs of so many events more (100)" },
    { .name = "factor",
      .kind = RH_ARGUMENT_NUMBER,
      .least = 1,
      .most = 1 << 20,
      .named = true,
      .help = "in rounds: and so many times as many runs (3)" },
    { .name = "explorer", .kind = RH_ARGUMENT_EXPLORER, .required = true, .help = "makes the runs" },
    { .name = NULL },
};
static const struct rh_explorer_report grow_report = { .notes = grow_notes };

const struct rh_explorer rh__explorer_grow = {
    .name = "grow",
    .summary = "as EXPLORER wants, but runs are cut after 100, 300, 1,000, ... events while most of them are cut",
    .state_size = sizeof(struct grow),
    .arguments = grow_arguments,
    .resets_only = true,
    .open = grow_open,
    .choose = grow_choose,
    .end = grow_end,
    .report = &grow_report,
    .decorator = &rh_only_decorator,
};

uint32_t rh__grow_limit(const struct rh_inner *inner)
{
    return inner->explorer == &rh__explorer_grow ? ((const struct grow *)inner->state)->limit : 0;
}
