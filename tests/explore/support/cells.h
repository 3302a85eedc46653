/* Generated programs with monitors and finitely many states, for tests of liveness; and a model of them that knows
 * nothing of the world.
 *
 * A program is a table: what an actor in a state does with a message or a timer.  Each step uses up one token, a
 * message or a timer, and makes one at most, so there are finitely many states.  The model has its own states,
 * channels and steps. */
#ifndef RH_TESTS_CELLS_H
#define RH_TESTS_CELLS_H

#include <stdio.h>

#include "explore/support/runs.h"
#include "support/generated.h"

enum {
    ACTORS = 3,
    STATES = 3,
    KINDS = 2,
    TOKENS = 3,
    RING = KINDS,
    MONITORS = 2,
    MOST_STATES = 4000,
    MOST_EDGES = 60000
};
enum { NOTHING, SENDS, SETS };

struct outcome {
    uint8_t next, token, to, kind;
    bool cancels, resets;
    uint8_t announces[2]; /* 0: nothing; 1 + monitor * 2 + (0: heat, 1: cool) */
};

struct program {
    uint32_t model, losses, starts;
    struct {
        uint8_t to, kind;
    } start[TOKENS];
    struct {
        uint32_t alternatives;
        struct outcome does[2];
    } table[ACTORS][STATES][KINDS + 1];
};
static struct program program; /* the world's actors read it */

static uint64_t next_number;
static uint32_t below(uint32_t n)
{
    return generated_below(&next_number, n);
}

static void make_program(uint64_t seed)
{
    next_number = seed * 0x9e3779b97f4a7c15u + 1;
    program = (struct program){ .model = below(3), .losses = below(4) == 0, .starts = 1 + below(TOKENS) };
    for (uint32_t i = 0; i < program.starts; i++) {
        program.start[i].to = (uint8_t)below(ACTORS);
        program.start[i].kind = (uint8_t)below(KINDS);
    }
    for (uint32_t a = 0; a < ACTORS; a++)
        for (uint32_t s = 0; s < STATES; s++)
            for (uint32_t k = 0; k <= KINDS; k++) {
                program.table[a][s][k].alternatives = below(5) ? 1 : 2;
                for (uint32_t i = 0; i < 2; i++)
                    program.table[a][s][k].does[i] =
                        (struct outcome){ .next = (uint8_t)below(STATES),
                                          .token = below(12) ? (below(4) ? SENDS : SETS) : NOTHING,
                                          .to = (uint8_t)below(ACTORS),
                                          .kind = (uint8_t)below(KINDS),
                                          .cancels = below(8) == 0,
                                          .resets = below(5) == 0,
                                          .announces = { (uint8_t)(below(3) ? 0 : 1 + below(2 * MONITORS)),
                                                         (uint8_t)(below(6) ? 0 : 1 + below(2 * MONITORS)) } };
            }
}

/* ---- the program as actors --------------------------------------------------------------------------------------- */

RH_MESSAGE(token, uint8_t kind;);
RH_MESSAGE(ring);
RH_MESSAGE(heat_one);
RH_MESSAGE(cool_one);
RH_MESSAGE(heat_other);
RH_MESSAGE(cool_other);
RH_ACTOR(cell, rh_ref others[ACTORS]; uint8_t number, at;);

static void announce(uint8_t what)
{
    if (what == 1)
        rh_announce(heat_one);
    else if (what == 2)
        rh_announce(cool_one);
    else if (what == 3)
        rh_announce(heat_other);
    else if (what == 4)
        rh_announce(cool_other);
}

static void act(struct cell *state, uint32_t kind)
{
    uint32_t alternatives = program.table[state->number][state->at][kind].alternatives;
    uint32_t which = alternatives > 1 ? rh_choose(alternatives) : 0;
    const struct outcome *o = &program.table[state->number][state->at][kind].does[which];
    announce(o->announces[0]);
    state->at = o->next;
    if (o->cancels)
        rh_timer_cancel("ring");
    if (o->resets && rh_timer_cancel("ring"))
        rh_timer("ring", 10, ring);
    if (o->token == SENDS)
        rh_send(state->others[o->to], token, .kind = o->kind);
    else if (o->token == SETS)
        rh_timer("ring", 10, ring);
    announce(o->announces[1]);
}

RH_HANDLER(cell, token)
{
    act(state, msg->kind);
}
RH_HANDLER(cell, ring)
{
    act(state, RING);
}
RH_BEHAVIOUR(cell, living, token, ring);

