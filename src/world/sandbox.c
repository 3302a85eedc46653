/* See rehearse/sandbox.h.  The parent sleeps until the child ends, waking now and then to see whether steps still happen:
 * a handler that sleeps in the kernel uses no processor time of its own, so the child's watchdog (guard.c) cannot see it. */
#define _GNU_SOURCE
#include <rehearse/sandbox.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/visible.h"
#include "world/control.h"
#include "world/guard.h"
#include "world/outcome.h"

enum { LOOK_MS = 100, WALL_FACTOR = 5, MOST_LOOKS = 100 };

void *rh_shared_new(size_t size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

void rh_shared_free(void *p, size_t size)
{
    if (p)
        munmap(p, size);
}

_Noreturn static void child(struct rh_world *w, void (*drive)(struct rh_world *w, void *arg), void *arg)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    w->sandboxed = true;
    rh_world_begin(w);
    drive(w, arg);
    fflush(NULL);
    w->driven = true; /* without this a status of 0 is somebody else's doing */
    _exit(0);
}

/* ---- a handler that does not come back ------------------------------------------------------------------------------------- */

struct watched {
    uint64_t step;
    int64_t cpu_ns, step_ns; /* processor time of the child: at the last look, and when the step was first seen */
    uint64_t blocked_ms;     /* it slept, look after look */
    uint32_t asked;          /* looks since it was asked to say where it is */
};

static int64_t processor_ns(pid_t pid)
{
    clockid_t clock;
    struct timespec t;
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &t) != 0)
        return 0;
    return t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Asleep in the kernel: not one that waits for a processor, nor one that a debugger has stopped. */
static bool is_asleep(pid_t pid)
{
    char path[64], line[512];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, line, sizeof line - 1);
    if (fd >= 0)
        close(fd);
    line[n > 0 ? n : 0] = 0;
    const char *name_end = strrchr(line, ')');
    return name_end && name_end[1] == ' ' && (name_end[2] == 'S' || name_end[2] == 'D');
}

/* Processor time decides, the child's own; so a busy machine does not matter.  A child that sleeps uses none: it may do so for
 * WALL_FACTOR times as long, counted in looks.  It is asked to say where it is; if it cannot, it is killed: true. */
static bool look(struct rh_world *w, pid_t pid, struct watched *k, uint32_t look_ms)
{
    int64_t cpu = processor_ns(pid), used = cpu - k->cpu_ns, limit_ms = w->semantics.max_handler_ms;
    if (code_of(w) == RH_NONE || w->counts.steps != k->step) {
        *k = (struct watched){ .step = w->counts.steps, .cpu_ns = cpu, .step_ns = cpu };
        return false;
    }
    k->cpu_ns = cpu;
    bool asleep = used < (int64_t)look_ms * 1000000 / 20 && is_asleep(pid);
    k->blocked_ms = asleep ? k->blocked_ms + look_ms : 0;
    bool blocked = k->blocked_ms >= (uint64_t)limit_ms * WALL_FACTOR;
    bool busy =
        cpu - k->step_ns > limit_ms * 2000000 + 1000000000; /* its own watchdog does not count work in the kernel */
    if (!k->asked && (blocked || busy)) {
        union sigval why = { .sival_int = blocked ? RH__ASK_BLOCKED : RH__ASK_BUSY };
        sigqueue(pid, SIGVTALRM, why);
        k->asked = 1;
    } else if (k->asked && k->asked++ > MOST_LOOKS) {
        return true;
    }
    return false;
}

