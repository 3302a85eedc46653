/* See lasso.h. */
#include "explore/stateful/lasso.h"

#include <string.h>

#include "explore/explorers.h"
#include "explore/stateful/lasso_parts.h"
#include "world/live.h"

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static bool take_pools(struct rh__lasso *l, struct rh_exploration *x, size_t bytes)
{
    /* A state has about three steps, eight open units and ten served ones. */
    enum { STATE = 112 + 3 * 48 + 8 * 8 + 10 * 8 };
    size_t states = bytes / STATE;
    l->node_room = (uint32_t)(states < UINT32_MAX / 2 ? states : UINT32_MAX / 2);
    l->edge_room = states * 3;
    l->unit_room = states * 8;
    l->served_room = states * 10;
    l->nodes = rh_exploration_memory(x, l->node_room * sizeof *l->nodes);
    l->edges = rh_exploration_memory(x, l->edge_room * sizeof *l->edges);
    l->units = rh_exploration_memory(x, l->unit_room * sizeof *l->units);
    l->served = rh_exploration_memory(x, l->served_room * sizeof *l->served);
    return l->nodes && l->edges && l->units && l->served;
}

static bool take_scratch(struct rh__lasso *l, struct rh_exploration *x)
{
    enum { ARRAYS = 8 };
    uint32_t *all = rh_exploration_memory(x, ((size_t)l->node_room + 2) * ARRAYS * sizeof *all);
    uint32_t **arrays[ARRAYS] = { &l->first_edge, &l->index,     &l->low,     &l->stack,
                                  &l->calls,      &l->component, &l->came_by, &l->next };
    for (uint32_t i = 0; i < ARRAYS && all; i++)
        *arrays[i] = all + i * ((size_t)l->node_room + 2);
    l->order = rh_exploration_memory(x, l->edge_room * sizeof *l->order);
    l->scratch_units =
        rh_exploration_memory(x, rh__exploration_most_choices(x) * RH__UNITS_OF_CHOICE * sizeof *l->scratch_units);
    l->scratch_left =
        rh_exploration_memory(x, rh__exploration_most_choices(x) * RH__UNITS_OF_CHOICE * sizeof *l->scratch_left);
    return all && l->order && l->scratch_units && l->scratch_left;
}

struct rh__lasso *rh__lasso_new(struct rh_exploration *x, size_t bytes, uint32_t room)
{
    struct rh__lasso *l = rh_exploration_memory(x, sizeof *l);
    if (!l)
        return NULL;
    l->levels = rh_exploration_memory(x, (size_t)room * sizeof *l->levels);
    l->lists = rh_exploration_memory(x, LASSO_LISTS * sizeof *l->lists);
    l->plan_room = room;
    l->plan = rh_exploration_memory(x, (size_t)room * sizeof *l->plan);
    return l->levels && l->lists && l->plan && take_pools(l, x, bytes) && take_scratch(l, x) ? l : NULL;
}

bool rh__lasso_matters(const struct rh_world *w)
{
    const uint32_t *monitors;
    uint32_t count = rh__world_monitors(w, &monitors);
    for (uint32_t i = 0; i < count; i++)
        if (rh_world_actor_type(w, monitors[i])->may_be_hot)
            return true;
    return false;
}

void rh__lasso_start(struct rh__lasso *l)
{
    memset(l->lists, 0, LASSO_LISTS * sizeof *l->lists);
    l->node_count = 0;
    l->edge_count = l->unit_count = l->served_count = 0;
    l->on = true;
    l->full = l->hidden = l->too_long = false;
    l->unconfirmed = 0;
}

bool rh__lasso_has_started(const struct rh__lasso *l)
{
    return l->on || l->full;
}

static void give_up(struct rh__lasso *l)
{
    l->on = false;
    l->full = true;
}

/* ---- states and steps -------------------------------------------------------------------------------------------- */

static uint32_t *list_of(const struct rh__lasso *l, struct rh_fingerprint f)
{
    return &l->lists[f.low % LASSO_LISTS];
}

static uint32_t find(const struct rh__lasso *l, struct rh_fingerprint f)
{
    uint32_t at = *list_of(l, f);
    while (at && (l->nodes[at - 1].state.high != f.high || l->nodes[at - 1].state.low != f.low))
        at = l->nodes[at - 1].next;
    return at;
}

/* The monitors that are hot, and those that have been since before the last step. */
static uint32_t hot_monitors(struct rh__lasso *l, const struct rh_world *w, uint32_t *before)
{
    const uint32_t *monitors;
    uint32_t count = rh__world_monitors(w, &monitors), last = rh__depth(w) - 1, hot = 0;
    *before = 0;
    l->too_many |= count > LASSO_MONITORS;
    for (uint32_t i = 0; i < count && i < LASSO_MONITORS; i++) {
        uint32_t since = rh__monitor_hot_since(w, monitors[i]);
        hot |= (uint32_t)(since != RH_NONE) << i;
        *before |= (uint32_t)(since != RH_NONE && since < last) << i;
    }
    return hot;
}

static bool serve(struct rh__lasso *l, struct lasso_edge *e, const uint64_t *units, uint32_t count)
{
    if (l->served_count + count > l->served_room)
        return false;
    memcpy(l->served + l->served_count, units, count * sizeof *units);
    l->served_count += count;
    e->served_count += count;
    return true;
}

