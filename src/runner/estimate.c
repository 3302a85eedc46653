/* estimate: how many distinct runs a test has, before any search, by random ways down the tree of `optimal`. */
#include <stdio.h>

#include "base/visible.h"
#include "explore/explorers.h"
#include "runner/batch.h"
#include "runner/commands.h"

static int estimate(struct rh__batch *b, const struct rh__plan *plan, void *arg)
{
    struct rh__session s;
    struct rh__result r;
    struct rh__plan own = *plan;
    struct rh__size size;
    char why[256];
    (void)arg;
    own.limits.keep_going = true;
    own.first_run_twice = false; /* what the runs find is not reported */
    own.quiet = true;
    own.progress = NULL;
    b->begun++;
    int code = rh__session_open(&s, &own);
    if (code == RH__EXIT_OK)
        code = rh__session_run(&s);
    if (code == RH__EXIT_OK) {
        rh__session_result(&s, &r);
        rh__sample_result(s.x->explorer.state, s.x->results->distinct.count, &size);
        if (s.x->results->count.cut)
            rh__sample_was_cut(&size, s.x->results->distinct.count);
        rh__reports_estimate(&b->reports, &r, &size);
        b->reported++;
        code = s.x->end.interrupted ? RH__EXIT_SIGNAL + s.x->end.interrupted : RH__EXIT_OK;
    } else if (*s.error) {
        bool refused = s.world && rh__optimal_refuses(rh_world_semantics(s.world), why, sizeof why);
        rh__complain("%s%s", s.error,
                     refused
                         ? "; an estimate is of the runs of optimal: `rehearse test` tries dpor and stateful first, "
                           "and says if one of them is through"
                         : "");
    }
    rh__session_close(&s);
    return code;
}

int rh__command_estimate(const char *program, const struct rh__options *o)
{
    struct rh__options own = *o;
    struct rh__batch batch = { .program = program, .options = &own };
    char error[1024];
    own.explorer = "sample";
    if (!own.limit_given) {
        own.limits.max_all_steps = 0;
        own.limits.max_seconds = 1;
    }
    if (rh__batch_check(&batch, error, sizeof error))
        return rh__batch_run(&batch, estimate);
    rh__complain("%s", error);
    return RH__EXIT_USAGE;
}
