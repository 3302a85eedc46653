/* What was seen in the runs of a program of oracle_program.h: a number for each run, whatever the order of its
 * steps. */
#ifndef RH_TESTS_EXPLORE_SUPPORT_HISTORIES_H
#define RH_TESTS_EXPLORE_SUPPORT_HISTORIES_H

#include "explore/support/oracle_make.h"
#include "explore/support/runs.h"

struct ends {
    uint32_t count;
    uint64_t list[1 << 17];
};
/* Filled by histories:INNER and add_history; set before the exploration begins. */
extern struct ends *ends;

/* What all who play have seen in this run, whoever spawned them. */
void add_history(const struct rh_world *w, enum rh_outcome_kind outcome);
/* Each once, in order. */
void settle_ends(void);
bool same_ends(const struct ends *one, const struct ends *other);
/* Of all that optimal makes; false where there are too many. */
bool note_ends(struct ends *to, const char *test, const struct rh_semantics *s);

#endif
