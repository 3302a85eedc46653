/* The execution graph that the explorer `optimal` works on (optimal.c has the search).
 *
 * Words
 *   place     who takes things one at a time: an actor, or a shared object that takes operations (world/objects.h); known by
 *             its identity, numbered here as it is met
 *   node      one entry of the list that is the graph, in the order in which it was added (its stamp is its index):
 *     EVENT     a step of the world: `place` took `cause` (a send) or something of its own (a timer, a value chosen; of
 *               objects only the clock has such, done by an actor that nobody else sees)
 *     SEND      a message was sent, or an operation asked for, to a place
 *     FATE      what the network does to a message: nothing, or it is lost, or comes twice
 *     LIFE      whether an actor crashes now
 *   position  of a node among all that its actor does; the next ones are higher
 *   past      of a node: what must come before it; per actor a position, so a row of numbers
 *   option    what else could stand in the place of a node
 *
 * The order of the list is not an order of execution: an event that was changed to take a later send keeps its stamp.  `run`
 * is the order in which the world makes the steps. */
#ifndef RH_EXPLORE_GRAPH_H
#define RH_EXPLORE_GRAPH_H

#include <rehearse/explorer.h>

struct rh_exploration;

enum node_kind { NODE_EVENT, NODE_SEND, NODE_FATE, NODE_LIFE };

enum { FATE_NONE, FATE_LOST, FATE_TWICE };

/* A send by who sent it and where among what that one did: the same in every run. */
struct send_id {
    uint32_t actor, position;
};

/* What stands in place of a node, or could. */
struct option {
    uint32_t kind;   /* EVENT: of the choice; FATE: which; SEND: unused */
    uint32_t cause;  /* EVENT: stamp of the send it takes, RH_NONE for none; SEND: stamp of the event to change */
    uint64_t detail; /* EVENT: which timer, value; LIFE: how many writes survive, + 1 */
};

struct node {
    uint32_t kind;
    uint32_t actor, position;
    uint32_t of; /* SEND, FATE: stamp of the event that sent it */
    struct option now;

    uint32_t options, option_count;   /* what else it could be */
    uint32_t option_next, option_end; /* which of these are untried; those behind were given away */
    uint32_t rows_before, options_before, wishes_before,
        images_before; /* how full these were when the node was added */

    union {
        struct {
            uint32_t place, index;    /* the how-many-th event of its place */
            uint32_t before_in_place; /* stamps; RH_NONE for none */
            uint32_t before_of_actor;
            uint32_t row;     /* its past */
            uint32_t wish;    /* what the place would have taken */
            uint32_t birth;   /* the event that its actor comes from, for its first one, */
            uint32_t born_at; /* and the position in it */
            uint32_t sends;   /* how many, RH_NONE until it was made; a request comes behind them */
            uint32_t last_of; /* stamp of the newest SEND or FATE of it; then next_of */
            uint32_t step;    /* the event's number in the world's run */
            uint64_t serial;  /* of the decision: equal serials in equal places are the same step */
            bool greatest;    /* when added it took the greatest of what there was */
            bool changed;     /* it took a send with a higher stamp */
            bool failed;      /* the program fails in it: it is not made again */
            bool wish_is_of_this_level;
            uint32_t promised; /* of an item: sends * 2 + asks */
            bool posts;        /* the operation that it makes is its first send */
            bool asks;         /* its actor then stops before an operation */
            bool unnoticed;    /* the end of the test, and nobody is told of it (rh__test_is_over) */
        } event;
        struct {
            uint32_t to; /* place */
            uint32_t ordinal;
            uint32_t before_to;   /* stamp of the last one to the same place */
            uint32_t next_of;     /* another one of the same event */
            uint32_t taken;       /* stamp of the event that took it, RH_NONE for none */
            uint32_t channel;     /* sends of one channel come in order: a place, RH_NONE for none */
            uint32_t rank;        /* their order */
            uint32_t seen_as;     /* place */
            uint32_t tells, told; /* news: of whose end, RH_NONE for none; all before that position comes first */
            const struct rh_message_type *type; /* NULL for a request */
            struct send_id answers;
            uint32_t fate;       /* of a copy: stamp of the FATE that made it */
            uint32_t wake, life; /* from the clock: which wait is over, which life it is for; else 0 */
            bool copy, signal, posted;
            bool starts; /* a life of its receiver, and so is for that one only */
        } send;
        struct {
            uint32_t ordinal;
            uint32_t next_of;
            uint32_t step; /* of the loss or duplication */
            uint64_t serial;
        } fate;
    };
};

