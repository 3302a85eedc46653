/* Chooses the steps of a run of `optimal`: first the steps that lead to the point where a graph continues, then new
 * steps in a fixed order (optimal.c). */
#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "explore/engine/engine.h"
#include "explore/explorers.h"
#include "explore/optimal/sampler.h"
#include "world/live.h"

/* ---- options of the enabled choices ------------------------------------------------------------------------------ */

/* Identifies one of an actor's own choices.  The value is the same in every order of steps. */
static uint64_t detail_of(const struct rh__run *r, const struct rh_choice *c)
{
    if (c->kind != RH_CHOICE_TIMER)
        return c->what;
    if (!c->arg)
        return 0;
    const char *name = rh__run_text(r, c->arg);
    return rh__hash(name, strlen(name), 1);
}

/* Order of the options of a node.  An option that uses up a budget has a lower value than an option that is always
 * enabled. */
static uint64_t order_of(const struct rh__run *r, const struct rh_choice *c)
{
    if (c->kind == RH_CHOICE_RESTART && r->semantics->restarts >= r->semantics->crashes)
        return !c->what;
    if (c->kind == RH_CHOICE_OPEN) /* likewise options that cost a fault */
        return c->what ? c->what - 1 : 2;
    return detail_of(r, c);
}

/* Whether the choice is an operation that finds a version of its object. */
static bool finds(const struct optimal_graph *g, const struct rh_choice *c)
{
    return c->kind == RH_CHOICE_RESUME && rh__graph_operation(g, rh__run_actor(g->seen, c->actor));
}

static bool asks_in_turn(const struct optimal_graph *g, const struct rh_choice *c)
{
    return (c->kind == RH_CHOICE_RESUME || c->kind == RH_CHOICE_RESTART) &&
           rh__graph_asks(g, rh__run_actor(g->seen, c->actor));
}

static uint32_t place_of(struct optimal_graph *g, const struct rh_choice *c)
{
    if (finds(g, c))
        return g->place_of_actor[c->actor];
    if (c->kind == RH_CHOICE_TIMER && c->actor == g->seen->clock)
        return rh__graph_place(g, rh__object(RH__OBJECT_CLOCK, 0));
    return asks_in_turn(g, c) ? rh__graph_place(g, rh__run_actor(g->seen, c->actor)->object)
                              : g->place_of_actor[c->actor];
}

static bool ordinary(const struct rh_choice *c)
{
    return !(rh_choice_attributes(c->kind) & RH_GLOBAL) || c->kind == RH_CHOICE_RESTART;
}

/* Returns the request of an actor that stopped before an operation: the last own send of its last event. */
static uint32_t request_of(const struct optimal_graph *g, uint32_t actor)
{
    return rh__graph_last_own(g, rh__graph_node(g, g->last_of_actor[actor]));
}

static inline struct optimal_option option_of(struct optimal_graph *g, const struct rh_choice *c)
{
    struct optimal_option o = { .kind = c->kind, .cause = RH_NONE };
    if (c->kind == RH_CHOICE_DELIVER)
        o.cause = g->send_of_message[c->what];
    else if (asks_in_turn(g, c))
        o.cause = request_of(g, g->place_of_actor[c->actor]);
    if (c->kind == RH_CHOICE_RESTART || o.cause == RH_NONE)
        o.detail = order_of(g->seen, c);
    return o;
}

static bool same_option(struct optimal_option a, struct optimal_option b)
{
    return a.kind == b.kind && a.cause == b.cause && a.detail == b.detail && a.set == b.set;
}

/* ---- the next step ----------------------------------------------------------------------------------------------- */

/* True for kinds whose detail counts from 1: see add_lives. */
static bool ends_a_life(uint32_t kind)
{
    return kind == RH_CHOICE_CRASH || kind == RH_CHOICE_UNSTORED;
}

