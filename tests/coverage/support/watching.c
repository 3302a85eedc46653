#include "coverage/support/watching.h"

struct slow *watching;

static struct rh_exploration *watched;

static void watch_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    struct spy *s = state;
    const struct slow_run *r = slow_add(watching, w);
    for (uint32_t i = 0; i < r->count; i++)
        watching->id_of[r->name[i]] = watched->measure->list[i].id;
    rh_inner_end(&s->inner, w, run);
}

SPY(watch, "looks slowly at the runs that another explorer makes", watch_end)

struct rh_exploration *measured(struct rh_world *w, const char *explorer, uint64_t seed, uint64_t max_runs)
{
    char error[512];
    struct rh__limits limits = { .max_runs = max_runs, .keep_going = true };
    struct rh_exploration *x = rh__exploration_new(w, explorer, seed, &limits, error, sizeof error);
    if (!x)
        fail_msg("%s", error);
    assert_true(rh__measure(x, ALL_CRITERIA));
    watched = x;
    assert_true(rh__explore(x));
    return x;
}

uint64_t goals_missing(const struct rh__coverage *of, const struct rh__coverage *in, uint32_t criterion)
{
    uint64_t n = 0;
    for (uint32_t a = 0; a < of->receive_count; a++)
        for (uint32_t b = 0; b < of->receive_count; b++) {
            const struct rh__covered_receive *x = rh__covered_receive(of, a), *y = rh__covered_receive(of, b);
            if (a == b || x->actor != y->actor || !rh__achieved(of, criterion, a, b))
                continue;
            uint32_t p = rh__coverage_find(in, x->id), q = rh__coverage_find(in, y->id);
            n += p == RH_NONE || q == RH_NONE || !rh__achieved(in, criterion, p, q);
        }
    return n;
}

void done_with(struct rh_exploration *x)
{
    struct rh_world *w = x->world;
    rh__exploration_free(x);
    rh_world_free(w);
}

struct rh__coverage *keep_coverage(struct rh_exploration *x)
{
    struct rh__coverage *c = x->results->coverage;
    x->results->coverage = NULL;
    done_with(x);
    return c;
}
