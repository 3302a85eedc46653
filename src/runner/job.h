/* What an agent needs to take part in an exploration, as bytes: the test, its settings and parameters (as the head of a
 * schedule), the explorer, the seed, what is measured.  The bytes come back from a server, so reading trusts nothing:
 * they say what to explore of this program, and can name no file and no command. */
#ifndef RH_RUNNER_JOB_H
#define RH_RUNNER_JOB_H

#include "base/bytes.h"
#include "runner/session.h"
#include "trace/schedule.h"

/* Writes the job of a session.  False with a sentence. */
bool rh__job_write(const struct rh__session *s, struct rh__writer *w, char *error, size_t error_size);

/* A job that was read. */
struct rh__read_job {
    struct rh__schedule schedule; /* owns the texts of parameters */
    struct rh__plan plan;
    struct rh_param params[2 * RH__MOST_PARAMS];
    char explorer[1024];
    uint32_t criteria;
};
/* False with a sentence, and nothing to release. */
bool rh__job_read(struct rh__read_job *j, const void *bytes, size_t size, char *error, size_t error_size);
void rh__job_release(struct rh__read_job *j);

#endif
