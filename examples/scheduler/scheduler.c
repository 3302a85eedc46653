/* See scheduler.h.  A machine says that it is ready, gets a job, reports that it ran, and is ready again.  The
 * scheduler monitors its machines: when a machine breaks, its job waits for another machine.  If jobs have a lease, a
 * job that takes too long is given to another machine, and the late report of the first machine does not count.
 *
 * Flaws (bugs double, forgotten, both and late of test.c):
 *   frees_twice        considers a machine free when it reports a result, and again when it says that it is ready
 *   forgets_jobs       does not give the job of a broken machine to another machine
 *   reports_cancelled  reports a job that was cancelled while it ran as finished, too
 *   counts_late        accepts a report that comes after the lease is over */
#include "scheduler.h"

#include <stdio.h>

/* ---- machine ----------------------------------------------------------------------------------------------------- */
RH_HANDLER(machine, rh_start)
{
    rh_send(state->scheduler, ready);
}
RH_HANDLER(machine, run)
{
    rh_announce(started, .job = msg->job);
    if (state->frail && rh_choose(2))
        rh_exit("broken");
    state->job = msg->job;
    state->attempt = msg->attempt;
    rh_timer("work", 50, worked);
    rh_become(machine, busy);
}
RH_HANDLER(machine, worked)
{
    rh_send(state->scheduler, ran, .job = state->job, .attempt = state->attempt);
    rh_send(state->scheduler, ready);
    rh_become(machine, idle);
}
RH_BEHAVIOUR(machine, idle, rh_start, run);
RH_BEHAVIOUR(machine, busy, worked); /* a second job is an error */

/* ---- scheduler --------------------------------------------------------------------------------------------------- */
static struct machine_entry *entry_of(struct scheduler *s, rh_ref machine)
{
    for (int i = 0; i < s->machine_count; i++)
        if (rh_same(s->machines[i].machine, machine))
            return &s->machines[i];
    return NULL;
}

struct timer_name {
    char text[32];
};
static struct timer_name lease_of(int job)
{
    struct timer_name name;
    snprintf(name.text, sizeof name.text, "lease of job %d", job);
    return name;
}

static void give(struct scheduler *s, int job, struct machine_entry *e)
{
    struct job *j = &s->jobs[job];
    e->free = false;
    e->job = job;
    j->state = JOB_RUNNING;
    j->attempt++;
    rh_send(e->machine, run, .job = job, .attempt = j->attempt);
    if (s->lease_ms && j->attempt < MOST_ATTEMPTS)
        rh_timer(lease_of(job).text, s->lease_ms, lease_over, .job = job, .attempt = j->attempt);
}

/* Gives waiting jobs to free machines, in order. */
static void dispatch(struct scheduler *s)
{
    int job = 0;
    for (int i = 0; i < s->machine_count; i++) {
        if (!s->machines[i].free)
            continue;
        while (job < MOST_JOBS && s->jobs[job].state != JOB_WAITING)
            job++;
        if (job == MOST_JOBS)
            return;
        give(s, job, &s->machines[i]);
    }
}

RH_HANDLER(scheduler, submit)
{
    state->jobs[msg->job] = (struct job){ .state = JOB_WAITING, .user = rh_sender() };
    rh_announce(taken_on, .job = msg->job);
    dispatch(state);
}
RH_HANDLER(scheduler, cancel)
{
    struct job *j = &state->jobs[msg->job];
    if (j->state == JOB_SETTLED)
        return;
    if (j->state == JOB_WAITING || !state->flaws.reports_cancelled)
        j->state = JOB_SETTLED;
    rh_announce(settled, .job = msg->job);
    rh_reply(cancelled, .job = msg->job);
}
RH_HANDLER(scheduler, ready)
{
    struct machine_entry *e = entry_of(state, rh_sender());
    if (!e) {
        rh_assert(state->machine_count < MOST_MACHINES);
        e = &state->machines[state->machine_count++];
        e->machine = rh_sender();
        rh_monitor(e->machine);
    }
    e->free = true;
    e->job = -1;
    dispatch(state);
}
RH_HANDLER(scheduler, ran)
{
    struct job *j = &state->jobs[msg->job];
    if ((j->state == JOB_RUNNING && j->attempt == msg->attempt) || state->flaws.counts_late) {
        j->state = JOB_SETTLED;
        rh_timer_cancel(lease_of(msg->job).text);
        rh_announce(settled, .job = msg->job);
        rh_send(j->user, finished, .job = msg->job);
    }
    if (state->flaws.frees_twice) {
        entry_of(state, rh_sender())->free = true;
        dispatch(state);
    }
}
RH_HANDLER(scheduler, rh_down)
{
    struct machine_entry *e = entry_of(state, msg->who);
    e->machine = rh_nobody();
    e->free = false;
    if (e->job >= 0 && state->jobs[e->job].state == JOB_RUNNING && !state->flaws.forgets_jobs)
        state->jobs[e->job].state = JOB_WAITING;
    dispatch(state);
}
RH_HANDLER(scheduler, lease_over)
{
    struct job *j = &state->jobs[msg->job];
    if (j->state == JOB_RUNNING && j->attempt == msg->attempt)
        j->state = JOB_WAITING;
    dispatch(state);
}
RH_BEHAVIOUR(scheduler, serving, submit, cancel, ready, ran, rh_down, lease_over);
