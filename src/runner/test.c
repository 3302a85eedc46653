/* test: explores each test under each model that was asked for, reports, and keeps schedules. */
#include <stdio.h>

#include "base/visible.h"
#include "explore/engine/measure.h"
#include "report/terminal.h"
#include "runner/batch.h"
#include "runner/commands.h"
#include "runner/keep_schedules.h"
#include "trace/schedule.h"

static const char *const default_folder = "rehearse-findings";

/* ---- coverage ---------------------------------------------------------------------------------------------------- */

/* Coverage is measured if an option asks for it, or needs it.  False with a sentence. */
static bool start_measuring(struct rh__session *s, const struct rh__options *o)
{
    uint32_t criteria = o->criteria;
    if (!criteria && rh__options_need_coverage(o) && !s->x->measure)
        criteria = (1u << RH__CRITERION_COUNT) - 1;
    if (criteria && !rh__measure(s->x, criteria)) {
        snprintf(s->error, sizeof s->error, "no memory for the coverage");
        return false;
    }
    return !o->suite || rh__keep_suite(s->x, o->suite, s->plan.test->name, rh__model_name(s->plan.semantics.model),
                                       s->error, sizeof s->error);
}

static void end_measuring(struct rh__session *s)
{
    if (!s->x->measure)
        return;
    /* Runs that symmetry leaves out, or that lead to the same states, have other orders. */
    if (rh__exploration_verdict(s->x) == RH_VERDICT_EXHAUSTIVE && !rh__tree_uses_symmetry(&s->x->tree) &&
        !rh__tree_matches_states(&s->x->tree))
        s->x->results->coverage->exhausted = 1;
    s->x->results->coverage->runs = rh__exploration_counted(s->x);
}

/* ---- one test ---------------------------------------------------------------------------------------------------- */

/* Files that cannot be written are no reason to hide the result.  Gives an exit code. */
static int finish(struct rh__batch *b, struct rh__session *s)
{
    struct rh__result r;
    const struct rh__options *o = b->options;
    int code = RH__EXIT_OK;
    end_measuring(s);
    rh__session_result(s, &r);
    rh__batch_add(b, &r);
    if (!rh__keep_findings(&r, o->save ? o->save : default_folder, s->error, sizeof s->error)) {
        rh__complain("%s", s->error);
        code = r.failed ? RH__EXIT_OK : RH__EXIT_TOOL; /* what was found is worth more than the file */
    }
    if (s->x->end.trouble[0]) {
        rh__complain("%s", s->x->end.trouble);
        code = RH__EXIT_TOOL;
    }
    rh__reports_result(&b->reports, &r);
    b->reported++;
    return s->x->end.interrupted ? RH__EXIT_SIGNAL + s->x->end.interrupted : code;
}

static int explore(struct rh__batch *b, const struct rh__plan *plan, void *arg)
{
    struct rh__session s;
    (void)arg;
    b->begun++;
    int code = rh__session_open(&s, plan);
    if (code == RH__EXIT_OK && !start_measuring(&s, b->options))
        code = RH__EXIT_USAGE;
    if (code == RH__EXIT_OK) {
        code = rh__session_run(&s);
        rh__terminal_clear();
    }
    if (code == RH__EXIT_OK)
        code = finish(b, &s);
    else if (*s.error)
        rh__complain("%s", s.error);
    rh__session_close(&s);
    return code;
}

/* ---- all tests --------------------------------------------------------------------------------------------------- */

int rh__command_test(const char *program, const struct rh__options *o)
{
    struct rh__batch batch = { .program = program, .options = o };
    char error[1024];
    if (rh__batch_check(&batch, error, sizeof error) &&
        (!o->save || !*o->save || rh__keep_folder(o->save, error, sizeof error)) &&
        (!o->suite || rh__keep_folder(o->suite, error, sizeof error)))
        return rh__batch_run(&batch, explore);
    rh__complain("%s", error);
    return RH__EXIT_USAGE;
}