RH_MONITOR(one);
RH_HANDLER(one, heat_one)
{
    rh_become(one, one_hot);
}
RH_HANDLER(one, cool_one)
{
    rh_become(one, one_cold);
}
RH_BEHAVIOUR(one, one_cold, heat_one, RH_IGNORE(cool_one));
RH_HOT_BEHAVIOUR(one, one_hot, RH_IGNORE(heat_one), cool_one);

RH_MONITOR(other); /* hot from the beginning */
RH_HANDLER(other, heat_other)
{
    rh_become(other, other_hot);
}
RH_HANDLER(other, cool_other)
{
    rh_become(other, other_cold);
}
RH_HOT_BEHAVIOUR(other, other_hot, RH_IGNORE(heat_other), cool_other);
RH_BEHAVIOUR(other, other_cold, heat_other, RH_IGNORE(cool_other));

RH_TEST(cells)
{
    rh_ref refs[ACTORS];
    rh_observe(one);
    rh_observe(other);
    for (uint8_t i = 0; i < ACTORS; i++)
        refs[i] = (rh_ref){ self.id + 3 + i }; /* the two monitors are actors, too */
    for (uint8_t i = 0; i < ACTORS; i++) {
        rh_ref is = rh_spawn(cell, .others = { refs[0], refs[1], refs[2] }, .number = i);
        rh_assert(rh_same(is, refs[i]), "references are not in a row");
    }
    for (uint32_t i = 0; i < program.starts; i++)
        rh_send(refs[program.start[i].to], token, .kind = program.start[i].kind);
}

/* ---- the program as a model -------------------------------------------------------------------------------------- */

enum { OUTSIDE = ACTORS }; /* the sender of the first messages */

/* Messages under way are in the order of their sends. */
struct model_state {
    uint8_t at[ACTORS], timer[ACTORS], hot[MONITORS], losses, count;
    struct {
        uint8_t from, to, kind;
    } message[TOKENS];
};

enum { UNITS = ACTORS + (ACTORS + 1) * ACTORS * (1 + KINDS) + ACTORS };
static uint32_t actor_unit(uint32_t a)
{
    return a;
}
static uint32_t channel_unit(uint32_t from, uint32_t to)
{
    return ACTORS + from * ACTORS + to;
}
static uint32_t message_unit(uint32_t from, uint32_t to, uint32_t kind)
{
    return ACTORS + (ACTORS + 1) * ACTORS + (from * ACTORS + to) * KINDS + kind;
}
static uint32_t timer_unit(uint32_t a)
{
    return ACTORS + (ACTORS + 1) * ACTORS * (1 + KINDS) + a;
}
_Static_assert(UNITS <= 64, "a set of units is a word");
static uint64_t bit(uint32_t unit)
{
    return (uint64_t)1 << unit;
}

static struct {
    struct model_state state[MOST_STATES];
    uint64_t open[MOST_STATES];
    struct {
        uint32_t from, to;
        uint64_t serves;
        uint32_t label; /* see label_of */
        uint8_t cooled; /* bits of monitors that were not hot at some time in the step */
    } edge[MOST_EDGES];
    uint32_t states, edges;
    bool too_large;
} graph;

/* Among equal bags of messages, one order: where order does not matter. */
static void settle(struct model_state *s)
{
    for (uint32_t i = s->count; i < TOKENS; i++)
        memset(&s->message[i], 0, sizeof s->message[i]);
    if (program.model == 2)
        return; /* a mailbox: the order of sends to one receiver matters; others are sorted apart below */
    for (uint32_t i = 1; i < s->count; i++)
        for (uint32_t k = i; k; k--) {
            bool same = s->message[k].from == s->message[k - 1].from && s->message[k].to == s->message[k - 1].to;
            int order = memcmp(&s->message[k], &s->message[k - 1], program.model == 0 ? 2 : 3);
            if (order >= 0 || (same && program.model == 0))
                break;
            __typeof__(s->message[0]) t = s->message[k];
            s->message[k] = s->message[k - 1];
            s->message[k - 1] = t;
        }
}

static uint32_t state_number(struct model_state *s)
{
    settle(s);
    for (uint32_t i = 0; i < graph.states; i++)
        if (memcmp(&graph.state[i], s, sizeof *s) == 0)
            return i;
    if (graph.states == MOST_STATES) {
        graph.too_large = true;
        return 0;
    }
    graph.state[graph.states] = *s;
    return graph.states++;
}

/* What happens in a step. */
enum { TAKES, FIRES, LOSES };
static uint32_t label_of(uint32_t what, uint32_t from, uint32_t to, uint32_t kind, uint32_t alternative)
{
    return (((what * 8 + from) * 8 + to) * 8 + kind) * 8 + alternative;
}
static uint32_t label; /* of the next edge, its alternative being 0 */

