/* Stances: what an actor waits for before an event, as the graph remembers it.
 *
 * A later send may be one that an earlier event could have taken.  Types and senders can be compared at any time.  A
 * predicate must see the memory of its actor as it was before the event, so an image of the actor's stack and region
 * is kept.
 *
 * Invariants (graph_check.c and revisit.c check them in the hostile build):
 *   - Each event at which an actor takes something has a stance below stance_top.  Stances and images are stacks:
 *     they are removed with the node or level that read them.
 *   - A stance names actors and messages by keys that are the same in every run, so it holds in each graph that keeps
 *     the event.
 *   - An image has addresses of one run.  In a run with other steps before the event the addresses may differ, so a
 *     stance with a predicate is read again when the step is made again (stance_is_current).  A step that was moved
 *     within its level (versions.c) cannot put a stance on the stack: its image is stale, and the world goes back. */
#include "explore/optimal/graph.h"
#include "world/live.h"

enum { IMAGE = 1 << 14 }; /* bytes of each, at most */

/* An image of the memory that the predicate may read, to ask it later. */
static void keep_image(struct optimal_graph *g, const struct rh_world *w, struct optimal_stance *stance, uint32_t actor)
{
    stance->image = RH_NONE;
    if (!rh__predicate_of(w, actor, IMAGE, &stance->predicate))
        return;
    stance->image = g->image_top;
    rh__predicate_copy(&stance->predicate, g->images + g->image_top);
    g->image_top += rh__predicate_bytes(&stance->predicate);
}

/* From keys of this run to keys of every run. A message or sender that the graph does not have gets a key that no
 * message and no sender has: a reply to a request that was lost is never there, nor is a message from an actor that is
 * not born yet. */
static void rename_keys(const struct optimal_graph *g, const struct rh_world *w, struct rh__stance *s)
{
    if (s->start)
        s->start = rh__graph_key(rh__graph_id_of_message(g, rh__key_index(s->start)));
    if (s->asking) {
        uint64_t asking = rh__graph_key(rh__graph_id_of_message(g, rh__key_index(s->asking)));
        s->asking = asking ? asking : UINT64_MAX;
    }
    if (s->from) {
        uint32_t from = rh__actor_of_ref(w, (rh_ref){ s->from });
        s->from = from == RH_NONE ? UINT64_MAX : rh__key(g->place_of_actor[from]);
    }
}

uint32_t rh__graph_read_stance(struct optimal_graph *g, const struct rh_world *w, uint32_t actor)
{
    struct optimal_stance *stance = &g->stances[g->stance_top];
    rh__stance_read(w, actor, &stance->stance);
    rh__stance_keep(&stance->stance, stance->types, sizeof stance->types / sizeof *stance->types);
    rename_keys(g, w, &stance->stance);
    if (stance->stance.tested)
        keep_image(g, w, stance, actor);
    return g->stance_top++;
}

void rh__graph_before_step(struct optimal_graph *g, const struct rh_world *w, uint32_t stamp)
{
    struct optimal_node *x = rh__graph_node(g, stamp);
    if (x->kind != NODE_EVENT || x->event.place != x->actor || x->event.stance_is_current)
        return;
    x->event.stance_is_current = true;
    x->event.stale = false;
    if (x->event.part) { /* it is the stance of its unit */
        const struct optimal_node *first = rh__graph_node(g, stamp - x->event.part);
        x->event.stance = first->event.stance;
        x->event.stale = first->event.stale;
    } else if (g->stances[x->event.stance].stance.tested)
        x->event.stance = rh__graph_read_stance(g, w, g->actor_of[x->actor]);
}

/* One at the top that was given up, and is needed again. */
void rh__graph_keep_stance(struct optimal_graph *g, uint32_t stance)
{
    const struct optimal_stance *x = &g->stances[stance];
    g->stance_top = stance + 1;
    if (x->stance.tested && x->image != RH_NONE)
        g->image_top = x->image + rh__predicate_bytes(&x->predicate);
}
