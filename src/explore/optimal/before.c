/* The relation "comes before" between the events of a graph, and orders of steps that respect it.
 *
 * A graph is possible if this relation has no cycle [tests/reference/optimal_more.py]:
 *   - the past of an event comes before it;
 *   - an operation that looked at a version comes before the change that replaced the version;
 *   - under mailbox, where a message is in the mailbox when its sender has made its step: the message that a receive
 *     took was sent before every other message that the receive wants, and a receive that found nothing comes before
 *     all that it wants.  A receive wants a message that was sent to it, that its stance takes, and that no earlier
 *     receive took.
 * Then any order of the steps that respects the relation is a run: when a receive is made, the message that it takes
 * is the first in the mailbox of those that it wants.  Which message comes first in a mailbox matters only where a
 * receive chooses between them, so the order of sends is no part of a distinct run.
 *
 * What a receive wants may depend on a predicate, which must be asked while the world is at the end of the graph's run.
 * So the order of steps that an option needs is computed when the option is found, and kept with it. */
#include "base/fail.h"
#include "explore/optimal/graph.h"

#include <string.h>

bool rh__graph_has(const struct optimal_graph *g, const struct optimal_part *part, uint32_t stamp)
{
    const struct optimal_node *x = rh__graph_node(g, stamp);
    if (stamp < part->below)
        return true;
    if (part->row == RH_NONE)
        return false;
    return x->actor == part->actor ? x->position < part->position
                                   : rh__graph_row_at(g, part->row, x->actor) > x->position;
}

/* One who goes through the events that come right before an event. */
struct walker {
    struct optimal_graph *g;
    const struct rh_world *w;
    const struct optimal_part *part;
    uint32_t send, last; /* nodes that count, too; RH_NONE for none */
    void (*meet)(struct walker *k, uint32_t stamp);
    uint32_t count; /* of stamps to visit; of steps in the order */
    uint32_t *order;
    uint32_t set; /* what `last` takes, if that is a set; else 0 */
};

static bool is_in_set(const struct walker *k, uint32_t send)
{
    for (uint32_t i = 0; k->set && i < rh__graph_set_size(k->g, k->set); i++)
        if (rh__graph_set(k->g, k->set)[i] == send)
            return true;
    return false;
}

static bool counts(const struct walker *k, uint32_t stamp)
{
    return stamp == k->send || stamp == k->last || rh__graph_has(k->g, k->part, stamp);
}

static void meet(struct walker *k, uint32_t stamp)
{
    if (stamp != RH_NONE)
        k->meet(k, stamp);
}

/* The event that a receive puts before all that it wants: the send of what it took, or itself; RH_NONE for none. */
static uint32_t put_first(const struct optimal_graph *g, uint32_t receive)
{
    const struct optimal_node *x = rh__graph_node(g, receive);
    if (x->event.place != x->actor)
        return RH_NONE;
    if (x->now.cause != RH_NONE) {
        const struct optimal_node *s = rh__graph_node(g, x->now.cause);
        return s->send.posted ? s->of : s->send.wake ? receive : RH_NONE;
    }
    bool found_nothing = x->now.kind == RH_CHOICE_TIMER && !x->now.detail;
    return found_nothing && g->stances[x->event.stance].stance.kind == RH__WAITS ? receive : RH_NONE;
}

/* What comes before the send of a message that `last` wants, and does not take as one of its set. */
static void meet_set(struct walker *k, uint32_t event, uint32_t send)
{
    if (!rh__graph_wants(k->g, k->w, k->last, send))
        return;
    for (uint32_t i = 0; i < rh__graph_set_size(k->g, k->set); i++) {
        uint32_t of = rh__graph_node(k->g, rh__graph_set(k->g, k->set)[i])->of;
        if (of != event)
            meet(k, of);
    }
}

