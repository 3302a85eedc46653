/* The execution graph of the explorer `optimal` [TruSt 2022].  optimal.c has the search, graph.c the invariants.
 *
 *   place     takes sends one at a time: an actor, or a shared object that takes operations in turn
 *             (world/objects.h); a place is known by its identity and numbered here, and so is any other object
 *   node      one entry of the list that is the graph; its stamp is its index, the order in which nodes were added:
 *     EVENT     a step of the world: `place` took the send `cause`, or did something of its own: a timer, a chosen
 *               value (of objects only the clock does something of its own, as an actor that no other actor sees);
 *               or an actor made an operation on an object, and found the change `cause`
 *     SEND      a message was sent to a place, or an operation requested of it
 *     FATE      what the network does to a message: nothing, the message is lost, or it comes twice
 *     LIFE      whether an actor crashes now
 *   position  of a node among all that its actor does; later ones are higher (graph.c)
 *   past      of a node: what happens before it; one position for each actor, a row
 *   option    what else could stand in the place of a node
 *   version   of an object: a change of it, or its state after the beginning (stamp 0), which an operation finds;
 *             the changes of an object form a chain: each found the one before it (versions.c)
 *   notice    a SEND with two reasons: it tells of an end (notices.c)
 *   unit      the events by which an actor takes a set (rh_receive_set): neighbours in the list and in the run, one for
 *             each message; only the last one does something (units.c)
 *
 * The order of the list is not an order of execution: a revisited event keeps its stamp and takes a later send.
 * `run` is the order in which the world makes the steps. */
/* Private to src/explore/optimal. */
#ifndef RH_EXPLORE_GRAPH_H
#define RH_EXPLORE_GRAPH_H

#include <rehearse/explorer.h>

#include "run/run.h"
#include "world/predicate.h"

struct rh_exploration;

enum optimal_node_kind { NODE_EVENT, NODE_SEND, NODE_FATE, NODE_LIFE };

enum { FATE_NONE, FATE_LOST, FATE_TWICE };

/* Names a send by its actor and its position: the same in every run. */
struct optimal_send_id {
    uint32_t actor, position;
};

/* The decision of a node, or another one that it could have. */
struct optimal_option {
    uint32_t kind;   /* EVENT: of the choice; FATE: which; SEND: unused */
    uint32_t cause;  /* EVENT: stamp of the send it takes, RH_NONE for none, or of the change that the operation finds;
                        SEND: stamp of the event to revisit */
    uint64_t detail; /* EVENT: which timer, value, restart; an operation: stamp of the operation to revisit, 0 for none;
                        SEND: of the revisited event; LIFE: how many writes survive, + 1 */
    uint32_t order;  /* the steps in another order, in `orders` (before.c); 0: the step comes last */
    uint32_t set;    /* the stamps of the sends that are taken at once, in `orders` (units.c); 0: one send or none */
};

struct optimal_node {
    uint32_t kind;
    uint32_t actor, position;
    uint32_t of; /* SEND, FATE: stamp of the event that sent it */
    struct optimal_option now;

    uint32_t options, option_count;   /* other decisions */
    uint32_t option_next, option_end; /* the untried ones; those from option_end on were given away */
    uint32_t rows_before, options_before, stances_before, images_before,
        orders_before;   /* tops of the stacks before the node was added */
    uint32_t orders_end; /* of an event: behind the orders of its options */

