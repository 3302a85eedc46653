/* See novelty.h. */
#include "explore/decorate/novelty.h"

#include "base/hash.h"
#include "explore/explorers.h"

enum { SLOTS = 1 << 16, MOST = SLOTS / 4 * 3 };

bool rh__novelty_open(struct rh__novelty *n, struct rh_exploration *x)
{
    n->actors = rh_world_semantics(rh__exploration_world(x))->max_actors;
    n->set = rh_exploration_memory(x, SLOTS * sizeof *n->set);
    n->last_type = rh_exploration_memory(x, n->actors * sizeof *n->last_type);
    n->of_run = rh_exploration_memory(x, n->actors * sizeof *n->of_run);
    return n->set && n->last_type && n->of_run;
}

/* True if no run before had the feature.  A full set has everything. */
static bool add(struct rh__novelty *n, uint64_t feature)
{
    feature = feature ? feature : 1;
    if (n->count == MOST)
        return false;
    for (uint64_t at = feature;; at++) {
        uint64_t *slot = &n->set[at % SLOTS];
        if (*slot == feature)
            return false;
        if (*slot)
            continue;
        *slot = feature;
        n->count++;
        return true;
    }
}

static bool has(const struct rh__novelty *n, uint64_t feature)
{
    uint64_t at = feature = feature ? feature : 1;
    while (n->set[at % SLOTS] && n->set[at % SLOTS] != feature)
        at++;
    return n->set[at % SLOTS] == feature;
}

static uint64_t feature_of(uint64_t before, uint32_t actor, uint64_t type)
{
    return rh__mix(rh__mix(before, actor), type);
}

/* A message by its type, any other choice by its kind.  The address of a type stands for its name: only the number of
 * different features is used. */
static uint64_t type_of(const struct rh_world *w, const struct rh_choice *c)
{
    return c->kind == RH_CHOICE_DELIVER ? (uintptr_t)rh_world_message(w, c->what).type : c->kind + 1;
}

uint32_t rh__novelty_add(struct rh__novelty *n, const struct rh_world *w)
{
    uint32_t events, found = 0;
    const struct rh_event *e = rh_world_events(w, &events);
    n->run++;
    n->runs++;
    for (uint32_t i = 1; i < events; i++) {
        uint32_t actor = e[i].choice.actor;
        if (actor >= n->actors || e[i].choice.kind == RH_CHOICE_RESUME)
            continue;
        uint64_t type = type_of(w, &e[i].choice), before = n->of_run[actor] == n->run ? n->last_type[actor] : 0;
        n->last_type[actor] = type;
        n->of_run[actor] = n->run;
        if (!add(n, feature_of(before, actor, type)))
            continue;
        found++;
        if (before && before != type)
            *(has(n, feature_of(type, actor, before)) ? &n->both : &n->pairs) += 1;
    }
    if (found)
        n->last_new = n->runs;
    return found;
}
