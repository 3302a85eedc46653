/* The worker processes of an agent (agent.h). */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/visible.h"
#include "cluster/agent.h"

enum { FAILURE = 32 }; /* weight of an idle worker that exits by itself; a killed worker has weight 1 */

static const double stream_seconds = 2; /* longest time that a stream may outlive its process */
static const double dismiss_seconds = 30;

/* ---- starting and stopping --------------------------------------------------------------------------------------- */

/* Runs in the new process.  A worker keeps only its own stream and closes everything else of the agent. */
_Noreturn static void be_worker(struct rh__agent *a, int fd, struct rh__meter *meter, pid_t parent)
{
    struct rh__worker_job job = a->job;
    job.meter = meter;
    struct rh_world *w = a->x->world;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(0);
    for (uint32_t i = 0; i < a->o->workers; i++)
        if (a->slots[i].fd >= 0)
            close(a->slots[i].fd);
    if (a->o->link)
        close(a->o->link->fd);
    if (!job.agent) /* else the worker looks at its memory */
        rh__exploration_free(a->x);
    rh_world_free(w);
    rh__worker_run(&job, fd);
}

static bool some_worker_runs(const struct rh__agent *a)
{
    for (uint32_t i = 0; i < a->o->workers; i++)
        if (a->slots[i].pid > 0)
            return true;
    return false;
}

bool rh__agent_start(struct rh__agent *a, struct rh__slot *s)
{
    int ends[2];
    pid_t parent = getpid();
    struct rh__meter *meter = &a->meters[s - a->slots];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return rh__agent_fail(a, "no stream for a worker");
    s->fd = ends[0];
    s->gone_since = 0;
    s->in.len = 0;
    s->lease.number = 0;
    *meter = (struct rh__meter){ .before = s->used };
    fflush(NULL); /* otherwise the worker would write the buffered output again */
    s->pid = fork();
    if (s->pid == 0)
        be_worker(a, ends[1], meter, parent);
    close(ends[1]);
    if (s->pid > 0)
        return true;
    int why = errno;
    close(s->fd);
    s->fd = -1;
    s->pid = 0;
    errno = why;
    if (!some_worker_runs(a))
        return rh__agent_fail(a, "no worker can be started");
    if (!a->fewer)
        rh__complain("warning: no more workers can be started: %s", strerror(why));
    a->fewer = true;
    return true;
}

/* Ends the process and returns its exit status. */
static int stop(struct rh__slot *s)
{
    int status = 0;
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
    if (s->pid > 0) {
        kill(s->pid, SIGKILL);
        while (waitpid(s->pid, &status, 0) < 0 && errno == EINTR)
            continue;
    }
    s->pid = 0;
    return status;
}

/* ---- death ------------------------------------------------------------------------------------------------------- */

static bool ended_with(int status, int code)
{
    return WIFEXITED(status) && WEXITSTATUS(status) == code;
}

/* True if something outside killed the worker: most likely the kernel, for lack of memory.  Such a death is no
 * finding. */
static bool was_killed(int status)
{
    return WIFSIGNALED(status) ? WTERMSIG(status) == SIGKILL : ended_with(status, RH__WORKER_CHILD_KILLED);
}

static void note_killed(struct rh__agent *a, uint32_t deaths)
{
    a->left_out++;
    snprintf(a->x->end.trouble, sizeof a->x->end.trouble,
             "%u part%s of the tree left out: %u processes in turn were killed over the same part (SIGKILL), probably "
             "because the machine ran out of memory; fewer workers (-j) need less",
             a->left_out, a->left_out > 1 ? "s are" : " is", deaths);
}

