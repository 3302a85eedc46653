/* Calls with which the kernel writes into the program's memory.
 *
 * The world write-protects pages to detect which ones a step changes.  The program's own writes then give a signal that
 * the world handles; a system call returns EFAULT.  So the memory is touched before the call (rh__touch), only inside
 * an actor.  Streams mostly read into their own buffers, which are not tracked; only fread has the kernel fill large
 * blocks directly.
 *
 * read also checks what it reads from: the random devices return seeded bytes, and everything that is neither a file
 * nor a folder (a terminal, a pipe, a socket) is noted.
 *
 * Programs compiled with _FORTIFY_SOURCE call the names in __..._chk. */
#include "world/interpose_next.h"

#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <unistd.h>

extern void __chk_fail(void) __attribute__((noreturn));
ssize_t __read_chk(int fd, void *memory, size_t size, size_t room);
ssize_t __pread_chk(int fd, void *memory, size_t size, off_t offset, size_t room);
ssize_t __pread64_chk(int fd, void *memory, size_t size, off64_t offset, size_t room);
size_t __fread_chk(void *restrict memory, size_t room, size_t size, size_t count, FILE *restrict stream);
size_t __fread_unlocked_chk(void *restrict memory, size_t room, size_t size, size_t count, FILE *restrict stream);
char *__getcwd_chk(char *memory, size_t size, size_t room);
ssize_t __readlink_chk(const char *restrict path, char *restrict memory, size_t size, size_t room);
ssize_t __readlinkat_chk(int folder, const char *restrict path, char *restrict memory, size_t size, size_t room);
int __gethostname_chk(char *memory, size_t size, size_t room);
int __poll_chk(struct pollfd *fds, nfds_t count, int timeout_ms, size_t room);
int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask, size_t room);

/* ---- descriptors ------------------------------------------------------------------------------------------------- */

static bool comes_from_outside(int fd)
{
    struct stat s;
    int saved = errno;
    bool outside = NEXT(fstat)(fd, &s) == 0 && !S_ISREG(s.st_mode) && !S_ISDIR(s.st_mode);

    errno = saved;
    return outside;
}

/* Inside an actor.  Returns true if the memory has already been filled. */
static bool prepare_read(int fd, void *memory, size_t size, const char *call, const void *from)
{
    if (rh__random_device(fd)) {
        rh__random_fill(memory, size <= SSIZE_MAX ? size : SSIZE_MAX);
        return true;
    }
    if (comes_from_outside(fd))
        rh__note(call, from);
    rh__touch(memory, size);
    return false;
}

#define FILLED(fd, memory, size, call)                                                                                 \
    (rh__inside() && prepare_read(fd, memory, size, call, __builtin_return_address(0)))

ssize_t read(int fd, void *memory, size_t size)
{
    return FILLED(fd, memory, size, "read") ? (ssize_t)size : NEXT(read)(fd, memory, size);
}

ssize_t __read_chk(int fd, void *memory, size_t size, size_t room)
{
    if (size > room)
        __chk_fail();
    return FILLED(fd, memory, size, "read") ? (ssize_t)size : NEXT(read)(fd, memory, size);
}

ssize_t pread(int fd, void *memory, size_t size, off_t offset)
{
    return FILLED(fd, memory, size, "pread") ? (ssize_t)size : NEXT(pread)(fd, memory, size, offset);
}

ssize_t pread64(int fd, void *memory, size_t size, off64_t offset)
{
    return FILLED(fd, memory, size, "pread64") ? (ssize_t)size : NEXT(pread64)(fd, memory, size, offset);
}

ssize_t __pread_chk(int fd, void *memory, size_t size, off_t offset, size_t room)
{
    if (size > room)
        __chk_fail();
    return FILLED(fd, memory, size, "pread") ? (ssize_t)size : NEXT(pread)(fd, memory, size, offset);
}

ssize_t __pread64_chk(int fd, void *memory, size_t size, off64_t offset, size_t room)
{
    if (size > room)
        __chk_fail();
    return FILLED(fd, memory, size, "pread64") ? (ssize_t)size : NEXT(pread64)(fd, memory, size, offset);
}

/* Inside an actor.  Returns the number of bytes if all parts have already been filled, otherwise -1. */
static ssize_t prepare_parts(int fd, const struct iovec *parts, int count, const char *call, const void *from)
{
    ssize_t filled = 0;

    for (int i = 0; i < count; i++) {
        if (prepare_read(fd, parts[i].iov_base, parts[i].iov_len, call, from))
            filled += (ssize_t)parts[i].iov_len;
        else
            filled = -1;
    }
    return count > 0 ? filled : -1;
}