/* What an actor waits for before an event: enough to say whether it would have taken another message. */
struct wish {
    uint32_t status;
    const struct rh_behaviour *behaviour;
    struct send_id start, asking; /* actor RH_NONE: none */
    const struct rh_message_type *types[6];
    uint32_t type_count; /* 0: any */
    uint32_t from;       /* place; RH_NONE: any */
    uint32_t wait, life; /* for what the clock sends */
    bool defers, tested; /* tested: a predicate must be asked, in the state of then */
    /* For that: the filter, and the memory it may look at, the actor's stack and region as they were.  No image: they were too
     * large, the world goes back instead. */
    const struct rh_filter *filter;
    char *at[2];
    uint32_t size[2];
    uint32_t image;
};

struct step {
    uint32_t node;
    uint64_t serial;
};

/* One list, with all that is derived from it for quick looking up; the arrays are per place. */
struct level {
    uint32_t first;      /* of its nodes in the stack of all levels' */
    uint32_t count;      /* nodes */
    uint32_t base;       /* nodes that it began with: their options belong to the level below */
    uint32_t first_step; /* of its run in the stack */
    uint32_t steps;      /* with the beginning */
    double weight;       /* of the subtree that it is, all being one */
    bool bare;           /* it comes from an item, and nothing but the decisions is known of it yet */
    uint32_t row_top, option_top, wish_top, image_top; /* below it */
};

struct graph {
    /* Stacks over all levels. */
    struct node *nodes;
    struct step *run;
    uint32_t *rows;
    struct option *options;
    struct wish *wishes;
    char *images;
    uint32_t node_top, run_top, row_top, option_top, wish_top, image_top;
    struct level *levels;
    uint32_t level_count;

    /* Places. */
    uint64_t *identity;
    uint32_t *by_identity; /* open addressing */
    uint32_t places;
    uint32_t *last_event, *last_of_actor, *last_send, *last_life, *birth, *born_at, *actor_of; /* of the level on top */
    uint32_t *place_of_actor; /* by actor of the world */
    uint32_t *waiting;        /* used while choosing */
    bool *frozen;
    uint32_t *send_of_message; /* stamp, by message of the world; RH_NONE for one that is lost */

    uint32_t *todo; /* stamps of events whose sends are not all in the list */
    uint32_t todo_count;
    uint32_t lost, twice, crashed;

    struct step *made; /* what the world has in its run */
    uint32_t made_count;
    uint32_t absorbed; /* steps of the world's run that the graph knows the consequences of */
    uint64_t next_serial;
    uint32_t *map; /* for building a level from another */
};

enum { GRAPH_PLACES = 1 << 16, GRAPH_LEVELS = 1 << 16 };

bool rh__graph_open(struct graph *g, struct rh_exploration *x);
/* No more than this can be remembered at once; the search must end. */
bool rh__graph_full(const struct graph *g);

static inline struct level *rh__graph_top(struct graph *g)
{
    return &g->levels[g->level_count - 1];
}
static inline struct node *rh__graph_node(const struct graph *g, uint32_t stamp)
{
    return &g->nodes[g->levels[g->level_count - 1].first + stamp];
}

/* A row: its length, then for each place the first position that is not in the past. */
static inline uint32_t rh__graph_row_at(const struct graph *g, uint32_t row, uint32_t place)
{
    return place < g->rows[row] ? g->rows[row + 1 + place] : 0;
}

uint32_t rh__graph_place(struct graph *g, uint64_t identity);

/* The beginning of the run, as the only node. */
void rh__graph_begin(struct graph *g, struct rh_world *w);
/* Before a step that was made in another order of steps is made again: what its actor waits for is looked at anew, because
 * actors may have other addresses now. */
void rh__graph_before_step(struct graph *g, struct rh_world *w, uint32_t stamp);
/* The graph learns what the world's steps up to its last did. */
void rh__graph_absorb(struct graph *g, struct rh_world *w);

