/* Orders of two message types at one actor that a run does not have at all.
 *
 * What a message does depends first on its type, so such an order is worth more than another order of types that were
 * seen.  For each such order the pair of receives that is farthest apart, among those that could be reversed, is
 * recorded. */
#ifndef RH_COVERAGE_TYPE_ORDERS_H
#define RH_COVERAGE_TYPE_ORDERS_H

#include "coverage/steps.h"

enum { RH__MOST_KINDS = 1 << 12 };

struct rh__type_order {
    uint32_t actor, early, late; /* types, in the order in which they came */
    uint32_t x, y;               /* steps; x is 0 if the run also has the other order */
};

struct rh__type_orders {
    struct rh__type_order *list; /* RH__MOST_KINDS entries, zero: a table; sorted, those with a pair first */
    uint32_t count, next;
};

/* Records two receives of an actor that can be reversed; `receives` are all its receives, in order. */
void rh__type_orders_note(struct rh__type_orders *k, const struct rh__steps *s, const uint32_t *receives,
                          uint32_t count, uint32_t x, uint32_t y);
/* Called after the last one is recorded: sorts them, the farthest first. */
void rh__type_orders_sort(struct rh__type_orders *k);

#endif