#define READ_PARTS(name, parameters, arguments)                                                                        \
    ssize_t name parameters                                                                                            \
    {                                                                                                                  \
        ssize_t filled = -1;                                                                                           \
                                                                                                                       \
        if (rh__inside())                                                                                              \
            filled = prepare_parts(fd, parts, count, #name, __builtin_return_address(0));                              \
        return filled >= 0 ? filled : NEXT(name) arguments;                                                            \
    }
READ_PARTS(readv, (int fd, const struct iovec *parts, int count), (fd, parts, count))
READ_PARTS(preadv, (int fd, const struct iovec *parts, int count, off_t offset), (fd, parts, count, offset))
READ_PARTS(preadv64, (int fd, const struct iovec *parts, int count, off64_t offset), (fd, parts, count, offset))

/* ---- streams ----------------------------------------------------------------------------------------------------- */

/* Inside an actor.  The number of bytes that fread may write; 0 if the product overflows. */
static size_t product(size_t size, size_t count)
{
    size_t bytes;

    return __builtin_mul_overflow(size, count, &bytes) ? 0 : bytes;
}

TOUCHED(size_t, fread, (void *restrict memory, size_t size, size_t count, FILE *restrict stream),
        (memory, size, count, stream), memory, product(size, count))
#undef fread_unlocked /* a macro too */
TOUCHED(size_t, fread_unlocked, (void *restrict memory, size_t size, size_t count, FILE *restrict stream),
        (memory, size, count, stream), memory, product(size, count))

static void check_room(size_t size, size_t count, size_t room)
{
    size_t bytes;

    if (__builtin_mul_overflow(size, count, &bytes) || bytes > room)
        __chk_fail();
}

size_t __fread_chk(void *restrict memory, size_t room, size_t size, size_t count, FILE *restrict stream)
{
    check_room(size, count, room);
    return fread(memory, size, count, stream);
}

size_t __fread_unlocked_chk(void *restrict memory, size_t room, size_t size, size_t count, FILE *restrict stream)
{
    check_room(size, count, room);
    return fread_unlocked(memory, size, count, stream);
}

/* ---- facts about files and the machine --------------------------------------------------------------------------- */

TOUCHED(int, stat, (const char *restrict path, struct stat *restrict facts), (path, facts), facts, sizeof *facts)
TOUCHED(int, stat64, (const char *restrict path, struct stat64 *restrict facts), (path, facts), facts, sizeof *facts)
TOUCHED(int, lstat, (const char *restrict path, struct stat *restrict facts), (path, facts), facts, sizeof *facts)
TOUCHED(int, lstat64, (const char *restrict path, struct stat64 *restrict facts), (path, facts), facts, sizeof *facts)
TOUCHED(int, fstat, (int fd, struct stat *facts), (fd, facts), facts, sizeof *facts)
TOUCHED(int, fstat64, (int fd, struct stat64 *facts), (fd, facts), facts, sizeof *facts)
TOUCHED(int, fstatat, (int folder, const char *restrict path, struct stat *restrict facts, int flags),
        (folder, path, facts, flags), facts, sizeof *facts)
TOUCHED(int, fstatat64, (int folder, const char *restrict path, struct stat64 *restrict facts, int flags),
        (folder, path, facts, flags), facts, sizeof *facts)
TOUCHED(ssize_t, readlink, (const char *restrict path, char *restrict memory, size_t size), (path, memory, size),
        memory, size)
TOUCHED(ssize_t, readlinkat, (int folder, const char *restrict path, char *restrict memory, size_t size),
        (folder, path, memory, size), memory, size)
TOUCHED(char *, getcwd, (char *memory, size_t size), (memory, size), memory, size)
TOUCHED(int, gethostname, (char *memory, size_t size), (memory, size), memory, size)
TOUCHED(int, uname, (struct utsname * names), (names), names, sizeof *names)
TOUCHED(int, getrlimit, (__rlimit_resource_t which, struct rlimit *limit), (which, limit), limit, sizeof *limit)
TOUCHED(int, getrlimit64, (__rlimit_resource_t which, struct rlimit64 *limit), (which, limit), limit, sizeof *limit)

/* The plain functions above note nothing, so the place of the call is not needed. */
#define CHECKED(type, name, parameters, wanted, plain)                                                                 \
    type name parameters                                                                                               \
    {                                                                                                                  \
        if ((wanted) > room)                                                                                           \
            __chk_fail();                                                                                              \
        return plain;                                                                                                  \
    }
CHECKED(char *, __getcwd_chk, (char *memory, size_t size, size_t room), size, getcwd(memory, size))
CHECKED(ssize_t, __readlink_chk, (const char *restrict path, char *restrict memory, size_t size, size_t room), size,
        readlink(path, memory, size))
CHECKED(ssize_t, __readlinkat_chk,
        (int folder, const char *restrict path, char *restrict memory, size_t size, size_t room), size,
        readlinkat(folder, path, memory, size))
CHECKED(int, __gethostname_chk, (char *memory, size_t size, size_t room), size, gethostname(memory, size))
/* These note an escape with a place in this file, which is good enough for polls in fortified programs. */
CHECKED(int, __poll_chk, (struct pollfd * fds, nfds_t count, int timeout_ms, size_t room), count * sizeof *fds,
        poll(fds, count, timeout_ms))
CHECKED(int, __ppoll_chk,
        (struct pollfd * fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask, size_t room),
        count * sizeof *fds, ppoll(fds, count, timeout, mask))