/* The step from level - 1 to the present state. */
static bool make_edge(struct rh__lasso *l, const struct rh_world *w, uint32_t level, uint32_t hot_before,
                      struct lasso_edge *e)
{
    const struct lasso_level *from = &l->levels[level - 1];
    uint32_t open;
    const struct rh_choice *choices = rh__world_open(w, &open);
    *e = (struct lasso_edge){
        .key = from->key, .served = l->served_count, .from = from->node, .to = RH_NONE, .hot = hot_before
    };
    uint32_t set = rh__units_set(w, choices, open, l->scratch_units);
    return serve(l, e, from->units, from->unit_count) && serve(l, e, l->scratch_units, set);
}

static bool add_edge(struct rh__lasso *l, const struct lasso_edge *e, uint32_t to)
{
    struct lasso_node *from = &l->nodes[e->from];
    if (l->edge_count == l->edge_room)
        return false;
    l->edges[l->edge_count] = *e;
    l->edges[l->edge_count++].to = to;
    if (l->nodes[to].low < from->low)
        from->low = l->nodes[to].low;
    return true;
}

void rh__lasso_step(struct rh__lasso *l, const struct rh_world *w, uint32_t level, const struct rh_choice *choice)
{
    if (!l->on)
        return;
    l->levels[level].key = rh__choice_key(w, choice);
    l->levels[level].unit_count = rh__units_of_choice(w, choice, l->levels[level].units);
}

bool rh__lasso_meets(struct rh__lasso *l, const struct rh_world *w, uint32_t level, struct rh_fingerprint f)
{
    uint32_t at = l->on ? find(l, f) : 0, before;
    struct lasso_edge e;
    if (!at)
        return false;
    hot_monitors(l, w, &before);
    if (!make_edge(l, w, level, before, &e) || !add_edge(l, &e, at - 1))
        give_up(l);
    return true;
}

void rh__lasso_enter(struct rh__lasso *l, const struct rh_world *w, uint32_t level, bool first, struct rh_fingerprint f,
                     uint32_t shown)
{
    if (!l->on)
        return;
    uint32_t open, before;
    const struct rh_choice *choices = rh__world_open(w, &open);
    struct lasso_node *n = &l->nodes[l->node_count];
    struct lasso_level *at = &l->levels[level];
    if (l->node_count == l->node_room || l->unit_count + (uint64_t)open * RH__UNITS_OF_CHOICE > l->unit_room) {
        give_up(l);
        return;
    }
    l->hidden |= shown < rh__world_narrows(w, choices, open);
    *n = (struct lasso_node){ .state = f,
                              .low = l->node_count,
                              .next = *list_of(l, f),
                              .hot = hot_monitors(l, w, &before),
                              .units = l->unit_count,
                              .edges = l->edge_count,
                              .served = l->served_count,
                              .choosing = rh__world_is_choosing(w) };
    if (!first && !make_edge(l, w, level, before, &at->edge)) {
        give_up(l);
        return;
    }
    n->unit_count = rh__units_of_state(w, choices, open, l->units + l->unit_count);
    l->unit_count += n->unit_count;
    at->node = l->node_count++;
    *list_of(l, f) = l->node_count;
    l->most_open = l->node_count > l->most_open ? l->node_count : l->most_open;
}

static void forget_from(struct rh__lasso *l, uint32_t first)
{
    while (l->node_count > first) {
        const struct lasso_node *n = &l->nodes[--l->node_count];
        *list_of(l, n->state) = n->next;
    }
    l->edge_count = l->nodes[first].edges;
    l->served_count = l->nodes[first].served;
    l->unit_count = l->nodes[first].units;
}

bool rh__lasso_leave(struct rh__lasso *l, uint32_t level, bool first)
{
    if (!l->on)
        return false;
    uint32_t node = l->levels[level].node;
    if (l->nodes[node].low == node) {
        if (rh__lasso_plan(l, node))
            return true;
        forget_from(l, node);
        return false;
    }
    if (!first && !add_edge(l, &l->levels[level].edge, node))
        give_up(l);
    return false;
}

/* ---- the plan ---------------------------------------------------------------------------------------------------- */

static uint32_t choice_with(const struct rh_world *w, const struct rh_choice *open, uint32_t count, uint64_t key)
{
    for (uint32_t i = 0; i < count; i++)
        if (rh__choice_key(w, &open[i]) == key)
            return i;
    return RH_ABANDON;
}

uint32_t rh__lasso_follow(struct rh__lasso *l, struct rh_exploration *x, const struct rh_world *w, uint32_t at,
                          const struct rh_choice *open, uint32_t count)
{
    const uint32_t *monitors;
    uint32_t pick = RH_ABANDON;
    rh__world_monitors(w, &monitors);
    if (at == l->stem)
        rh__exploration_loop_begins(x, w);
    if (at == l->plan_count)
        pick = rh__exploration_loop_ends(x, w, monitors[l->plan_monitor]) ? RH_ABANDON : RH_LASSO;
    else if (at < l->plan_count)
        pick = choice_with(w, open, count, l->plan[at]);
    l->unconfirmed += pick == RH_ABANDON;
    return pick;
}

const char *rh__lasso_missed(const struct rh__lasso *l)
{
    if (l->full)
        return "loops in which a monitor stays hot were not all looked for: the memory (kb=N) was used up";
    if (l->hidden)
        return "loops in which a monitor stays hot were looked for among the shown choices only";
    if (l->too_many)
        return "loops were looked for of the first 32 monitors only";
    if (l->too_long)
        return "a loop in which a monitor stays hot is longer than max_steps";
    if (l->unconfirmed)
        return "a loop in which a monitor stays hot was found, but the program did not repeat it";
    return NULL;
}

uint64_t rh__lasso_most_open(const struct rh__lasso *l)
{
    return l->most_open;
}
