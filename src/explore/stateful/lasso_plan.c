/* A complete component of the state graph: the fair loops in it in which a monitor stays hot, and a way round one
 * (lasso.h).  Nodes are counted from the first one of the component here. */
#include <string.h>

#include "explore/stateful/lasso_parts.h"

/* A part of the component: the nodes of `part`, and the steps between them during which these monitors are hot. */
struct view {
    struct rh__lasso *l;
    const struct lasso_node *nodes;
    uint32_t first, count; /* nodes of the component */
    uint64_t edge_first, edge_end;
    uint32_t hot;  /* 0: every step */
    uint32_t part; /* 0: every node; else by l->component */
};

static const struct lasso_edge *edge_at(const struct view *v, uint32_t i)
{
    return &v->l->edges[v->edge_first + v->l->order[i]];
}

static bool has_node(const struct view *v, uint32_t node)
{
    return (v->nodes[node].hot & v->hot) == v->hot && (!v->part || v->l->component[node] == v->part);
}

static bool has_edge(const struct view *v, const struct lasso_edge *e)
{
    return (e->hot & v->hot) == v->hot && has_node(v, e->from - v->first) && has_node(v, e->to - v->first);
}

/* Sorts the edges by the node from which they come. */
static void sort_edges(const struct view *v)
{
    struct rh__lasso *l = v->l;
    memset(l->first_edge, 0, ((size_t)v->count + 2) * sizeof *l->first_edge);
    for (uint64_t i = v->edge_first; i < v->edge_end; i++)
        l->first_edge[l->edges[i].from - v->first + 2]++;
    for (uint32_t n = 2; n < v->count + 2; n++)
        l->first_edge[n] += l->first_edge[n - 1];
    for (uint64_t i = v->edge_first; i < v->edge_end; i++)
        l->order[l->first_edge[l->edges[i].from - v->first + 1]++] = (uint32_t)(i - v->edge_first);
}

/* ---- components -------------------------------------------------------------------------------------------------- */

/* Tarjan's algorithm without recursion: `calls` has the nodes under way, `next` the next edge of each.  Numbers the
 * components of the view in `component`, from 1. */
static uint32_t find_components(const struct view *v)
{
    struct rh__lasso *l = v->l;
    uint32_t counter = 0, components = 0, stacked = 0;
    memset(l->index, 0, v->count * sizeof *l->index);
    memset(l->component, 0, v->count * sizeof *l->component);
    for (uint32_t root = 0; root < v->count; root++) {
        uint32_t depth = 0;
        if (l->index[root] || !has_node(v, root))
            continue;
        l->calls[depth++] = root;
        while (depth) {
            uint32_t n = l->calls[depth - 1];
            if (!l->index[n]) {
                l->index[n] = l->low[n] = ++counter;
                l->next[n] = l->first_edge[n];
                l->stack[stacked++] = n;
            }
            bool down = false;
            while (l->next[n] < l->first_edge[n + 1] && !down) {
                const struct lasso_edge *e = edge_at(v, l->next[n]);
                uint32_t to = e->to - v->first;
                if (has_edge(v, e) && !l->index[to]) {
                    l->calls[depth++] = to; /* and this edge once more, when its low is known */
                    down = true;
                } else {
                    if (has_edge(v, e) && !l->component[to] && l->low[to] < l->low[n])
                        l->low[n] = l->low[to];
                    l->next[n]++;
                }
            }
            if (down)
                continue;
            depth--;
            if (l->low[n] != l->index[n])
                continue;
            components++;
            uint32_t popped;
            do {
                popped = l->stack[--stacked];
                l->component[popped] = components;
            } while (popped != n);
        }
    }
    return components;
}

