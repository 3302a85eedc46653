/* Levels of the search.  A revisit makes a new graph, which is a level on top of the graph that it came from.
 *
 * The levels are the recursion of the search [TruSt 2022] as a stack.  A level is explored when none of its own nodes
 * has an untried option.  Then the level is removed, and the search continues with the level below.
 *
 * Invariants (graph_check.c checks them in the hostile build):
 *   - Levels nest.  The nodes of all levels form one stack, and so do the steps of their runs, the rows, options,
 *     stances and images.  A level begins where the level below ends, and only the top level grows or shrinks.  The
 *     level below is cut right after the send whose revisit made the level above.
 *   - Nodes below `base` are copies of nodes of the level below.  The copies have no options, because the level below
 *     tries the options.
 *   - Levels that were decoded from an item and not yet executed (bare) are at the bottom.  The top one is executed
 *     first.
 *   - The run of a level contains each loss, each duplication and each event that does not fail, once and in an order
 *     that respects happens-before.  So the graph has no cycle.  The order of the nodes in the list is different: a
 *     revisited event keeps its stamp and takes a send with a higher stamp.
 *   - A revisit of event r by send s keeps the nodes with a stamp up to r and the past of s.  Both sets are closed
 *     under happens-before, except for r.  A node before r that took a send from behind r would make that send
 *     non-canonical (revisit.c), and r is not in the past of s.  So each kept node still has its causes, and the kept
 *     steps in their order are a run. */
#include <string.h>

#include "base/fail.h"
#include "explore/optimal/graph.h"

/* Recomputes all data derived from the nodes of the top level. */
void rh__graph_rebuild(struct optimal_graph *g)
{
    struct optimal_level *l = rh__graph_top(g);
    rh__graph_begin_places(g);
    for (uint32_t i = 0; i < l->count; i++)
        if (rh__graph_node(g, i)->kind == NODE_EVENT)
            rh__graph_node(g, i)->event.last_of = RH_NONE;
    for (uint32_t i = 0; i < l->steps; i++) {
        uint32_t stamp = g->run[l->first_step + i].node;
        if (rh__graph_node(g, stamp)->kind == NODE_EVENT)
            rh__graph_link_event(g, stamp);
    }
    for (uint32_t i = 0; i < l->count; i++) {
        struct optimal_node *x = rh__graph_node(g, i);
        if (x->kind == NODE_EVENT && x->event.failed) {
            rh__graph_link_event(g, i);
        } else if (x->kind == NODE_SEND) {
            x->send.before_to = g->last_send[x->send.to];
            g->last_send[x->send.to] = i;
            x->send.next_of = rh__graph_node(g, x->of)->event.last_of;
            rh__graph_node(g, x->of)->event.last_of = i;
        } else if (x->kind == NODE_FATE) {
            x->fate.next_of = rh__graph_node(g, x->of)->event.last_of;
            rh__graph_node(g, x->of)->event.last_of = i;
            g->lost += x->now.kind == FATE_LOST;
            g->twice += x->now.kind == FATE_TWICE;
        } else if (x->kind == NODE_LIFE) {
            x->of = g->last_life[x->actor];
            g->last_life[x->actor] = i;
        }
    }
    for (uint32_t i = 0; i < l->count; i++) {
        const struct optimal_node *x = rh__graph_node(g, i);
        struct optimal_send_due due;
        if (x->kind == NODE_EVENT && !x->event.failed && x->event.sends != RH_NONE &&
            (rh__graph_due_of(g, i, &due) || rh__graph_lacks_notices(g, i)))
            g->todo[g->todo_count++] = i;
    }
}

/* How many steps of the world's run are in the graph for this level and the one below it: the first steps of both, if
 * their nodes are the same, with all sends.  What was read from these steps is the same in both levels. */
