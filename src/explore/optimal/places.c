/* Places by their identity, and what each level of the search knows of them (graph.h).
 *
 * What a level knows of places is derived from its nodes: the newest event of each place, of each actor, and so on.
 * When a level is pushed, the one below keeps what it knows, so that nothing must be computed again when the search
 * returns to it.  So the arrays of all levels are on a stack.  The arrays of the level on top can grow, because nothing
 * is behind them.
 *
 * Invariants:
 *   - Each array of the level on top has `room` entries, at least as many as there are places.  What is behind the
 *     last known place is as of a place of which nothing is known.
 *   - The stamps on `todo` are a stack likewise: those of the level on top come last. */
#include <string.h>

#include "base/fail.h"
#include "explore/optimal/graph.h"

enum { ARRAYS = 7, LEAST_ROOM = 16 };

static void find_arrays(struct optimal_graph *g)
{
    const struct optimal_level *l = rh__graph_top(g);
    uint32_t *at = &g->of_places[l->places_at],
             **arrays[ARRAYS] = { &g->last_event,   &g->last_of_actor, &g->last_send, &g->last_life,
                                  &g->first_change, &g->last_change,   &g->frozen };
    for (uint32_t i = 0; i < ARRAYS; i++)
        *arrays[i] = at + (size_t)i * l->room;
}

static void forget(struct optimal_graph *g, uint32_t from)
{
    for (uint32_t p = from; p < rh__graph_top(g)->room; p++) {
        g->last_event[p] = g->last_of_actor[p] = g->last_send[p] = g->last_life[p] = g->first_change[p] = RH_NONE;
        g->last_change[p] = g->frozen[p] = 0;
    }
}

static void make_room(struct optimal_graph *g)
{
    struct optimal_level *l = rh__graph_top(g);
    uint32_t *at = &g->of_places[l->places_at], was = l->room;
    if (g->places <= was)
        return;
    while (l->room < g->places)
        l->room *= 2;
    for (uint32_t i = ARRAYS; i-- > 1;)
        memmove(at + (size_t)i * l->room, at + (size_t)i * was, was * sizeof *at);
    find_arrays(g);
    forget(g, was);
}

void rh__graph_begin_places(struct optimal_graph *g)
{
    struct optimal_level *l = rh__graph_top(g);
    const struct optimal_level *below = g->level_count > 1 && !l[-1].bare ? l - 1 : NULL;
    l->room = below ? below->room : LEAST_ROOM;
    while (l->room < g->places)
        l->room *= 2;
    l->places_at = below ? below->places_at + ARRAYS * below->room : 0;
    l->first_todo = below ? below->first_todo + below->todo_count : 0;
    g->todo = &g->all_todo[l->first_todo];
    g->todo_count = g->lost = g->twice = g->crashed = 0;
    find_arrays(g);
    forget(g, 0);
}

void rh__graph_leave_places(struct optimal_graph *g)
{
    struct optimal_level *l = rh__graph_top(g);
    l->todo_count = g->todo_count;
    l->lost = g->lost;
    l->twice = g->twice;
    l->crashed = g->crashed;
    l->absorbed = g->absorbed;
}

void rh__graph_return_to_places(struct optimal_graph *g)
{
    const struct optimal_level *l = rh__graph_top(g);
    g->todo = &g->all_todo[l->first_todo];
    g->todo_count = l->todo_count;
    g->lost = l->lost;
    g->twice = l->twice;
    g->crashed = l->crashed;
    find_arrays(g);
    make_room(g);
}

uint64_t rh__graph_places_end(const struct optimal_graph *g)
{
    const struct optimal_level *l = &g->levels[g->level_count - 1];
    return l->places_at + (uint64_t)ARRAYS * (l->room + 4 * (g->places + LEAST_ROOM));
}

uint32_t rh__graph_place(struct optimal_graph *g, uint64_t identity)
{
    uint32_t mask = 2 * GRAPH_PLACES - 1, i = (uint32_t)(identity ^ identity >> 32) & mask;
    while (g->by_identity[i] && g->identity[g->by_identity[i] - 1] != identity)
        i = (i + 1) & mask;
    if (!g->by_identity[i]) {
        RH__ASSERT(g->places < GRAPH_PLACES, "more than %d actors and objects", GRAPH_PLACES);
        uint32_t p = g->places++;
        g->identity[p] = identity;
        g->by_identity[i] = p + 1;
        g->birth[p] = RH_NONE;
        make_room(g);
    }
    return g->by_identity[i] - 1;
}
