/* Every job is settled once, whatever machines and users do. */
#include <rehearse/test.h>
#include <stdio.h>

#include "scheduler.h"

RH_PARAM(jobs, "by test", "how many jobs are submitted, each by a user of its own");
RH_PARAM(machines, "by test", "how many machines there are");
RH_BUG(double, "a machine is taken for free twice after each job");
RH_BUG(forgotten, "the job of a machine that breaks is not given to another");
RH_BUG(both, "a job that is cancelled while it runs is reported as finished, too");
RH_BUG(late, "what a machine reports after the lease is over counts");

/* One bit for each job.  A run must not end while a job that was taken on is not settled. */
RH_MONITOR(ledger, bool restarts; uint32_t open; uint32_t started;);

static void judge(const struct ledger *state)
{
    if (state->open)
        rh_become(ledger, owing);
    else
        rh_become(ledger, even);
}
RH_HANDLER(ledger, taken_on)
{
    state->open |= 1u << msg->job;
    judge(state);
}
RH_HANDLER(ledger, started)
{
    rh_assert(state->restarts || !(state->started >> msg->job & 1), "job %d starts twice", msg->job);
    state->started |= 1u << msg->job;
}
RH_HANDLER(ledger, settled)
{
    rh_assert(state->open >> msg->job & 1, "job %d is settled twice", msg->job);
    state->open &= ~(1u << msg->job);
    judge(state);
}
RH_BEHAVIOUR(ledger, even, taken_on, started, settled);
RH_HOT_BEHAVIOUR(ledger, owing, taken_on, started, settled);

/* ---- what the tests share ---------------------------------------------------------------------------------------- */
static int within(const char *name, int64_t value, int most)
{
    rh_assert(value >= 1 && value <= most, "1 to %d %s, not %d", most, name, (int)value);
    return (int)value;
}

/* A scheduler and its machines; the first machine may be frail. */
static rh_ref start(int machines, bool frail, int lease_ms)
{
    struct flaws flaws = { .frees_twice = rh_bug("double"),
                           .forgets_jobs = rh_bug("forgotten"),
                           .reports_cancelled = rh_bug("both"),
                           .counts_late = rh_bug("late") };
    rh_ref s = rh_spawn(scheduler, .lease_ms = lease_ms, .flaws = flaws);
    machines = within("machines", rh_param("machines", machines), MOST_MACHINES);
    for (int i = 0; i < machines; i++)
        rh_spawn(machine, .scheduler = s, .frail = frail && i == 0);
    rh_observe(ledger, .restarts = frail || lease_ms);
    return s;
}

static rh_ref user(int number)
{
    char name[32];
    snprintf(name, sizeof name, "user %d", number);
    return rh_external(name);
}

static void submit_all(rh_ref s, int jobs)
{
    jobs = within("jobs", rh_param("jobs", jobs), MOST_JOBS);
    for (int i = 0; i < jobs; i++)
        rh_send_from(user(i), s, submit, .job = i);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */
RH_TEST(every_job_runs_once)
{
    submit_all(start(1, false, 0), 3);
}

RH_TEST(a_job_survives_its_machine)
{
    submit_all(start(2, true, 0), 2);
}

RH_TEST(a_cancelled_job_is_not_reported)
{
    rh_ref s = start(1, false, 0);
    submit_all(s, 2);
    rh_send_from(user(0), s, cancel, .job = 0);
}

RH_TEST(a_late_machine_does_no_harm)
{
    submit_all(start(2, false, 100), 1);
}

RH_MAIN()
