/* Invariants of the graph, checked in the hostile build (base/fail.h) whenever a level is entered or left.
 *
 * The heads of graph.c (positions, rows), levels.c (levels, the run) and waiting.c (stances) state the invariants and
 * why they hold.  Nothing here changes the graph but its scratch array `map`. */
#include "base/fail.h"
#include "explore/optimal/graph.h"

/* ---- levels ------------------------------------------------------------------------------------------------------ */

static void check_nesting(const struct optimal_graph *g, uint32_t level)
{
    const struct optimal_level *l = &g->levels[level];
    const struct optimal_level *above = level + 1 < g->level_count ? l + 1 : NULL;
    RH__ASSERT(l->base >= 1 && l->base <= l->count, "level %u: base %u of %u nodes", level, l->base, l->count);
    RH__ASSERT(l->weight >= 0 && l->weight <= 1, "level %u: weight %g", level, l->weight);
    RH__ASSERT(l->first + l->count == (above ? above->first : g->node_top), "level %u: nodes end at %u", level,
               l->first + l->count);
    RH__ASSERT(l->first_step + l->steps == (above ? above->first_step : g->run_top), "level %u: steps end at %u", level,
               l->first_step + l->steps);
    RH__ASSERT(l->row_top <= (above ? above->row_top : g->row_top), "level %u: rows", level);
    RH__ASSERT(l->option_top <= (above ? above->option_top : g->option_top), "level %u: options", level);
    RH__ASSERT(l->stance_top <= (above ? above->stance_top : g->stance_top), "level %u: stances", level);
    RH__ASSERT(l->image_top <= (above ? above->image_top : g->image_top), "level %u: images", level);
    RH__ASSERT(!above || l->bare || !above->bare, "level %u is bare on top of one that is not", level + 1);
    for (uint32_t i = 0; i < l->base; i++) {
        const struct optimal_node *x = &g->nodes[l->first + i];
        RH__ASSERT(x->option_next >= x->option_end, "level %u: node %u of the level below has options", level, i);
    }
}

/* ---- positions and rows ------------------------------------------------------------------------------------------ */

/* A row is exactly the join of its parts.  If an entry were too low, a revisit would delete what its send depends on;
 * if too high, revisits would be missed.  Parts come earlier in the run, so a wrong entry is found where it arises. */
static void check_row(const struct optimal_graph *g, uint32_t stamp)
{
    const struct optimal_node *x = rh__graph_node(g, stamp);
    bool first = x->event.before_of_actor == RH_NONE;
    const struct optimal_node *birth = x->event.birth == RH_NONE ? NULL : rh__graph_node(g, x->event.birth);
    const struct optimal_node *own = first ? birth : rh__graph_node(g, x->event.before_of_actor);
    const struct optimal_node *sent =
        x->now.cause == RH_NONE || x->event.finds ? NULL : rh__graph_node(g, x->now.cause);
    const struct optimal_node *of = sent ? rh__graph_node(g, sent->of) : NULL;
    const struct optimal_node *before = NULL;
    if (x->event.finds)
        before = rh__graph_node(g, x->now.cause);
    else if (x->event.place != x->actor && x->event.before_in_place != RH_NONE)
        before = rh__graph_node(g, x->event.before_in_place);
    RH__ASSERT(first ? (stamp == 0) == !birth : !birth, "event %u: birth %u", stamp, x->event.birth);
    for (uint32_t p = 0; p < g->rows[x->event.row]; p++) {
        uint32_t ends = own ? rh__graph_row_at(g, own->event.row, p) : 0;
#define AT_LEAST(value) ends = ends < (value) ? (value) : ends
        if (birth && p == birth->actor)
            AT_LEAST(x->event.born_at + 1);
        if (before)
            AT_LEAST(rh__graph_row_at(g, before->event.row, p));
        if (before && before->event.posts && !x->event.finds && p == before->actor)
            AT_LEAST(before->position + 4);
        if (of)
            AT_LEAST(rh__graph_row_at(g, rh__graph_past(g, sent).row, p));
        if (of && p == sent->actor && !sent->send.notice)
            AT_LEAST(sent->position + 1);
        if (p == x->actor)
            AT_LEAST(x->position + 1);
#undef AT_LEAST
        RH__ASSERT(rh__graph_row_at(g, x->event.row, p) == ends, "event %u: its row ends at %u of place %u, not at %u",
                   stamp, rh__graph_row_at(g, x->event.row, p), p, ends);
    }
}

