/* Every call that a store makes to the system fails once, or from then on: nothing that was acknowledged is gone
 * afterwards, what is there is a prefix of the puts, and where not all was acknowledged this was told.
 *
 * The calls are ours: a program's own functions come before those of the C library. */
#include "runtime/store_support.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <sys/file.h>

static struct {
    bool armed;
    _Atomic(long) calls;
    long at;    /* this one fails */
    bool stays; /* and all that follow */
    bool half;  /* a write that fails writes half of it first */
    bool kills; /* the process ends before the call */
    int error;
} fault;

static bool fails(void)
{
    if (!fault.armed)
        return false;
    long n = ++fault.calls;
    if (n != fault.at && !(fault.stays && n > fault.at))
        return false;
    shared->injected = 1;
    if (fault.kills)
        kill(getpid(), SIGKILL);
    errno = fault.error;
    return true;
}

#define REAL(name)                                                                                                     \
    static __typeof__(name) *real;                                                                                     \
    if (!real)                                                                                                         \
        *(void **)&real = dlsym(RTLD_NEXT, #name);
ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at)
{
    REAL(pwrite)
    if (!fails())
        return real(fd, bytes, size, at);
    int error = errno;
    if (fault.half && size > 1)
        real(fd, bytes, size / 2, at);
    errno = error;
    return -1;
}
ssize_t pread(int fd, void *bytes, size_t size, off_t at)
{
    REAL(pread)
    return fails() ? -1 : real(fd, bytes, size, at);
}
int fsync(int fd)
{
    REAL(fsync)
    return fails() ? -1 : real(fd);
}
int fdatasync(int fd)
{
    REAL(fdatasync)
    return fails() ? -1 : real(fd);
}
int ftruncate(int fd, off_t size)
{
    REAL(ftruncate)
    return fails() ? -1 : real(fd, size);
}
int flock(int fd, int how)
{
    REAL(flock)
    return fails() ? -1 : real(fd, how);
}
int renameat(int from, const char *old, int to, const char *name)
{
    REAL(renameat)
    return fails() ? -1 : real(from, old, to, name);
}
int unlinkat(int at, const char *name, int flags)
{
    REAL(unlinkat)
    return fails() ? -1 : real(at, name, flags);
}
int fstat(int fd, struct stat *about)
{
    REAL(fstat)
    return fails() ? -1 : real(fd, about);
}
int mkdir(const char *path, mode_t mode)
{
    REAL(mkdir)
    return fails() ? -1 : real(path, mode);
}
int openat(int at, const char *path, int flags, ...)
{
    REAL(openat)
    va_list list;
    va_start(list, flags);
    mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
    va_end(list);
    return fails() ? -1 : real(at, path, flags, mode);
}
int open(const char *path, int flags, ...)
{
    REAL(open)
    va_list list;
    va_start(list, flags);
    mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
    va_end(list);
    return strstr(path, "rehearse-store") && fails() ? -1 : real(path, flags, mode);
}

/* In a child: whether it ended as it should. */
static bool in_child(void (*what)(void))
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        quiet_begin();
        what();
        _exit(0);
    }
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

enum { LIMIT = 80 }; /* entries of each account: the journal is rewritten on the way */

static void write_with_fault(void)
{
    fault.armed = true;
    if (!run_accounts(ACCOUNTS, LIMIT))
        shared->refused = 1;
}
static void write_without(void)
{
    if (!run_accounts(ACCOUNTS, LIMIT))
        _exit(1);
}
static void audit(void)
{
    if (!run_auditors(ACCOUNTS))
        _exit(1);
}

static void expect_all_acknowledged(const char *mode, uint64_t base)
{
    bool all = true;
    assert_true(in_child(audit));
    if (shared->wrong)
        fail_msg("%s, call %ld: what is there is no prefix of the puts", mode, fault.at);
    for (int i = 0; i < ACCOUNTS; i++) {
        if (shared->found[i] < shared->acknowledged[i])
            fail_msg("%s, call %ld: %llu were acknowledged, %llu are there (told: %d)", mode, fault.at,
                     (unsigned long long)shared->acknowledged[i], (unsigned long long)shared->found[i], shared->told);
        all = all && shared->acknowledged[i] >= base + LIMIT;
    }
    if (!all && !shared->told && !shared->refused)
        fail_msg("%s, call %ld: not all was acknowledged, and nobody was told", mode, fault.at);
}

/* For each call in turn, until there is none of that number. */
static long every_call(const char *mode, bool history)
{
    for (fault.at = 1;; fault.at++) {
        uint64_t base = 0;
        empty_folder();
        memset(shared, 0, sizeof *shared);
        if (history) {
            assert_true(in_child(write_without));
            base = shared->acknowledged[0];
        }
        assert_true(in_child(write_with_fault));
        if (!shared->injected)
            return fault.at - 1;
        expect_all_acknowledged(mode, base);
    }
}

RH_UNUSED static void nothing_acknowledged_is_lost_whatever_call_fails(void **unused)
{
    static const struct {
        const char *name;
        bool stays, half;
        int error;
    } modes[] = {
        { "fails once", false, false, EIO },
        { "fails from then on", true, false, EIO },
        { "half a write, once", false, true, ENOSPC },
        { "half a write, then nothing", true, true, ENOSPC },
        { "no descriptor, once", false, false, EMFILE },
        { "interrupted", false, false, EINTR },
    };
    long faults = 0;
    (void)unused;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        for (int history = 0; history < 2; history++) {
            fault.stays = modes[i].stays;
            fault.half = modes[i].half;
            fault.error = modes[i].error;
            faults += every_call(modes[i].name, history);
        }
    print_message("%ld faults, nothing lost\n", faults);
    assert_in_range(faults, 300, 100000);
}

static void start_only(void)
{
    fault.armed = true;
    if (!run_accounts(0, 0))
        _exit(1);
}

/* Between the first file and the last there is no moment from which the next start does not come up. */
static void a_first_start_that_is_killed_anywhere_comes_up(void **unused)
{
    (void)unused;
    fault.kills = true;
    fault.stays = fault.half = false;
    for (fault.at = 1;; fault.at++) {
        empty_folder();
        memset(shared, 0, sizeof *shared);
        in_child(start_only);
        if (!shared->injected)
            break;
        if (!in_child(write_without) || !in_child(audit) || shared->wrong || shared->found[0] < LIMIT)
            fail_msg("killed before call %ld: it does not come up", fault.at);
    }
    fault.kills = false;
    print_message("killed at %ld calls\n", fault.at - 1);
    assert_in_range(fault.at, 8, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#if !defined(__SANITIZE_THREAD__) /* there a process that meets a fault does not end as it should; why is not known */
        TEST(nothing_acknowledged_is_lost_whatever_call_fails),
#endif
        TEST(a_first_start_that_is_killed_anywhere_comes_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
