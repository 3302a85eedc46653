#include "explore/support/histories.h"

#include "explore/support/scramble.h"

struct ends *ends;

void add_history(const struct rh_world *w, enum rh_outcome_kind outcome)
{
    uint64_t sum = scrambled(outcome, 1);
    for (uint32_t i = 0; i < rh_world_actor_count(w); i++) {
        const struct rh_actor_type *type = rh_world_actor_type(w, i);
        if (type != &rh_actor_player && type != &rh_actor_starter && type != &rh_actor_walker &&
            type != &rh_actor_watcher)
            continue;
        const struct mind *m = rh_world_actor_state(w, i);
        sum += scrambled(scrambled(m->me, m->history), rh_world_actor_ended(w, i));
    }
    if (ends->count < sizeof ends->list / sizeof *ends->list)
        ends->list[ends->count++] = sum;
}

static void histories_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    struct spy *s = state;
    add_history(w, run->outcome);
    rh_inner_end(&s->inner, w, run);
}
SPY(histories, "notes what was seen in the runs that another explorer makes", histories_end)

void settle_ends(void)
{
    uint32_t kept = 0;
    distinct(ends->list, ends->count);
    for (uint32_t i = 0; i < ends->count; i++)
        if (!kept || ends->list[kept - 1] != ends->list[i])
            ends->list[kept++] = ends->list[i];
    ends->count = kept;
}

bool same_ends(const struct ends *one, const struct ends *other)
{
    return one->count == other->count && memcmp(one->list, other->list, one->count * sizeof *one->list) == 0;
}

bool note_ends(struct ends *to, const char *test, const struct rh_semantics *s)
{
    enum { MOST = 3000 };
    struct rh_world *w = world_of(test, s, NULL, 0);
    ends = to;
    ends->count = 0;
    struct rh_exploration *x = explored(w, "histories:optimal:private-globals", 1, MOST);
    bool all = x->end.exhausted && x->results->count.runs < MOST;
    rh__exploration_free(x);
    rh_world_free(w);
    if (all)
        settle_ends();
    return all;
}
