/* The steps of optimal's runs: those that lead to where a graph goes on, and then the next in a fixed order (optimal.c). */
#include <string.h>

#include "base/hash.h"
#include "base/random.h"
#include "explore/engine.h"
#include "explore/optimal.h"
#include "world/network.h"
#include "world/objects.h"

/* ---- options of the open choices ------------------------------------------------------------------------------------------ */

/* Which of an actor's own things: the same in every order of steps. */
static uint64_t detail_of(const struct rh_world *w, const struct rh_choice *c)
{
    if (c->kind != RH_CHOICE_TIMER)
        return c->what;
    if (!c->arg)
        return 0;
    const char *name = w->payload + (uint64_t)c->arg * 16;
    return rh__hash(name, strlen(name), 1);
}

/* What is within a budget that may run out is less than what is always open. */
static uint64_t order_of(const struct rh_world *w, const struct rh_choice *c)
{
    if (c->kind == RH_CHOICE_RESTART && w->semantics.restarts >= w->semantics.crashes)
        return !c->what;
    if (c->kind == RH_CHOICE_OPEN) /* likewise what costs a fault */
        return c->what ? c->what - 1 : 2;
    return detail_of(w, c);
}

static uint32_t place_of(struct graph *g, const struct rh_world *w, const struct rh_choice *c)
{
    if (c->kind == RH_CHOICE_TIMER && c->actor == w->clock)
        return rh__graph_place(g, rh__object(RH__OBJECT_CLOCK, 0));
    return c->kind == RH_CHOICE_RESUME ? rh__graph_place(g, w->actors[c->actor].object) : g->place_of_actor[c->actor];
}

static bool ordinary(const struct rh_choice *c)
{
    switch ((enum rh_choice_kind)c->kind) {
    case RH_CHOICE_DELIVER:
    case RH_CHOICE_TIMER:
    case RH_CHOICE_VALUE:
    case RH_CHOICE_OPEN:
    case RH_CHOICE_RESUME:
    case RH_CHOICE_STORED:
    case RH_CHOICE_RESTART:
        return true;
    default:
        return false;
    }
}

/* The request of an actor that stopped before an operation is the last send of its last event. */
static uint32_t request_of(const struct graph *g, uint32_t actor)
{
    return rh__graph_node(g, g->last_of_actor[actor])->event.last_of;
}

static struct option option_of(struct graph *g, const struct rh_world *w, const struct rh_choice *c)
{
    struct option o = { .kind = c->kind, .cause = RH_NONE };
    if (c->kind == RH_CHOICE_DELIVER)
        o.cause = g->send_of_message[c->what];
    else if (c->kind == RH_CHOICE_RESUME)
        o.cause = request_of(g, g->place_of_actor[c->actor]);
    else
        o.detail = order_of(w, c);
    return o;
}

/* ---- the next step ------------------------------------------------------------------------------------------------------------ */

static uint32_t below(struct optimal *o, uint32_t n)
{
    return (uint32_t)(rh__random_next(&o->random) % n);
}

/* Its detail counts from 1: see add_lives. */
static bool ends_a_life(uint32_t kind)
{
    return kind == RH_CHOICE_CRASH || kind == RH_CHOICE_UNSTORED;
}

/* The index of the step among the open choices; RH_NONE if it is not there. */
static uint32_t find_step(struct optimal *o, struct rh_world *w, const struct node *x, const struct rh_choice *open,
                          uint32_t count)
{
    struct graph *g = &o->graph;
    uint32_t message = RH_NONE, kind = x->now.kind;
    uint32_t actor = g->actor_of[x->actor];
    if (x->kind == NODE_FATE) {
        kind = x->now.kind == FATE_LOST ? RH_CHOICE_LOSE : RH_CHOICE_DUPLICATE;
        message = w->events[rh__graph_node(g, x->of)->event.step].first_message + x->fate.ordinal;
    } else if (x->now.kind == RH_CHOICE_DELIVER) {
        message = rh__graph_message(g, w, rh__graph_node(g, x->now.cause));
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct rh_choice *c = &open[i];
        if (c->kind != kind)
            continue;
        if (message != RH_NONE ? c->what == message
                               : c->actor == actor &&
                                     (kind == RH_CHOICE_RESUME || order_of(w, c) == x->now.detail - ends_a_life(kind)))
            return i;
    }
    return RH_NONE;
}

