/* One exploration, in this process or by several workers (commands.h). */
#include <stdio.h>

#include "cluster/pool.h"
#include "runner/commands.h"

int rh__run_exploration(struct rh_exploration *x, const struct rh__options *o, const struct rh_world_options *world,
                        char *error, size_t error_size)
{
    if (o->workers <= 1 && !o->checkpoint) {
        snprintf(error, error_size, "the tool failed");
        return rh__explore(x) ? RH__EXIT_OK : RH__EXIT_TOOL;
    }
    struct rh__pool_options pool = { .workers = o->workers ? o->workers : 1,
                                     .world = world,
                                     .explorer = o->explorer,
                                     .checkpoint = o->checkpoint,
                                     .resume = o->resume };
    switch (rh__pool_explore(x, &pool, error, error_size)) {
    case RH__POOL_DONE:
        return RH__EXIT_OK;
    case RH__POOL_REFUSED:
        return RH__EXIT_USAGE;
    default:
        return RH__EXIT_TOOL;
    }
}

int rh__exit_of(bool failed, bool stale, bool unmet)
{
    return failed ? RH__EXIT_FAILURE : stale ? RH__EXIT_DIVERGED : unmet ? RH__EXIT_UNMET : RH__EXIT_OK;
}

void rh__note_divergence(const struct rh_exploration *x, struct rh_outcome *determinism)
{
    if (determinism->kind == RH_OUTCOME_FINISHED && !*determinism->text)
        snprintf(determinism->text, sizeof determinism->text, "%s", x->note);
    if (!x->diverged || determinism->kind != RH_OUTCOME_FINISHED)
        return;
    determinism->kind = RH_OUTCOME_NONDETERMINISM;
    snprintf(determinism->text, sizeof determinism->text,
             "the same choices gave other runs in another process; what depends on that was not explored");
}