static void check_cause(const struct optimal_graph *g, uint32_t stamp)
{
    const struct optimal_node *x = rh__graph_node(g, stamp);
    if (x->now.cause == RH_NONE)
        return;
    const struct optimal_node *s = rh__graph_node(g, x->now.cause);
    if (x->event.finds) {
        RH__ASSERT(!x->now.cause || (s->kind == NODE_EVENT && s->event.place == x->event.place),
                   "operation %u finds node %u", stamp, x->now.cause);
        RH__ASSERT(!x->event.wrote || rh__graph_next_change(g, x->event.place, x->now.cause) == stamp,
                   "version %u has two next changes", x->now.cause);
        return;
    }
    RH__ASSERT(s->kind == NODE_SEND && s->send.taken == stamp, "event %u takes %u, which is not taken by it", stamp,
               x->now.cause);
    RH__ASSERT(s->send.to == x->event.place, "event %u takes a send to place %u", stamp, s->send.to);
}

static void check_stance(const struct optimal_graph *g, uint32_t stamp)
{
    const struct optimal_node *x = rh__graph_node(g, stamp);
    if (x->event.place != x->actor || !stamp)
        return; /* objects take every operation; the beginning takes nothing */
    RH__ASSERT(x->event.stance < g->stance_top, "event %u: stance %u of %u", stamp, x->event.stance, g->stance_top);
    const struct optimal_stance *s = &g->stances[x->event.stance];
    RH__ASSERT(!s->stance.tested || s->image == RH_NONE || s->image < g->image_top, "event %u: image %u of %u", stamp,
               s->image, g->image_top);
}

static void check_event(const struct optimal_graph *g, uint32_t stamp)
{
    const struct optimal_node *x = rh__graph_node(g, stamp);
    uint32_t position = 4, index = 0;
    if (x->event.before_of_actor != RH_NONE) {
        const struct optimal_node *before = rh__graph_node(g, x->event.before_of_actor);
        RH__ASSERT(before->actor == x->actor, "event %u follows one of another actor", stamp);
        position = before->position + 4 * (rh__graph_sends(before) + 2);
    }
    if (x->event.before_in_place != RH_NONE) {
        const struct optimal_node *before = rh__graph_node(g, x->event.before_in_place);
        RH__ASSERT(before->event.place == x->event.place, "event %u follows one of another place", stamp);
        index = before->event.index + 1;
    }
    RH__ASSERT(x->position == position, "event %u is at position %u, not %u", stamp, x->position, position);
    RH__ASSERT(x->event.finds || x->event.index == index, "event %u has index %u, not %u", stamp, x->event.index,
               index);
    check_row(g, stamp);
    check_cause(g, stamp);
    check_stance(g, stamp);
}

static void check_notice(const struct optimal_graph *g, uint32_t stamp)
{
    const struct optimal_node *x = rh__graph_node(g, stamp), *of = rh__graph_node(g, x->of);
    uint32_t taken = x->send.taken, position = taken == RH_NONE ? NEVER_TAKEN : rh__graph_node(g, taken)->position;
    RH__ASSERT(of->event.finds && of->event.value == RH__LIFE_OVER, "notice %u tells of node %u", stamp, x->of);
    RH__ASSERT(x->position == position, "notice %u is at position %u, not %u", stamp, x->position, position);
    for (uint32_t p = 0; p < g->rows[of->event.row]; p++)
        RH__ASSERT(rh__graph_row_at(g, x->send.row, p) >= rh__graph_row_at(g, of->event.row, p),
                   "notice %u does not know all of its end at place %u", stamp, p);
}

