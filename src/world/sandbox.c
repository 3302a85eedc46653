/* See rehearse/sandbox.h.  The parent sleeps until the child ends, waking now and then to see whether steps still happen:
 * a handler that sleeps in the kernel uses no processor time, so the child's own watchdog (guard.c) cannot see it. */
#define _GNU_SOURCE
#include <rehearse/sandbox.h>

#include <errno.h>
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

enum { LOOK_MS = 100, WALL_FACTOR = 5 };

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

/* Waits; kills a child whose handler has not moved for long on the wall clock, and says so in *hung. */
static int wait_for(struct rh_world *w, pid_t pid, bool *hung)
{
    int status = -1;
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    uint64_t step = 0;
    uint64_t still_ms = 0, limit_ms = (uint64_t)w->semantics.max_handler_ms * WALL_FACTOR;
    *hung = false;
    for (;;) {
        struct pollfd ended = { .fd = fd, .events = POLLIN };
        if (fd < 0)
            nanosleep(&(struct timespec){ 0, LOOK_MS * 100000 }, NULL); /* no such call here: look ten times as often */
        int n = fd < 0 ? 1 : poll(&ended, 1, LOOK_MS);
        if (n != 0) {
            pid_t got = waitpid(pid, &status, fd < 0 ? WNOHANG : 0);
            if (got == pid || (got < 0 && errno != EINTR))
                break;
            if (got < 0 || fd >= 0)
                continue;
        }
        if (code_of(w) != RH_NONE && w->counts.steps == step)
            still_ms += fd < 0 ? LOOK_MS / 10 : LOOK_MS;
        else
            still_ms = 0;
        step = w->counts.steps;
        if (still_ms >= limit_ms) {
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
    struct sigaction before, as_usual = { .sa_handler = SIG_DFL };
    sigaction(SIGCHLD, &as_usual, &before); /* a caller that ignores it would leave us nothing to wait for */
    pid_t pid = fork();
    if (pid < 0) {
        rh__complain("cannot start a process: %s", strerror(errno));
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
                 "its handler has not come back for %u ms: it sleeps or waits "
                 "outside of control",
                 w->semantics.max_handler_ms * WALL_FACTOR);
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
