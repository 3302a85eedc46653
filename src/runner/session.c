/* See session.h. */
#include "runner/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "actor/monitors.h"
#include "base/capture.h"
#include "base/fail.h"
#include "base/interrupt.h"
#include "cluster/link.h"
#include "cluster/pool.h"
#include "findings/story.h"
#include "findings/why.h"
#include "runner/again.h"
#include "runner/beside.h"
#include "runner/first_look.h"
#include "runner/forecast.h"
#include "runner/job.h"
#include "trace/schedule.h"
#include "world/live.h"

/* The options of the world live as long as the call that uses them. */
static struct rh_world_options world_options(const struct rh__session *s)
{
    return (struct rh_world_options){ .test = s->plan.test,
                                      .semantics = &s->plan.semantics,
                                      .params = s->plan.params,
                                      .param_count = s->plan.param_count,
                                      .quiet = s->plan.quiet,
                                      .params_asked = s->params_asked,
                                      .monitors = s->monitors,
                                      .timer_names = s->timer_names,
                                      .atomic_met = s->atomic_met };
}

/* Says how to get there again, if the tool fails. */
static void tell_of_replay(struct rh__session *s)
{
    struct rh__text again;
    rh__text_init(&again, s->again, sizeof s->again);
    rh__again(&s->plan, &again);
    rh__bug_set_replay(s->again);
}

int rh__session_open(struct rh__session *s, const struct rh__plan *plan)
{
    char error[sizeof s->error - 128];
    *s = (struct rh__session){ .plan = *plan, .printed = -1 };
    if (plan->mute)
        s->printed = rh__capture_open();
    s->determinism = rh_shared_new(sizeof *s->determinism);
    /* A checkpoint does not hold, and agents do not say, which parameters their runs asked for. */
    if (!plan->resume && !plan->cluster) {
        s->params_asked = rh_shared_new(sizeof *s->params_asked);
        s->monitors = rh_shared_new(RH__MONITOR_SETS * sizeof *s->monitors);
        s->timer_names = *plan->semantics.timer_budgets ? rh_shared_new(sizeof *s->timer_names) : NULL;
        s->atomic_met = plan->semantics.atomic ? rh_shared_new(sizeof *s->atomic_met) : NULL;
    }
    if (!s->determinism) {
        snprintf(s->error, sizeof s->error, "no memory");
        return RH__EXIT_TOOL;
    }
    s->determinism->kind = RH_OUTCOME_FINISHED;
    if (plan->test->scenario && strncmp(plan->explorer, "auto", 4) == 0)
        s->plan.explorer = "dfs"; /* the body leaves little to choose, and reductions do not know what it leaves */
    tell_of_replay(s);
    if (!rh__first_look(s))
        return RH__EXIT_TOOL; /* it is on standard error already */
    struct rh_world_options w = world_options(s);
    s->world = rh_world_new(&w, error, sizeof error);
    if (!s->world) {
        snprintf(s->error, sizeof s->error, "%s: %s", plan->test->name, error);
        return RH__EXIT_USAGE;
    }
    s->x =
        rh__exploration_new(s->world, s->plan.explorer, plan->semantics.seed, &plan->limits, s->error, sizeof s->error);
    if (!s->x)
        return RH__EXIT_USAGE;
    s->x->mute = plan->mute;
    s->x->progress = plan->progress;
    if (plan->curves && !rh__curve_want(s->x, plan->curves_of_sequences)) {
        snprintf(s->error, sizeof s->error, "no memory for --curve");
        return RH__EXIT_TOOL;
    }
    s->x->end.interrupted = s->interrupted;
    if (s->early && rh__results_add(s->x->results, s->early))
        rh__distinct_settle(&s->x->results->distinct);
    return RH__EXIT_OK;
}