static void check_send(const struct optimal_graph *g, uint32_t stamp)
{
    const struct optimal_node *x = rh__graph_node(g, stamp), *of = rh__graph_node(g, x->of);
    bool fate = x->kind == NODE_FATE;
    uint32_t ordinal = fate ? x->fate.ordinal : x->send.ordinal;
    uint32_t position = of->position + 4 * ordinal + (fate ? 1 : 2 + x->send.copy);
    if (rh__graph_is_notice(x)) {
        check_notice(g, stamp);
        return;
    }
    RH__ASSERT(of->kind == NODE_EVENT && of->actor == x->actor, "node %u was sent by node %u", stamp, x->of);
    RH__ASSERT(ordinal < of->event.sends + (fate ? 0 : of->event.asks), "node %u: send %u of %u", stamp, ordinal,
               of->event.sends);
    RH__ASSERT(x->position == position, "node %u is at position %u, not %u", stamp, x->position, position);
    if (fate)
        return;
    RH__ASSERT(x->send.before_to == RH_NONE || x->send.before_to < stamp, "send %u: %u comes before it", stamp,
               x->send.before_to);
    RH__ASSERT(x->send.taken == RH_NONE || rh__graph_node(g, x->send.taken)->now.cause == stamp,
               "send %u: %u did not take it", stamp, x->send.taken);
}

/* ---- the run ----------------------------------------------------------------------------------------------------- */

static bool is_step(const struct optimal_node *x)
{
    return x->kind == NODE_EVENT ? !x->event.failed : x->kind == NODE_FATE && x->now.kind != FATE_NONE;
}

static bool is_made(const struct optimal_graph *g, uint32_t stamp)
{
    return stamp == RH_NONE || g->map[stamp];
}

/* Each step is in the run once, behind what happens before it: so happens-before has no cycle. */
static void check_run(struct optimal_graph *g)
{
    const struct optimal_level *l = rh__graph_top(g);
    uint32_t steps = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        g->map[i] = false;
        steps += is_step(rh__graph_node(g, i));
    }
    RH__ASSERT(steps == l->steps, "%u steps for %u nodes that are steps", l->steps, steps);
    for (uint32_t i = 0; i < l->steps; i++) {
        const struct optimal_step *step = &g->run[l->first_step + i];
        const struct optimal_node *x = rh__graph_node(g, step->node);
        RH__ASSERT(is_step(x) && !g->map[step->node], "step %u is node %u", i, step->node);
        if (x->kind == NODE_EVENT && x->event.finds) {
            uint32_t next = rh__graph_next_change(g, x->event.place, x->now.cause);
            RH__ASSERT(step->serial == x->event.serial, "step %u is another decision than node %u", i, step->node);
            RH__ASSERT(is_made(g, x->event.before_of_actor) && is_made(g, x->event.birth) && is_made(g, x->now.cause),
                       "step %u, node %u, comes before something in its past", i, step->node);
            RH__ASSERT(next == RH_NONE || next == step->node || !is_made(g, next),
                       "step %u, node %u, comes behind the change of what it finds", i, step->node);
        } else if (x->kind == NODE_EVENT) {
            uint32_t sender = x->now.cause == RH_NONE ? RH_NONE : rh__graph_node(g, x->now.cause)->of;
            RH__ASSERT(step->serial == x->event.serial, "step %u is another decision than node %u", i, step->node);
            RH__ASSERT(is_made(g, x->event.before_of_actor) && is_made(g, x->event.before_in_place) &&
                           is_made(g, sender) && is_made(g, x->event.birth),
                       "step %u, node %u, comes before something in its past", i, step->node);
        } else {
            RH__ASSERT(step->serial == x->fate.serial && g->map[x->of], "step %u, node %u, comes before its send", i,
                       step->node);
        }
        g->map[step->node] = true;
    }
}