/* Of all places that can take something the one with the fewest things to take: then most sends are known before there is
 * anything to choose.  Any order will do that is a function of the graph alone. */
static uint32_t choose_place(struct graph *g, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    uint32_t best = RH_NONE, *places = g->map; /* of no other use now */
    for (uint32_t i = 0; i < count; i++) {
        places[i] = ordinary(&open[i]) ? place_of(g, w, &open[i]) : RH_NONE;
        if (places[i] != RH_NONE)
            g->waiting[places[i]] = 0;
    }
    for (uint32_t i = 0; i < count; i++)
        if (places[i] != RH_NONE)
            g->waiting[places[i]]++;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t p = places[i];
        if (p == RH_NONE || g->frozen[p] || g->frozen[g->place_of_actor[open[i].actor]])
            continue;
        if (best == RH_NONE || g->waiting[p] < g->waiting[best] ||
            (g->waiting[p] == g->waiting[best] && g->identity[p] < g->identity[best]))
            best = p;
    }
    return best;
}

static uint32_t step_of_place(struct optimal *o, struct rh_world *w, uint32_t place, const struct rh_choice *open,
                              uint32_t count)
{
    struct graph *g = &o->graph;
    uint32_t options = g->option_top, n = 0, pick = RH_NONE;
    const uint32_t *places = g->map; /* as choose_place left it */
    uint32_t chosen = o->sampling ? below(o, g->waiting[place]) : 0;
    for (uint32_t i = 0; i < count; i++) {
        if (places[i] != place)
            continue;
        if (n == chosen)
            pick = i;
        g->options[options + n++] = option_of(g, w, &open[i]);
    }
    g->option_top += n;
    uint32_t actor = g->place_of_actor[open[pick].actor];
    uint32_t stamp = rh__graph_add_event(g, w, actor, place, options, n, chosen, NULL);
    if (o->sampling) {
        o->weight *= n;
        rh__graph_node(g, stamp)->option_next = n;
    }
    return pick;
}

static bool can_befall(const struct graph *g, const struct rh_world *w, const struct send_due *due)
{
    const struct node *event = rh__graph_node(g, due->event);
    if (!due->fate || due->ordinal >= event->event.sends || !(w->semantics.losses || w->semantics.duplicates))
        return false;
    const struct message *m = &w->messages[w->events[event->event.step].first_message + due->ordinal];
    return rh__message_may_fail(w, m);
}

/* Samplers take one of a node's options at once, or none of them. */
static bool sampled_otherwise(struct optimal *o, struct node *x)
{
    if (!o->sampling || !x->option_count)
        return false;
    uint32_t pick = below(o, x->option_count + 1);
    o->weight *= x->option_count + 1;
    if (pick) {
        struct option swapped = o->graph.options[x->options];
        o->graph.options[x->options] = o->graph.options[x->options + pick - 1];
        o->graph.options[x->options + pick - 1] = swapped;
        return true;
    }
    x->option_next = x->option_count;
    return false;
}

/* Sends first; false where a sampler has gone off to another graph. */
bool rh__optimal_add_sends(struct optimal *o, struct rh_world *w)
{
    struct graph *g = &o->graph;
    struct send_due due;
    while (rh__graph_send_due(g, &due)) {
        uint32_t stamp;
        if (can_befall(g, w, &due)) {
            stamp = rh__graph_add_fate(g, &due);
            struct node *x = rh__graph_node(g, stamp);
            if (g->lost < w->semantics.losses)
                g->options[x->options + x->option_count++] = (struct option){ .kind = FATE_LOST };
            if (g->twice < w->semantics.duplicates)
                g->options[x->options + x->option_count++] = (struct option){ .kind = FATE_TWICE };
            g->option_top += x->option_end = x->option_count;
            due.fate = false;
        } else {
            stamp = rh__graph_add_send(g, w, &due);
            rh__graph_find_changes(g, w, stamp);
        }
        if (sampled_otherwise(o, rh__graph_node(g, stamp))) {
            rh__optimal_take_option(o, stamp);
            return false;
        }
    }
    return true;
}

