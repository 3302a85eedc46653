/* See force.h. */
#include "explore/force.h"

#include <rehearse/explorer.h>
#include <string.h>

#include "base/hash.h"
#include "base/random.h"
#include "world/state.h"

/* A step of the run that the schedule was made from, but not of the schedule. */
enum { ELSEWHERE = 0xffffffffu };

bool rh__force_open(struct rh__force *f, struct rh_exploration *x, const struct rh_world *w)
{
    uint32_t events = rh_exploration_max_steps(x) + 2, actors = w->semantics.max_actors, size = 64;
    while (size < 2 * events)
        size *= 2;
    void *names = rh_exploration_memory(x, rh__identities_size(events, actors));
    f->ids = rh_exploration_memory(x, events * sizeof *f->ids);
    f->table = rh_exploration_memory(x, size * sizeof *f->table);
    f->keys = rh_exploration_memory(x, size * sizeof *f->keys);
    f->room = events;
    f->mask = size - 1;
    if (names)
        rh__identities_init(&f->names, names, events, actors);
    return names && f->ids && f->table && f->keys;
}

static uint32_t place_of(const struct rh__force *f, uint64_t id)
{
    uint32_t i = (uint32_t)rh__mix(id, 5) & f->mask;
    while (f->table[i] && f->keys[i] != id)
        i = (i + 1) & f->mask;
    return i;
}

static void enter(struct rh__force *f, uint64_t id, uint32_t value)
{
    uint32_t place = place_of(f, id);
    f->keys[place] = id;
    f->table[place] = value;
}

void rh__force_plan(struct rh__force *f, const struct rh__steps *s, const uint32_t *plan, uint32_t count)
{
    memset(f->table, 0, ((size_t)f->mask + 1) * sizeof *f->table);
    f->count = 0;
    f->missing = 0;
    for (uint32_t i = 0; i < s->count; i++)
        enter(f, s->list[i].id, ELSEWHERE);
    for (uint32_t i = 0; i < count && i < f->room; i++) {
        f->ids[f->count++] = s->list[plan[i]].id;
        enter(f, s->list[plan[i]].id, i + 1);
    }
}

/* How gladly something that is not next is taken; the lowest first. */
enum rank {
    PART_KNOWN, /* goes on with something under way, as it did in the run that the schedule was made from */
    PART,
    RECEIVE,
    TIMER,
    FAULT,
    RANKS,
};

static enum rank rank_of(const struct rh_world *w, const struct rh_choice *c, bool known)
{
    switch ((enum rh_choice_kind)c->kind) {
    case RH_CHOICE_OPEN:
        if (c->what)
            return FAULT;
        return known ? PART_KNOWN : PART;
    case RH_CHOICE_VALUE:
    case RH_CHOICE_RESUME:
    case RH_CHOICE_STORED:
    case RH_CHOICE_ACCEPT:
        return known ? PART_KNOWN : PART;
    case RH_CHOICE_DELIVER:
        if (w->actors[c->actor].asking != RH_NONE)
            return known ? PART_KNOWN : PART;
        return RECEIVE;
    case RH_CHOICE_TIMER:
        return TIMER;
    default:
        return FAULT;
    }
}

uint32_t rh__force(struct rh__force *f, const struct rh_world *w, const struct rh_choice *open, uint32_t count,
                   uint64_t *random)
{
    uint32_t events;
    rh_world_events(w, &events);
    if (events == 1) {
        rh__identities_begin(&f->names);
        f->at = 0;
        f->missing = 0;
    }
    if (f->at == f->count || f->missing)
        return RH_NONE;
    rh__identities_follow(&f->names, w);
    uint32_t best = RH_NONE, equal = 0;
    enum rank best_rank = RANKS;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t id = rh__choice_identity(&f->names, w, &open[i]);
        if (id == f->ids[f->at]) {
            f->at++;
            return i;
        }
        uint32_t entry = f->table[place_of(f, id)];
        enum rank rank = rank_of(w, &open[i], entry == ELSEWHERE);
        if ((entry && entry != ELSEWHERE) || rank > best_rank)
            continue; /* held back */
        equal = rank < best_rank ? 1 : equal + 1;
        best_rank = rank;
        if (equal == 1 || rh__random_below(random, equal) == 0)
            best = i;
    }
    if (best == RH_NONE)
        f->missing = f->ids[f->at];
    return best;
}

bool rh__forced(struct rh__force *f)
{
    if (f->at < f->count && !f->missing)
        f->missing = f->ids[f->at];
    return f->at == f->count;
}
