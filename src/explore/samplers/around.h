/* A stream around an explorer: an explorer that makes the runs of another one, and changes some of them as its random
 * numbers say: they go on from an earlier run (feedback, onward), or go on where a handler stands (whole).
 *
 * An item is one of the other explorer's with a seed.  What was kept of earlier runs is no part of it: each worker has
 * its own. */
#ifndef RH_EXPLORE_SAMPLERS_AROUND_H
#define RH_EXPLORE_SAMPLERS_AROUND_H

#include "explore/tree.h"

/* The state of such an explorer begins with this. */
struct rh__around {
    struct rh_inner inner; /* first: rh_only_decorator */
    struct rh__tree usual; /* of the explorer, if none is given */
    uint64_t random;
    uint32_t kind; /* of the item */
};

enum rh__around_kind { RH__AROUND_FEEDBACK = 0xa9, RH__AROUND_ONWARD = 0xaa, RH__AROUND_WHOLE = 0xab };

/* For `open`: opens the explorer that is given, or the usual one.  It must begin each run anew. */
bool rh__around_open(struct rh__around *s, struct rh_exploration *x, const struct rh_arguments *a, const char *usual,
                     enum rh__around_kind kind, char *error, size_t error_size);
extern const struct rh_explorer_share rh__around_share;

#endif