    union {
        struct {
            uint32_t place, index;    /* index among the events of its place */
            uint32_t before_in_place; /* stamps; RH_NONE for none */
            uint32_t before_of_actor;
            uint32_t row;     /* the past, in `rows` */
            uint32_t stance;  /* what the actor would have taken */
            uint32_t birth;   /* of an actor's first event: the event that spawned the actor; else RH_NONE */
            uint32_t born_at; /* the position of that spawn */
            uint32_t sends;   /* number of messages, RH_NONE until the step was made; a request follows them */
            uint32_t last_of; /* stamp of its newest SEND or FATE, the head of a list by next_of */
            uint32_t step;    /* index in the world's run */
            uint64_t serial;  /* equal serials at equal indices of two runs are the same step */
            bool greatest;    /* it took the greatest option when it was added */
            bool revisited;   /* it takes a send with a higher stamp */
            bool failed;      /* the program fails in this step, which is not made again */
            bool counts;      /* ... and a run that it ends counts: no assumption ends it */
            bool stance_is_current;
            uint32_t promised;  /* decoded: 1 + sends * 2 + asks, 0 for unknown */
            bool posts;         /* it is an operation whose effect is its first send */
            bool asks;          /* afterwards the actor stops before an operation */
            bool unnoticed;     /* the end of the test, and no actor is notified of it */
            bool finds;         /* an operation that finds a version; `place` is its object */
            bool wrote;         /* ... and changed the object: it is a version */
            bool watches;       /* ... or watches the life of an actor from now on */
            bool stale;         /* the image of its stance is of another run */
            uint32_t next;      /* a version: the change that found it; RH_NONE for none */
            uint32_t notices;   /* of an end: how many actors its step tells of it, as of the last look */
            uint32_t set, part; /* of a unit: its number of events, and which one this is; else 0 */
            uint64_t key, value;
        } event;
        struct {
            uint32_t to; /* place */
            uint32_t ordinal;
            uint32_t before_to;                 /* stamp of the previous send to the same place */
            uint32_t next_of;                   /* an older SEND or FATE of the same event */
            uint32_t taken;                     /* stamp of the event that takes it, RH_NONE for none */
            uint32_t seen_as;                   /* place */
            const struct rh_message_type *type; /* NULL for a request */
            struct optimal_send_id answers;
            uint32_t fate;       /* of a second copy: stamp of its FATE */
            uint32_t wake, life; /* from the clock: the wait that is over, the life it is for; else 0 */
            bool copy, signal, posted;
            bool kills, heard, quiet; /* of a signal: see struct rh__mail */
            bool starts;              /* it starts a life of its receiver, and only that life takes it */
            bool notice;              /* it tells of an end; of a notice: */
            uint32_t row;             /* its past, in `rows` */
        } send;
        struct {
            uint32_t ordinal;
            uint32_t next_of;
            uint32_t step; /* of the loss or duplication */
            uint64_t serial;
        } fate;
    };
};

/* What an actor would take before an event, with keys that are the same in every run (rh__graph_key, places + 1). */
struct optimal_stance {
    struct rh__stance stance;
    const struct rh_message_type *types[8]; /* the stance's own list */
    /* For a predicate: the memory that it may read, as it was. No image: the memory was too large, and the world goes
     * back instead. */
    struct rh__predicate predicate;
    uint32_t image;
};

/* Whether a predicate accepts a message, as it was found out last (revisit.c). */
struct optimal_answer {
    uint64_t before; /* serial of the event after which the actor waits; 0: none */
    uint64_t sender; /* serial of the event that sent the message */
    uint32_t ordinal;
    bool takes;
};

/* The position of a notice that nobody has taken. */
enum { NEVER_TAKEN = UINT32_MAX };

/* A send as a key of struct rh__stance and struct rh__mail. */
static inline uint64_t rh__graph_key(struct optimal_send_id id)
{
    return id.actor == RH_NONE ? 0 : (uint64_t)(id.actor + 1) << 32 | id.position;
}

struct optimal_step {
    uint32_t node;
    uint64_t serial;
};

/* A graph on the stack of graphs (levels.c). */
struct optimal_level {
    uint32_t first;           /* of its nodes, in `nodes` */
    uint32_t count;           /* nodes */
    uint32_t base;            /* nodes it began with; their options are in the level below */
    uint32_t first_step;      /* of its steps, in `run` */
    uint32_t steps;           /* including the beginning */
    double weight;            /* share of the whole tree */
    bool bare;                /* decoded from an item, and not executed yet */
    uint32_t same;            /* nodes below this stamp are the same in the level below */
    uint32_t places_at, room; /* of the arrays by place, in `of_places` */
    uint32_t first_todo, todo_count, lost, twice, crashed, absorbed; /* while another level is on top */
    uint32_t row_top, option_top, stance_top, image_top, order_top;  /* tops when it was pushed */
};

