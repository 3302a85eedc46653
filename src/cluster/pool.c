/* See pool.h.
 *
 *     seat     the place of a worker: the process changes when it dies, the seat stays
 *     slice    how long a worker works on an item before it reports; short while fewer items wait than there are workers
 *     budget   how many runs and steps of what the limits still allow a worker may use; what it does not use comes back
 *
 * A worker is dead when nobody holds its end of the stream any more: then no report of it can be under way. */
#include "cluster/pool.h"
#include "base/visible.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/interrupt.h"
#include "cluster/checkpoint.h"
#include "explore/measure.h"
#include "world/state.h"

enum { MOST_MESSAGE = 1 << 30, ITEMS_PER_WORKER = 2, FEWEST_RUNS = 16, FAILURE = 32 };

static const double slice_seconds = 0.020, shortest_slice = 0.002;
static const double commit_seconds = 55e-6, commit_share = 0.4; /* what one costs an agent, and how busy it may be */
static const double grace_seconds = 0.5; /* of processor time for slices under way, when it is over */
static const double longest_grace = 30,
                    longest_grace_interrupted = 5;                  /* and on the wall clock, if it does not get that */
static const double stream_seconds = 2;                             /* that a stream may outlive its process */
static const double checkpoint_seconds = 5, checkpoint_cost = 0.05; /* how often; at most this share of the time */

struct seat {
    pid_t pid;
    int fd;
    struct rh__lease lease;       /* number 0: it waits for work */
    uint64_t max_runs, max_steps; /* its budget */
    struct rh__writer in;         /* of a message so far */
    double gone_since;            /* the process has ended, its stream not yet */
    double used;                  /* processor time, when that was looked at last; it does not go back */
    double grace_from;            /* likewise, when it was over */
};

struct agent {
    struct rh_exploration *x;
    const struct rh__pool_options *o;
    struct rh__job job;
    struct rh__queue queue;
    struct rh__told before; /* what was counted before this exploration */
    uint32_t properties_before;
    char *binding;
    struct rh__kept file; /* the checkpoint */
    bool unsaved;         /* the last one could not be written */
    double seconds_before, next_checkpoint;
    struct seat *seats;
    pid_t *pids;
    struct pollfd *polls;
    struct rh__meter *meters; /* by seat; shared with the workers */
    double next_meter;
    uint32_t left_out; /* items, because those who had them were killed */
    bool childless;    /* workers could not start processes */
    uint32_t failures; /* workers that died without work, one after the other: FAILURE for each that ended by itself */
    bool failed;
    bool fewer; /* workers than were asked for */
    char *error;
    size_t error_size;
};

static bool fail(struct agent *a, const char *why)
{
    snprintf(a->error, a->error_size, "%s: %s", why, strerror(errno));
    a->failed = true;
    return false;
}

/* ---- workers ------------------------------------------------------------------------------------------------------------- */

/* Of the agent's things a worker keeps only its stream. */
_Noreturn static void be_worker(struct agent *a, int fd, struct rh__meter *meter, pid_t parent)
{
    struct rh__job job = a->job;
    job.meter = meter;
    struct rh_world *w = a->x->world;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(0);
    for (uint32_t i = 0; i < a->o->workers; i++)
        if (a->seats[i].fd >= 0)
            close(a->seats[i].fd);
    rh__exploration_free(a->x);
    rh_world_free(w);
    rh__worker_run(&job, fd);
}

static bool start(struct agent *a, struct seat *s)
{
    int ends[2];
    pid_t parent = getpid();
    struct rh__meter *meter = &a->meters[s - a->seats];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return fail(a, "no stream for a worker");
    s->fd = ends[0];
    s->gone_since = 0;
    s->in.len = 0;
    s->lease.number = 0;
    *meter = (struct rh__meter){ .before = s->used };
    fflush(NULL); /* what is in the buffers must not be written twice */
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
    for (uint32_t i = 0; i < a->o->workers; i++)
        if (a->seats[i].pid > 0) { /* then with fewer */
            if (!a->fewer)
                fprintf(stderr, "rehearse: warning: no more workers can be started: %s\n", strerror(why));
            a->fewer = true;
            return true;
        }
    errno = why;
    return fail(a, "no worker can be started");
}

