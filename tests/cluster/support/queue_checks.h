/* What every queue table must do (cluster/queue.h), one check for each property.  A check gets an empty queue, and
 * gives NULL or a sentence that says what is wrong. */
#ifndef RH_TESTS_CLUSTER_QUEUE_CHECKS_H
#define RH_TESTS_CLUSTER_QUEUE_CHECKS_H

#include "cluster/support/queue_work.h"

#define QUEUE_CHECKS(X)                                                                                                \
    X(each_item_is_fetched_once)                                                                                       \
    X(an_item_that_is_given_back_waits_again)                                                                          \
    X(deaths_are_counted)                                                                                              \
    X(a_lease_is_renewed_until_it_ends)                                                                                \
    X(the_first_commit_of_a_lease_counts)                                                                              \
    X(a_late_commit_does_not_count)                                                                                    \
    X(invalid_bytes_change_nothing)                                                                                    \
    X(a_commit_without_memory_changes_nothing)                                                                         \
    X(of_items_with_one_key_the_first_counts)                                                                          \
    X(totals_are_those_of_one_process)                                                                                 \
    X(a_snapshot_holds_totals_and_all_items)                                                                           \
    X(a_damaged_snapshot_is_refused)                                                                                   \
    X(a_worker_may_die_at_every_step)                                                                                  \
    X(an_agent_may_die_at_every_step)
enum queue_check {
#define X(name) CHECK_##name,
    QUEUE_CHECKS(X)
#undef X
        QUEUE_CHECK_COUNT
};

#define X(name) const char *name(struct tested_queue *k, uint64_t *random);
QUEUE_CHECKS(X)
#undef X

/* A table with a defect that is chosen by `planted`, and which check must find it. */
enum queue_check queue_defect_found_by(uint32_t defect);
const char *queue_defect_name(uint32_t defect); /* NULL: no more defects */
extern uint32_t queue_planted;                  /* number of the defect; UINT32_MAX: none */
extern const struct rh__queue_table queue_broken;
/* A table that is as simple as possible. */
extern const struct rh__queue_table queue_reference;

#endif
