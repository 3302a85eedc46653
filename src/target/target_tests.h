/* Tests in C for goals that were reached: see target_tests.c. */
#ifndef RH_TARGET_TESTS_H
#define RH_TARGET_TESTS_H

#include "target/target_goals.h"

/* A test for each goal whose schedule was saved.  False, with a complaint, if the file cannot be written. */
bool rh__tests_write(const char *path, const char *test, const struct rh__goals *g);
/* The name of the goal's test; false if it has none. */
bool rh__tests_name(const struct rh__goals *g, uint32_t goal, char *name, size_t size);

#endif