/* Ends it, and tells how it ended. */
static int stop(struct seat *s)
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

static bool busy(const struct seat *s)
{
    return s->lease.number != 0;
}

/* ---- death --------------------------------------------------------------------------------------------------------------- */

/* Somebody has ended it from outside, most likely the machine, for want of memory: that is no finding about the program. */
static bool was_killed(int status)
{
    return WIFSIGNALED(status) ? WTERMSIG(status) == SIGKILL : WEXITSTATUS(status) == RH__WORKER_CHILD_KILLED;
}

static void note_killed(struct agent *a, uint32_t deaths)
{
    a->x->incomplete = true;
    a->left_out++;
    snprintf(a->x->trouble, sizeof a->x->trouble,
             "%u part%s of the tree left out: %u processes in turn were killed over the same part (SIGKILL), probably "
             "because the machine ran out of memory; fewer workers (-j) need less",
             a->left_out, a->left_out > 1 ? "s are" : " is", deaths);
}

/* Again and again over the same item: that is worth telling, and the item is left out. */
static void add_killer(struct agent *a, uint32_t deaths, int status)
{
    static const char what[] = "worker";
    struct rh_exploration *x = a->x;
    uint64_t signature = rh__hash(what, sizeof what, RH_OUTCOME_LIMIT);
    struct rh__finding *f = NULL;
    x->incomplete = true;
    for (uint32_t i = 0; i < x->finding_count && !f; i++)
        if (x->findings[i].signature == signature)
            f = &x->findings[i];
    if (f || x->finding_count == RH__MAX_FINDINGS) {
        if (f)
            f->count++;
        return;
    }
    f = &x->findings[x->finding_count++];
    f->signature = signature;
    f->count = 1;
    f->run = x->runs + 1;
    f->outcome = (struct rh_outcome){ .kind = RH_OUTCOME_LIMIT, .actor = RH_NONE };
    snprintf(f->outcome.text, sizeof f->outcome.text,
             "%u worker processes in turn ended over the same part of the tree (the last %s %d); it is left out",
             deaths, WIFSIGNALED(status) ? "by signal" : "with status",
             WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    f->actor[0] = f->schedule[0] = f->story[0] = 0;
    f->picks[0] = UINT32_MAX; /* behind all that are in the tree */
    f->pick_count = 1;
}

static void bury(struct agent *a, struct seat *s)
{
    uint32_t most = a->o->most_deaths ? a->o->most_deaths : RH__MOST_DEATHS;
    int status = stop(s);
    bool childless = WIFEXITED(status) && WEXITSTATUS(status) == RH__WORKER_WITHOUT_CHILD;
    if (childless) { /* the item has nothing to do with it */
        a->failures += FAILURE;
        a->childless = true;
        if (busy(s))
            a->queue.table->give_back(a->queue.state, s->lease.number, false);
    } else if (!busy(s)) { /* it cannot start, or somebody kills it, who may stop that */
        a->failures += WIFEXITED(status) ? FAILURE : 1;
    } else if (s->lease.deaths + 1 >= most) {
        a->queue.table->drop(a->queue.state, s->lease.number);
        if (was_killed(status))
            note_killed(a, s->lease.deaths + 1);
        else
            add_killer(a, s->lease.deaths + 1, status);
    } else {
        a->queue.table->give_back(a->queue.state, s->lease.number, true);
    }
    s->lease.number = 0;
    if (a->failures > FAILURE * (a->o->workers + 8)) {
        snprintf(a->error, a->error_size, "%s",
                 a->childless ? "workers cannot start processes: there are too many of them, or there is no memory; "
                                "fewer workers (-j) need less"
                              : "workers end before they have done anything");
        a->failed = true;
    } else {
        start(a, s);
    }
}

/* ---- work out ------------------------------------------------------------------------------------------------------------ */

/* How much of a limit a worker gets; 0 for any number.  False if nothing is left but what others have. */
static bool budget(uint64_t limit, uint64_t used, uint64_t out, uint32_t workers, uint64_t *mine)
{
    *mine = 0;
    if (!limit)
        return true;
    if (used + out >= limit)
        return false;
    uint64_t left = limit - used - out, share = left / (2 * workers);
    *mine = share > FEWEST_RUNS ? share : left < FEWEST_RUNS ? left : FEWEST_RUNS;
    return true;
}

static double slice(const struct agent *a, uint32_t deaths, bool few)
{
    double seconds = a->o->workers * commit_seconds / commit_share;
    seconds = seconds > slice_seconds ? seconds : slice_seconds;
    if (few)
        seconds /= 8;
    seconds = seconds > shortest_slice ? seconds : shortest_slice;
    for (; deaths; deaths--)
        seconds /= 4; /* an innocent item gets through, and of another less is lost */
    return seconds;
}

static bool hand_out(struct agent *a, struct seat *s)
{
    const struct rh__limits *l = &a->x->limits;
    uint32_t n = a->o->workers;
    uint64_t runs_out = 0, steps_out = 0;
    struct rh__order order = { 0 };
    for (uint32_t i = 0; i < n; i++)
        if (busy(&a->seats[i])) {
            runs_out += a->seats[i].max_runs;
            steps_out += a->seats[i].max_steps;
        }
    if (!budget(l->max_runs, a->x->runs, runs_out, n, &order.max_runs) ||
        !budget(l->max_all_steps, a->x->steps, steps_out, n, &order.max_steps) ||
        !a->queue.table->fetch(a->queue.state, &s->lease))
        return false;
    if (a->o->slice_runs && (!order.max_runs || order.max_runs > a->o->slice_runs))
        order.max_runs = a->o->slice_runs;
    uint32_t waiting = a->queue.table->waiting(a->queue.state);
    bool few = n > 1 && waiting < n;
    order.lease = s->lease.number;
    order.seconds = slice(a, s->lease.deaths, few);
    order.parts = few ? ITEMS_PER_WORKER * n - waiting : 0;
    order.first = s->lease.first;
    s->max_runs = order.max_runs;
    s->max_steps = order.max_steps;
    struct rh__writer w = rh__writer_new();
    rh__put(&w, &order, sizeof order);
    rh__put(&w, s->lease.item, s->lease.size);
    if (w.full)
        fail(a, "no memory for an item");
    else if (!rh__stream_send(s->fd, w.at, w.len))
        bury(a, s); /* it died while it waited; then the item is not what killed it, but that is rare enough */
    rh__writer_release(&w);
    return true;
}

/* To all that wait for work.  One that has died meanwhile is started again and asked again: it may be the only one, and nobody at
 * work means that we are done. */
static void hand_out_all(struct agent *a)
{
    for (uint32_t i = 0; i < a->o->workers && !a->failed;)
        if (busy(&a->seats[i]) || a->seats[i].pid <= 0)
            i++;
        else if (!hand_out(a, &a->seats[i]))
            return;
}

/* ---- results in ---------------------------------------------------------------------------------------------------------- */

static void take_report(struct agent *a, struct seat *s, const unsigned char *bytes, size_t size)
{
    uint64_t lease = 0;
    if (size >= sizeof lease)
        memcpy(&lease, bytes, sizeof lease);
    if (!busy(s) || lease != s->lease.number ||
        !a->queue.table->commit(a->queue.state, lease, bytes + sizeof lease, size - sizeof lease)) {
        errno = EPROTO;
        fail(a, "a worker reports what makes no sense");
        return;
    }
    s->lease.number = 0;
    a->failures = 0;
}

/* Reads what is there; a whole message is taken. */
static void listen_to(struct agent *a, struct seat *s)
{
    uint64_t length = 0;
    size_t have = s->in.len, want = sizeof length;
    if (have >= sizeof length) {
        memcpy(&length, s->in.at, sizeof length);
        want += (size_t)length;
    }
    if (length > MOST_MESSAGE || !rh__writer_has(&s->in, want - have)) {
        errno = ENOMEM;
        fail(a, "no room for the report of a worker");
        return;
    }
    ssize_t n = recv(s->fd, s->in.at + have, want - have, MSG_DONTWAIT);
    if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN)) {
        bury(a, s);
        return;
    }
    s->in.len += n > 0 ? (size_t)n : 0;
    if (s->in.len == want && length) {
        take_report(a, s, s->in.at + sizeof length, (size_t)length);
        s->in.len = 0;
    }
}

