/* Which parts of the search can be left out because actors are alike (explore/exchange.h).
 *
 * A run is in order if the decider of each class first hears the actors of the class in the order of their age.  A
 * subtree of the search can be left out if none of its runs is in order.  The search keeps its shape otherwise: the
 * same graphs, the same canonical nodes.  So symmetry never adds a run.
 *
 * An event that hears a younger actor too early does not settle that all runs below are out of order, because a later
 * revisit may delete the event.  A revisit deletes canonical nodes only (revisit.c).  So if such an event is
 * canonical, its subtree stays.  (It is left out by a simpler rule, which loses runs: tests/reference/symmetry.py has
 * the program.)  An event that did not take its greatest option is never canonical.  It stays in all graphs of its
 * subtree, and so does its past.  Hence:
 *
 *     An option of an event is left out if it is not the greatest, and the event or its past hears an actor too early.
 *     A revisit of r by s is left out if r could take something greater than s there, and likewise.
 *
 * In the order of options the messages of an older actor are greater than those of a younger one of its class, so the
 * greatest option is rarely too early.  Under mailbox a message that could be taken when an event was added may be one
 * that could not, once more is known, so an event can become canonical; symmetry refuses mailbox. */
#include "explore/exchange.h"

#include "explore/optimal/graph.h"

/* ---- classes, by place ------------------------------------------------------------------------------------------- */

/* The keys of a class are the identities of its actors, dealt out anew: the older, the greater.  In turns it is the
 * other way round. */
static void deal_keys(struct optimal_graph *g, const uint32_t *place, uint32_t count)
{
    uint64_t keys[MOST_MEMBERS];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = i;
        for (; at && keys[at - 1] < g->identity[place[i]]; at--)
            keys[at] = keys[at - 1];
        keys[at] = g->identity[place[i]];
    }
    for (uint32_t i = 0; i < count; i++) {
        g->exchange.key[place[i]] = keys[i];
        g->exchange.turn[place[i]] = keys[count - 1 - i];
    }
}

static void enter_class(struct optimal_graph *g, uint32_t leader)
{
    struct optimal_exchange *e = &g->exchange;
    const struct rh__exchange *rule = e->rule;
    uint32_t places[MOST_MEMBERS], all = 0;
    for (uint32_t i = leader; i < rule->actors && all < MOST_MEMBERS; i++)
        if (rule->leader[i] == leader)
            places[all++] = g->place_of_actor[i];
    if (all < 2 || e->count == MOST_CLASSES)
        return;
    deal_keys(g, places, all);
    uint32_t decider = rule->decider[leader];
    struct optimal_class *c = &e->classes[e->count++];
    *c = (struct optimal_class){ .decider = decider < rule->actors ? g->place_of_actor[decider] : RH_NONE };
    for (uint32_t i = 0; i < all; i++) {
        e->class_of[places[i]] = places[i] == c->decider ? 0 : e->count;
        e->rank[places[i]] = c->size;
        c->size += places[i] != c->decider;
    }
}