/* Actors that can be exchanged, by place (exchange.c). */
struct rh__exchange;
enum { MOST_CLASSES = 8, MOST_MEMBERS = 64 };
struct optimal_exchange {
    struct rh__exchange *rule; /* NULL: none */
    uint32_t version;          /* of the rule */
    uint64_t *key, *turn;      /* take the place of the identity in the order of options, of places; 0: the identity */
    uint32_t *class_of;        /* 0: none; else number + 1 */
    uint32_t *rank;            /* by age in the class */
    struct optimal_class {
        uint32_t decider; /* place; RH_NONE: none */
        uint32_t size;
    } classes[MOST_CLASSES];
    uint32_t count;
};

struct optimal_graph {
    const struct rh__run *seen; /* the world's run, as of the last look */
    struct optimal_exchange exchange;

    /* Stacks over all levels. */
    struct optimal_node *nodes;
    struct optimal_step *run;
    uint32_t *rows;
    struct optimal_option *options;
    struct optimal_stance *stances;
    char *images;
    uint32_t *orders; /* each: a number of steps, then their stamps */
    uint32_t node_top, run_top, row_top, option_top, stance_top, image_top, order_top;
    bool by_receiver; /* the model has mailboxes */
    struct optimal_level *levels;
    uint32_t level_count;
    struct optimal_node *list; /* nodes of the level on top */

    /* Places. */
    uint64_t *identity;
    uint32_t *by_identity; /* open addressing */
    uint32_t places;
    uint32_t *birth, *born_at, *actor_of;
    uint32_t *place_of_actor; /* by actor of the world */
    uint32_t *waiting;        /* number of options, while a place is chosen */
    /* By place, in the level on top.  `of_places` is a stack with these arrays of each level (places.c). */
    uint32_t *first_change, *last_change; /* of an object */
    uint32_t *last_event, *last_of_actor, *last_send, *last_life;
    uint32_t *frozen; /* a bool */
    uint32_t *of_places;
    uint32_t *send_of_message; /* stamp, by message of the world; RH_NONE for a lost one */

    uint32_t *todo; /* stamps of events with sends that have no node yet, of the level on top */
    uint32_t todo_count;
    uint32_t *all_todo; /* of all levels, a stack */
    uint32_t lost, twice, crashed;

    struct optimal_step *made; /* the steps of the world's run */
    uint32_t made_count;
    uint32_t absorbed; /* steps of the world's run whose effects are in the graph */
    uint64_t next_serial;
    struct optimal_answer *answers;  /* by hash; a later one takes the place of an older one */
    uint32_t *map;                   /* scratch: new stamps of nodes, places of choices, marks */
    uint32_t *walk;                  /* scratch: stamps to visit */
    struct optimal_members *members; /* scratch: units.c */
    bool overflows;                  /* there were more sets than memory has room for */
};

enum { GRAPH_PLACES = 1 << 16, GRAPH_LEVELS = 1 << 16, GRAPH_OF_PLACES = 1 << 28, GRAPH_ANSWERS = 1 << 12 };

/* Looks at the world's run: after each step, before anything else. */
static inline void rh__graph_look(struct optimal_graph *g, const struct rh_world *w)
{
    g->seen = rh__world_run(w);
}

bool rh__graph_open(struct optimal_graph *g, struct rh_exploration *x);
/* Whether memory is nearly used up; the search must end. */
bool rh__graph_full(const struct optimal_graph *g);

static inline struct optimal_level *rh__graph_top(struct optimal_graph *g)
{
    return &g->levels[g->level_count - 1];
}
static inline struct optimal_node *rh__graph_node(const struct optimal_graph *g, uint32_t stamp)
{
    return &g->list[stamp];
}
/* The number of levels is set by this function alone. */
static inline void rh__graph_set_levels(struct optimal_graph *g, uint32_t count)
{
    g->level_count = count;
    g->list = count ? &g->nodes[g->levels[count - 1].first] : NULL;
}

