/* A run with everything that is shown of it, as a value: it needs no process, and no world, once it is made. */
#ifndef RH_FINDINGS_SHOWN_H
#define RH_FINDINGS_SHOWN_H

#include "findings/changes.h"
#include "results/finding.h"

struct rh__shown {
    struct rh__run *run; /* decoded */
    struct rh__changes
        *scenes; /* what each actor had and did after each event, as far as the run could be made again */
};

/* The run of a finding, or the run that the world holds if it is NULL or keeps none.  The run is made again in a child
 * process; no child process uses the world now.  False with a sentence. */
bool rh__shown_make(struct rh__shown *s, struct rh_world *w, const struct rh__finding *f, char *error,
                    size_t error_size);
/* The same of a run as bytes (run/encode.h), with its outcome. */
bool rh__shown_decode(struct rh__shown *s, struct rh_world *w, const void *bytes, size_t size,
                      enum rh_outcome_kind outcome, char *error, size_t error_size);
void rh__shown_release(struct rh__shown *s);

#endif
