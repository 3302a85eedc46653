/* The search for an order of operations that a sequential model explains.
 *
 * The search is over orders: an operation may come next if none of the others returned before it was called [Wing and
 * Gong 1993].  It remembers which sets of operations led to which state of the model, and never continues from the same
 * pair twice [Lowe 2017].  Here the operations that must be in the order are told from those that need not
 * be: operations that have not returned, and those that the caller has made loose.  The second kind is used as rarely
 * as possible: what was reached with some of them is not continued if it was reached with a part of them.
 *
 * Operations are in lanes, and only those of one lane keep their order.  Linearizability has one lane; sequential
 * consistency has one for each client. */
/* Private to src/history. */
#ifndef RH_HISTORY_ORDER_H
#define RH_HISTORY_ORDER_H

#include "history/history.h"

/* What to search for.  The operations are sorted by their calls. */
struct rh__order_problem {
    const struct rh_sequential_model *model;
    const struct rh__history_op *ops;
    uint32_t count;
    const bool *loose;  /* by operation: it may happen at any time, or never; NULL: none is loose */
    uint32_t max_nodes; /* give up after so many pairs of a set and a state */
    uint64_t *budget;   /* NULL, or applications of the model that are left */
    bool (*stopped)(void *arg);
    void *arg;
};

struct rh__order;
struct rh__order *rh__order_new(void);
void rh__order_free(struct rh__order *s);

/* If there is no order and one lane: `reached` is the moment of the first return that cannot be explained; the history
 * up to it has no order, and without it has one. */
enum rh__history_verdict rh__order_search(struct rh__order *s, const struct rh__order_problem *p, uint32_t *reached);

#endif
