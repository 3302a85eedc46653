#include "explore/support/faults.h"

void one_fault(struct rh_semantics *s, uint64_t which)
{
    switch (which) {
    case 0:
        s->losses = 1;
        break;
    case 1:
        s->duplicates = 1;
        break;
    case 2:
        s->crashes = s->restarts = 1;
        break;
    case 3:
        s->crashes = s->kept_restarts = 1;
        break;
    case 4:
        s->partitions = 1;
        break;
    case 8: /* from here on only where programs have stores enough */
        s->failed_opens = 1;
        break;
    case 9:
        s->damaged_stores = 1;
        break;
    case 10:
        s->failed_puts = 1;
        break;
    default:
        break;
    }
}

void vary_partitions(struct rh_semantics *s, uint64_t how)
{
    s->splits = (enum rh_splits)(how % RH_ROWS(RH_SPLITS));
    s->across = how >> 4 & 1 ? RH_ACROSS_DROPPED : RH_ACROSS_HELD;
}
