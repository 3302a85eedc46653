/* Stages of `rehearse target` in processes of their own, because a solver may run on, take all memory or crash: what
 * was settled before is kept, and the goals that were left say what has happened.  With several processes (-j) each
 * gets a part of the open goals.
 *
 * A process appends what it settles to a file in its folder, at once; a record that is cut short does not count. */
#ifndef RH_TARGET_WORKERS_H
#define RH_TARGET_WORKERS_H

#include "target/concrete.h"

enum { RH__MOST_WORKERS = 64 };

/* Settles open goals within so many seconds of processor time; runs in a process of its own. */
typedef void rh__work(struct rh__concrete *c, struct rh__goals *g, double seconds, void *arg);
/* Called now and then while processes work. */
typedef void rh__work_progress(const struct rh__goals *g, void *arg);

struct rh__workers {
    const char *name; /* of the stage, for sentences */
    uint32_t count;
    double seconds; /* of processor time, for all together */
    bool divide;    /* each process gets a part of the goals; else all goals, with another seed */
    rh__work *work;
    rh__work_progress *progress;
    void *arg;
    uint32_t ended_early; /* processes that did not end by themselves */
    struct rh__worker *all;
};

/* Starts the processes; `finish` waits for them, and takes what they have settled. */
void rh__workers_start(struct rh__workers *w, struct rh__concrete *c, struct rh__goals *g);
void rh__workers_finish(struct rh__workers *w, struct rh__concrete *c, struct rh__goals *g);

#endif