static inline bool rh__graph_is_notice(const struct optimal_node *x)
{
    return x->kind == NODE_SEND && x->send.notice;
}

/* An older SEND or FATE of the same event. */
static inline uint32_t rh__graph_next_of(const struct optimal_node *x)
{
    return x->kind == NODE_SEND ? x->send.next_of : x->fate.next_of;
}

/* The newest SEND or FATE of an event that is no notice; RH_NONE for none. */
static inline uint32_t rh__graph_last_own(const struct optimal_graph *g, const struct optimal_node *event)
{
    uint32_t last = event->event.last_of;
    while (last != RH_NONE && rh__graph_is_notice(rh__graph_node(g, last)))
        last = rh__graph_node(g, last)->send.next_of;
    return last;
}

/* The message of a send, in the world's run; of a notice: RH_NONE if the run has none. */
uint32_t rh__graph_notice_message(const struct optimal_graph *g, const struct optimal_node *send);
static inline uint32_t rh__graph_message(const struct optimal_graph *g, const struct optimal_node *send)
{
    if (send->send.notice)
        return rh__graph_notice_message(g, send);
    if (!send->send.copy)
        return g->seen->events[rh__graph_node(g, send->of)->event.step].first_message + send->send.ordinal;
    return g->seen->events[rh__graph_node(g, send->send.fate)->fate.step].first_message;
}

/* A row: its length, then for each place the first position that is not in the past. */
static inline uint32_t rh__graph_row_at(const struct optimal_graph *g, uint32_t row, uint32_t place)
{
    return place < g->rows[row] ? g->rows[row + 1 + place] : 0;
}

/* The name of a send among those to the same place.  A notice is behind the other sends of its end. */
static inline struct optimal_send_id rh__graph_id(const struct optimal_graph *g, const struct optimal_node *x)
{
    if (!rh__graph_is_notice(x))
        return (struct optimal_send_id){ x->actor, x->position };
    const struct optimal_node *end = rh__graph_node(g, x->of);
    return (struct optimal_send_id){ end->actor, end->position + 4 * x->send.ordinal + 2 };
}

/* Notes which event takes a send; RH_NONE for none. */
static inline void rh__graph_set_taken(struct optimal_graph *g, uint32_t send, uint32_t event)
{
    struct optimal_node *s = rh__graph_node(g, send);
    s->send.taken = event;
    if (s->send.notice)
        s->position = event == RH_NONE ? NEVER_TAKEN : rh__graph_node(g, event)->position;
}

uint32_t rh__graph_place(struct optimal_graph *g, uint64_t identity);
/* What the level on top knows of places (places.c).  A new level knows nothing. */
void rh__graph_begin_places(struct optimal_graph *g);
/* Before another level is pushed, and after it was removed: what the level knew of places, and its counters. */
void rh__graph_leave_places(struct optimal_graph *g);
void rh__graph_return_to_places(struct optimal_graph *g);
/* Words on the stack of places that two more levels could need. */
uint64_t rh__graph_places_end(const struct optimal_graph *g);

/* Starts the graph with the beginning of the run as its only node.  The world may still be at the end of another
 * run, so the effects of the beginning are entered later (rh__graph_absorb). */
void rh__graph_begin(struct optimal_graph *g, const struct rh_world *w);
/* Called before a step is made again, possibly after other steps than before: reads the stance of its actor again if
 * addresses may have changed (waiting.c). */
void rh__graph_before_step(struct optimal_graph *g, const struct rh_world *w, uint32_t stamp);
/* Enters the effects of the world's latest steps into the graph. */
void rh__graph_absorb(struct optimal_graph *g, const struct rh_world *w);

/* Adds an event of `actor` at `place` with the chosen one of its options, which are at the top of the stack of
 * options.  The stance is read from the world, which must be right before the step, or taken from `again`, the same
 * event with another option. */
