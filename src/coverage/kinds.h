/* Orders of two types of messages at one actor that a run does not have at all.
 *
 * What a message does is a matter of its type first, so such an order is worth more than one more of a kind that was seen.  For
 * each of them we keep the pair of receives, of those that could be reversed, that is farthest apart. */
#ifndef RH_COVERAGE_KINDS_H
#define RH_COVERAGE_KINDS_H

#include "coverage/steps.h"

enum { RH__MOST_KINDS = 1 << 12 };

struct rh__kind {
    uint32_t actor, early, late; /* types, as they came */
    uint32_t x, y;               /* steps; x 0: the run has the other order, too */
};

struct rh__kinds {
    struct rh__kind *list; /* RH__MOST_KINDS of them, zero: a table; sorted, those with a pair first */
    uint32_t count, next;
};

/* Two receives of an actor that can be reversed; `receives` are all that it has, in order. */
void rh__kinds_note(struct rh__kinds *k, const struct rh__steps *s, const uint32_t *receives, uint32_t count,
                    uint32_t x, uint32_t y);
/* No more will be noted: the farthest first. */
void rh__kinds_sort(struct rh__kinds *k);

#endif