/* The message that a unit takes in this step: the world takes those of a set in an order of its own. */
static uint32_t message_of_unit(struct optimal_graph *g, const struct rh_world *w, uint32_t stamp)
{
    const struct optimal_node *x = rh__graph_node(g, stamp);
    uint32_t first = stamp - x->event.part, *messages = g->walk; /* borrowed */
    for (uint32_t i = 0; i < x->event.set; i++)
        messages[i] = rh__graph_message(g, rh__graph_node(g, rh__graph_node(g, first + i)->now.cause));
    return rh__world_set_next(w, g->actor_of[x->actor], messages, x->event.set);
}

/* Returns the index of the node's step among the enabled choices, or RH_NONE. */
static uint32_t find_step(struct optimal *o, const struct rh_world *w, uint32_t stamp, const struct rh_choice *open,
                          uint32_t count)
{
    struct optimal_graph *g = &o->graph;
    const struct optimal_node *x = rh__graph_node(g, stamp);
    uint32_t message = RH_NONE, kind = x->now.kind;
    uint32_t actor = g->actor_of[x->actor];
    if (x->kind == NODE_FATE) {
        kind = x->now.kind == FATE_LOST ? RH_CHOICE_LOSE : RH_CHOICE_DUPLICATE;
        message = g->seen->events[rh__graph_node(g, x->of)->event.step].first_message + x->fate.ordinal;
    } else if (x->event.set) {
        message = message_of_unit(g, w, stamp);
        if (message == RH_NONE)
            return RH_NONE;
    } else if (x->now.kind == RH_CHOICE_DELIVER) {
        message = rh__graph_message(g, rh__graph_node(g, x->now.cause));
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct rh_choice *c = &open[i];
        if (c->kind != kind)
            continue;
        if (message != RH_NONE ? c->what == message
                               : c->actor == actor && (kind == RH_CHOICE_RESUME ||
                                                       order_of(g->seen, c) == x->now.detail - ends_a_life(kind)))
            return i;
    }
    return RH_NONE;
}

/* The number of events of a place. */
static uint32_t events_of(const struct optimal_graph *g, uint32_t place)
{
    return g->last_event[place] == RH_NONE ? 0 : rh__graph_node(g, g->last_event[place])->event.index + 1;
}

/* Order of places for choose_place.  An actor that can be exchanged for another one goes first as long as it has done
 * nothing, so that what it sends is known when others take it (exchange.c). */
static bool goes_before(const struct optimal_graph *g, uint32_t a, uint32_t b)
{
    uint32_t n = rh__graph_is_fresh(g, a) ? 0 : g->waiting[a], m = rh__graph_is_fresh(g, b) ? 0 : g->waiting[b];
    if (n != m)
        return n < m;
    n = events_of(g, a);
    m = events_of(g, b);
    return n != m ? n < m : rh__graph_turn(g, a) < rh__graph_turn(g, b);
}

static bool waits_for_set(const struct optimal_graph *g, const struct rh_world *w, const struct rh_choice *c,
                          uint32_t place)
{
    return place == g->place_of_actor[c->actor] && rh__stance_of(w, c->actor).set;
}

/* Chooses the place with the fewest enabled choices, of those the one with the fewest events.  Then most sends are
 * known before a node has several options: a server, which takes much, goes after its clients, which send to it.  A
 * send that is known is an option of the event, which costs a few steps.  A later one revisits the event, which costs a
 * graph.  Any order that is a function of the graph alone would be correct.  How many choices a set has at first
 * depends on the world's order of its messages, so sets come last, where most sends are known. */
static uint32_t choose_place(struct optimal_graph *g, const struct rh_world *w, const struct rh_choice *open,
                             uint32_t count)
{
    uint32_t best = RH_NONE, *places = g->map; /* borrowed: the map is not in use now */
    bool sets = rh__world_uses_sets(w);
    for (uint32_t i = 0; i < count; i++) {
        places[i] = ordinary(&open[i]) ? place_of(g, &open[i]) : RH_NONE;
        if (places[i] != RH_NONE)
            g->waiting[places[i]] = 0;
    }
    for (uint32_t i = 0; i < count; i++)
        if (places[i] != RH_NONE)
            g->waiting[places[i]] =
                sets && waits_for_set(g, w, &open[i], places[i]) ? RH_NONE : g->waiting[places[i]] + 1;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t p = places[i];
        if (p == RH_NONE || g->frozen[p] || g->frozen[g->place_of_actor[open[i].actor]])
            continue;
        if (best == RH_NONE || goes_before(g, p, best))
            best = p;
    }
    return best;
}

