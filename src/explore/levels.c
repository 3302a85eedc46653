/* Levels of the search: a changed graph stands on top of the one it was made from (graph.h). */
#include "explore/graph.h"

/* All that is derived from the list on top. */
void rh__graph_rebuild(struct graph *g)
{
    struct level *l = rh__graph_top(g);
    for (uint32_t p = 0; p < g->places; p++) {
        g->last_event[p] = g->last_of_actor[p] = g->last_send[p] = g->last_life[p] = RH_NONE;
        g->frozen[p] = false;
    }
    g->todo_count = g->lost = g->twice = g->crashed = 0;
    g->absorbed = 0;
    for (uint32_t i = 0; i < l->count; i++)
        if (rh__graph_node(g, i)->kind == NODE_EVENT)
            rh__graph_node(g, i)->event.last_of = RH_NONE;
    for (uint32_t i = 0; i < l->steps; i++) {
        uint32_t stamp = g->run[l->first_step + i].node;
        if (rh__graph_node(g, stamp)->kind == NODE_EVENT)
            rh__graph_link_event(g, stamp);
    }
    for (uint32_t i = 0; i < l->count; i++) {
        struct node *x = rh__graph_node(g, i);
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
        const struct node *x = rh__graph_node(g, i);
        struct send_due due;
        if (x->kind == NODE_EVENT && !x->event.failed && x->event.sends != RH_NONE && rh__graph_due_of(g, i, &due))
            g->todo[g->todo_count++] = i;
    }
}

static void copy_kept(struct graph *g, const struct level *from, uint32_t s, uint32_t r)
{
    struct level *l = rh__graph_top(g);
    const struct node *old = &g->nodes[from->first], *send = &old[s];
    for (uint32_t i = 0; i <= s; i++) {
        bool keep = i <= r || i == s;
        if (!keep) { /* graph_in_past, in the level below */
            const struct node *x = &old[i];
            keep = x->actor == send->actor ? x->position < send->position
                                           : rh__graph_row_at(g, old[send->of].event.row, x->actor) > x->position;
        }
        g->map[i] = keep ? l->count : RH_NONE;
        if (keep) {
            g->nodes[g->node_top++] = old[i];
            l->count++;
        }
    }
    for (uint32_t i = 0; i < l->count; i++) {
        struct node *x = rh__graph_node(g, i);
        x->option_count = x->option_next = x->option_end = 0;
        if (x->kind == NODE_EVENT)
            x->event.wish_is_of_this_level = false;
        if (x->kind == NODE_SEND || x->kind == NODE_FATE)
            x->of = g->map[x->of];
        if (x->kind == NODE_SEND && x->send.copy)
            x->send.fate = g->map[x->send.fate];
        if (x->kind == NODE_SEND) /* those who still take it say so when they are linked */
            x->send.taken = RH_NONE;
        if (x->kind == NODE_EVENT && x->now.cause != RH_NONE)
            x->now.cause = g->map[x->now.cause];
        if ((x->kind == NODE_EVENT || x->kind == NODE_LIFE) && x->event.birth != RH_NONE)
            x->event.birth = g->map[x->event.birth];
    }
}

/* The steps that are kept, in their order.  Only the end of the test may have to come later: it is offered while somebody is
 * about to look at its life, and that one may not be kept.  So it is made right before the first who is and does. */
static void copy_steps(struct graph *g, const struct level *from, uint32_t s, uint32_t r)
{
    struct step end = { RH_NONE, 0 };
    bool same = true; /* as in the run below */
    for (uint32_t i = 0; i < from->steps; i++) {
        struct step step = g->run[from->first_step + i];
        if (step.node > s || step.node == r || g->map[step.node] == RH_NONE) {
            same = false;
            continue;
        }
        step.node = g->map[step.node];
        struct node *kept = rh__graph_node(g, step.node);
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
        /* As long as the steps are the same, what was kept of those who waited holds here, too; it must not be read again
         * later, when it would stand above what the nodes of this level have kept. */
        if (kept->kind == NODE_EVENT && same)
            kept->event.wish_is_of_this_level = true;
        g->run[g->run_top++] = step;
    }
    if (end.node != RH_NONE)
        g->run[g->run_top++] = end;
}

void rh__graph_push_change(struct graph *g, uint32_t s, uint32_t r)
{
    const struct level from = *rh__graph_top(g);
    struct node was = *rh__graph_node(g, r);
    struct level *l = &g->levels[g->level_count++];
    *l = (struct level){ .first = g->node_top,
                         .first_step = g->run_top,
                         .row_top = g->row_top,
                         .option_top = g->option_top,
                         .wish_top = g->wish_top,
                         .image_top = g->image_top };
    copy_kept(g, &from, s, r);
    uint32_t send = l->count - 1;
    struct node *x = rh__graph_node(g, r); /* everything before it is kept, so it has the same stamp */
    bool of_object = was.event.place != was.actor;
    copy_steps(g, &from, s, r);
    l->steps = g->run_top - l->first_step;
    x->now.kind = of_object ? RH_CHOICE_RESUME : RH_CHOICE_DELIVER;
    x->now.cause = send;
    x->now.detail = 0;
    x->event.serial = ++g->next_serial;
    x->event.sends = RH_NONE;
    x->event.greatest = x->event.failed = x->event.asks = x->event.posts = x->event.unnoticed = false;
    x->event.changed = true;
    if (of_object) {
        const struct node *asker = rh__graph_node(g, rh__graph_node(g, send)->of);
        x->actor = asker->actor;
        x->position = asker->position + 4 * (asker->event.sends + 2);
    }
    g->run[g->run_top++] = (struct step){ r, x->event.serial };
    l->steps++;
    l->base = l->count;
    rh__graph_rebuild(g);
    rh__graph_set_row(g, x);
}

double rh__graph_weight_of(const struct graph *g, uint32_t stamp)
{
    const struct level *l = &g->levels[g->level_count - 1];
    double weight = l->weight;
    for (uint32_t i = l->base; i <= stamp; i++) {
        const struct node *x = rh__graph_node(g, i);
        if (x->option_count)
            weight /= x->kind == NODE_EVENT ? x->option_count : x->option_count + 1;
    }
    return weight;
}

double rh__graph_untried(const struct graph *g)
{
    double untried = 0;
    for (uint32_t l = 0; l < g->level_count; l++) {
        double weight = g->levels[l].weight;
        for (uint32_t i = g->levels[l].base; i < g->levels[l].count; i++) {
            const struct node *x = &g->nodes[g->levels[l].first + i];
            if (!x->option_count)
                continue;
            weight /= x->kind == NODE_EVENT ? x->option_count : x->option_count + 1;
            untried += weight * (x->option_end - x->option_next);
        }
    }
    return untried;
}

void rh__graph_pop(struct graph *g)
{
    const struct level *l = &g->levels[--g->level_count];
    g->node_top = l->first;
    g->run_top = l->first_step;
    g->row_top = l->row_top;
    g->option_top = l->option_top;
    g->wish_top = l->wish_top;
    g->image_top = l->image_top;
    if (g->level_count && !rh__graph_top(g)->bare)
        rh__graph_rebuild(g);
}
