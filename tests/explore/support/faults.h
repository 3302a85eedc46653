/* One fault, or none, for generated programs: a budget of each kind by its number. */
#ifndef RH_TESTS_EXPLORE_SUPPORT_FAULTS_H
#define RH_TESTS_EXPLORE_SUPPORT_FAULTS_H

#include <rehearse/test.h>

void one_fault(struct rh_semantics *s, uint64_t which);
/* One of the forms that partitions take. */
void vary_partitions(struct rh_semantics *s, uint64_t how);

#endif
