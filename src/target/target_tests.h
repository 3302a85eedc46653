/* Tests in C for goals that were reached: see target_tests.c. */
#ifndef RH_TARGET_TESTS_H
#define RH_TARGET_TESTS_H

#include "target/target_goals.h"

/* A test for each goal whose schedule was saved.  False, with a complaint, if the file cannot be written. */
bool rh__tests_write(const char *path, const char *test, const struct rh__goals *g);

#endif