/* Waits for the child to end; one whose handler does not come back is made to, and *hung says whether it had to be killed. */
static int wait_for(struct rh_world *w, pid_t pid, bool *hung)
{
    int status = -1;
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    uint32_t look_ms = fd < 0 ? LOOK_MS / 10 : LOOK_MS;
    struct watched k = { .step = UINT64_MAX };
    *hung = false;
    for (;;) {
        struct pollfd ended = { .fd = fd, .events = POLLIN };
        if (fd < 0)
            nanosleep(&(struct timespec){ 0, look_ms * 1000000 },
                      NULL); /* no such call here: look ten times as often */
        int n = fd < 0 ? 1 : poll(&ended, 1, LOOK_MS);
        if (n != 0) {
            pid_t got = waitpid(pid, &status, fd < 0 ? WNOHANG : 0);
            if (got == pid || (got < 0 && errno != EINTR))
                break;
            if (got < 0 || fd >= 0)
                continue;
        }
        if (!*hung && look(w, pid, &k, look_ms)) {
            *hung = true;
            kill(pid, SIGKILL);
        }
    }
    if (fd >= 0)
        close(fd);
    return status;
}

enum rh_sandbox_end rh_sandbox_run(struct rh_world *w, void (*drive)(struct rh_world *w, void *arg), void *arg)
{
    fflush(NULL); /* what is in the buffers must not be written twice */
    w->inside = false;
    w->driven = false;
    w->over = 0;
    w->killed = false;
    w->fork_errno = 0;
    struct sigaction before, as_usual = { .sa_handler = SIG_DFL };
    sigaction(SIGCHLD, &as_usual, &before); /* a caller that ignores it would leave us nothing to wait for */
    pid_t pid = fork();
    if (pid < 0) {
        w->fork_errno = errno;
        sigaction(SIGCHLD, &before, NULL);
        if (!w->supervised) /* else somebody else tells */
            rh__complain("cannot start a process: %s", strerror(w->fork_errno));
        return RH_SANDBOX_FAILED;
    }
    if (pid == 0)
        child(w, drive, arg);
    bool hung;
    rh__outside_push(); /* w->inside is the child's: nothing that this process calls meanwhile is an actor's doing */
    int status = wait_for(w, pid, &hung);
    uint32_t whose = code_of(w);
    w->inside = false; /* it may have died in the middle of a handler */
    w->matching = RH_NONE;
    rh__outside_pop();
    sigaction(SIGCHLD, &before, NULL);
    w->can_read_stacks = false;
    w->log = w->log_start; /* the child's log is gone: nothing here may be pushed or rolled back but what follows */
    w->begun = false;      /* nor are its private memory and its signal handlers ours to give back */
    w->globals = NULL;
    w->killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && !hung;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && w->driven)
        return RH_SANDBOX_DONE;
    if (WIFEXITED(status) && WEXITSTATUS(status) == RH__EXIT_FINDING && w->over)
        return RH_SANDBOX_FINDING;
    if (whose != RH_NONE && hung)
        rh__fail(w, RH_OUTCOME_ENDLESS, whose, "",
                 "its handler does not come back, nor say where it is: it sleeps or waits outside of control");
    else if (whose != RH_NONE && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        rh__fail(w, RH_OUTCOME_LIMIT, whose, "",
                 "its process was killed, probably because the machine ran out "
                 "of memory");
    else if (whose != RH_NONE && WIFSIGNALED(status))
        rh__fail(w, RH_OUTCOME_CRASH, whose, "", "%s", strsignal(WTERMSIG(status)));
    else if (whose != RH_NONE && WIFEXITED(status))
        rh__fail(w, RH_OUTCOME_EXIT, whose, "", "its process ended with status %d", WEXITSTATUS(status));
    else {
        if (w->killed && w->supervised)
            return RH_SANDBOX_FAILED;
        if (WIFSIGNALED(status))
            rh__complain("%sthe exploring process %s signal %d (%s)",
                         WTERMSIG(status) == SIGKILL ? "" : "internal error: ",
                         WTERMSIG(status) == SIGKILL ? "was ended from outside by" : "died of", WTERMSIG(status),
                         strsignal(WTERMSIG(status)));
        else
            rh__complain("internal error: the exploring process ended with status %d", WEXITSTATUS(status));
        return RH_SANDBOX_FAILED;
    }
    return RH_SANDBOX_FINDING;
}