static uint32_t absorbed_by_both(const struct optimal_graph *g, const struct optimal_level *l)
{
    const struct optimal_level *below = l - 1;
    const struct optimal_node *nodes = &g->nodes[below->first];
    uint32_t n = g->absorbed < below->absorbed ? g->absorbed : below->absorbed, i = 0;
    for (uint32_t k = 0; k < below->todo_count; k++) {
        uint32_t step = nodes[g->all_todo[below->first_todo + k]].event.step;
        n = step < n ? step : n;
    }
    for (; i < n && i < l->steps && i < below->steps; i++) {
        const struct optimal_step *a = &g->run[l->first_step + i], *b = &g->run[below->first_step + i];
        if (a->serial != b->serial || a->node != b->node || a->node >= l->same)
            break;
        const struct optimal_node *x = &nodes[a->node], *event = x->kind == NODE_FATE ? &nodes[x->of] : x;
        if (event->event.last_of != RH_NONE && event->event.last_of >= l->same)
            break;
    }
    return i;
}

/* r becomes an event that takes one send, or the first one of a unit. */
static void copy_as(struct optimal_graph *g, const struct optimal_node *r, uint32_t size)
{
    for (uint32_t i = 0; i < (size ? size : 1); i++) {
        struct optimal_node *x = &g->list[rh__graph_top(g)->count++];
        *x = *r;
        x->position += 8 * i; /* the others send nothing (graph.c) */
        x->now = (struct optimal_option){ .cause = RH_NONE };
        x->event.set = size;
        x->event.part = i;
        if (i)
            x->event.birth = RH_NONE;
    }
}

/* Copies the nodes up to r, the node s, and the past of s, which `row` has for other actors; if r takes a set, for all
 * actors. */
static void copy_kept(struct optimal_graph *g, const struct optimal_level *from, uint32_t s, uint32_t r, uint32_t row,
                      const uint32_t *set, uint32_t size)
{
    struct optimal_level *l = rh__graph_top(g);
    const struct optimal_node *old = &g->nodes[from->first], *of = &old[s];
    uint32_t parts = old[r].event.set ? old[r].event.set - 1 : 0;
    memcpy(g->list, old, r * sizeof *old);
    for (l->count = 0; l->count < r; l->count++)
        g->map[l->count] = l->count;
    g->map[r] = r;
    copy_as(g, &old[r], size);
    for (uint32_t i = r + 1; i <= s; i++) {
        const struct optimal_node *x = &old[i];
        bool keep = i == s; /* or in the past: the test of rh__graph_in_past, in the level below */
        if (!keep && i > r + parts)
            keep = x->actor == of->actor && !size && !rh__graph_is_notice(of)
                       ? x->position < of->position
                       : rh__graph_row_at(g, row, x->actor) > x->position;
        for (uint32_t k = 0; !keep && k < size && rh__graph_is_notice(x); k++)
            keep = set[k] == i;
        g->map[i] = keep ? l->count : RH_NONE;
        if (keep)
            g->list[l->count++] = *x;
    }
    g->node_top = l->first + l->count;
    for (uint32_t i = 0; i < l->count; i++) {
        struct optimal_node *x = rh__graph_node(g, i);
        x->option_count = x->option_next = x->option_end = 0;
        if (x->kind == NODE_EVENT)
            x->event.stance_is_current = false;
        if (x->kind == NODE_SEND || x->kind == NODE_FATE)
            x->of = g->map[x->of];
        if (x->kind == NODE_SEND && x->send.copy)
            x->send.fate = g->map[x->send.fate];
        if (x->kind == NODE_SEND) /* set again when the receiving event is linked */
            rh__graph_set_taken(g, i, RH_NONE);
        if (x->kind == NODE_EVENT && x->now.cause != RH_NONE)
            x->now.cause = g->map[x->now.cause];
        if ((x->kind == NODE_EVENT || x->kind == NODE_LIFE) && x->event.birth != RH_NONE)
            x->event.birth = g->map[x->event.birth];
    }
}

/* Copies the kept steps in their order.  The end of the test is an exception if no actor is notified of it.  The world
 * enables this step only while some actor is about to read the life of the test, and that actor's step may not be kept.
 * So the end moves to right before the first kept step that reads the life of the test. */
