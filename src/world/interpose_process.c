/* The end of the process, other processes, threads and signals.
 *
 * exit and its relatives end the run with a finding, and so does exec, because it would replace the process that
 * explores.  A failed assert of <assert.h> becomes a failed rh_assert.
 *
 * A process forked by an actor gets a copy of the world that nobody drives.  Nothing is controlled there: the child's
 * calls go to libc, and exit ends only the child.  Threads are not controlled, either; rh__inside is false on them. */
#include "world/interpose_next.h"

#include <assert.h>
#include <pthread.h>
#include <rehearse.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

/* ---- the end ----------------------------------------------------------------------------------------------------- */

#define EXIT(name)                                                                                                     \
    void name(int status)                                                                                              \
    {                                                                                                                  \
        if (rh__inside())                                                                                              \
            rh__exit_called(#name, status, __builtin_return_address(0));                                               \
        NEXT(name)(status);                                                                                            \
        __builtin_unreachable();                                                                                       \
    }
EXIT(exit)
EXIT(_exit)
EXIT(_Exit)
EXIT(quick_exit)

void abort(void)
{
    if (rh__inside())
        rh__exit_called("abort", 128 + SIGABRT, __builtin_return_address(0));
    NEXT(abort)();
    __builtin_unreachable();
}

void __assert_fail(const char *condition, const char *file, unsigned int line, const char *function)
{
    if (rh__inside()) {
        char here[256];
        snprintf(here, sizeof here, "%s:%u", file, line);
        rh_assert_failed_(here, condition, "in %s", function ? function : "?");
    }
    NEXT(__assert_fail)(condition, file, line, function);
    __builtin_unreachable();
}

/* atexit is not in the shared libc: it calls this function.  The list of handlers belongs to libc. */
int __cxa_atexit(void (*function)(void *), void *argument, void *module);
KEPT_AND(NOTE("atexit"), int, __cxa_atexit, (void (*function)(void *), void *argument, void *module),
         (function, argument, module))

#define NOTE_EXEC(call) (rh__inside() ? rh__exit_called(call, 0, __builtin_return_address(0)) : (void)0)

#define EXEC(name, parameters, arguments)                                                                              \
    int name parameters                                                                                                \
    {                                                                                                                  \
        NOTE_EXEC(#name);                                                                                              \
        return NEXT(name) arguments;                                                                                   \
    }
EXEC(execve, (const char *path, char *const arguments[], char *const environment[]), (path, arguments, environment))
EXEC(execv, (const char *path, char *const arguments[]), (path, arguments))
EXEC(execvp, (const char *file, char *const arguments[]), (file, arguments))
EXEC(execvpe, (const char *file, char *const arguments[], char *const environment[]), (file, arguments, environment))
EXEC(fexecve, (int fd, char *const arguments[], char *const environment[]), (fd, arguments, environment))

/* execl and its relatives: the list becomes an array on the stack, because a child must not allocate after fork.
 * `take_rest` reads what follows the list's end. */
#define EXEC_LIST(name, take_rest, call)                                                                               \
    int name(const char *path, const char *first, ...)                                                                 \
    {                                                                                                                  \
        va_list list;                                                                                                  \
        size_t count = 1;                                                                                              \
                                                                                                                       \
        NOTE_EXEC(#name);                                                                                              \
        va_start(list, first);                                                                                         \
        while (va_arg(list, const char *))                                                                             \
            count++;                                                                                                   \
        va_end(list);                                                                                                  \
        const char **arguments = (const char **)__builtin_alloca((count + 1) * sizeof *arguments);                     \
        va_start(list, first);                                                                                         \
        arguments[0] = first;                                                                                          \
        arguments[count] = NULL;                                                                                       \
        for (size_t i = 1; i <= count; i++)                                                                            \
            arguments[i] = va_arg(list, const char *);                                                                 \
        take_rest;                                                                                                     \
        va_end(list);                                                                                                  \
        return call;                                                                                                   \
    }
EXEC_LIST(execl, (void)0, NEXT(execv)(path, (char *const *)arguments))
EXEC_LIST(execlp, (void)0, NEXT(execvp)(path, (char *const *)arguments))
EXEC_LIST(execle, char *const *environment = va_arg(list, char *const *),
          NEXT(execve)(path, (char *const *)arguments, environment))

/* ---- other processes --------------------------------------------------------------------------------------------- */

pid_t fork(void)
{
    if (!rh__inside())
        return NEXT(fork)();
    NOTE("fork");
    pid_t child = NEXT(fork)();
    if (child == 0)
        rh__outside_push(); /* permanently: nothing is controlled in the child */
    return child;
}

/* A function around vfork would return twice from one frame.  POSIX allows vfork to be fork. */
pid_t vfork(void)
{
    bool inside = rh__inside();

    NOTE("vfork");
    pid_t child = NEXT(fork)();
    if (child == 0 && inside)
        rh__outside_push();
    return child;
}

NOTED(int, system, (const char *command), (command))
NOTED(int, daemon, (int keep_folder, int keep_streams), (keep_folder, keep_streams))
NOTED(int, posix_spawn,
      (pid_t *restrict child, const char *restrict path, const posix_spawn_file_actions_t *restrict actions,
       const posix_spawnattr_t *restrict attributes, char *const arguments[restrict],
       char *const environment[restrict]),
      (child, path, actions, attributes, arguments, environment))
NOTED(int, posix_spawnp,
      (pid_t *restrict child, const char *restrict file, const posix_spawn_file_actions_t *restrict actions,
       const posix_spawnattr_t *restrict attributes, char *const arguments[restrict],
       char *const environment[restrict]),
      (child, file, actions, attributes, arguments, environment))

pid_t waitpid(pid_t child, int *status, int options)
{
    if (rh__inside()) {
        NOTE("waitpid");
        rh__touch(status, sizeof *status);
    }
    return NEXT(waitpid)(child, status, options);
}

pid_t wait(int *status)
{
    if (rh__inside()) {
        NOTE("wait");
        rh__touch(status, sizeof *status);
    }
    return NEXT(wait)(status);
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

NOTED_KEPT(int, pthread_create,
           (pthread_t *restrict thread, const pthread_attr_t *restrict attributes, void *(*function)(void *),
            void *restrict argument),
           (thread, attributes, function, argument))
NOTED_KEPT(int, thrd_create, (thrd_t * thread, thrd_start_t function, void *argument), (thread, function, argument))

/* The tables of keys after the 32nd are allocated at first use. */
KEPT(int, pthread_setspecific, (pthread_key_t key, const void *value), (key, value))
KEPT(int, tss_set, (tss_t key, void *value), (key, value))

/* ---- signals ----------------------------------------------------------------------------------------------------- */

NOTED(__sighandler_t, signal, (int number, __sighandler_t handler), (number, handler))
NOTED(int, kill, (pid_t process, int number), (process, number))
NOTED(unsigned int, alarm, (unsigned int s), (s))
NOTED(int, timer_create, (clockid_t clock, struct sigevent *restrict event, timer_t *restrict timer),
      (clock, event, timer))
NOTED(int, setitimer,
      (__itimer_which_t which, const struct itimerval *restrict wanted, struct itimerval *restrict before),
      (which, wanted, before))

/* A query of the handler changes nothing. */
/* An actor may block signals, but not those with which the world observes it. */
static const sigset_t *without_ours(int how, const sigset_t *wanted, sigset_t *kept)
{
    static const int ours[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGVTALRM };
    if (!wanted || how == SIG_UNBLOCK || !rh__inside())
        return wanted;
    *kept = *wanted;
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        sigdelset(kept, ours[i]);
    return kept;
}

int sigprocmask(int how, const sigset_t *restrict wanted, sigset_t *restrict before)
{
    sigset_t kept;
    return NEXT(sigprocmask)(how, without_ours(how, wanted, &kept), before);
}

int pthread_sigmask(int how, const sigset_t *restrict wanted, sigset_t *restrict before)
{
    sigset_t kept;
    return NEXT(pthread_sigmask)(how, without_ours(how, wanted, &kept), before);
}

int sigaction(int number, const struct sigaction *restrict wanted, struct sigaction *restrict before)
{
    if (wanted)
        NOTE("sigaction");
    return NEXT(sigaction)(number, wanted, before);
}