/* Whether each actor goes on. */
static bool add_lives(struct optimal *o, const struct rh_choice *open, uint32_t count)
{
    struct graph *g = &o->graph;
    for (uint32_t i = 0; i < count; i++) {
        if (!ends_a_life(open[i].kind))
            continue;
        uint32_t actor = g->place_of_actor[open[i].actor];
        if (g->frozen[actor] || !rh__graph_life_due(g, actor))
            continue;
        uint32_t stamp = rh__graph_add_life(g, actor);
        struct node *x = rh__graph_node(g, stamp);
        for (uint32_t k = i; k < count; k++)
            if (ends_a_life(open[k].kind) && open[k].actor == open[i].actor)
                g->options[x->options + x->option_count++] =
                    (struct option){ open[k].kind, RH_NONE, (uint64_t)open[k].what + 1 };
        g->option_top += x->option_end = x->option_count;
        if (sampled_otherwise(o, x)) {
            rh__optimal_take_option(o, stamp);
            return false;
        }
    }
    return true;
}

uint32_t rh__optimal_step_again(struct optimal *o, struct rh_world *w, uint32_t stamp, const struct rh_choice *open,
                                uint32_t count)
{
    struct graph *g = &o->graph;
    uint32_t pick = RH_NONE;
    if (rh__graph_top(g)->bare ? rh__graph_fill_before(g, w, stamp, open, count) : true) {
        rh__graph_before_step(g, w, stamp);
        pick = find_step(o, w, rh__graph_node(g, stamp), open, count);
    }
    o->confused |= pick == RH_NONE; /* the program does not do again what it did */
    return pick;
}

static uint32_t end_of(const struct rh_choice *open, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (open[i].kind == RH_CHOICE_END)
            return i;
    return RH_NONE;
}

/* Whether the last step sent as much as when it was first made; the graph is of no use where it did not. */
static bool sent_as_before(struct graph *g, const struct rh_world *w)
{
    const struct level *l = rh__graph_top(g);
    uint32_t step = w->event_count - 1;
    if (step >= l->steps)
        return true;
    const struct node *x = rh__graph_node(g, g->run[l->first_step + step].node);
    return x->kind != NODE_EVENT || x->event.failed || x->event.sends == RH_NONE ||
           x->event.sends == w->message_count - w->events[step].first_message;
}

uint32_t rh__optimal_choose(void *state, struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    struct optimal *o = state;
    struct graph *g = &o->graph;
    rh__graph_absorb(g, w);
    const struct level *l = rh__graph_top(g);
    if (!sent_as_before(g, w)) {
        o->confused = true;
        return RH_NONE;
    }
    if (w->event_count < l->steps)
        return rh__optimal_step_again(o, w, g->run[l->first_step + w->event_count].node, open, count);
    if (rh__graph_full(g)) {
        o->full = true;
        return RH_NONE;
    }
    bool here = rh__optimal_add_sends(o, w);
    open = rh_world_enabled(w, &count); /* predicates may have been asked in the past, over the same table */
    if (!here || !add_lives(o, open, count)) {
        o->on_way = true; /* a sampler has gone off: begin says how much to keep */
        return RH_ELSEWHERE;
    }
    uint32_t place = choose_place(g, w, open, count);
    if (place != RH_NONE)
        return step_of_place(o, w, place, open, count);
    uint32_t end = end_of(open, count);
    return end != RH_NONE ? end : RH_ELSEWHERE;
}