/* Completes the options of a new event.  A sampler draws some of them: then another one than the first may come
 * first, or the path ends.  Returns true if the event stays as it is. */
static bool completed(struct optimal *o, const struct rh_world *w, uint32_t stamp)
{
    struct optimal_graph *g = &o->graph;
    bool stay;
    rh__graph_more_options(g, w, stamp);
    struct optimal_node *x = rh__graph_node(g, stamp);
    if (!o->sampler)
        return true;
    const struct optimal_option first = x->now;
    uint32_t drawn = rh__sampler_draw(o->sampler, NODE_EVENT, stamp, x->options, x->option_count, &stay);
    if (!drawn) {
        rh__graph_cut(g, stamp);
        return false;
    }
    x->option_end = drawn;
    if (same_option(first, g->options[x->options]))
        return true;
    x->option_next = 0;
    rh__optimal_take_option(o, stamp);
    o->on_way = true;
    return false;
}

/* Puts the greatest option first, and returns the index of its choice. */
static uint32_t greatest_first(struct optimal_graph *g, uint32_t options, uint32_t n, const struct rh_choice *open,
                               uint32_t count, uint32_t place)
{
    uint32_t pick = 0;
    rh__graph_greatest_first(g, options, n);
    while (pick < count && !(g->map[pick] == place && same_option(option_of(g, &open[pick]), g->options[options])))
        pick++;
    return pick;
}

/* Whether the choice takes a message of the set that its actor waits for. */
static bool takes_of_set(const struct optimal_graph *g, const struct rh_world *w, const struct rh_choice *c)
{
    if (c->kind != RH_CHOICE_DELIVER)
        return false;
    const struct rh__run_message *m = rh__run_message(g->seen, c->what);
    struct rh__stance s = rh__stance_of(w, c->actor);
    return !rh__is_exit_signal(m) && !m->wake && rh__joins(&s, m->type);
}

/* An option with the set that the actor can take now; others follow (units.c). */
static struct optimal_option option_of_set(struct optimal_graph *g, const struct rh_world *w, uint32_t actor)
{
    uint32_t size = rh__stance_of(w, actor).set, set = rh__graph_push_set(g, size);
    bool there = rh__world_set_now(w, actor, &g->orders[set]);
    RH__ASSERT(there, "actor %u can take a part of a set, but no set", actor);
    for (uint32_t i = 0; i < size; i++)
        g->orders[set + i] = g->send_of_message[g->orders[set + i]];
    return (struct optimal_option){ .kind = RH_CHOICE_DELIVER, .cause = g->orders[set], .set = set };
}

static uint32_t step_of_place(struct optimal *o, const struct rh_world *w, uint32_t place, const struct rh_choice *open,
                              uint32_t count)
{
    struct optimal_graph *g = &o->graph;
    uint32_t options = g->option_top, orders = g->order_top, n = 0, pick = RH_NONE;
    const uint32_t *places = g->map; /* filled in by choose_place */
    bool sets = rh__world_uses_sets(w), set = false;
    for (uint32_t i = 0; i < count; i++) {
        if (places[i] != place)
            continue;
        bool of_set = sets && takes_of_set(g, w, &open[i]);
        if (of_set && set)
            continue;
        if (pick == RH_NONE)
            pick = i;
        g->options[options + n++] = of_set ? option_of_set(g, w, open[i].actor) : option_of(g, &open[i]);
        set |= of_set;
    }
    if (g->exchange.rule)
        pick = greatest_first(g, options, n, open, count, place);
    g->option_top += n;
    uint32_t actor = g->place_of_actor[open[pick].actor];
    uint32_t stamp = rh__graph_add_event(g, w, actor, place, options, n, 0, NULL);
    rh__graph_node(g, stamp)->orders_before = orders;
    if (!completed(o, w, stamp))
        return RH_ABANDON;
    if (g->exchange.rule)
        rh__graph_leave_out(g, stamp);
    return rh__graph_node(g, stamp)->event.set ? find_step(o, w, stamp, open, count) : pick;
}

