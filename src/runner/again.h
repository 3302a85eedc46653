/* The command that explores a plan again, for internal errors. */
#ifndef RH_RUNNER_AGAIN_H
#define RH_RUNNER_AGAIN_H

#include "runner/session.h"

/* `rehearse test PROGRAM TEST ...` with every option that decides which runs there are, quoted for a shell. One process
 * explores, because the share of each worker depends on timing. */
/* The same without `rehearse test`: the program itself can execute it. */
void rh__again_directly(const struct rh__plan *plan, struct rh__text *to);
void rh__again(const struct rh__plan *plan, struct rh__text *to);

#endif
