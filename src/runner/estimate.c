/* estimate: how many distinct runs a test has, before any search, by random ways down the tree of `optimal`.
 *
 * Where optimal does not apply: how many sequences of choices there are, which are the runs of dfs.  First dfs's tree
 * is explored in random order (scatter), for if it is small, the number is exact; then it is sampled (probe). */
#include <math.h>
#include <stdio.h>

#include "base/visible.h"
#include "explore/explorers.h"
#include "runner/batch.h"
#include "runner/commands.h"

/* Runs a session with this explorer.  Gives an exit code; the session is to be closed. */
static int sample(struct rh__session *s, const struct rh__plan *plan, const char *explorer)
{
    struct rh__plan own = *plan;
    own.explorer = explorer;
    own.limits.keep_going = true;
    own.first_run_twice = false; /* what the runs find is not reported */
    own.quiet = true;
    own.progress = NULL;
    own.minimise = own.explain = false;
    int code = rh__session_open(s, &own);
    return code == RH__EXIT_OK ? rh__session_run(s) : code;
}

static int report(struct rh__batch *b, const struct rh__session *s, const struct rh__size *size)
{
    struct rh__result r;
    rh__session_result(s, &r);
    rh__reports_estimate(&b->reports, &r, size);
    b->reported++;
    return s->x->end.interrupted ? RH__EXIT_SIGNAL + s->x->end.interrupted : RH__EXIT_OK;
}

static int complain(const struct rh__session *s, int code)
{
    if (*s->error)
        rh__complain("%s", s->error);
    return code;
}

/* ---- sequences of choices ---------------------------------------------------------------------------------------- */

/* The plan as auto would have it: sample has changed the granularity. */
static struct rh__plan plan_of_choices(const struct rh__batch *b, const struct rh__plan *plan)
{
    char error[1024];
    struct rh__plan own = *plan;
    struct rh__options options = *b->options;
    options.explorer = "auto";
    if (!rh__options_semantics(&options, plan->test, &own.semantics, &own.asked, error, sizeof error))
        return *plan;
    own.semantics.model = plan->semantics.model;
    own.limits.max_seconds /= 2; /* for each of the two */
    own.limits.max_runs = (own.limits.max_runs + 1) / 2;
    own.limits.max_all_steps = (own.limits.max_all_steps + 1) / 2;
    return own;
}

/* Each sequence that was cut is the beginning of one, at least; what follows is unknown. */
static void note_cuts(struct rh__size *size, const struct rh__session *s, uint64_t made)
{
    size->cut = s->x->results->count.cut;
    if (!size->cut)
        return;
    size->exact = false;
    size->high = INFINITY;
    size->low = (double)made;
}

static int estimate_choices(struct rh__batch *b, const struct rh__plan *plan)
{
    struct rh__plan own = plan_of_choices(b, plan);
    struct rh__session s;
    struct rh__size size;
    int code = sample(&s, &own, "scatter");
    uint64_t made = code == RH__EXIT_OK ? s.x->results->count.runs : 0;
    bool whole = code == RH__EXIT_OK && s.x->end.exhausted && rh__exploration_verdict(s.x) != RH_VERDICT_SAMPLED;
    if (code == RH__EXIT_OK && !whole && !s.x->end.interrupted) {
        rh__session_close(&s);
        code = sample(&s, &own, "probe");
        if (code == RH__EXIT_OK)
            rh__probe_result(s.x->explorer.state, made, &size);
    } else {
        double runs = (double)made, high = whole ? runs : INFINITY;
        size = (struct rh__size){
            .samples = made, .exact = whole, .of_choices = true, .estimate = runs, .low = runs, .high = high
        };
    }
    if (code == RH__EXIT_OK)
        note_cuts(&size, &s, made);
    code = code == RH__EXIT_OK ? report(b, &s, &size) : complain(&s, code);
    rh__session_close(&s);
    return code;
}

/* ---- distinct runs ----------------------------------------------------------------------------------------------- */

static int estimate(struct rh__batch *b, const struct rh__plan *plan, void *arg)
{
    struct rh__session s;
    struct rh__size size;
    char why[256];
    (void)arg;
    b->begun++;
    if (plan->test->scenario || rh__optimal_refuses(&plan->semantics, why, sizeof why))
        return estimate_choices(b, plan);
    int code = sample(&s, plan, "sample");
    bool refused = code == RH__EXIT_USAGE && s.world && *rh_world_refused(s.world); /* by what the program does */
    if (code == RH__EXIT_OK) {
        rh__sample_result(s.x->explorer.state, s.x->results->distinct.count, &size);
        if (s.x->results->count.cut)
            rh__sample_was_cut(&size, s.x->results->distinct.count);
        code = report(b, &s, &size);
    } else if (!refused) {
        complain(&s, code);
    }
    rh__session_close(&s);
    return refused ? estimate_choices(b, plan) : code;
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