/* The operation of an actor that finds a version.  If the newest one is a change that fails, so does the operation:
 * it is in the list, because others may find its change instead, but not made.  Returns RH_ABANDON if a sampler does
 * not go on with this graph, RH_NONE if the operation is not made. */
static uint32_t step_of_operation(struct optimal *o, const struct rh_world *w, const struct rh_choice *open,
                                  uint32_t pick)
{
    struct optimal_graph *g = &o->graph;
    uint32_t actor = g->place_of_actor[open[pick].actor], options = g->option_top;
    uint32_t object = rh__graph_place(g, rh__run_actor(g->seen, open[pick].actor)->object);
    bool fails;
    uint32_t n = rh__graph_versions(g, w, actor, object, &fails);
    uint32_t stamp = rh__graph_add_event(g, w, actor, object, options, n, 0, NULL);
    if (!completed(o, w, stamp))
        return RH_ABANDON;
    if (fails)
        rh__graph_give_up(g, stamp);
    return fails ? RH_NONE : pick;
}

static bool can_befall(const struct optimal_graph *g, const struct optimal_send_due *due)
{
    const struct rh__run *r = g->seen;
    const struct optimal_node *event = rh__graph_node(g, due->event);
    if (!due->fate || due->ordinal >= event->event.sends || !(r->semantics->losses || r->semantics->duplicates))
        return false;
    return rh__run_may_fail(r, rh__run_message(r, r->events[event->event.step].first_message + due->ordinal));
}

/* A sampler draws some of the options of a node, and whether the node stays as it is.  If the node does not stay, the
 * graph is one with an option instead, or the path ends.  Returns true if the node stays. */
static bool stays(struct optimal *o, uint32_t stamp)
{
    struct optimal_node *x = rh__graph_node(&o->graph, stamp);
    bool stay = true;
    if (!o->sampler)
        return true;
    x->option_end = rh__sampler_draw(o->sampler, x->kind, stamp, x->options, x->option_count, &stay);
    if (!stay && x->option_end) {
        rh__optimal_take_option(o, stamp);
        o->on_way = true;
    }
    return stay;
}

/* Adds the sends before any further step. */
bool rh__optimal_add_sends(struct optimal *o, const struct rh_world *w)
{
    struct optimal_graph *g = &o->graph;
    struct optimal_send_due due;
    while (rh__graph_send_due(g, &due)) {
        uint32_t stamp;
        if (can_befall(g, &due)) {
            stamp = rh__graph_add_fate(g, &due);
            struct optimal_node *x = rh__graph_node(g, stamp);
            if (g->lost < g->seen->semantics->losses)
                g->options[x->options + x->option_count++] = (struct optimal_option){ .kind = FATE_LOST };
            if (g->twice < g->seen->semantics->duplicates)
                g->options[x->options + x->option_count++] = (struct optimal_option){ .kind = FATE_TWICE };
            g->option_top += x->option_end = x->option_count;
            due.fate = false;
        } else {
            stamp = rh__graph_add_send(g, &due);
            rh__graph_find_revisits(g, w, stamp);
        }
        if (!stays(o, stamp))
            return false;
    }
    return true;
}

/* Adds LIFE nodes, which decide whether the life of an actor ends.  Returns false if a sampler does not continue with
 * this graph. */