static void copy_steps(struct optimal_graph *g, const struct optimal_level *from, uint32_t s, uint32_t r)
{
    struct optimal_step end = { RH_NONE, 0 };
    bool same = true; /* all steps of the level below were kept so far */
    for (uint32_t i = 0; i < from->steps; i++) {
        struct optimal_step step = g->run[from->first_step + i];
        if (step.node > s || step.node == r || g->map[step.node] == RH_NONE ||
            (step.node == s && g->nodes[from->first + s].kind == NODE_EVENT)) {
            same = false;
            continue;
        }
        step.node = g->map[step.node];
        struct optimal_node *kept = rh__graph_node(g, step.node);
        if (kept->kind == NODE_EVENT && kept->event.unnoticed) {
            end = step;
            same = false;
            continue;
        }
        if (end.node != RH_NONE && kept->kind == NODE_EVENT &&
            kept->event.place == rh__graph_node(g, end.node)->event.place) {
            g->run[g->run_top++] = end;
            end.node = RH_NONE;
        }
        /* Up to the first difference the runs are equal, so the stances of the level below are valid here.  They must
         * not be read again: a later stance would be above the stances of this level's own nodes on the stack. */
        if (kept->kind == NODE_EVENT && same)
            kept->event.stance_is_current = true;
        g->run[g->run_top++] = step;
    }
    if (end.node != RH_NONE)
        g->run[g->run_top++] = end;
}

/* The past of an operation, if it found the version. */
static uint32_t row_of_operation(struct optimal_graph *g, uint32_t s, uint32_t version)
{
    uint32_t *last = &g->last_of_actor[rh__graph_node(g, s)->actor], is = *last;
    *last = rh__graph_node(g, s)->event.before_of_actor;
    uint32_t row = rh__graph_push_row(g, rh__graph_node(g, s)->actor, version);
    *last = is;
    return row;
}

/* The event gets something else, and is made again, as the last step. */
static void make_anew(struct optimal_graph *g, uint32_t stamp, uint32_t kind, uint32_t cause)
{
    struct optimal_node *x = rh__graph_node(g, stamp);
    x->now = (struct optimal_option){ .kind = kind, .cause = cause };
    x->event.serial = ++g->next_serial;
    x->event.sends = RH_NONE;
    x->event.greatest = x->event.failed = x->event.counts = x->event.asks = x->event.posts = x->event.unnoticed =
        x->event.wrote = false;
    g->run[g->run_top++] = (struct optimal_step){ stamp, x->event.serial };
    rh__graph_top(g)->steps++;
}

/* Puts the kept steps into the order, which has stamps of the level below.  A unit comes last, and is not in it. */
static void take_order(struct optimal_graph *g, const struct optimal_level *from, uint32_t order, uint32_t size)
{
    struct optimal_level *l = rh__graph_top(g);
    uint32_t steps = l->steps - size;
    bool same = g->orders[order - 1] == steps;
    if (!same)
        return; /* of an item that is not sound */
    for (uint32_t i = 0; i < steps; i++) {
        uint32_t old = g->orders[order + i], stamp = g->map[old];
        struct optimal_node *x = rh__graph_node(g, stamp);
        same = same && i < from->steps && g->run[from->first_step + i].node == old && x->kind == NODE_EVENT &&
               x->event.serial == g->run[from->first_step + i].serial;
        g->run[l->first_step + i] =
            (struct optimal_step){ stamp, x->kind == NODE_EVENT ? x->event.serial : x->fate.serial };
        if (x->kind == NODE_EVENT)
            x->event.stance_is_current = same;
    }
}

