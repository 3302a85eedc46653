/* Notices: messages that tell of the end of an actor (rh_down) to actors that watch it.
 *
 * A notice is a send with two reasons, the end and the operation by which its receiver watches the life; it is added
 * as soon as both are there, in whichever order they were added [tests/reference/optimal_more.py].  So an operation
 * that watches only looks at the life: it finds a version of it, and those that watch the same version have no order.
 * Were a notice one of the sends of the end, one who comes to watch later, but before the end, would change what an
 * earlier event has sent.
 *
 *   past      of a notice: the pasts of both reasons, and the other sends of the end; a row of its own.
 *   position  that of the event that took it, because the notice is in the past of what comes after that event, and of
 *             nothing else: who goes on after watching need not know of the end.
 *   message   of the step of the end, which tells its watchers in an order of identities, behind all other messages.
 *             So which of its messages a notice is depends on who else watches.
 * An actor may watch from its creation of the other one on: then the end is the only reason, because it is behind that.
 * If actors restart, one that has ended may send again, behind its notices.  These would have to be in the past of what
 * it sends, with all who watch; so then watching changes the life (rh__watching_looks), and there are no notices.
 * Network faults do not affect notices, and they are in no mailbox. */
#include "explore/optimal/graph.h"

static bool is_notice(const struct rh__run *r, uint32_t step, uint32_t message)
{
    const struct rh__run_message *m = rh__run_message(r, message);
    return rh__is_down(m) && m->sender == r->events[step].choice.actor && m->receiver != m->sender;
}

uint32_t rh__graph_count_notices(const struct rh__run *r, uint32_t step)
{
    uint32_t n = 0;
    if (!rh__watching_looks(r->semantics))
        return 0;
    for (uint32_t m = rh__run_messages_end(r, step); m > r->events[step].first_message && is_notice(r, step, m - 1);
         m--)
        n++;
    return n;
}

uint32_t rh__graph_notice_message(const struct optimal_graph *g, const struct optimal_node *send)
{
    uint32_t step = rh__graph_node(g, send->of)->event.step;
    for (uint32_t m = rh__run_messages_end(g->seen, step);
         m > g->seen->events[step].first_message && is_notice(g->seen, step, m - 1); m--)
        if (g->place_of_actor[rh__run_message(g->seen, m - 1)->receiver] == send->actor)
            return m - 1;
    return RH_NONE;
}

static uint32_t count_nodes(const struct optimal_graph *g, const struct optimal_node *end)
{
    uint32_t n = 0;
    for (uint32_t s = end->event.last_of; s != RH_NONE; s = rh__graph_next_of(rh__graph_node(g, s)))
        n += rh__graph_is_notice(rh__graph_node(g, s));
    return n;
}

bool rh__graph_lacks_notices(const struct optimal_graph *g, uint32_t end)
{
    const struct optimal_node *x = rh__graph_node(g, end);
    return x->event.notices && x->event.notices > count_nodes(g, x);
}

static bool is_told(const struct optimal_graph *g, const struct optimal_node *end, uint32_t place)
{
    for (uint32_t s = end->event.last_of; s != RH_NONE; s = rh__graph_next_of(rh__graph_node(g, s)))
        if (rh__graph_is_notice(rh__graph_node(g, s)) && rh__graph_node(g, s)->actor == place)
            return true;
    return false;
}

bool rh__graph_notice_due(const struct optimal_graph *g, uint32_t end, uint32_t *to)
{
    const struct optimal_node *x = rh__graph_node(g, end);
    const struct rh__run *r = g->seen;
    uint32_t step = x->event.step, first = r->events[step].first_message;
    if (!rh__graph_lacks_notices(g, end))
        return false;
    for (uint32_t m = first + x->event.sends; m < rh__run_messages_end(r, step); m++) {
        *to = g->place_of_actor[rh__run_message(r, m)->receiver];
        if (is_notice(r, step, m) && !is_told(g, x, *to))
            return true;
    }
    return false;
}

uint32_t rh__graph_place_told(const struct optimal_graph *g, uint32_t end, uint64_t identity)
{
    const struct rh__run *r = g->seen;
    uint32_t step = rh__graph_node(g, end)->event.step;
    for (uint32_t m = r->events[step].first_message; m < rh__run_messages_end(r, step); m++) {
        uint32_t place = g->place_of_actor[rh__run_message(r, m)->receiver];
        if (is_notice(r, step, m) && g->identity[place] == identity)
            return place;
    }
    return RH_NONE;
}

/* Whether the version that an operation found is one of the life that ends there, and its actor watches until then. */
static bool watches_until(const struct optimal_graph *g, const struct optimal_node *x, uint32_t end)
{
    uint32_t v = rh__graph_next_change(g, x->event.place, x->now.cause);
    while (v != RH_NONE && v != end) {
        const struct optimal_node *change = rh__graph_node(g, v);
        if (change->event.value == RH__LIFE_OVER ||
            (change->actor == x->actor && change->event.value == RH__LIFE_UNWATCHED))
            return false;
        v = change->event.next;
    }
    return v == end;
}

/* The first operation by which the actor at this place watches the life that ends there. */
static uint32_t watch_of(const struct optimal_graph *g, uint32_t end, uint32_t place)
{
    uint32_t first = end;
    for (uint32_t i = g->last_event[rh__graph_node(g, end)->event.place]; i != RH_NONE;
         i = rh__graph_node(g, i)->event.before_in_place) {
        const struct optimal_node *x = rh__graph_node(g, i);
        if (x->actor == place && x->event.watches && !x->event.failed && watches_until(g, x, end) &&
            (first == end || x->position < rh__graph_node(g, first)->position))
            first = i;
    }
    return first;
}

void rh__graph_enter_notice(struct optimal_graph *g, struct optimal_node *x, uint32_t to)
{
    const struct optimal_node *end = rh__graph_node(g, x->of);
    x->actor = to;
    x->position = NEVER_TAKEN;
    x->send.notice = true;
    x->send.ordinal = end->event.sends;
    x->send.row = rh__graph_push_row_of_notice(g, x->of, watch_of(g, x->of, to));
}