static void check_budgets(const struct optimal_graph *g)
{
    uint32_t lost = 0, twice = 0, crashed = 0;
    for (uint32_t i = 0; i < g->levels[g->level_count - 1].count; i++) {
        const struct optimal_node *x = rh__graph_node(g, i);
        lost += x->kind == NODE_FATE && x->now.kind == FATE_LOST;
        twice += x->kind == NODE_FATE && x->now.kind == FATE_TWICE;
        crashed += x->kind == NODE_EVENT && x->now.kind == RH_CHOICE_CRASH;
    }
    RH__ASSERT(lost == g->lost && twice == g->twice && crashed == g->crashed,
               "counted %u, %u, %u losses, duplicates, crashes: there are %u, %u, %u", g->lost, g->twice, g->crashed,
               lost, twice, crashed);
}

/* What is known of places is what the nodes say, whether it was computed or kept. */
static void check_places(const struct optimal_graph *g)
{
    uint32_t count = g->levels[g->level_count - 1].count;
    for (uint32_t p = 0; p < g->places; p++) {
        uint32_t event = RH_NONE, send = RH_NONE, life = RH_NONE;
        for (uint32_t i = 0; i < count; i++) {
            const struct optimal_node *x = rh__graph_node(g, i);
            if (x->kind == NODE_EVENT && x->actor == p &&
                (event == RH_NONE || rh__graph_node(g, event)->position < x->position))
                event = i;
            if (x->kind == NODE_SEND && x->send.to == p)
                send = i;
            if (x->kind == NODE_LIFE && x->actor == p)
                life = i;
        }
        RH__ASSERT(g->last_of_actor[p] == event && g->last_send[p] == send && g->last_life[p] == life,
                   "place %u: last event %u, send %u, life %u; they are %u, %u, %u", p, g->last_of_actor[p],
                   g->last_send[p], g->last_life[p], event, send, life);
    }
}

/* A step that counts as absorbed has its effects in the graph. */
static void check_absorbed(const struct optimal_graph *g)
{
    const struct optimal_level *l = &g->levels[g->level_count - 1];
    for (uint32_t i = 0; i < g->absorbed && i < g->seen->event_count; i++) {
        const struct optimal_node *x = rh__graph_node(g, g->run[l->first_step + i].node);
        RH__ASSERT(g->run[l->first_step + i].serial == g->made[i].serial, "step %u was not made", i);
        RH__ASSERT((x->kind == NODE_EVENT ? x->event.step : x->fate.step) == i, "step %u is recorded as another", i);
        for (uint32_t s = x->kind == NODE_EVENT ? x->event.last_of : RH_NONE; s != RH_NONE;) {
            const struct optimal_node *n = rh__graph_node(g, s);
            if (n->kind == NODE_SEND && !n->send.copy && n->send.type)
                RH__ASSERT(g->send_of_message[rh__graph_message(g, n)] == s,
                           "the message of send %u belongs to another send", s);
            s = n->kind == NODE_SEND ? n->send.next_of : n->fate.next_of;
        }
    }
}

void rh__graph_check(struct optimal_graph *g)
{
    for (uint32_t l = 0; l < g->level_count; l++)
        check_nesting(g, l);
    if (!g->level_count || rh__graph_top(g)->bare)
        return;
    for (uint32_t i = 0; i < rh__graph_top(g)->count; i++) {
        const struct optimal_node *x = rh__graph_node(g, i);
        if (x->kind == NODE_EVENT)
            check_event(g, i);
        else if (x->kind == NODE_LIFE)
            RH__ASSERT(x->position % 4 == 1, "life %u is at position %u", i, x->position);
        else
            check_send(g, i);
    }
    check_run(g);
    check_budgets(g);
    check_places(g);
    check_absorbed(g);
}