uint32_t rh__graph_add_event(struct optimal_graph *g, const struct rh_world *w, uint32_t actor, uint32_t place,
                             uint32_t options, uint32_t count, uint32_t chosen, const struct optimal_node *again);
/* The next node of an event that has sends without a node: a FATE or the SEND itself.  False if no event has. */
struct optimal_send_due {
    uint32_t event, ordinal;
    bool fate, copy; /* a FATE may come first; the second copy is due */
    bool notice;     /* a notice to `to` is due */
    uint32_t to;     /* place */
};
bool rh__graph_send_due(struct optimal_graph *g, struct optimal_send_due *due);
uint32_t rh__graph_add_fate(struct optimal_graph *g, const struct optimal_send_due *due);
uint32_t rh__graph_add_send(struct optimal_graph *g, const struct optimal_send_due *due);
/* Whether a LIFE node is due after the actor's last event. */
bool rh__graph_life_due(const struct optimal_graph *g, uint32_t actor);
uint32_t rh__graph_add_life(struct optimal_graph *g, uint32_t actor);
/* Adds a loss or duplication to the run as a step, or removes it. */
void rh__graph_add_fate_step(struct optimal_graph *g, uint32_t stamp);
void rh__graph_drop_fate_step(struct optimal_graph *g, uint32_t stamp);
bool rh__graph_in_past(const struct optimal_graph *g, const struct optimal_node *x, const struct optimal_node *send);
/* The number of steps that the world's run and the run of the top level begin with alike. */
uint32_t rh__graph_common(struct optimal_graph *g);

/* Removes nodes until `count` are left. */
void rh__graph_cut(struct optimal_graph *g, uint32_t count);

/* Pushes the level of a revisit: event `r` takes send `s`, the last node of the level below, as its option says: one
 * send, or a set.  Or
 * `s` is an operation, which finds `version` in the new level, and `r` finds `s`. */
void rh__graph_push_revisit(struct optimal_graph *g, uint32_t s, uint32_t r, uint32_t version,
                            const struct optimal_option *option);
void rh__graph_pop(struct optimal_graph *g);

/* Items (graph_encode.c).  Writes all levels with their untried options, or about half of the untried options of the
 * lowest node that has some, and removes them from the graph.  Returns 0, and changes nothing, if there is nothing to
 * write or no room. */
size_t rh__graph_pack(struct optimal_graph *g, void *buffer, size_t room, bool half, bool goes_on);
/* Decodes an item into bare levels; false if the bytes are not an item. */
bool rh__graph_unpack(struct optimal_graph *g, const void *item, size_t size, bool *goes_on);
/* Fills a bare level while its steps are made, before and after each step. */
void rh__graph_fill_beginning(struct optimal_graph *g, const struct rh_world *w);
bool rh__graph_fill_before(struct optimal_graph *g, const struct rh_world *w, uint32_t stamp,
                           const struct rh_choice *open, uint32_t count);
void rh__graph_fill_after(struct optimal_graph *g, uint32_t stamp);
bool rh__graph_filled(struct optimal_graph *g, const struct rh_world *w);
/* Parts of adding, for levels.c and graph_encode.c. */
struct optimal_send_id rh__graph_id_of_message(const struct optimal_graph *g, uint32_t message);
bool rh__graph_due_of(const struct optimal_graph *g, uint32_t event, struct optimal_send_due *due);
/* Puts a stance that was removed from the top of the stack back there. */
void rh__graph_keep_stance(struct optimal_graph *g, uint32_t stance);
void rh__graph_link_event(struct optimal_graph *g, uint32_t stamp);
void rh__graph_set_row(struct optimal_graph *g, struct optimal_node *x);
uint32_t rh__graph_read_stance(struct optimal_graph *g, const struct rh_world *w, uint32_t actor);
uint32_t rh__graph_next_position(const struct optimal_graph *g, uint32_t actor);
void rh__graph_describe(struct optimal_graph *g, struct optimal_node *send);
void rh__graph_rebuild(struct optimal_graph *g);
/* An internal error unless the invariants hold (graph_check.c): for the hostile build. */
void rh__graph_check(struct optimal_graph *g);
/* The weight of all untried options, and of one option of a node. */
double rh__graph_untried(const struct optimal_graph *g);
double rh__graph_weight_of(const struct optimal_graph *g, uint32_t stamp);