/* ---- the loop ------------------------------------------------------------------------------------------------------------ */

/* Processor time of all workers; now and then, since each is a system call. */
static double used_seconds(struct agent *a)
{
    double sum = 0;
    for (uint32_t i = 0; i < a->o->workers; i++) {
        double used = rh__meter_seconds(&a->meters[i]);
        a->seats[i].used = used > a->seats[i].used ? used : a->seats[i].used;
        sum += a->seats[i].used;
    }
    return sum;
}

static bool out_of_time(struct agent *a, double now)
{
    double most = a->x->limits.max_seconds;
    if (most <= 0 || now < a->next_meter)
        return false;
    a->next_meter = now + 0.010;
    return now - a->x->started >= most * RH__WALL_FACTOR || used_seconds(a) >= most * a->o->workers;
}

static bool enough(struct agent *a, double now)
{
    const struct rh_exploration *x = a->x;
    const struct rh__limits *l = &x->limits;
    return a->failed || x->interrupted || (x->finding_count && !l->keep_going) ||
           (l->max_runs && x->runs >= l->max_runs) || (l->max_all_steps && x->steps >= l->max_all_steps) ||
           out_of_time(a, now);
}

/* One that cannot be written now may be later: the disk has room again.  Only the last one counts. */
static void write_checkpoint(struct agent *a, bool last)
{
    double from = rh__now_seconds();
    if (!a->o->checkpoint)
        return;
    char why[512];
    bool was = a->unsaved;
    a->unsaved = !rh__checkpoint_write(&a->file, a->binding, a->x, &a->before, &a->queue,
                                       a->seconds_before + from - a->x->started, why, sizeof why);
    if (a->unsaved)
        snprintf(a->x->trouble, sizeof a->x->trouble, "the checkpoint is not up to date: %s", why);
    else if (was)
        a->x->trouble[0] = 0;
    if (a->unsaved && !was && !last)
        rh__complain("warning: no checkpoint for now: %s", why);
    double now = rh__now_seconds(), cost = now - from, pause = a->o->checkpoint_seconds;
    pause = pause > 0 ? pause : checkpoint_seconds;
    a->next_checkpoint = now + (cost / checkpoint_cost > pause ? cost / checkpoint_cost : pause);
}