/* What comes before the send of a message, because of receives that want it and took another one. */
static void meet_preferred(struct walker *k, uint32_t event, uint32_t send)
{
    struct optimal_graph *g = k->g;
    const struct optimal_node *s = rh__graph_node(g, send);
    uint32_t taker = s->send.taken;
    if (taker != RH_NONE &&
        (!counts(k, taker) || rh__graph_node(g, taker)->now.cause != send || (k->set && taker == k->last)))
        taker = RH_NONE;
    if (is_in_set(k, send))
        taker = k->last;
    if (taker != RH_NONE) /* what is taken at once has no order */
        taker -= rh__graph_node(g, taker)->event.part;
    for (uint32_t r = g->last_event[s->send.to]; r != RH_NONE; r = rh__graph_node(g, r)->event.before_in_place) {
        const struct optimal_node *x = rh__graph_node(g, r);
        if (!counts(k, r) || (taker != RH_NONE && x->event.index >= rh__graph_node(g, taker)->event.index))
            continue;
        if (k->set && r == k->last) {
            meet_set(k, event, send);
            continue;
        }
        uint32_t first = put_first(g, r);
        if (first != RH_NONE && first != event && !rh__graph_passes_over(g, x, s) && rh__graph_wants(g, k->w, r, send))
            meet(k, first);
    }
}

static void meet_all(struct walker *k, uint32_t stamp)
{
    struct optimal_graph *g = k->g;
    const struct optimal_node *x = rh__graph_node(g, stamp);
    if (!x->event.part || !k->order) /* the events of a unit are placed together */
        meet(k, x->event.before_of_actor == RH_NONE ? x->event.birth : x->event.before_of_actor);
    if (x->event.finds) {
        meet(k, x->now.cause);
        for (uint32_t y = x->event.wrote ? g->last_event[x->event.place] : RH_NONE; y != RH_NONE;
             y = rh__graph_node(g, y)->event.before_in_place)
            if (rh__graph_node(g, y)->now.cause == x->now.cause && !rh__graph_node(g, y)->event.wrote && counts(k, y))
                meet(k, y);
    } else if (x->now.cause != RH_NONE && !(k->set && stamp == k->last)) {
        meet(k, rh__graph_node(g, x->now.cause)->of);
    }
    for (uint32_t s = g->by_receiver ? x->event.last_of : RH_NONE; s != RH_NONE;) {
        const struct optimal_node *n = rh__graph_node(g, s);
        if (n->kind == NODE_SEND && n->send.posted && counts(k, s))
            meet_preferred(k, stamp, s);
        s = n->kind == NODE_SEND ? n->send.next_of : n->fate.next_of;
    }
    /* Last: the end of the test, if it is unnoticed, is enabled when the actor is about to look at it. */
    if (!x->event.finds && x->event.place != x->actor)
        meet(k, x->event.before_in_place);
}

/* ---- marks ------------------------------------------------------------------------------------------------------- */

static void mark(struct walker *k, uint32_t stamp)
{
    if (k->g->map[stamp])
        return;
    k->g->map[stamp] = true;
    k->g->walk[k->count++] = stamp;
}

static void mark_all(struct walker *k, uint32_t stamp, uint32_t send)
{
    struct optimal_graph *g = k->g;
    memset(g->map, 0, rh__graph_top(g)->count * sizeof *g->map);
    meet(k, stamp);
    if (send != RH_NONE)
        mark(k, rh__graph_node(g, send)->of);
    while (k->count)
        meet_all(k, g->walk[--k->count]);
}

void rh__graph_mark_before(struct optimal_graph *g, const struct rh_world *w, const struct optimal_part *part,
                           uint32_t stamp, uint32_t send)
{
    struct walker k = { .g = g, .w = w, .part = part, .send = send, .last = RH_NONE, .meet = mark };
    mark_all(&k, stamp, send);
}

void rh__graph_mark_before_send(struct optimal_graph *g, const struct rh_world *w, const struct optimal_part *part,
                                uint32_t send, uint32_t counted)
{
    struct walker k = { .g = g, .w = w, .part = part, .send = counted, .last = RH_NONE, .meet = mark };
    mark_all(&k, RH_NONE, send);
}

/* ---- orders ------------------------------------------------------------------------------------------------------ */

enum { UNSEEN, UNDER_WAY, PLACED };