/* Order of places: the lower goes first if there is nothing else to choose by. */
static inline uint64_t rh__graph_turn(const struct optimal_graph *g, uint32_t place)
{
    return g->exchange.rule && g->exchange.turn[place] ? g->exchange.turn[place] : g->identity[place];
}

/* Whether the place is an actor that can be exchanged for another one and has done nothing yet. */
static inline bool rh__graph_is_fresh(const struct optimal_graph *g, uint32_t place)
{
    return g->exchange.rule && g->exchange.turn[place] && g->last_of_actor[place] == RH_NONE;
}

/* Exchange of alike actors (exchange.c).  Reads the rule again; true if it has changed since the last call. */
bool rh__graph_exchange_anew(struct optimal_graph *g);
/* Whether no run in order has an event that takes `send` (RH_NONE: no message) where `x` stands, unless a revisit
 * deletes it. */
bool rh__graph_out_of_order(const struct optimal_graph *g, const struct optimal_node *x, uint32_t send);
/* Moves the greatest of these options to the front, where it is taken first. */
void rh__graph_greatest_first(struct optimal_graph *g, uint32_t options, uint32_t count);
/* Removes those untried options of the newest event, or of an event of the first run, that lead to no run in order. */
void rh__graph_leave_out(struct optimal_graph *g, uint32_t stamp);
/* At the end of a run: if the rule has changed, does both for all nodes of the first run. */
void rh__graph_exchange_again(struct optimal_graph *g, const struct rh_world *w);
/* Keeps the first `count` options of a node, of which none was given away. */
void rh__graph_keep_options(struct optimal_node *x, uint32_t count);
/* The same for the revisits of a send (revisit.c). */
void rh__graph_leave_out_revisits(struct optimal_graph *g, const struct rh_world *w, uint32_t s);

/* Which restarts were left for an event that is a restart in turn: a bit for each RH_CHOICE_RESTART `what`
 * (revisit.c). */
uint32_t rh__graph_restarts_left(const struct optimal_graph *g, const struct optimal_node *x);

/* Whether option a is greater than b in one fixed order of all options of a place. */
bool rh__graph_greater(const struct optimal_graph *g, const struct optimal_option *a, const struct optimal_option *b);

/* Finds the revisits of send `s`, the newest node (revisit.c), and adds each revisited event to the options of `s`. */
void rh__graph_find_revisits(struct optimal_graph *g, const struct rh_world *w, uint32_t s);
/* The same for the next operation of an actor, if it finds `version` and changes the object: adds the options at the
 * top of the stack, and returns how many. */
uint32_t rh__graph_find_revisits_of(struct optimal_graph *g, const struct rh_world *w, uint32_t actor, uint32_t object,
                                    uint32_t version);

/* ---- before (before.c) ---- */

/* A part of a graph: the nodes below a stamp, and the past of a new node of `actor` at `position`, by its row (RH_NONE:
 * none).  A row may have the past of all actors; then `actor` is RH_NONE. */
struct optimal_part {
    uint32_t below, actor, position, row;
};
static inline struct optimal_part rh__graph_past(const struct optimal_graph *g, const struct optimal_node *send)
{
    if (send->send.notice)
        return (struct optimal_part){ .actor = RH_NONE, .row = send->send.row };
    return (struct optimal_part){ 0, send->actor, send->position, rh__graph_node(g, send->of)->event.row };
}
bool rh__graph_has(const struct optimal_graph *g, const struct optimal_part *part, uint32_t stamp);
/* Marks, in the map, an event, the event that made a send, which counts even if it is not in the part, and all events
 * of the part that come before one of them.  Each may be RH_NONE.  The world is at the end of the run. */
void rh__graph_mark_before(struct optimal_graph *g, const struct rh_world *w, const struct optimal_part *part,
                           uint32_t stamp, uint32_t send);
