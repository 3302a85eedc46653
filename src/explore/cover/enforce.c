/* See enforce.h. */
#include "explore/cover/enforce.h"

#include <rehearse/explorer.h>
#include <string.h>

#include "base/hash.h"
#include "base/random.h"

/* A step of the run from which the schedule was made, but not of the schedule. */
enum { ELSEWHERE = 0xffffffffu };

bool rh__enforce_open(struct rh__enforce *f, struct rh_exploration *x, const struct rh_world *w)
{
    uint32_t events = rh_exploration_max_steps(x) + 2, actors = rh_world_semantics(w)->max_actors, size = 64;
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

static uint32_t place_of(const struct rh__enforce *f, uint64_t id)
{
    uint32_t i = (uint32_t)rh__mix(id, 5) & f->mask;
    while (f->table[i] && f->keys[i] != id)
        i = (i + 1) & f->mask;
    return i;
}

static void enter(struct rh__enforce *f, uint64_t id, uint32_t value)
{
    uint32_t place = place_of(f, id);
    f->keys[place] = id;
    f->table[place] = value;
}

void rh__enforce_plan(struct rh__enforce *f, const struct rh__steps *s, const uint32_t *plan, uint32_t count)
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

/* The preference among choices that are not next in the schedule; the lowest first. */
enum rank {
    PART_KNOWN, /* continues something under way, as in the run from which the schedule was made */
    PART,
    RECEIVE,
    TIMER,
    FAULT,
    RANKS,
};

static enum rank rank_of(const struct rh__run *r, const struct rh_choice *c, bool known)
{
    bool goes_on = rh_choice_attributes(c->kind) & RH_CONTINUES || c->kind == RH_CHOICE_ACCEPT ||
                   (c->kind == RH_CHOICE_DELIVER && rh__run_actor(r, c->actor)->asking != RH_NONE);
    if (rh__is_fault(c) || c->kind == RH_CHOICE_END)
        return FAULT;
    if (goes_on)
        return known ? PART_KNOWN : PART;
    return c->kind == RH_CHOICE_DELIVER ? RECEIVE : TIMER;
}

uint32_t rh__enforce(struct rh__enforce *f, const struct rh_world *w, const struct rh_choice *open, uint32_t count,
                     uint64_t *random)
{
    const struct rh__run *r = rh__world_run(w);
    if (r->event_count == 1) {
        rh__identities_begin(&f->names);
        f->at = 0;
        f->missing = 0;
    }
    if (f->at == f->count || f->missing)
        return RH_NONE;
    rh__identities_follow(&f->names, r);
    uint32_t best = RH_NONE, equal = 0;
    enum rank best_rank = RANKS;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t id = rh__choice_identity(&f->names, r, &open[i]);
        if (id == f->ids[f->at]) {
            f->at++;
            return i;
        }
        uint32_t entry = f->table[place_of(f, id)];
        enum rank rank = rank_of(r, &open[i], entry == ELSEWHERE);
        if ((entry && entry != ELSEWHERE) || rank > best_rank)
            continue; /* delayed */
        equal = rank < best_rank ? 1 : equal + 1;
        best_rank = rank;
        if (equal == 1 || rh__random_below(random, equal) == 0)
            best = i;
    }
    if (best == RH_NONE)
        f->missing = f->ids[f->at];
    return best;
}

bool rh__forced(struct rh__enforce *f)
{
    if (f->at < f->count && !f->missing)
        f->missing = f->ids[f->at];
    return f->at == f->count;
}
