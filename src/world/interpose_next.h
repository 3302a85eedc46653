/* Private to interpose_*.c, and their first include: the next definition of a function after ours.
 *
 *     NEXT(open)(path, flags, mode)
 *
 * Each function that is passed on has its name in RH__NEXT_NAMES.  A constructor fills the table, which is then not
 * written again, because it is in writable pages of the test program that the world tracks and restores.  (The
 * constructor of a library may run earlier; then the entry is found at the call.) */
/* Private to src/world. */
#ifndef RH_WORLD_INTERPOSE_NEXT_H
#define RH_WORLD_INTERPOSE_NEXT_H

/* Fortified headers define some of these functions inline, and 64-bit file offsets rename them. */
#undef _FORTIFY_SOURCE
#undef _FILE_OFFSET_BITS
#undef _TIME_BITS
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

/* Sanitizers call libc, and so us, before instrumented code can run. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#error "compile interpose_*.c with -fno-sanitize=all"
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#error "compile interpose_*.c with -fno-sanitize=all"
#endif
#endif

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include "world/control.h"

/* clang-format off */
#define RH__NEXT_NAMES(X)                                                                                              \
    /* memory */                                                                                                       \
    X(malloc_usable_size)                                                                                              \
    /* time */                                                                                                         \
    X(clock_gettime) X(clock_getres) X(gettimeofday) X(time) X(clock) X(times) X(timespec_get) X(ftime) X(getrusage)   \
    X(nanosleep) X(clock_nanosleep) X(usleep) X(sleep) X(thrd_sleep) X(sched_yield) X(thrd_yield)                      \
    /* random numbers */                                                                                               \
    X(rand) X(srand) X(random) X(srandom) X(initstate) X(setstate) X(drand48) X(lrand48) X(mrand48) X(srand48)         \
    X(seed48) X(lcong48) X(getrandom) X(getentropy) X(arc4random) X(arc4random_buf) X(arc4random_uniform)              \
    /* files */                                                                                                        \
    X(open) X(open64) X(openat) X(openat64) X(creat) X(creat64) X(fopen) X(fopen64) X(freopen) X(freopen64) X(fdopen)  \
    X(fmemopen) X(open_memstream) X(open_wmemstream) X(fopencookie) X(tmpfile) X(tmpfile64) X(popen) X(setvbuf)        \
    X(mkstemp) X(mkstemp64) X(mkostemp) X(mkostemp64) X(mkdtemp) X(unlink) X(unlinkat) X(remove) X(rename)             \
    X(renameat) X(renameat2) X(link) X(linkat) X(symlink) X(symlinkat) X(mkdir) X(mkdirat) X(rmdir) X(mkfifo)          \
    X(truncate) X(truncate64) X(ftruncate) X(ftruncate64) X(chmod) X(fchmod) X(chown) X(fchown) X(chdir) X(fchdir)     \
    X(umask) X(mmap) X(mmap64) X(shm_open) X(shm_unlink) X(memfd_create)                                               \
    /* processes */                                                                                                    \
    X(exit) X(_exit) X(_Exit) X(quick_exit) X(abort) X(__assert_fail) X(__cxa_atexit) X(fork) X(execve) X(execv)       \
    X(execvp) X(execvpe) X(fexecve) X(system) X(posix_spawn) X(posix_spawnp) X(daemon) X(pthread_create)               \
    X(thrd_create) X(pthread_setspecific) X(tss_set) X(signal) X(sigaction) X(sigprocmask) X(pthread_sigmask)          \
    X(kill) X(alarm) X(setitimer) X(timer_create) X(waitpid) X(wait)                                                   \
    /* network and waiting */                                                                                          \
    X(socket) X(socketpair) X(connect) X(bind) X(listen) X(accept) X(accept4) X(shutdown) X(send) X(sendto)            \
    X(sendmsg) X(recv) X(recvfrom) X(recvmsg) X(getsockname) X(getpeername) X(getsockopt) X(pipe) X(pipe2)             \
    X(eventfd) X(epoll_create) X(epoll_create1) X(epoll_wait) X(epoll_pwait) X(timerfd_create) X(signalfd)             \
    X(inotify_init) X(inotify_init1) X(poll) X(ppoll) X(select) X(pselect)                                             \
    /* reading */                                                                                                      \
    X(read) X(pread) X(pread64) X(readv) X(preadv) X(preadv64) X(fread) X(fread_unlocked) X(getcwd) X(stat) X(stat64)  \
    X(lstat) X(lstat64) X(fstat) X(fstat64) X(fstatat) X(fstatat64) X(readlink) X(readlinkat) X(gethostname) X(uname)  \
    X(getrlimit) X(getrlimit64)                                                                                        \
    /* libc's own */                                                                                                   \
    X(setenv) X(putenv) X(unsetenv) X(clearenv) X(setlocale) X(newlocale) X(duplocale) X(opendir) X(fdopendir)         \
    X(dlopen) X(getaddrinfo) X(gethostbyname) X(getpwnam) X(getpwuid) X(getgrnam) X(getgrgid) X(tzset) X(localtime)    \
    X(localtime_r) X(mktime) X(ctime) X(ctime_r) X(strftime) X(strerror) X(strsignal) X(perror) X(iconv_open)          \
    X(openlog) X(vsyslog) X(bindtextdomain) X(textdomain) X(gettext) X(dgettext) X(dcgettext)