/* The same for a send of the part, if `counted` counts even if it is not in the part. */
void rh__graph_mark_before_send(struct optimal_graph *g, const struct rh_world *w, const struct optimal_part *part,
                                uint32_t send, uint32_t counted);
/* An order of the steps of the part and of the step `last`, on the stack of orders; as little is moved as possible.
 * The send counts even if it is not in the part;  RH_NONE for none.  With a set, `last` takes that set, and its unit is
 * not in the order: it comes last. */
uint32_t rh__graph_order(struct optimal_graph *g, const struct rh_world *w, const struct optimal_part *part,
                         uint32_t send, uint32_t last, uint32_t set);
/* Puts the steps of the top level into the order of an option; 0: they stay as they are. */
void rh__graph_take_order(struct optimal_graph *g, const struct optimal_option *option);
/* Gives an event another decision for a while, to ask for its order. */
void rh__graph_decide(struct optimal_graph *g, uint32_t stamp, const struct optimal_option *option);
/* Whether the event would have taken the send in its place, and no earlier event took it (revisit.c). */
bool rh__graph_wants(struct optimal_graph *g, const struct rh_world *w, uint32_t event, uint32_t send);
/* Under mailbox: whether the event could have taken a posted message, with no other one first, in a part of the
 * graph. */
bool rh__graph_comes_first(struct optimal_graph *g, const struct rh_world *w, const struct optimal_part *part,
                           uint32_t event, uint32_t send);
/* Adds to the options of a new event, the last node, those that need another order of steps, and computes the orders.
 * */
void rh__graph_more_options(struct optimal_graph *g, const struct rh_world *w, uint32_t stamp);

/* ---- operations that find a version (versions.c) ---- */

/* The next operation of an actor that has stopped; NULL if its object takes operations in turn, or before a send. */
const struct rh__action *rh__graph_operation(const struct optimal_graph *g, const struct rh__run_actor *a);
/* Whether an actor has stopped before an operation on an object that takes operations in turn.  A crashed actor that
 * competes for a restart has. */
bool rh__graph_asks(const struct optimal_graph *g, const struct rh__run_actor *a);
/* Adds the options of the next operation of an actor at the top of the stack, and returns how many there are.  The
 * first is the newest version; *fails if that is a change that was not made, because the program fails in its step.
 * */
uint32_t rh__graph_versions(struct optimal_graph *g, const struct rh_world *w, uint32_t actor, uint32_t object,
                            bool *fails);
/* Leaves the operation that was just added in the list, but not in the run. */
void rh__graph_give_up(struct optimal_graph *g, uint32_t stamp);
/* The change that found this version; RH_NONE for none. */
static inline uint32_t rh__graph_next_change(const struct optimal_graph *g, uint32_t object, uint32_t version)
{
    return version ? rh__graph_node(g, version)->event.next : g->first_change[object];
}
/* Reads from the world's run what the operation did in this step, and enters a change into the chain. */
void rh__graph_note_operation(struct optimal_graph *g, uint32_t stamp, uint32_t step);
void rh__graph_link_change(struct optimal_graph *g, uint32_t stamp);
void rh__graph_unlink_change(struct optimal_graph *g, const struct optimal_node *x);
void rh__graph_freeze(struct optimal_graph *g, const struct optimal_node *x, bool on);
/* Removes the step of a node from the run. */
void rh__graph_drop_step(struct optimal_graph *g, uint32_t stamp);
/* Notes that the steps of the run change from this one on. */
void rh__graph_steps_change(struct optimal_graph *g, uint32_t from);
/* A row at the top of the stack of rows: the past of the actor's next event, if that finds the version. */
uint32_t rh__graph_push_row(struct optimal_graph *g, uint32_t actor, uint32_t version);

/* ---- notices (notices.c) ---- */