bool rh__graph_exchange_anew(struct optimal_graph *g)
{
    struct optimal_exchange *e = &g->exchange;
    if (!e->rule->found || e->version == e->rule->version)
        return false;
    e->version = e->rule->version;
    e->count = 0;
    for (uint32_t i = 1; i < e->rule->actors; i++)
        if (e->rule->leader[i] == i)
            enter_class(g, i);
    return true;
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

static uint32_t rank_of_sender(const struct optimal_graph *g, uint32_t class, uint32_t send)
{
    if (send == RH_NONE)
        return RH_NONE;
    uint32_t sender = rh__graph_id(g, rh__graph_node(g, send)).actor;
    return g->exchange.class_of[sender] == class + 1 ? g->exchange.rank[sender] : RH_NONE;
}

/* Whether the decider has heard the class in order, in its events up to `last`, and then `next`. */
static bool in_order(const struct optimal_graph *g, uint32_t class, uint32_t last, uint32_t next)
{
    uint32_t first[MOST_MEMBERS], size = g->exchange.classes[class].size;
    for (uint32_t i = 0; i < size; i++)
        first[i] = RH_NONE;
    if (next != RH_NONE)
        first[next] = RH_NONE - 1;
    for (uint32_t i = last; i != RH_NONE; i = rh__graph_node(g, i)->event.before_in_place) {
        const struct optimal_node *x = rh__graph_node(g, i);
        uint32_t rank = rank_of_sender(g, class, x->now.cause);
        if (rank != RH_NONE)
            first[rank] = x->event.index;
    }
    for (uint32_t i = 1; i < size; i++)
        if (first[i] < first[i - 1])
            return false;
    return true;
}

/* The last event of the decider in the past of an event that stands where x stands and takes `send`. */
static uint32_t last_before(const struct optimal_graph *g, uint32_t decider, const struct optimal_node *x,
                            uint32_t send)
{
    uint32_t before = x->event.before_of_actor, end = 0, last = g->last_event[decider];
    if (before != RH_NONE)
        end = rh__graph_row_at(g, rh__graph_node(g, before)->event.row, decider);
    if (send != RH_NONE) {
        const struct optimal_node *s = rh__graph_node(g, send);
        struct optimal_part past = rh__graph_past(g, s);
        uint32_t heard = past.actor == decider ? past.position : rh__graph_row_at(g, past.row, decider);
        end = heard > end ? heard : end;
    }
    while (last != RH_NONE && rh__graph_node(g, last)->position >= end)
        last = rh__graph_node(g, last)->event.before_in_place;
    return last;
}

bool rh__graph_out_of_order(const struct optimal_graph *g, const struct optimal_node *x, uint32_t send)
{
    for (uint32_t c = 0; c < g->exchange.count; c++) {
        uint32_t decider = g->exchange.classes[c].decider;
        if (decider == RH_NONE)
            continue;
        bool hears = x->event.place == decider;
        uint32_t last = hears ? x->event.before_in_place : last_before(g, decider, x, send);
        if (!in_order(g, c, last, hears ? rank_of_sender(g, c, send) : RH_NONE)) {
            g->exchange.rule->left_out = true;
            return true;
        }
    }
    return false;
}

/* ---- options ----------------------------------------------------------------------------------------------------- */

static uint32_t greatest_of(const struct optimal_graph *g, uint32_t options, uint32_t count)
{
    uint32_t greatest = 0;
    for (uint32_t i = 1; i < count; i++)
        if (rh__graph_greater(g, &g->options[options + i], &g->options[options + greatest]))
            greatest = i;
    return greatest;
}

void rh__graph_greatest_first(struct optimal_graph *g, uint32_t options, uint32_t count)
{
    uint32_t greatest = greatest_of(g, options, count);
    struct optimal_option first = g->options[options];
    g->options[options] = g->options[options + greatest];
    g->options[options + greatest] = first;
}

void rh__graph_keep_options(struct optimal_node *x, uint32_t count)
{
    x->option_end = x->option_count = count;
}

void rh__graph_leave_out(struct optimal_graph *g, uint32_t stamp)
{
    struct optimal_node *x = rh__graph_node(g, stamp);
    if (x->event.place != x->actor || x->option_next >= x->option_end)
        return;
    struct optimal_option *options = &g->options[x->options];
    uint32_t greatest = greatest_of(g, x->options, x->option_count), kept = x->option_next;
    for (uint32_t i = kept; i < x->option_end; i++)
        if (i == greatest || options[i].set || !rh__graph_out_of_order(g, x, options[i].cause))
            options[kept++] = options[i];
    rh__graph_keep_options(x, kept);
}

/* The deciders became known with the first run: its options, which are all there is to try, have not been looked at. */
void rh__graph_exchange_again(struct optimal_graph *g, const struct rh_world *w)
{
    if (!g->exchange.rule || !rh__graph_exchange_anew(g) || g->level_count != 1)
        return;
    for (uint32_t i = rh__graph_top(g)->base; i < rh__graph_top(g)->count; i++) {
        const struct optimal_node *x = rh__graph_node(g, i);
        if (x->option_end != x->option_count)
            continue;
        if (x->kind == NODE_EVENT)
            rh__graph_leave_out(g, i);
        else if (x->kind == NODE_SEND)
            rh__graph_leave_out_revisits(g, w, i);
    }
}
