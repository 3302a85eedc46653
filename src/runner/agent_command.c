/* agent: lends workers to explorations of this program that others began (docs/guide/cluster.md).  The command
 * `rehearse agent` holds the connection (src/link). */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/interrupt.h"
#include "base/visible.h"
#include "cluster/checkpoint.h"
#include "cluster/linked.h"
#include "cluster/pool.h"
#include "explore/engine/measure.h"
#include "runner/commands.h"
#include "runner/job.h"

struct lender {
    int fd;
    uint32_t workers;
    volatile int interrupted;
    struct rh__writer buffer;
    double used; /* processor time of all workers */
    uint64_t jobs;
};

/* Opens the exploration of a job.  NULL with a sentence. */
static struct rh_exploration *open_job(const struct rh__read_job *j, const struct rh_world_options *o, char *error,
                                       size_t error_size)
{
    struct rh_world *w = rh_world_new(o, error, error_size);
    struct rh_exploration *x =
        w ? rh__exploration_new(w, j->explorer, j->plan.semantics.seed, &j->plan.limits, error, error_size) : NULL;
    if (w && !x)
        rh_world_free(w);
    if (x && j->criteria && !rh__measure(x, j->criteria)) {
        snprintf(error, error_size, "no memory for the coverage");
        rh__exploration_free(x);
        rh_world_free(w);
        return NULL;
    }
    if (x)
        x->mute = j->plan.mute;
    return x;
}

/* Whether the exploration here is that of the explorer, to the last setting. */
static bool is_same(const struct rh_exploration *x, const char *binding, char *error, size_t error_size)
{
    char *mine = rh__alloc_array(1, RH__BINDING_BYTES);
    bool good = mine && rh__checkpoint_binding(x, mine, RH__BINDING_BYTES, error, error_size);
    if (good && strcmp(mine, binding) != 0) {
        snprintf(error, error_size, "the job on the server is not what this program makes of it");
        good = false;
    }
    rh__free(mine);
    return good;
}

/* Works until the generation is over.  Gives an exit code. */
static int work(struct lender *l, const struct rh__link_answer *a, char *error, size_t error_size)
{
    static struct rh__read_job j;
    double lease = (double)a->max_runs / 1000;
    char *binding = rh__alloc(strlen(a->text) + 1);
    if (!binding || !rh__job_read(&j, a->bytes, a->size, error, error_size)) {
        rh__free(binding);
        return RH__EXIT_USAGE;
    }
    memcpy(binding, a->text, strlen(a->text) + 1);
    struct rh_world_options o = { .test = j.plan.test,
                                  .semantics = &j.plan.semantics,
                                  .params = j.plan.params,
                                  .param_count = j.plan.param_count,
                                  .quiet = true };
    struct rh_exploration *x = open_job(&j, &o, error, error_size);
    int code = RH__EXIT_USAGE;
    if (x && is_same(x, binding, error, error_size)) {
        struct rh__pool_link link = { .fd = l->fd, .lease_seconds = lease };
        struct rh__pool_options pool = { .workers = l->workers, .world = &o, .explorer = j.explorer, .link = &link };
        enum rh__pool_end end = rh__pool_explore(x, &pool, error, error_size);
        code = end == RH__POOL_DONE ? RH__EXIT_OK : end == RH__POOL_REFUSED ? RH__EXIT_USAGE : RH__EXIT_TOOL;
        l->used += x->clock.processor_seconds;
        l->interrupted = x->end.interrupted;
        l->jobs++;
        if (x->end.trouble[0])
            rh__complain("%s", x->end.trouble);
    }
    if (x) {
        struct rh_world *w = x->world;
        rh__exploration_free(x);
        rh_world_free(w);
    }
    rh__job_release(&j);
    rh__free(binding);
    return code;
}

/* Looks for work until the job has ended. */
static int lend(struct lender *l, bool quiet)
{
    char error[1024] = "";
    bool told = false;
    for (;;) {
        struct rh__link_answer a;
        struct rh__link_ask ask = { .operation = RH__LINK_JOIN, .workers = l->workers };
        int code = RH__EXIT_OK;
        if (!rh__linked_ask(l->fd, &l->buffer, &ask, &a)) {
            rh__complain("the link to the server has ended");
            return RH__EXIT_TOOL;
        }
        if (a.status == RH__LINK_ENDED)
            return RH__EXIT_OK;
        if (a.status == RH__LINK_REFUSED) {
            rh__complain("%s", a.text);
            return RH__EXIT_USAGE;
        }
        if (a.status == RH__LINK_OK)
            code = work(l, &a, error, sizeof error);
        else if (!told && !quiet)
            fprintf(stderr, "waiting for a job\n");
        told = true;
        if (code != RH__EXIT_OK) {
            if (*error)
                rh__complain("%s", error);
            return code;
        }
        if (l->interrupted)
            return RH__EXIT_SIGNAL + l->interrupted;
        if (a.status != RH__LINK_OK)
            poll(NULL, 0, 50 + rand() % 100);
    }
}

int rh__command_agent(const char *program, const struct rh__options *o)
{
    struct rh__interrupts interrupts;
    static struct lender l;
    char error[512];
    int fd = rh__link_find(program, error, sizeof error);
    if (fd < 0) {
        rh__complain("%s", error);
        return RH__EXIT_USAGE;
    }
    l = (struct lender){ .fd = fd, .workers = o->workers ? o->workers : rh__cores(), .buffer = rh__writer_new() };
    rh__interrupts_begin(&interrupts, &l.interrupted);
    int code = lend(&l, o->quiet);
    rh__interrupts_end(&interrupts);
    if (!o->quiet && code == RH__EXIT_OK)
        fprintf(stderr, "the job has ended; %u worker%s used %.1f s of processor time\n", l.workers,
                l.workers == 1 ? "" : "s", l.used);
    rh__writer_release(&l.buffer);
    return code;
}
