/* What the parts of the search for loops share (lasso.h). */
/* Private to src/explore/stateful. */
#ifndef RH_EXPLORE_LASSO_PARTS_H
#define RH_EXPLORE_LASSO_PARTS_H

#include "explore/fairness.h"
#include "explore/stateful/lasso.h"

enum { LASSO_MONITORS = 32, LASSO_LISTS = 1 << 16 };

/* Open states, by the order in which they were entered.  So a component is complete when it is the end of the list. */
struct lasso_node {
    struct rh_fingerprint state;
    uint32_t low;           /* the oldest open state that is known to be reachable, as Tarjan's lowlink */
    uint32_t next;          /* in its list of the hash table: node + 1 */
    uint32_t hot;           /* monitors that are hot: bits */
    uint32_t unit_count;    /* open units (explore/fairness.h) */
    uint64_t units;         /* the first of them */
    uint64_t edges, served; /* how many there were before it was entered */
    bool choosing;          /* inside of a handler: its units do not count */
};

/* A step between two open states. */
struct lasso_edge {
    uint64_t key;    /* of the choice */
    uint64_t served; /* the first of the units that it serves */
    uint32_t from, to;
    uint32_t hot; /* monitors that are hot all the time during the step: bits */
    uint32_t served_count;
};

/* The step that was made last on a level of the path. */
struct lasso_level {
    uint32_t node;
    uint32_t unit_count;
    uint64_t key;
    uint64_t units[RH__UNITS_OF_CHOICE];
    struct lasso_edge edge; /* that leads to the state of this level */
};

struct rh__lasso {
    bool on, full, hidden, too_many, too_long;
    uint32_t reported; /* monitors for which a loop was found: bits */
    uint32_t unconfirmed;
    struct lasso_level *levels;
    struct lasso_node *nodes;
    struct lasso_edge *edges;
    uint64_t *units, *served;
    uint32_t *lists; /* of nodes, by hash: the newest node + 1 */
    uint32_t node_count, node_room;
    uint64_t edge_count, edge_room, unit_count, unit_room, served_count, served_room;
    uint64_t most_open;
    uint64_t *scratch_units, *scratch_left; /* of one state */
    /* Of a complete component, by node - its first one; see lasso_plan.c. */
    uint32_t *first_edge, *index, *low, *stack, *calls, *next, *component, *came_by;
    uint32_t *order; /* edges by their first state */
    /* The plan: keys of `stem` choices to the loop, and of the loop. */
    uint64_t *plan;
    uint32_t plan_count, plan_room, stem;
    uint32_t plan_monitor; /* number of the monitor that stays hot */
};

/* Looks at the complete component of the nodes from `first` on.  True if there is a plan. */
bool rh__lasso_plan(struct rh__lasso *l, uint32_t first);

#endif