void rh__session_interrupted(struct rh__session *s, const struct rh_exploration *x)
{
    struct rh__results *mine = s->x ? s->x->results : s->early;
    if (!x->end.interrupted)
        return;
    s->interrupted = x->end.interrupted;
    if (s->x)
        s->x->end.interrupted = x->end.interrupted;
    if (!x->results->finding_count)
        return;
    if (!mine)
        mine = s->early = rh__results_new(x->results->events);
    if (mine && rh__results_add(mine, x->results))
        rh__distinct_settle(&mine->distinct);
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

/* For what the program prints in one run: the check before made several. */
static void make_first_run(struct rh_world *w, int capture)
{
    enum { LONGEST = 10000 };
    rh__capture_clear(capture);
    for (uint32_t i = 0, count; i < LONGEST; i++) {
        const struct rh_choice *open = rh_world_enabled(w, &count);
        if (!count || !rh_world_step(w, &open[0]))
            break;
    }
    rh__capture_size(capture);
}

static void check_determinism(struct rh_world *w, void *arg)
{
    const struct rh__session *s = arg;
    rh__capture_begin(s->printed);
    *s->determinism = rh_world_check_determinism(w, rh_world_semantics(w)->seed);
    if (s->determinism->kind == RH_OUTCOME_FINISHED && rh__capture_size(s->printed))
        make_first_run(w, s->printed);
}

/* False if the tool failed.  A first run that kills its process is made once more by the explorer, unless an interrupt
 * ends the test before. */
static bool run_twice(struct rh__session *s)
{
    struct rh__interrupts interrupts;
    rh__interrupts_begin(&interrupts, &s->x->end.interrupted);
    enum rh_sandbox_end end = rh_sandbox_run(s->world, check_determinism, s);
    rh__interrupts_end(&interrupts);
    if (end == RH_SANDBOX_FINDING && s->x->end.interrupted && !rh__world_child_killed(s->world))
        rh__exploration_adopt_run(s->x);
    s->printed_lines = rh__capture_lines(s->printed);
    s->x->repeats.known_to_differ = s->determinism->kind != RH_OUTCOME_FINISHED;
    return end != RH_SANDBOX_FAILED;
}

/* In this process, or in workers, each of which has the limit for itself. */
static int explore(struct rh__session *s)
{
    const struct rh__plan *p = &s->plan;
    s->x->clock.meter->before += s->spent;
    if (p->workers <= 1 && !p->checkpoint && !p->cluster) {
        bool good = s->search ? rh__search_beside(s) : rh__forecast_within(s);
        return good ? RH__EXIT_OK : RH__EXIT_TOOL; /* a failure is on standard error already */
    }
    if (s->search) /* what is left for it afterwards */
        s->x->clock.meter->before += rh__seconds_of_part(s, p->limits.max_seconds);
    struct rh_world_options w = world_options(s);
    struct rh__pool_options pool = { .workers = p->workers ? p->workers : 1,
                                     .world = &w,
                                     .explorer = p->explorer,
                                     .checkpoint = p->checkpoint,
                                     .resume = p->resume };
    struct rh__writer job = rh__writer_new();
    struct rh__pool_link link = { .explorer = true, .lease_seconds = p->lease_seconds };
    if (p->cluster) {
        if (!rh__job_write(s, &job, s->error, sizeof s->error)) {
            rh__writer_release(&job);
            return RH__EXIT_USAGE;
        }
        link.fd = rh__link_find(p->program, s->error, sizeof s->error); /* the batch has checked it */
        link.job = job.at;
        link.job_size = job.len;
        pool.link = &link;
    }
    enum rh__pool_end end = rh__pool_explore(s->x, &pool, s->error, sizeof s->error);
    rh__writer_release(&job);
    if (end == RH__POOL_DONE && !rh__search_after(s))
        return RH__EXIT_TOOL;
    return end == RH__POOL_DONE ? RH__EXIT_OK : end == RH__POOL_REFUSED ? RH__EXIT_USAGE : RH__EXIT_TOOL;
}

/* What the program did that the explorer cannot explore, as a sentence; "" for nothing.  The worlds of workers are
 * their own: there it is the outcome of a run. */
static const char *refusal(const struct rh__session *s)
{
    const char *sets = rh__world_refuses_sets(s->world);
    const struct rh__results *r = s->x->results;
    for (uint32_t i = 0; sets && i < r->finding_count; i++)
        if (r->findings[i].outcome.kind == RH_OUTCOME_MISUSE && strcmp(r->findings[i].outcome.text, sets) == 0)
            return sets;
    return rh_world_refused(s->world);
}

/* Makes the runs of findings smaller, and finds out why they fail. */
static bool look_into_findings(struct rh__session *s)
{
    struct rh__results *r = s->x->results;
    for (uint32_t i = 0; i < r->finding_count; i++)
        if ((s->plan.minimise && !rh__minimise(s->world, &r->findings[i], s->plan.minimise_limits)) ||
            (s->plan.explain && !rh__why(s->world, &r->findings[i])))
            return false;
    return true;
}

int rh__session_run(struct rh__session *s)
{
    int code = RH__EXIT_OK;
    s->error[0] = 0;
    tell_of_replay(s);
    if (s->plan.first_run_twice && !s->plan.limits.unchecked && !s->early && !run_twice(s))
        return RH__EXIT_TOOL;
    if (!*rh_world_refused(s->world)) {
        bool good, done = rh__search_begin(s, &good);
        code = done ? RH__EXIT_OK : good && rh__forecast_before(s) ? explore(s) : RH__EXIT_TOOL;
    }
    if (code == RH__EXIT_OK && !s->x->end.interrupted && !look_into_findings(s))
        code = RH__EXIT_TOOL;
    if (!rh__findings_describe(s->x->results, code == RH__EXIT_OK ? s->world : NULL, rh__plan_telling(&s->plan)))
        code = RH__EXIT_TOOL;
    if (*refusal(s)) {
        snprintf(s->error, sizeof s->error, "%s", refusal(s));
        return RH__EXIT_USAGE;
    }
    if (code == RH__EXIT_OK && !rh__forecast_after(s))
        code = RH__EXIT_TOOL;
    return code;
}

/* ---- the result -------------------------------------------------------------------------------------------------- */

/* Adds what later runs, and other processes, found out about determinism to the check before the first run. */
static void add_divergence(const struct rh_exploration *x, struct rh_outcome *determinism)
{
    if (determinism->kind != RH_OUTCOME_FINISHED)
        return;
    if (!*determinism->text)
        snprintf(determinism->text, sizeof determinism->text, "%s", x->repeats.note);
    if (!x->results->diverged)
        return;
    determinism->kind = RH_OUTCOME_NONDETERMINISM;
    snprintf(determinism->text, sizeof determinism->text,
             "the same choices gave other runs in another process; what depends on that was not explored");
}

void rh__session_result(const struct rh__session *s, struct rh__result *r)
{
    const struct rh__plan *p = &s->plan;
    rh__results_meet(s->x->results, s->world);
    rh__curve_note(s->x, true);
    memset(r, 0, sizeof *r);
    r->program = p->program;
    r->test = p->test->name;
    r->explorer = p->explorer;
    r->model = rh__model_name(p->semantics.model);
    r->seed = p->semantics.seed;
    r->params = p->params;
    r->param_count = p->param_count;
    r->params_asked = s->params_asked;
    r->monitors = s->monitors;
    r->timer_names = s->timer_names;
    r->atomic_met = s->atomic_met;
    r->asked = p->asked;
    r->required = p->required;
    r->require = p->require;
    r->checkpoint = p->checkpoint;
    r->printed_lines = s->plan.mute ? s->printed_lines : 0;
    r->world = s->world;
    r->x = s->x;
    r->determinism = *s->determinism;
    add_divergence(s->x, &r->determinism);
    r->failed = s->x->results->finding_count || r->determinism.kind != RH_OUTCOME_FINISHED || rh__result_never(r);
}

void rh__session_close(struct rh__session *s)
{
    rh__bug_set_replay(NULL);
    if (s->printed >= 0)
        close(s->printed);
    rh__exploration_free(s->search);
    rh__exploration_free(s->x);
    rh__results_free(s->early);
    rh_world_free(s->world);
    rh_shared_free(s->params_asked, sizeof *s->params_asked);
    rh_shared_free(s->monitors, RH__MONITOR_SETS * sizeof *s->monitors);
    rh_shared_free(s->timer_names, sizeof *s->timer_names);
    rh_shared_free(s->atomic_met, sizeof *s->atomic_met);
    rh_shared_free(s->determinism, sizeof *s->determinism);
    *s = (struct rh__session){ .printed = -1 };
}