/* Adds the event in which `actor` takes what `place` takes: the chosen one of its options, which stand at the top of their stack.
 * What cannot be known from the list is read from the world, which must be just before that step, or taken from `again`: the
 * same event with another option. */
uint32_t rh__graph_add_event(struct graph *g, struct rh_world *w, uint32_t actor, uint32_t place, uint32_t options,
                             uint32_t count, uint32_t chosen, const struct node *again);
/* What the next send of an event that has some left needs: a FATE, or the SEND itself; gives false when none is left. */
struct send_due {
    uint32_t event, ordinal;
    bool fate, copy; /* a FATE could come first; it is the second copy */
};
bool rh__graph_send_due(struct graph *g, struct send_due *due);
uint32_t rh__graph_add_fate(struct graph *g, const struct send_due *due);
uint32_t rh__graph_add_send(struct graph *g, struct rh_world *w, const struct send_due *due);
/* Whether an actor's next decision is if it crashes, and that as a node. */
bool rh__graph_life_due(const struct graph *g, uint32_t actor);
uint32_t rh__graph_add_life(struct graph *g, uint32_t actor);
/* A loss or duplication becomes a step. */
void rh__graph_add_fate_step(struct graph *g, uint32_t stamp);
void rh__graph_drop_fate_step(struct graph *g, uint32_t stamp);
uint32_t rh__graph_message(const struct graph *g, const struct rh_world *w, const struct node *send);
bool rh__graph_in_past(const struct graph *g, const struct node *x, const struct node *send);
/* How many steps the world's run and the level's have in common. */
uint32_t rh__graph_common(struct graph *g);

/* Removes nodes until `count` are left. */
void rh__graph_cut(struct graph *g, uint32_t count);

/* A new level: of the list up to send `s` what was added before event r or is in the past of s, and r takes s. */
void rh__graph_push_change(struct graph *g, uint32_t s, uint32_t r);
void rh__graph_pop(struct graph *g);

/* Items (items.c): lists that another process can go on with.  Written with what is untried in them: all levels, or of the
 * lowest node that has something about half.  Gives 0 where there is nothing (or no room): then nothing has changed. */
size_t rh__graph_pack(struct graph *g, void *buffer, size_t room, bool half, bool goes_on);
/* The levels of an item, all bare; false if it makes no sense. */
bool rh__graph_unpack(struct graph *g, const void *item, size_t size, bool *goes_on);
/* A bare level is filled in on the way, before each step and after it. */
void rh__graph_fill_beginning(struct graph *g, struct rh_world *w);
bool rh__graph_fill_before(struct graph *g, struct rh_world *w, uint32_t stamp, const struct rh_choice *open,
                           uint32_t count);
void rh__graph_fill_after(struct graph *g, struct rh_world *w, uint32_t stamp);
bool rh__graph_filled(struct graph *g, struct rh_world *w);
/* Parts of adding, for levels.c and items.c. */
struct send_id rh__graph_id_of_message(const struct graph *g, const struct rh_world *w, uint32_t message);
bool rh__graph_due_of(const struct graph *g, uint32_t event, struct send_due *due);
/* A wish at the top of its stack that was given up is needed again. */
void rh__graph_keep_wish(struct graph *g, uint32_t wish);
void rh__graph_link_event(struct graph *g, uint32_t stamp);
void rh__graph_set_row(struct graph *g, struct node *x);
uint32_t rh__graph_read_wish(struct graph *g, struct rh_world *w, uint32_t actor);
uint32_t rh__graph_next_position(const struct graph *g, uint32_t actor);
void rh__graph_describe(struct graph *g, const struct rh_world *w, struct node *send);
void rh__graph_rebuild(struct graph *g);
/* The weight of what is untried in all levels, and of each way on from a node. */
double rh__graph_untried(const struct graph *g);
double rh__graph_weight_of(const struct graph *g, uint32_t stamp);

/* Whether option a is greater than b in the fixed order of all that a place can take. */
bool rh__graph_greater(const struct graph *g, const struct option *a, const struct option *b);

/* optimal's conditions (changes.c): the events that could take the send `s`, the newest node, in place of what they took, from
 * which the search must go on; each is added to the node's options. */
void rh__graph_find_changes(struct graph *g, struct rh_world *w, uint32_t s);

#endif
