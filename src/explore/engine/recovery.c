/* The child processes of an exploration (engine.h).
 *
 * A child makes runs until the exploration is over, or until the program kills the child.  Then this process, the
 * parent, ends the run under way as a finding.  The parent starts the next child, which continues after that run. */
#include <sys/resource.h>

#include "base/fail.h"
#include "base/interrupt.h"
#include "base/visible.h"
#include "explore/engine/engine_parts.h"
#include "explore/explorers.h"
#include "run/run.h"
#include "world/live.h"

void rh__engine_keep_choices(struct rh_exploration *x, uint32_t count)
{
    const struct rh__run *r = rh__world_run(x->world);
    x->recovery.replay_count = count;
    for (uint32_t i = 0; i < x->recovery.replay_count; i++)
        x->recovery.replay[i] = *rh__run_choice(r, i + 1);
}

/* The program killed the child outside of a run.  Either the program died in the body of the test, before the first
 * choice.  Or the program died on the way to the explorer's work: that is a divergence, because it did not die there
 * before. */
static void end_crashed_body(struct rh_exploration *x)
{
    x->results->diverged |= rh__depth(x->world) > 1;
    x->end.dies_in_body = true;
    rh__results_add_failed_body(x->results, x->world);
    rh__engine_add_finding(x, x->results->count.runs);
    x->end.stopped = true;
}

static void end_crashed_run(struct rh_exploration *x)
{
    rh__engine_keep_choices(x, rh__world_run(x->world)->event_count - 1);
    if (x->recovery.in_run)
        rh__engine_end_run(x, rh__world_recorded_outcome(x->world)->kind, false);
    else
        end_crashed_body(x);
}

static double children_seconds(void)
{
    struct rusage u;
    getrusage(RUSAGE_CHILDREN, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + 1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static enum rh_sandbox_end run_child(struct rh_exploration *x)
{
    double before = children_seconds();
    rh__bug_set_run(&x->results->count.runs, rh__world_event_counter(x->world));
    enum rh_sandbox_end end = rh_sandbox_run(x->world, rh__engine_drive, x);
    rh__bug_set_run(NULL, NULL);
    x->clock.meter->pid = 0;
    x->clock.meter->before += children_seconds() - before;
    return end;
}

/* False if the tool failed.  In a worker, a child that was killed from outside is a failure too, because the program
 * may not have caused the death. */
static bool run_children(struct rh_exploration *x)
{
    enum rh_sandbox_end end;
    while ((end = run_child(x)) == RH_SANDBOX_FINDING) {
        if (x->work.next && rh__world_child_killed(x->world))
            return false;
        end_crashed_run(x);
        if ((x->end.stopped || x->end.paused || rh__engine_is_enough(x)) && (!x->work.next || !x->work.next(x)))
            break;
    }
    return end != RH_SANDBOX_FAILED;
}

/* An explorer starts without work.  The items of a worker come from its agent. */
static bool give_root(struct rh_exploration *x)
{
    if (x->work.next || x->work.given)
        return true;
    x->work.given = true;
    if (rh_inner_unpack_root(&x->explorer, x->world))
        return true;
    rh__complain("explorer %s refuses the root item (unpack in rehearse/explorer.h)", x->explorer.explorer->name);
    return false;
}

bool rh__explore(struct rh_exploration *x)
{
    struct rh__interrupts interrupts;
    bool alone = !x->work.next; /* the agent of a worker handles time limits and interrupts */
    if (!give_root(x))
        return false;
    x->end.paused = false;
    if (alone) {
        x->clock.started = rh__now_seconds() - x->clock.seconds;
        rh__interrupts_begin(&interrupts, &x->end.interrupted);
    }
    bool good = run_children(x);
    if (alone)
        rh__interrupts_end(&interrupts);
    rh__distinct_settle(&x->results->distinct);
    rh__results_meet(x->results, x->world);
    x->clock.seconds = rh__now_seconds() - x->clock.started;
    x->clock.processor_seconds = rh__meter_seconds(x->clock.meter);
    return good;
}