/* Lists the nodes by component: in `low`, those of component p from next[p] up to next[p + 1]. */
static void list_members(const struct view *v, uint32_t components)
{
    struct rh__lasso *l = v->l;
    memset(l->next, 0, ((size_t)components + 2) * sizeof *l->next);
    for (uint32_t n = 0; n < v->count; n++)
        l->next[l->component[n]]++;
    for (uint32_t p = 0, at = 0; p < components + 2; p++) {
        uint32_t size = l->next[p];
        l->next[p] = at;
        at += size;
    }
    for (uint32_t n = 0; n < v->count; n++)
        l->low[l->next[l->component[n]]++] = n;
    for (uint32_t p = components + 1; p; p--)
        l->next[p] = l->next[p - 1];
    l->next[0] = 0;
}

/* ---- fairness ---------------------------------------------------------------------------------------------------- */

static uint32_t keep_open(const struct view *v, uint64_t *pending, uint32_t count, uint32_t node)
{
    const struct lasso_node *n = &v->nodes[node];
    return n->choosing ? count : rh__units_keep(pending, count, v->l->units + n->units, n->unit_count);
}

static uint32_t drop_served(const struct view *v, uint64_t *pending, uint32_t count, const struct lasso_edge *e)
{
    for (uint32_t i = 0; i < e->served_count && count; i++)
        count = rh__units_remove(pending, count, v->l->served[e->served + i]);
    return count;
}

static uint32_t units_of(const struct view *v, uint64_t *units, uint32_t node)
{
    const struct lasso_node *n = &v->nodes[node];
    memcpy(units, v->l->units + n->units, n->unit_count * sizeof *units);
    return n->unit_count;
}

/* Of a part, node number i; there are members_end(v) - members(v). */
static uint32_t members(const struct view *v)
{
    return v->l->next[v->part];
}

static uint32_t members_end(const struct view *v)
{
    return v->l->next[v->part + 1];
}

/* A node at which the loop can begin: not inside of a handler, if there is another one. */
static uint32_t beginning(const struct view *v)
{
    const uint32_t *list = v->l->low;
    for (uint32_t i = members(v); i < members_end(v); i++)
        if (!v->nodes[list[i]].choosing)
            return list[i];
    return list[members(v)];
}

static bool is_fair_loop(const struct view *v)
{
    uint64_t *pending = v->l->scratch_units;
    uint32_t start = beginning(v), edges = 0, count;
    count = v->nodes[start].choosing ? 0 : units_of(v, pending, start);
    for (uint32_t k = members(v); k < members_end(v); k++) {
        uint32_t n = v->l->low[k];
        count = keep_open(v, pending, count, n);
        for (uint32_t i = v->l->first_edge[n]; i < v->l->first_edge[n + 1]; i++)
            if (has_edge(v, edge_at(v, i))) {
                count = drop_served(v, pending, count, edge_at(v, i));
                edges++;
            }
    }
    return edges && !count;
}

/* ---- a way round ------------------------------------------------------------------------------------------------- */

/* What a way leads to: a node; or what ends the wait of one of the pending units, a node where it is not open or a step
 * that serves it.  (Any of them, since the order of units depends on addresses in the program.) */
struct aim {
    uint32_t node; /* RH_NONE: the units */
    const uint64_t *pending;
    uint32_t count;
};

static bool reaches(const struct view *v, const struct lasso_edge *e, const struct aim *a)
{
    uint32_t to = e->to - v->first;
    uint64_t *left = v->l->scratch_left;
    if (a->node != RH_NONE)
        return to == a->node;
    memcpy(left, a->pending, a->count * sizeof *left);
    return keep_open(v, left, drop_served(v, left, a->count, e), to) < a->count;
}

/* Appends the way to `to` that `came_by` has, which begins at `from`. */
static bool append_way(const struct view *v, uint32_t from, uint32_t last)
{
    struct rh__lasso *l = v->l;
    uint32_t length = 1, at = l->plan_count;
    for (uint32_t n = edge_at(v, last)->from - v->first; n != from; n = edge_at(v, l->came_by[n])->from - v->first)
        length++;
    if (l->plan_count + length >= l->plan_room)
        return false;
    l->plan_count += length;
    for (uint32_t i = last; length--;) {
        l->plan[at + length] = edge_at(v, i)->key;
        l->calls[length] = i;
        if (length)
            i = l->came_by[edge_at(v, i)->from - v->first];
    }
    return true;
}

