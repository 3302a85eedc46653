/* What actors wait for, as the graph remembers it (graph.h).
 *
 * A later send may be one that an earlier event could have taken.  Types and senders can be compared at any time; a predicate
 * must see the memory of then, so an image of the waiting actor's stack and region is kept with it. */
#include "base/copy.h"
#include "explore/graph.h"
#include "world/fiber.h"
#include "world/objects.h"

enum { IMAGE = 1 << 14 }; /* bytes of each, at most */

static void read_filter(struct graph *g, const struct rh_world *w, struct wish *wish, const struct rh_filter *f)
{
    uint32_t most = sizeof wish->types / sizeof *wish->types;
    wish->tested = f->match != NULL;
    uint32_t from = actor_of(w, f->from);
    wish->from = rh_is_nobody(f->from) ? RH_NONE : from == RH_NONE ? RH_NONE - 1 : g->place_of_actor[from];
    if (f->type)
        wish->types[wish->type_count++] = f->type;
    for (const struct rh_message_type *const *t = f->types; t && *t; t++) {
        if (wish->type_count == most || f->type) {
            wish->tested = true; /* more than fits here: the whole filter is asked */
            wish->type_count = 0;
            return;
        }
        wish->types[wish->type_count++] = *t;
    }
    if (f->types && !wish->type_count)
        wish->tested = true;
}

/* The actor's stack and region, to be put back for a moment when a predicate is asked later. */
static void keep_image(struct graph *g, struct rh_world *w, struct wish *wish, uint32_t actor)
{
    const struct actor *a = &w->actors[actor];
    wish->filter = a->filter;
    wish->image = RH_NONE;
    if (w->asan || a->large || a->stack == RH_NONE || a->used > IMAGE)
        return;
    wish->at[0] = rh__fiber_live(w, actor, &wish->size[0]);
    wish->at[1] = a->region;
    wish->size[1] = a->used;
    if (wish->size[0] > IMAGE)
        return;
    wish->image = g->image_top;
    for (int i = 0; i < 2; i++) {
        rh__copy(g->images + g->image_top, wish->at[i], wish->size[i]);
        g->image_top += (wish->size[i] + 15) & ~15u;
    }
}

uint32_t rh__graph_read_wish(struct graph *g, struct rh_world *w, uint32_t actor)
{
    const struct actor *a = &w->actors[actor];
    struct wish *wish = &g->wishes[g->wish_top];
    *wish = (struct wish){ .status = a->status,
                           .behaviour = a->behaviour,
                           .start = rh__graph_id_of_message(g, w, a->start),
                           .asking = { RH_NONE, 0 },
                           .from = RH_NONE,
                           .wait = a->wait,
                           .life = a->restarts + 1,
                           .defers = a->flags & FLAG_DEFERS };
    if (a->status == STATUS_WAITING && a->asking != RH_NONE) {
        wish->asking = rh__graph_id_of_message(g, w, a->asking);
        if (wish->asking.actor == RH_NONE)
            wish->asking.actor = RH_NONE - 1; /* a request that never was: nothing answers it */
    } else if (a->status == STATUS_WAITING) {
        read_filter(g, w, wish, a->filter);
        if (wish->tested)
            keep_image(g, w, wish, actor);
    }
    return g->wish_top++;
}

void rh__graph_before_step(struct graph *g, struct rh_world *w, uint32_t stamp)
{
    struct node *x = rh__graph_node(g, stamp);
    if (x->kind != NODE_EVENT || x->event.place != x->actor || x->event.wish_is_of_this_level)
        return;
    x->event.wish_is_of_this_level = true;
    if (g->wishes[x->event.wish].tested)
        x->event.wish = rh__graph_read_wish(g, w, g->actor_of[x->actor]);
}

/* One at the top that was given up, and is needed again. */
void rh__graph_keep_wish(struct graph *g, uint32_t wish)
{
    const struct wish *x = &g->wishes[wish];
    g->wish_top = wish + 1;
    if (x->tested && x->image != RH_NONE)
        g->image_top = x->image + ((x->size[0] + 15) & ~15u) + ((x->size[1] + 15) & ~15u);
}
