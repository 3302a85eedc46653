/* What a server knows of jobs that `test --cluster` began: for `jobs` and for `serve --cluster`. */
#ifndef RH_CLI_JOBS_READ_H
#define RH_CLI_JOBS_READ_H

#include "link/server.h"

struct rh__jobs {
    struct rh__server *server; /* connected */
    char error[512];
    bool failed; /* the server refuses, or the connection is lost: `error` */
};

/* Texts are the server's: they may hold anything. */
struct rh__job_view {
    char name[64];
    const char *state; /* "running", "stopped", "ended", "removed" */
    bool silent;       /* it should be running, and its explorer does not answer */
    const char *program, *owner, *settings;
    double seconds, seen; /* since the job began; since its explorer was seen */
    double runs, steps;
    long long findings, open, workers, generation, commits;
    size_t agents;
    struct rh__reply *parts[5]; /* the texts are in here */
};

/* Says a command; NULL if the server refuses it or is gone. */
struct rh__reply *rh__jobs_say(struct rh__jobs *j, struct rh__reply *r);
/* False if there is no such job, or the server failed.  To be released in any case. */
bool rh__jobs_read(struct rh__jobs *j, const char *name, struct rh__job_view *v);
const char *rh__job_agent(const struct rh__job_view *v, size_t i);
void rh__job_release(struct rh__job_view *v);
/* All jobs of the server; returns how many. */
uint32_t rh__jobs_each(struct rh__jobs *j, void tell(void *arg, const struct rh__job_view *v), void *arg);

#endif