/* The shortest way with at least one step, breadth first: its edges are in `calls` then, and their keys in the plan.
 * Returns how many, 0 if there is none, RH_NONE if it is too long. */
static uint32_t find_way(const struct view *v, uint32_t from, const struct aim *a)
{
    struct rh__lasso *l = v->l;
    uint32_t head = 0, tail = 0, before = l->plan_count;
    memset(l->index, 0, v->count * sizeof *l->index);
    l->stack[tail++] = from;
    l->index[from] = 1;
    while (head < tail) {
        uint32_t n = l->stack[head++];
        for (uint32_t i = l->first_edge[n]; i < l->first_edge[n + 1]; i++) {
            const struct lasso_edge *e = edge_at(v, i);
            if (!has_edge(v, e))
                continue;
            if (reaches(v, e, a))
                return append_way(v, from, i) ? l->plan_count - before : RH_NONE;
            uint32_t to = e->to - v->first;
            if (!l->index[to]) {
                l->index[to] = 1;
                l->came_by[to] = i;
                l->stack[tail++] = to;
            }
        }
    }
    return 0;
}

/* Goes from unit to unit, and back to the start. */
static bool go_round(const struct view *v, uint32_t start)
{
    struct rh__lasso *l = v->l;
    uint64_t *pending = l->scratch_units;
    uint32_t at = start, count = v->nodes[start].choosing ? 0 : units_of(v, pending, start), steps;
    while (count) {
        steps = find_way(v, at, &(struct aim){ RH_NONE, pending, count });
        if (!steps || steps == RH_NONE)
            return false;
        for (uint32_t i = 0; i < steps; i++) {
            const struct lasso_edge *e = edge_at(v, l->calls[i]);
            at = e->to - v->first;
            count = keep_open(v, pending, drop_served(v, pending, count, e), at);
        }
    }
    if (at == start && l->plan_count > l->stem)
        return true;
    steps = find_way(v, at, &(struct aim){ .node = start });
    return steps && steps != RH_NONE;
}

static bool make_plan(const struct view *loop)
{
    struct rh__lasso *l = loop->l;
    struct view all = *loop;
    uint32_t start = beginning(loop);
    all.hot = all.part = 0;
    l->plan_count = 0;
    uint32_t way = start ? find_way(&all, 0, &(struct aim){ .node = start }) : 0;
    l->stem = l->plan_count;
    bool good = way != RH_NONE && go_round(loop, start);
    l->too_long |= !good;
    return good;
}

bool rh__lasso_plan(struct rh__lasso *l, uint32_t first)
{
    struct view v = { .l = l,
                      .nodes = l->nodes + first,
                      .first = first,
                      .count = l->node_count - first,
                      .edge_first = l->nodes[first].edges,
                      .edge_end = l->edge_count };
    uint32_t hot = 0;
    for (uint32_t n = 0; n < v.count; n++)
        hot |= v.nodes[n].hot;
    hot &= ~l->reported;
    if (!hot || v.edge_first == v.edge_end)
        return false;
    sort_edges(&v);
    for (uint32_t bit = 0; bit < LASSO_MONITORS; bit++) {
        v.hot = (uint32_t)1 << bit;
        v.part = 0;
        if (!(hot & v.hot))
            continue;
        uint32_t components = find_components(&v);
        list_members(&v, components);
        for (v.part = 1; v.part <= components; v.part++)
            if (is_fair_loop(&v) && make_plan(&v)) {
                l->reported |= v.hot;
                l->plan_monitor = bit;
                return true;
            }
    }
    return false;
}