static uint32_t count_busy(const struct agent *a)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < a->o->workers; i++)
        n += busy(&a->seats[i]);
    return n;
}

/* A process that has ended, while something it has left behind holds its stream: that may not keep us waiting. */
static void look_after(struct agent *a, double now)
{
    for (uint32_t i = 0; i < a->o->workers; i++) {
        struct seat *s = &a->seats[i];
        siginfo_t info = { .si_pid = 0 };
        if (s->pid <= 0)
            continue;
        if (s->gone_since == 0 && waitid(P_PID, (id_t)s->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid)
            s->gone_since = now;
        else if (s->gone_since > 0 && now - s->gone_since > stream_seconds)
            bury(a, s);
    }
}

static void begin_grace(struct agent *a)
{
    used_seconds(a);
    for (uint32_t i = 0; i < a->o->workers; i++)
        a->seats[i].grace_from = a->seats[i].used;
}

/* When it is over: whether those who still work have had their time. */
static bool grace_is_over(struct agent *a, double seconds)
{
    bool over = true;
    used_seconds(a);
    for (uint32_t i = 0; i < a->o->workers; i++)
        over &= !busy(&a->seats[i]) || a->seats[i].used - a->seats[i].grace_from > grace_seconds;
    return over || seconds > (a->x->interrupted ? longest_grace_interrupted : longest_grace);
}

static void wait_for_reports(struct agent *a)
{
    for (uint32_t i = 0; i < a->o->workers; i++)
        a->polls[i] = (struct pollfd){ .fd = a->seats[i].fd, .events = POLLIN };
    if (poll(a->polls, a->o->workers, 50) <= 0)
        return;
    for (uint32_t i = 0; i < a->o->workers && !a->failed; i++)
        if (a->polls[i].revents)
            listen_to(a, &a->seats[i]);
}

static void show_workers(struct agent *a)
{
    for (uint32_t i = 0; i < a->o->workers; i++)
        a->pids[i] = a->seats[i].pid;
    a->o->watch(a->o->watch_arg, a->x, a->pids);
}

static void work(struct agent *a)
{
    struct rh_exploration *x = a->x;
    double over = 0, next_look = 0; /* when it was enough */
    for (;;) {
        double now = rh__now_seconds();
        if (!over && enough(a, now)) {
            over = now;
            begin_grace(a);
        }
        if (!over)
            hand_out_all(a);
        if (a->failed || !count_busy(a) || (over && grace_is_over(a, now - over)))
            break;
        wait_for_reports(a);
        if (now >= next_look) {
            look_after(a, now);
            next_look = now + 0.2;
        }
        if (a->o->watch)
            show_workers(a);
        if (x->progress && now >= x->next_progress)
            x->progress(x);
        if (a->o->checkpoint && now >= a->next_checkpoint)
            write_checkpoint(a, false);
    }
    for (uint32_t i = 0; i < a->o->workers; i++)
        if (busy(&a->seats[i]))
            a->queue.table->give_back(a->queue.state, a->seats[i].lease.number, false);
    bool left = a->queue.table->waiting(a->queue.state) || a->queue.table->leased(a->queue.state);
    x->stopped = over > 0;
    /* Our own explorer has nothing either; asked, it knows that it is done. */
    x->exhausted = !left && rh_inner_begin(&x->explorer, x->world) == 0;
}

/* Those that wait end by themselves when the stream does, and flush what they have to. */
static void dismiss(struct agent *a)
{
    double until = rh__now_seconds() + longest_grace;
    for (uint32_t i = 0; i < a->o->workers; i++)
        if (!busy(&a->seats[i]) && a->seats[i].fd >= 0) {
            close(a->seats[i].fd);
            a->seats[i].fd = -1;
        }
    for (uint32_t i = 0; i < a->o->workers; i++) {
        struct seat *s = &a->seats[i];
        while (!busy(s) && s->pid > 0 && rh__now_seconds() < until) {
            if (waitpid(s->pid, NULL, WNOHANG) == 0)
                nanosleep(&(struct timespec){ 0, 500000 }, NULL);
            else
                s->pid = 0;
        }
        stop(s);
        rh__writer_release(&s->in);
    }
}

/* ---- beginning and end ------------------------------------------------------------------------------------------------- */

static bool is_empty(int fd)
{
    struct stat s;
    return fstat(fd, &s) == 0 && s.st_size == 0;
}

/* The whole tree as one item; or what a file says is left. */
static enum rh__pool_end fill(struct agent *a)
{
    struct rh_exploration *x = a->x;
    size_t room = rh__item_room(x);
    unsigned char *item = rh_shared_new(room);
    enum rh__pool_end end = RH__POOL_DONE;
    size_t size = item ? rh_inner_pack(&x->explorer, item, room, false) : 0;
    if (!size) {
        snprintf(a->error, a->error_size,
                 "explorer %s cannot share its work, so it cannot have several workers (-j) or a checkpoint; dfs can, "
                 "optimal, random, delayed, and bound, portfolio and symmetry of these",
                 a->o->explorer);
        end = RH__POOL_REFUSED;
    } else if (a->o->resume) {
        if (!rh__checkpoint_read(&a->file, a->binding, x, &a->queue, &a->seconds_before, a->error, a->error_size))
            end = RH__POOL_REFUSED;
    } else if (!rh__queue_local_add(&a->queue, item, size, true)) {
        snprintf(a->error, a->error_size, "no memory for an item");
        end = RH__POOL_FAILED;
    }
    rh_shared_free(item, room);
    return end;
}

static enum rh__pool_end open_pool(struct agent *a)
{
    uint32_t n = a->o->workers;
    snprintf(a->error, a->error_size, "no memory for %u workers", n);
    a->seats = rh__alloc_array(n, sizeof *a->seats);
    a->pids = rh__alloc_array(n, sizeof *a->pids);
    a->polls = rh__alloc_array(n, sizeof *a->polls);
    a->binding = rh__alloc_array(1, RH__BINDING_BYTES);
    a->meters = rh_shared_new(n * sizeof *a->meters);
    if (!a->seats || !a->meters || !a->pids || !a->polls || !a->binding || !rh__told_init(&a->before) ||
        !rh__queue_local(&a->queue, a->x))
        return RH__POOL_FAILED;
    for (uint32_t i = 0; i < n; i++)
        a->seats[i] = (struct seat){ .fd = -1, .in = rh__writer_new() };
    if (a->o->checkpoint &&
        !rh__checkpoint_binding(a->x, a->o->explorer, a->binding, RH__BINDING_BYTES, a->error, a->error_size))
        return RH__POOL_FAILED;
    if (a->o->checkpoint && !rh__kept_open(&a->file, a->o->checkpoint, a->o->resume, a->error, a->error_size))
        return RH__POOL_REFUSED;
    if (!a->o->resume && a->file.fd >= 0 && !is_empty(a->file.fd)) {
        snprintf(a->error, a->error_size,
                 "%s is there already: add --resume to go on from it, or remove it to begin anew", a->o->checkpoint);
        return RH__POOL_REFUSED;
    }
    rh__results_told(a->x, &a->before); /* the check for determinism has run the program too */
    a->before.escapes = 0;
    a->properties_before = a->x->world->property_count;
    return fill(a);
}

static void release(struct agent *a)
{
    if (a->queue.state)
        a->queue.table->free(a->queue.state);
    rh__kept_close(&a->file);
    rh__told_release(&a->before);
    rh__free(a->binding);
    rh__free(a->polls);
    rh__free(a->pids);
    rh_shared_free(a->meters, a->o->workers * sizeof *a->meters);
    rh__free(a->seats);
}

enum rh__pool_end rh__pool_explore(struct rh_exploration *x, const struct rh__pool_options *o, char *error,
                                   size_t error_size)
{
    struct agent a = { .x = x, .o = o, .file.fd = -1, .error = error, .error_size = error_size };
    a.job = (struct rh__job){ .world = o->world,
                              .explorer = o->explorer,
                              .seed = x->seed,
                              .keep_going = x->limits.keep_going,
                              .unchecked = x->limits.unchecked,
                              .criteria = x->measure ? x->measure->coverage->criteria : 0,
                              .mute = x->mute,
                              .describe = x->describe };
    struct rh__interrupts interrupts;
    x->workers = o->workers;
    enum rh__pool_end end = open_pool(&a);
    if (end != RH__POOL_DONE) {
        release(&a);
        return end;
    }
    rh__interrupts_begin(&interrupts, &x->interrupted);
    x->started = rh__now_seconds();
    write_checkpoint(&a, true);
    bool unwritable = a.unsaved; /* better known now */
    if (unwritable)
        snprintf(error, error_size, "%s", x->trouble);
    for (uint32_t i = 0; i < o->workers && !a.failed && !unwritable; i++)
        start(&a, &a.seats[i]);
    if (!a.failed && !unwritable)
        work(&a);
    dismiss(&a);
    if (!unwritable)
        write_checkpoint(&a, true);
    rh__interrupts_end(&interrupts);
    rh__sums_settle(x, a.properties_before);
    x->processor_seconds = used_seconds(&a);
    x->seconds = a.seconds_before + rh__now_seconds() - x->started;
    end = unwritable ? RH__POOL_REFUSED : a.failed ? RH__POOL_FAILED : RH__POOL_DONE;
    release(&a);
    return end;
}

uint32_t rh__cores(void)
{
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return n < 1 ? 1 : n > RH__MOST_WORKERS ? RH__MOST_WORKERS : (uint32_t)n;
}