static void add_lethal_finding(struct rh__results *r, uint32_t deaths, int status)
{
    const uint32_t behind_the_tree = UINT32_MAX;
    struct rh__finding *f =
        rh__results_find(r, rh__hash("worker", sizeof "worker", RH_OUTCOME_LIMIT), &behind_the_tree, 1);
    f->run = 1;
    f->outcome = (struct rh_outcome){ .kind = RH_OUTCOME_LIMIT, .actor = RH_NONE };
    f->picks[0] = behind_the_tree;
    f->pick_count = 1;
    snprintf(f->outcome.text, sizeof f->outcome.text,
             "%u worker processes in turn ended over the same part of the tree (the last %s %d); it is left out",
             deaths, WIFSIGNALED(status) ? "by signal" : "with status",
             WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

/* Commits results for the item that mark the exploration as incomplete. */
static void commit_nothing(struct rh__agent *a, struct rh__slot *s, struct rh__results *r)
{
    const struct rh__items nothing = { NULL, 0, 0 };
    struct rh__writer w = rh__writer_new();
    bool good = r != NULL;
    if (good) {
        r->incomplete = true;
        rh__results_encode(r, NULL, &w);
        enum rh__commit end = a->queue.table->commit(a->queue.state, s->lease.number, w.at, w.len, &nothing);
        good = !w.full && (end == RH__COMMITTED || (a->o->link && end == RH__COMMIT_LATE));
    }
    if (!good) {
        errno = ENOMEM;
        rh__agent_fail(a, "an item cannot be left out");
    }
    rh__writer_release(&w);
    rh__results_free(r);
}

/* Too many workers died over this item.  The reason becomes a finding unless something outside killed the workers. */
static void leave_out(struct rh__agent *a, struct rh__slot *s, int status)
{
    uint32_t deaths = s->lease.deaths + 1;
    struct rh__results *r = rh__results_new(1);
    if (r && was_killed(status))
        note_killed(a, deaths);
    else if (r)
        add_lethal_finding(r, deaths, status);
    commit_nothing(a, s, r);
}

/* Agents were lost over this item, and nobody knows why: machines end for many reasons.  So it is no finding. */
void rh__agent_leave_out_lost(struct rh__agent *a, struct rh__slot *s)
{
    a->left_out++;
    snprintf(a->x->end.trouble, sizeof a->x->end.trouble,
             "%u part%s of the tree left out: %u workers or agents in turn were lost over the same part", a->left_out,
             a->left_out > 1 ? "s are" : " is", s->lease.deaths);
    commit_nothing(a, s, rh__results_new(1));
    s->lease.number = 0;
}

/* Ends the lease of a dead worker. */
static void end_lease(struct rh__agent *a, struct rh__slot *s, int status)
{
    uint32_t most = a->o->most_deaths ? a->o->most_deaths : RH__MOST_DEATHS;
    bool innocent = ended_with(status, RH__WORKER_WITHOUT_CHILD); /* the item did not cause the death */
    if (!innocent && s->lease.deaths + 1 >= most)
        leave_out(a, s, status);
    else
        a->queue.table->give_back(a->queue.state, s->lease.number, !innocent);
    s->lease.number = 0;
}

void rh__agent_end_worker(struct rh__agent *a, struct rh__slot *s)
{
    int status = stop(s);
    bool childless = ended_with(status, RH__WORKER_WITHOUT_CHILD);
    if (ended_with(status, RH__WORKER_BROKEN)) { /* a defect of the tool is no finding */
        a->error[0] = 0;                         /* the message is on standard error already */
        a->failed = true;
        return;
    }
    a->childless |= childless;
    if (childless)
        a->failures += FAILURE;
    /* The worker cannot start, or something outside kills it, perhaps only for a while. */
    else if (!rh__slot_is_busy(s))
        a->failures += WIFEXITED(status) ? FAILURE : 1;
    if (rh__slot_is_busy(s))
        end_lease(a, s, status);
    if (a->failures > FAILURE * (a->o->workers + 8)) {
        snprintf(a->error, a->error_size, "%s",
                 a->childless ? "workers cannot start processes: there are too many of them, or there is no memory; "
                                "fewer workers (-j) need less"
                              : "workers end before they have done anything");
        a->failed = true;
    } else if (!a->failed) {
        rh__agent_start(a, s);
    }
}

void rh__agent_replace(struct rh__agent *a, struct rh__slot *s)
{
    rh__agent_used_seconds(a);
    stop(s);
    if (rh__slot_is_busy(s)) /* it may have come since */
        a->queue.table->give_back(a->queue.state, s->lease.number, false);
    s->lease.number = 0;
    rh__agent_start(a, s);
}

void rh__agent_look_after(struct rh__agent *a, double now)
{
    rh__agent_used_seconds(a); /* the meter of a process that has ended says nothing */
    for (uint32_t i = 0; i < a->o->workers; i++) {
        struct rh__slot *s = &a->slots[i];
        siginfo_t info = { .si_pid = 0 };
        if (s->pid <= 0)
            continue;
        if (s->gone_since == 0 && waitid(P_PID, (id_t)s->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid)
            s->gone_since = now;
        else if (s->gone_since > 0 && now - s->gone_since > stream_seconds)
            rh__agent_end_worker(a, s);
    }
}

/* Idle workers end by themselves when their stream ends, so that they flush their output. */
void rh__agent_dismiss(struct rh__agent *a)
{
    double until = rh__now_seconds() + dismiss_seconds;
    rh__agent_used_seconds(a);
    for (uint32_t i = 0; i < a->o->workers; i++)
        if (!rh__slot_is_busy(&a->slots[i]) && a->slots[i].fd >= 0) {
            close(a->slots[i].fd);
            a->slots[i].fd = -1;
        }
    for (uint32_t i = 0; i < a->o->workers; i++) {
        struct rh__slot *s = &a->slots[i];
        while (!rh__slot_is_busy(s) && s->pid > 0 && rh__now_seconds() < until) {
            if (waitpid(s->pid, NULL, WNOHANG) == 0)
                nanosleep(&(struct timespec){ 0, 500000 }, NULL);
            else
                s->pid = 0;
        }
        stop(s);
        rh__writer_release(&s->in);
    }
}

/* The time of a slot does not decrease when its worker dies. */
double rh__agent_used_seconds(struct rh__agent *a)
{
    double sum = 0;
    for (uint32_t i = 0; i < a->o->workers; i++) {
        double used = rh__meter_seconds(&a->meters[i]);
        a->slots[i].used = used > a->slots[i].used ? used : a->slots[i].used;
        sum += a->slots[i].used;
    }
    return sum;
}
