/* See rehearse/sandbox.h.  The parent sleeps until the child ends, and wakes now and then to see whether steps still
 * happen: a handler that sleeps in the kernel uses no processor time, so the child's watchdog (guard.c) cannot detect
 * it. */
#define _GNU_SOURCE
#include <rehearse/sandbox.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/visible.h"
#include "world/control.h"
#include "world/guard.h"
#include "world/outcome.h"
#include "world/symbol.h"

enum { LOOK_MS = 100, WALL_FACTOR = 5, MOST_LOOKS = 100 };

_Noreturn static void child(struct rh_world *w, void (*drive)(struct rh_world *w, void *arg), void *arg)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    w->sandboxed = true;
    rh_world_begin(w);
    drive(w, arg);
    fflush(NULL);
    w->driven = true; /* without this, an exit status of 0 is not ours */
    _exit(0);
}

/* ---- a handler that does not come back --------------------------------------------------------------------------- */

struct watched {
    uint64_t step;
    int64_t cpu_ns, step_ns; /* processor time of the child: at the last look, and when the step was first seen */
    uint64_t blocked_ms;     /* how long it has slept, over consecutive looks */
    uint32_t asked;          /* looks since it was asked to report where it is */
};

static int64_t processor_ns(pid_t pid)
{
    clockid_t clock;
    struct timespec t;
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &t) != 0)
        return 0;
    return t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Whether the process sleeps in the kernel: not if it waits for a processor or is stopped by a debugger. */
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

/* The child's own processor time decides, so a busy machine does not matter.  A child that sleeps uses none: it may
 * sleep WALL_FACTOR times as long, counted in looks.  Then it is asked to report where it is; if it cannot, it is
 * killed, and this returns true. */
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
        cpu - k->step_ns > limit_ms * 2000000 + 1000000000; /* the child's watchdog does not count work in the kernel */
    if (!k->asked && (blocked || busy)) {
        union sigval why = { .sival_int = blocked ? RH__ASK_BLOCKED : RH__ASK_BUSY };
        sigqueue(pid, SIGVTALRM, why);
        k->asked = 1;
    } else if (k->asked && k->asked++ > MOST_LOOKS) {
        return true;
    }
    return false;
}

/* Waits for the child to end.  A child whose handler does not return is ended; *hung says whether it had to be
 * killed. */
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

/* Reports that the child died and no program under test was running.  Only an internal error has a command that repeats
 * it. */
static void report_death(int status)
{
    char context[2048];
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
        rh__complain("the exploring process was ended from outside by signal %d (%s)", SIGKILL, strsignal(SIGKILL));
        return;
    }
    if (WIFSIGNALED(status))
        rh__complain("internal error: the exploring process died of signal %d (%s)", WTERMSIG(status),
                     strsignal(WTERMSIG(status)));
    else
        rh__complain("internal error: the exploring process ended with status %d", WEXITSTATUS(status));
    rh__bug_context(context, sizeof context);
    if (context[0]) {
        rh__print_lines_visible(stderr, context + 1);
        fputc('\n', stderr);
    }
}

enum rh_sandbox_end rh_sandbox_run(struct rh_world *w, void (*drive)(struct rh_world *w, void *arg), void *arg)
{
    fflush(NULL); /* the contents of buffers must not be written twice */
    w->inside = false;
    w->driven = false;
    w->over = 0;
    w->killed = false;
    w->tool_failed = false;
    w->fork_errno = 0;
    rh__bug_set_mark(&w->tool_failed);
    struct sigaction before, as_usual = { .sa_handler = SIG_DFL };
    sigaction(SIGCHLD, &as_usual, &before); /* a caller that ignores SIGCHLD would leave us nothing to wait for */
    rh__symbol_start();                     /* here: children share the lines that they look up */
    pid_t pid = fork();
    if (pid < 0) {
        w->fork_errno = errno;
        sigaction(SIGCHLD, &before, NULL);
        if (!w->supervised) /* otherwise the supervisor reports it */
            rh__complain("cannot start a process: %s", strerror(w->fork_errno));
        return RH_SANDBOX_FAILED;
    }
    if (pid == 0)
        child(w, drive, arg);
    rh__bug_set_mark(NULL);
    bool hung;
    rh__outside_push(); /* w->inside is the child's: no call of this process is an actor's */
    int status = wait_for(w, pid, &hung);
    uint32_t whose = code_of(w);
    w->inside = false; /* the child may have died in the middle of a handler */
    w->matching = RH_NONE;
    rh__outside_pop();
    sigaction(SIGCHLD, &before, NULL);
    w->can_read_stacks = false;
    w->log = w->log_start; /* the child's log is gone: only what follows may be pushed or rolled back here */
    w->begun = false;      /* its private memory and signal handlers are not ours to restore, either */
    w->globals = NULL;
    w->killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && !hung;
    if (w->tool_failed) /* whoever's code was running, the fault is ours */
        return RH_SANDBOX_FAILED;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && w->driven)
        return RH_SANDBOX_DONE;
    if (WIFEXITED(status) && WEXITSTATUS(status) == RH__EXIT_FINDING && w->over)
        return RH_SANDBOX_FINDING;
    if (whose != RH_NONE && hung)
        rh__fail(w, RH_OUTCOME_ENDLESS, whose, "",
                 "its handler does not return and does not report where it is: it sleeps or waits outside of control");
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
        report_death(status);
        return RH_SANDBOX_FAILED;
    }
    return RH_SANDBOX_FINDING;
}
