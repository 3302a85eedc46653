/* The decisive step of a lasso: a way to a loop of states in which a monitor stays hot for ever.
 *
 * A continuation avoids the failure if it ends in any other way than with the hot monitor, or if it is infinite and
 * fair (explore/fairness.h) and the monitor is again and again not hot.  Here all states are made that continuations
 * without further faults lead to: first from the state in which the loop begins, then from the prefixes of the way
 * there, the longest first, as far as a limit of states allows.  A component of states that reach each other is an
 * infinite run; if that is fair, and the monitor is not hot somewhere in it, it avoids the failure.  Of a circle of
 * messages without a monitor, a continuation that ends avoids it. */
/* Private to src/findings. */
#ifndef RH_FINDINGS_WHY_LASSO_H
#define RH_FINDINGS_WHY_LASSO_H

#include <rehearse/world.h>

#include "results/finding.h"

struct rh__why_lasso {
    uint32_t
        certain;     /* no continuation of this prefix, and of the longer ones, avoids the failure; if it is longer than
                       * the way to the loop, this is not known of any */
    bool exact;      /* one of the prefix before avoids it, or there is none before */
    uint64_t states; /* that continuations of the prefix `certain` lead to */
};

/* `r` is the run of the finding.  False if the tool failed. */
bool rh__why_lasso(struct rh_world *w, const struct rh__finding *f, const struct rh__run *r,
                   struct rh__why_lasso *result);

#endif