void rh__graph_push_revisit(struct optimal_graph *g, uint32_t s, uint32_t r, uint32_t version,
                            const struct optimal_option *option)
{
    const struct optimal_level from = *rh__graph_top(g);
    const struct optimal_node *was = rh__graph_node(g, r), *of = rh__graph_node(g, s);
    bool in_turn = was->event.place != was->actor && !was->event.finds, operates = of->kind == NODE_EVENT;
    bool restarts = in_turn && was->now.kind == RH_CHOICE_RESTART;
    uint64_t detail = restarts ? option->detail : 0;
    uint32_t order = operates ? 0 : option->order, size = option->set ? rh__graph_set_size(g, option->set) : 0;
    const uint32_t *set = rh__graph_set(g, option->set);
    struct optimal_level *l = &g->levels[g->level_count];
    *l = (struct optimal_level){ .first = g->node_top,
                                 .first_step = g->run_top,
                                 .row_top = g->row_top,
                                 .option_top = g->option_top,
                                 .stance_top = g->stance_top,
                                 .image_top = g->image_top,
                                 .order_top = g->order_top };
    uint32_t row = operates ? row_of_operation(g, s, version)
                   : size   ? rh__graph_push_past(g, s, r, set, size, true)
                            : rh__graph_past(g, of).row;
    rh__graph_leave_places(g);
    rh__graph_set_levels(g, g->level_count + 1);
    copy_kept(g, &from, s, r, row, set, size);
    uint32_t last = l->count - 1;
    struct optimal_node *x = rh__graph_node(g, r); /* every node before r is kept, so the stamp of r is unchanged */
    copy_steps(g, &from, s, r);
    l->steps = g->run_top - l->first_step;
    if (operates)
        make_anew(g, last, RH_CHOICE_RESUME, g->map[version]);
    if (!size)
        make_anew(g, r,
                  restarts              ? RH_CHOICE_RESTART
                  : operates || in_turn ? RH_CHOICE_RESUME
                                        : RH_CHOICE_DELIVER,
                  last);
    x->now.detail = detail;
    for (uint32_t i = 0; i < size; i++)
        make_anew(g, r + i, RH_CHOICE_DELIVER, g->map[set[i]]);
    if (order)
        take_order(g, &from, order, size);
    x->event.revisited = true;
    if (in_turn) {
        const struct optimal_node *asker = rh__graph_node(g, rh__graph_node(g, last)->of);
        x->actor = asker->actor;
        x->position = asker->position + 4 * (asker->event.sends + 2);
    }
    l->base = l->count;
    l->same = r;
    rh__graph_rebuild(g);
    g->absorbed = absorbed_by_both(g, l);
    if (operates)
        rh__graph_set_row(g, rh__graph_node(g, last));
    rh__graph_set_row(g, x);
    for (uint32_t i = 1; i < size; i++)
        rh__graph_set_row(g, rh__graph_node(g, r + i));
    if (RH__IS_HOSTILE)
        rh__graph_check(g);
}

double rh__graph_weight_of(const struct optimal_graph *g, uint32_t stamp)
{
    const struct optimal_level *l = &g->levels[g->level_count - 1];
    double weight = l->weight;
    for (uint32_t i = l->base; i <= stamp; i++) {
        const struct optimal_node *x = rh__graph_node(g, i);
        if (x->option_count)
            weight /= x->kind == NODE_EVENT ? x->option_count : x->option_count + 1;
    }
    return weight;
}

double rh__graph_untried(const struct optimal_graph *g)
{
    double untried = 0;
    for (uint32_t l = 0; l < g->level_count; l++) {
        double weight = g->levels[l].weight;
        for (uint32_t i = g->levels[l].base; i < g->levels[l].count; i++) {
            const struct optimal_node *x = &g->nodes[g->levels[l].first + i];
            if (!x->option_count)
                continue;
            weight /= x->kind == NODE_EVENT ? x->option_count : x->option_count + 1;
            untried += weight * (x->option_end - x->option_next);
        }
    }
    return untried;
}

void rh__graph_pop(struct optimal_graph *g)
{
    RH__ASSERT(g->level_count, "no level is left");
    const struct optimal_level *l = rh__graph_top(g);
    uint32_t absorbed = g->level_count > 1 && !l[-1].bare ? absorbed_by_both(g, l) : 0;
    rh__graph_set_levels(g, g->level_count - 1);
    g->node_top = l->first;
    g->run_top = l->first_step;
    g->row_top = l->row_top;
    g->option_top = l->option_top;
    g->stance_top = l->stance_top;
    g->image_top = l->image_top;
    g->order_top = l->order_top;
    if (g->level_count && !rh__graph_top(g)->bare) {
        rh__graph_return_to_places(g);
        g->absorbed = absorbed;
    }
    if (RH__IS_HOSTILE)
        rh__graph_check(g);
}