/* The losses and duplications of an event's messages come right behind it, in the order in which they were decided. */
static void place_fates(struct walker *k, uint32_t event)
{
    for (uint32_t next;; k->order[k->count++] = next, k->g->map[next] = PLACED) {
        next = RH_NONE;
        for (uint32_t s = rh__graph_node(k->g, event)->event.last_of; s != RH_NONE;) {
            const struct optimal_node *n = rh__graph_node(k->g, s);
            if (n->kind == NODE_FATE && n->now.kind != FATE_NONE && counts(k, s) && k->g->map[s] == UNSEEN && s < next)
                next = s;
            s = n->kind == NODE_SEND ? n->send.next_of : n->fate.next_of;
        }
        if (next == RH_NONE)
            return;
    }
}

/* Places a step behind all that comes before it. */
static void place_step(struct walker *k, uint32_t stamp)
{
    RH__CHECK(k->g->map[stamp] != UNDER_WAY, "event %u comes before itself", stamp);
    if (k->g->map[stamp] != UNSEEN || (rh__graph_node(k->g, stamp)->event.failed && stamp != k->last))
        return;
    uint32_t first = stamp - rh__graph_node(k->g, stamp)->event.part, n = rh__graph_node(k->g, stamp)->event.set;
    uint32_t end = n && stamp != k->last ? first + n : stamp + 1;
    for (uint32_t i = first; i < end; i++)
        k->g->map[i] = UNDER_WAY;
    for (uint32_t i = first; i < end; i++)
        meet_all(k, i);
    for (uint32_t i = first; i < end; i++) {
        k->order[k->count++] = i;
        k->g->map[i] = PLACED;
        place_fates(k, i);
    }
}

uint32_t rh__graph_order(struct optimal_graph *g, const struct rh_world *w, const struct optimal_part *part,
                         uint32_t send, uint32_t last, uint32_t set)
{
    const struct optimal_level *l = rh__graph_top(g);
    uint32_t at = g->order_top;
    struct walker k = { g, w, part, send, last, place_step, 0, &g->orders[at + 1], set };
    memset(g->map, 0, l->count * sizeof *g->map);
    for (uint32_t i = 0; i < l->steps; i++) {
        uint32_t stamp = g->run[l->first_step + i].node;
        if (stamp != last && rh__graph_node(g, stamp)->kind == NODE_EVENT && counts(&k, stamp))
            place_step(&k, stamp);
    }
    if (!set)
        place_step(&k, last);
    g->orders[at] = k.count;
    g->order_top += 1 + k.count;
    return at + 1;
}

void rh__graph_decide(struct optimal_graph *g, uint32_t stamp, const struct optimal_option *option)
{
    struct optimal_node *x = rh__graph_node(g, stamp);
    if (!x->event.finds && x->now.cause != RH_NONE)
        rh__graph_set_taken(g, x->now.cause, RH_NONE);
    x->now = *option;
    if (!x->event.finds && x->now.cause != RH_NONE)
        rh__graph_set_taken(g, x->now.cause, stamp);
}

void rh__graph_steps_change(struct optimal_graph *g, uint32_t from)
{
    const struct optimal_level *l = rh__graph_top(g);
    if (g->absorbed > from)
        g->absorbed = from;
    for (uint32_t i = from; i < l->steps; i++) {
        struct optimal_node *x = rh__graph_node(g, g->run[l->first_step + i].node);
        if (x->kind == NODE_EVENT)
            x->event.stale = true;
    }
}

void rh__graph_take_order(struct optimal_graph *g, const struct optimal_option *option)
{
    const struct optimal_level *l = rh__graph_top(g);
    uint32_t order = option->order, same = 0, steps = l->steps - (option->set ? rh__graph_set_size(g, option->set) : 0);
    const uint32_t *stamps = &g->orders[order];
    if (!order || g->orders[order - 1] != steps)
        return;
    while (same < steps && g->run[l->first_step + same].node == stamps[same])
        same++;
    rh__graph_steps_change(g, same);
    for (uint32_t i = same; i < steps; i++) {
        const struct optimal_node *x = rh__graph_node(g, stamps[i]);
        g->run[l->first_step + i] =
            (struct optimal_step){ stamps[i], x->kind == NODE_EVENT ? x->event.serial : x->fate.serial };
    }
}