/* clang-format on */

enum {
#define X(name) RH__NEXT_##name,
    RH__NEXT_NAMES(X)
#undef X
        RH__NEXT_COUNT
};

extern void *rh__next_table[RH__NEXT_COUNT];
void *rh__next_find(int which);

static inline void *rh__next(int which)
{
    void *found = rh__next_table[which];
    return __builtin_expect(found != NULL, 1) ? found : rh__next_find(which);
}
#define NEXT(name) ((__typeof__(&name))rh__next(RH__NEXT_##name))

/* Notes a call that escapes control, made from `from`.  Keeps errno. */
static inline void rh__note(const char *call, const void *from)
{
    int saved = errno;
    rh__escaped(call, from);
    errno = saved;
}
#define NOTE(call) (rh__inside() ? rh__note(call, __builtin_return_address(0)) : (void)0)

/* Complete functions of the common kinds; `arguments` in parentheses.  NOTED: an escape.  KEPT: libc allocates memory
 * that it keeps, which must not come from a region.  TOUCHED: the kernel writes into the program's memory. */
#define NOTED(type, name, parameters, arguments)                                                                       \
    type name parameters                                                                                               \
    {                                                                                                                  \
        NOTE(#name);                                                                                                   \
        return NEXT(name) arguments;                                                                                   \
    }
#define KEPT_AND(before, type, name, parameters, arguments)                                                            \
    type name parameters                                                                                               \
    {                                                                                                                  \
        if (!rh__inside())                                                                                             \
            return NEXT(name) arguments;                                                                               \
        before;                                                                                                        \
        rh__outside_push();                                                                                            \
        type result = NEXT(name) arguments;                                                                            \
        rh__outside_pop();                                                                                             \
        return result;                                                                                                 \
    }
#define KEPT(type, name, parameters, arguments)       KEPT_AND((void)0, type, name, parameters, arguments)
#define NOTED_KEPT(type, name, parameters, arguments) KEPT_AND(NOTE(#name), type, name, parameters, arguments)
#define TOUCHED(type, name, parameters, arguments, memory, size)                                                       \
    type name parameters                                                                                               \
    {                                                                                                                  \
        if (rh__inside())                                                                                              \
            rh__touch(memory, size);                                                                                   \
        return NEXT(name) arguments;                                                                                   \
    }

/* Writes to each page of memory that a system call is about to fill.  A page that the world has write-protected to
 * detect changes then gives a signal, as intended; the kernel would return EFAULT.  The bytes keep their values. */
static inline void rh__touch(void *memory, size_t size)
{
    enum { PAGE = 4096 };

    if (!memory || size == 0)
        return;
    for (uintptr_t at = (uintptr_t)memory, end = at + size; at < end && at >= (uintptr_t)memory;
         at = (at | (PAGE - 1)) + 1) {
        volatile unsigned char *byte = (volatile unsigned char *)at;
        *byte = *byte;
    }
}

/* Shared among these files. */
enum { RH__EPOCH_S = 1577836800 }; /* 2020-01-01T00:00:00Z: the real-time clock at the start of every run */
void rh__random_fill(void *memory, size_t size);
_Bool rh__random_device(int fd); /* /dev/random or /dev/urandom */

#pragma GCC visibility push(default) /* shared libraries must find what these files define */

#endif
