/* seen(EXPLORER): prunes a run where its state was visited before.  When the clock becomes visible, a second EXPLORER
 * begins from the start (rehearse/visited.h). */
#ifndef RH_TESTS_EXPLORE_SUPPORT_SEEN_H
#define RH_TESTS_EXPLORE_SUPPORT_SEEN_H

#include "explore/support/runs.h"

#include <rehearse/visited.h>

/* Planted defects: states with equally many open choices are taken for one; rh_visited_restart is not called. */
enum seen_defect { SEEN_GOOD, SEEN_IS_BLIND, SEEN_NEVER_RESTARTS };
static enum seen_defect seen_planted;

struct seen {
    struct rh_inner inner[2]; /* before and after the restart */
    uint32_t now, restarts;
    struct rh_visited *visited;
    uint64_t pruned_then; /* runs that were pruned after the restart */
};
static struct seen *seen_last; /* the last one that was opened */

static bool seen_open(void *state, struct rh_exploration *x, const struct rh_arguments *a, char *error,
                      size_t error_size)
{
    struct seen *s = seen_last = state;
    s->visited = rh_exploration_visited(x, &(struct rh_visited_options){ .memory_bytes = 1 << 20 });
    return s->visited && rh_exploration_inner(x, a, 0, &s->inner[0], error, error_size) &&
           rh_exploration_inner(x, a, 0, &s->inner[1], error, error_size);
}

static const struct rh_inner *seen_inner(const void *state, uint32_t *count, uint32_t *now)
{
    const struct seen *s = state;
    *count = 2;
    *now = s->now;
    return s->inner;
}

static uint32_t seen_begin(void *state, const struct rh_world *w)
{
    struct seen *s = state;
    bool restart = seen_planted != SEEN_NEVER_RESTARTS && rh_visited_restart(s->visited, w);
    s->restarts += restart;
    if (restart) {
        assert_int_equal(rh_visited_count(s->visited).states, 0);
        assert_int_equal(s->now++, 0); /* the clock becomes visible once; the first run then keeps nothing */
    }
    return rh_visited_begin(s->visited, rh_inner_begin(&s->inner[s->now], w));
}

static uint32_t seen_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    struct seen *s = state;
    struct rh_fingerprint blind = { 1 + count, 0 };
    if ((seen_planted == SEEN_IS_BLIND ? rh_visited_add(s->visited, blind) : rh_visited_here(s->visited, w)) ==
        RH_VISITED_BEFORE)
        return RH_PRUNED;
    return rh_inner_choose(&s->inner[s->now], w, open, count);
}

static void seen_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    struct seen *s = state;
    assert_true(!run->pruned || run->outcome == RH_OUTCOME_RUNNING);
    s->pruned_then += run->pruned && s->restarts;
    rh_inner_end(&s->inner[s->now], w, run);
}

static enum rh_verdict seen_verdict(const void *state)
{
    const struct seen *s = state;
    return rh_inner_verdict(&s->inner[s->now]);
}

static const struct rh_explorer_report seen_report = { .verdict = seen_verdict };
static const struct rh_explorer_decorator seen_decorator = { .inner = seen_inner };
static const struct rh_explorer seen = {
    .name = "seen",
    .state_size = sizeof(struct seen),
    .arguments = rh_only_arguments,
    .open = seen_open,
    .begin = seen_begin,
    .choose = seen_choose,
    .end = seen_end,
    .report = &seen_report,
    .decorator = &seen_decorator,
};
RH_EXPLORER(seen)

#endif