/* The number of notices among the messages of a step. */
uint32_t rh__graph_count_notices(const struct rh__run *r, uint32_t step);
/* Whether the operation that an actor is about to make watches a life. */
static inline bool rh__graph_watches(const struct optimal_graph *g, const struct optimal_node *x)
{
    return x->event.finds && rh__run_actor(g->seen, g->actor_of[x->actor])->action.when == RH__WATCHES;
}
/* Whether an end has told more actors than it has notices. */
bool rh__graph_lacks_notices(const struct optimal_graph *g, uint32_t end);
/* Finds the receiver of the next notice, in the world's run. */
bool rh__graph_notice_due(const struct optimal_graph *g, uint32_t end, uint32_t *to);
/* The place of the actor with this identity, if the end tells it; else RH_NONE. */
uint32_t rh__graph_place_told(const struct optimal_graph *g, uint32_t end, uint64_t identity);
/* A new SEND of an end becomes a notice to this place. */
void rh__graph_enter_notice(struct optimal_graph *g, struct optimal_node *x, uint32_t to);
/* A row at the top of the stack of rows: the past of a notice. */
uint32_t rh__graph_push_row_of_notice(struct optimal_graph *g, uint32_t end, uint32_t watch);

/* ---- sets (units.c) ---- */

/* The number of sends of a set, and their stamps. */
static inline uint32_t rh__graph_set_size(const struct optimal_graph *g, uint32_t set)
{
    return g->orders[set - 1];
}
static inline const uint32_t *rh__graph_set(const struct optimal_graph *g, uint32_t set)
{
    return &g->orders[set];
}
/* Whether there is room for one more option with a set of this size, and its order. */
bool rh__graph_has_room(const struct optimal_graph *g, uint32_t size);
/* Puts a set of this size on the stack of orders, to be filled in. */
uint32_t rh__graph_push_set(struct optimal_graph *g, uint32_t size);
/* The number of messages that the actor of the event waited for at once; 0: it did not wait for a set. */
static inline uint32_t rh__graph_awaited(const struct optimal_graph *g, const struct optimal_node *x)
{
    return x->event.place == x->actor ? g->stances[x->event.stance].stance.set : 0;
}
/* Whether the actor of the event takes this send together with others, if it takes a set. */
static inline bool rh__graph_joins(const struct optimal_graph *g, const struct optimal_node *x,
                                   const struct optimal_node *send)
{
    return x->event.place == x->actor && !send->send.signal && !send->send.wake &&
           rh__joins(&g->stances[x->event.stance].stance, send->send.type);
}
/* Whether the actor of the event gathers: it takes a set of one type, or another send alone (RH_SETS). */
static inline bool rh__graph_gathers(const struct optimal_graph *g, const struct optimal_node *x)
{
    return rh__graph_awaited(g, x) && g->stances[x->event.stance].stance.set_type;
}
/* Whether a send that the event wants need not come after what the event took: it waits for others of its type, and the
 * event took something alone. */
static inline bool rh__graph_passes_over(const struct optimal_graph *g, const struct optimal_node *x,
                                         const struct optimal_node *send)
{
    return rh__graph_gathers(g, x) && rh__graph_joins(g, x, send) &&
           !(x->now.cause != RH_NONE && rh__graph_joins(g, x, rh__graph_node(g, x->now.cause)));
}
/* The number of messages that an event has sent; the events of a unit send nothing but for the last. */
static inline uint32_t rh__graph_sends(const struct optimal_node *x)
{
    return x->event.part + 1 < x->event.set ? 0 : x->event.sends;
}
/* The events of a unit behind the first one, for a node that is a unit's first event now. */
void rh__graph_add_parts(struct optimal_graph *g, uint32_t stamp);
/* A row at the top of the stack of rows: the past of the send `s` and of those sends of a set that were added behind
 * `r`, or with these sends themselves.  That is kept if `r` takes the set. */
uint32_t rh__graph_push_past(struct optimal_graph *g, uint32_t s, uint32_t r, const uint32_t *set, uint32_t size,
                             bool with);
/* Adds to the options of a new unit, the last nodes, all other sets that it can take. */
void rh__graph_more_sets(struct optimal_graph *g, const struct rh_world *w, uint32_t stamp);

#endif
