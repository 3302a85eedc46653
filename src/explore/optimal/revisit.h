/* What the parts of the search for revisits share: revisit.c for one send, units.c for sets. */
/* Private to src/explore/optimal. */
#ifndef RH_EXPLORE_REVISIT_H
#define RH_EXPLORE_REVISIT_H

#include "explore/optimal/graph.h"

/* Scratch for sets: messages of which some are taken at once (units.c). */
enum { MOST_MEMBERS_OF_SET = 1024, MEMBER_WORDS = MOST_MEMBERS_OF_SET / 64 };

struct optimal_members {
    uint32_t count;
    uint32_t send[MOST_MEMBERS_OF_SET];
    uint64_t must[MOST_MEMBERS_OF_SET][MEMBER_WORDS]; /* what must be taken before it, or with it */
    bool forced[MOST_MEMBERS_OF_SET], barred[MOST_MEMBERS_OF_SET];
    bool in[MOST_MEMBERS_OF_SET];
    uint32_t extra_count, extra[MOST_MEMBERS_OF_SET]; /* sends behind the unit that are kept if they are members */
    uint32_t chosen_count, chosen[MOST_MEMBERS_OF_SET];
    uint32_t tried;
};

/* The new send or operation, for which the graph is examined. */
struct view {
    struct optimal_graph *g;
    const struct rh_world *w;
    const struct optimal_node *s; /* points into g; NULL for an operation */
    struct optimal_part past;     /* of the new node, of a set of all its members; nothing is below */
};

static inline bool rh__view_in_past(const struct view *v, const struct optimal_node *x)
{
    if (x->actor == v->past.actor)
        return x->position < v->past.position;
    return v->past.row != RH_NONE && rh__graph_row_at(v->g, v->past.row, x->actor) > x->position;
}

/* What counts for an event: what was added before it, and the past of the new node. */
static inline struct optimal_part rh__view_part_before(const struct view *v, uint32_t stamp)
{
    struct optimal_part part = v->past;
    part.below = stamp;
    return part;
}

/* Whether a send counts for an event: it was added before the event, or is in the past of s. */
static inline bool rh__view_knows(const struct view *v, uint32_t event, uint32_t send)
{
    return send < event || rh__view_in_past(v, rh__graph_node(v->g, send));
}

/* Whether a node is canonical (revisit.c).  Inline, because a walk asks this of every node, and most are sends. */
bool rh__view_canonical_event(const struct view *v, uint32_t stamp);
static inline bool rh__view_canonical(const struct view *v, uint32_t stamp)
{
    const struct optimal_node *x = rh__graph_node(v->g, stamp);
    switch ((enum optimal_node_kind)x->kind) {
    case NODE_EVENT:
        return rh__view_canonical_event(v, stamp);
    case NODE_SEND:
        return x->send.taken == RH_NONE || x->send.taken > stamp;
    case NODE_FATE:
        return x->now.kind == FATE_NONE;
    default:
        return x->now.detail == 0;
    }
}
/* Whether the event could have taken y alone: its stance takes y, and no other message must come first. */
bool rh__view_deliverable(const struct view *v, uint32_t stamp, uint32_t y);
/* Whether the sends of two messages have this order in their sender's step. */
bool rh__graph_same_step_before(const struct optimal_node *z, const struct optimal_node *y);

/* Whether an event that waited for a set took the greatest one of those that count, or, if there is none, the greatest
 * of the rest (units.c). */
bool rh__view_took_greatest_set(const struct view *v, uint32_t stamp);
/* Adds to the options of send `s`, the newest node, the sets with `s` that event `r` can take instead. */
void rh__graph_find_set_revisits(struct optimal_graph *g, const struct rh_world *w, uint32_t s, uint32_t r);

#endif