static bool add_lives(struct optimal *o, const struct rh_choice *open, uint32_t count)
{
    struct optimal_graph *g = &o->graph;
    if (!g->seen->semantics->crashes && !g->seen->semantics->failed_puts)
        return true;
    for (uint32_t i = 0; i < count; i++) {
        if (!ends_a_life(open[i].kind))
            continue;
        uint32_t actor = g->place_of_actor[open[i].actor];
        if (g->frozen[actor] || !rh__graph_life_due(g, actor))
            continue;
        uint32_t stamp = rh__graph_add_life(g, actor);
        struct optimal_node *x = rh__graph_node(g, stamp);
        for (uint32_t k = i; k < count; k++)
            if (ends_a_life(open[k].kind) && open[k].actor == open[i].actor)
                g->options[x->options + x->option_count++] = (struct optimal_option){
                    .kind = open[k].kind, .cause = RH_NONE, .detail = (uint64_t)open[k].what + 1
                };
        g->option_top += x->option_end = x->option_count;
        if (!stays(o, stamp))
            return false;
    }
    return true;
}

uint32_t rh__optimal_step_again(struct optimal *o, const struct rh_world *w, uint32_t stamp,
                                const struct rh_choice *open, uint32_t count)
{
    struct optimal_graph *g = &o->graph;
    uint32_t pick = RH_NONE;
    if (rh__graph_top(g)->bare ? rh__graph_fill_before(g, w, stamp, open, count) : true) {
        rh__graph_before_step(g, w, stamp);
        pick = find_step(o, w, stamp, open, count);
    }
    o->diverged |= pick == RH_NONE; /* the program did not repeat an earlier step */
    return pick;
}

static uint32_t end_of(const struct rh_choice *open, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (open[i].kind == RH_CHOICE_END)
            return i;
    return RH_NONE;
}

/* Whether a step of the graph is not made because the program fails in it, in a run that counts. */
static bool lacks_a_failure(const struct optimal_graph *g)
{
    const struct optimal_level *l = &g->levels[g->level_count - 1];
    for (uint32_t i = 0; i < l->count; i++)
        if (g->list[i].kind == NODE_EVENT && g->list[i].event.counts)
            return true;
    return false;
}

/* True if the last step sent as many messages as the first time.  Otherwise the graph is invalid. */
static bool sent_as_before(struct optimal_graph *g)
{
    const struct optimal_level *l = rh__graph_top(g);
    uint32_t step = g->seen->event_count - 1;
    if (step >= l->steps)
        return true;
    const struct optimal_node *x = rh__graph_node(g, g->run[l->first_step + step].node);
    return x->kind != NODE_EVENT || x->event.failed || x->event.sends == RH_NONE ||
           x->event.sends + (x->event.finds ? rh__graph_count_notices(g->seen, step) : 0) ==
               g->seen->message_count - g->seen->events[step].first_message;
}

uint32_t rh__optimal_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    struct optimal *o = state;
    struct optimal_graph *g = &o->graph;
    rh__graph_absorb(g, w);
    if (g->exchange.rule)
        rh__graph_exchange_anew(g);
    const struct optimal_level *l = rh__graph_top(g);
    if (!sent_as_before(g)) {
        o->diverged = true;
        return RH_NONE;
    }
    if (g->seen->event_count < l->steps)
        return rh__optimal_step_again(o, w, g->run[l->first_step + g->seen->event_count].node, open, count);
    if (rh__graph_full(g)) {
        o->full = true;
        return RH_NONE;
    }
    if (!rh__optimal_add_sends(o, w) || !add_lives(o, open, count))
        return RH_ABANDON; /* a sampler goes on with another graph: `begin` decides how many events to keep */
    uint32_t place;
    while ((place = choose_place(g, w, open, count)) != RH_NONE) {
        uint32_t first = 0;
        while (g->map[first] != place)
            first++;
        uint32_t pick =
            finds(g, &open[first]) ? step_of_operation(o, w, open, first) : step_of_place(o, w, place, open, count);
        if (pick != RH_NONE)
            return pick;
    }
    uint32_t end = end_of(open, count);
    return end != RH_NONE ? end : lacks_a_failure(g) ? RH_ASIDE : RH_ABANDON;
}