static void add_edge(uint32_t from, struct model_state *to, uint64_t serves, uint8_t cooled)
{
    if (graph.edges == MOST_EDGES) {
        graph.too_large = true;
        return;
    }
    graph.edge[graph.edges].from = from;
    graph.edge[graph.edges].to = state_number(to);
    graph.edge[graph.edges].serves = serves;
    graph.edge[graph.edges].label = label;
    graph.edge[graph.edges++].cooled = cooled;
}

static void model_announce(struct model_state *s, uint8_t what, uint8_t *cooled)
{
    if (!what)
        return;
    uint8_t m = (uint8_t)((what - 1) / 2);
    s->hot[m] = (what - 1) % 2 == 0;
    *cooled |= (uint8_t)(!s->hot[m] << m);
}

/* Actor `a` handles; the token is used up already. */
static void model_act(uint32_t from, const struct model_state *before, uint32_t a, uint32_t kind, uint64_t serves)
{
    for (uint32_t i = 0; i < program.table[a][before->at[a]][kind].alternatives; i++) {
        struct model_state s = *before;
        uint64_t served = serves | bit(actor_unit(a));
        uint8_t cooled = 0;
        const struct outcome *o = &program.table[a][before->at[a]][kind].does[i];
        for (uint32_t m = 0; m < MONITORS; m++)
            cooled |= (uint8_t)(!s.hot[m] << m);
        model_announce(&s, o->announces[0], &cooled);
        s.at[a] = o->next;
        if (o->cancels)
            s.timer[a] = 0;
        if (o->resets && s.timer[a])
            served |= bit(timer_unit(a)); /* another timer than before */
        if (o->token == SENDS) {
            s.message[s.count].from = (uint8_t)a;
            s.message[s.count].to = o->to;
            s.message[s.count++].kind = o->kind;
        } else if (o->token == SETS) {
            s.timer[a] = 1;
            served |= bit(timer_unit(a));
        }
        model_announce(&s, o->announces[1], &cooled);
        add_edge(from, &s, served, cooled);
        label++; /* of the next alternative */
    }
}

static bool is_first(const struct model_state *s, uint32_t message)
{
    for (uint32_t i = 0; i < message; i++)
        if (s->message[i].to == s->message[message].to &&
            (program.model == 2 || (program.model == 0 && s->message[i].from == s->message[message].from)))
            return false;
    return true;
}

static void remove_message(struct model_state *s, uint32_t message)
{
    s->count--;
    for (uint32_t i = message; i < s->count; i++)
        s->message[i] = s->message[i + 1];
}

static void expand(uint32_t number)
{
    struct model_state s = graph.state[number];
    uint64_t open = 0;
    for (uint32_t i = 0; i < s.count; i++) {
        uint32_t from = s.message[i].from, to = s.message[i].to, kind = s.message[i].kind;
        if (!is_first(&s, i))
            continue;
        uint64_t units = bit(channel_unit(from, to)) | bit(message_unit(from, to, kind));
        open |= units | bit(actor_unit(to));
        struct model_state next = s;
        remove_message(&next, i);
        label = label_of(TAKES, from, to, kind, 0);
        model_act(number, &next, to, kind, units);
        if (s.losses && from != to) {
            next.losses--;
            label = label_of(LOSES, from, to, kind, 0);
            uint8_t cooled = (uint8_t)((s.hot[0] ? 0 : 1) + (s.hot[1] ? 0 : 2));
            add_edge(number, &next, 0, cooled);
        }
    }
    for (uint32_t a = 0; a < ACTORS; a++)
        if (s.timer[a]) {
            open |= bit(timer_unit(a)) | bit(actor_unit(a));
            struct model_state next = s;
            next.timer[a] = 0;
            label = label_of(FIRES, a, a, RING, 0);
            model_act(number, &next, a, RING, bit(timer_unit(a)));
        }
    graph.open[number] = open;
}

static bool make_graph(void)
{
    struct model_state s;
    memset(&s, 0, sizeof s);
    memset(&graph, 0, sizeof graph);
    s.hot[1] = 1;
    s.losses = (uint8_t)program.losses;
    for (uint32_t i = 0; i < program.starts; i++) {
        s.message[s.count].from = OUTSIDE;
        s.message[s.count].to = program.start[i].to;
        s.message[s.count++].kind = program.start[i].kind;
    }
    state_number(&s);
    for (uint32_t i = 0; i < graph.states && !graph.too_large; i++)
        expand(i);
    return !graph.too_large;
}

#endif
