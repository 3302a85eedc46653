/* A small cluster scheduler: jobs are submitted, given to machines, and settled once: finished or cancelled. */
#ifndef SCHEDULER_H
#define SCHEDULER_H

#include <rehearse.h>

enum { MOST_JOBS = 16, MOST_MACHINES = 8, MOST_ATTEMPTS = 2 };

/* User and scheduler.  Jobs are numbered from 0. */
RH_MESSAGE(submit, int job;);
RH_MESSAGE(cancel, int job;);
RH_MESSAGE(finished, int job;);
RH_MESSAGE(cancelled, int job;);

/* Machine and scheduler. */
RH_MESSAGE(ready); /* the machine can take a job */
RH_MESSAGE(run, int job; int attempt;);
RH_MESSAGE(ran, int job; int attempt;);

/* Timers. */
RH_MESSAGE(worked); /* the machine's job is done */
RH_MESSAGE(lease_over, int job; int attempt;);

/* Announced. */
RH_MESSAGE(taken_on, int job;);
RH_MESSAGE(started, int job;);
RH_MESSAGE(settled, int job;);

enum job_state { JOB_UNKNOWN, JOB_WAITING, JOB_RUNNING, JOB_SETTLED };
struct job {
    enum job_state state;
    int attempt;
    rh_ref user;
};
struct machine_entry {
    rh_ref machine; /* nobody after it has broken */
    bool free;
    int job; /* its current job; -1 for none */
};

/* Flaws of a scheduler; see scheduler.c. */
struct flaws {
    bool frees_twice, forgets_jobs, reports_cancelled, counts_late;
};

RH_ACTOR(scheduler, struct job jobs[MOST_JOBS]; struct machine_entry machines[MOST_MACHINES]; int machine_count;
         int lease_ms; struct flaws flaws;);
RH_ACTOR(machine, rh_ref scheduler; int job; int attempt; bool frail;);

#endif
