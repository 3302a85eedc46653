/* What went wrong in runs that were made for goals (concrete.h). */
/* Private to src/target. */
#ifndef RH_TARGET_CONCRETE_FAILURES_H
#define RH_TARGET_CONCRETE_FAILURES_H

#include "target/concrete.h"

/* Keeps the failures in the program's JSON that are new, with their schedules. */
void rh__concrete_keep_failures(struct rh__concrete *c, const char *json);
/* The text of a file, "" if there is none; the caller frees it. */
char *rh__concrete_read_file(const char *path);

#endif
