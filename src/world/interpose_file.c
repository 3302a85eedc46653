/* Files and streams.
 *
 * Reading files is allowed: a test may have its data in files.  A call that changes files or directories, or creates
 * memory that the world does not know (mmap), is noted and done for real: the world cannot undo it. /dev/null may be
 * written.
 *
 * Streams are in a list of libc, so neither they nor their buffers may be in the region of an actor.  They are created
 * outside and get their buffer at once, because libc would allocate it at first use.  A buffer that an actor offers
 * with setvbuf is not used, which C allows. fclose needs no special treatment: free decides by the address.
 *
 * The random devices: a stream that an actor opens on one returns seeded bytes, and so does read for a descriptor. */
#include "world/interpose_next.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

extern void __chk_fail(void) __attribute__((noreturn));
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int folder, const char *path, int flags);
int __openat64_2(int folder, const char *path, int flags);

/* ---- descriptors ------------------------------------------------------------------------------------------------- */

static bool has_mode(int flags)
{
    return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
}

static bool writes(const char *path, int flags)
{
    return ((flags & O_ACCMODE) != O_RDONLY || has_mode(flags) || (flags & O_TRUNC)) && strcmp(path, "/dev/null") != 0;
}

#define NOTE_OPEN(call, path, flags) (rh__inside() && writes(path, flags) ? NOTE(call) : (void)0)

static mode_t mode_of(int flags, va_list rest)
{
    return has_mode(flags) ? va_arg(rest, mode_t) : 0;
}

#define OPEN(name)                                                                                                     \
    int name(const char *path, int flags, ...)                                                                         \
    {                                                                                                                  \
        va_list rest;                                                                                                  \
        va_start(rest, flags);                                                                                         \
        mode_t mode = mode_of(flags, rest);                                                                            \
        va_end(rest);                                                                                                  \
        NOTE_OPEN(#name, path, flags);                                                                                 \
        return NEXT(name)(path, flags, mode);                                                                          \
    }
#define OPENAT(name)                                                                                                   \
    int name(int folder, const char *path, int flags, ...)                                                             \
    {                                                                                                                  \
        va_list rest;                                                                                                  \
        va_start(rest, flags);                                                                                         \
        mode_t mode = mode_of(flags, rest);                                                                            \
        va_end(rest);                                                                                                  \
        NOTE_OPEN(#name, path, flags);                                                                                 \
        return NEXT(name)(folder, path, flags, mode);                                                                  \
    }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

/* Fortified programs call these for open without a mode. */
#define OPEN_2(name, plain)                                                                                            \
    int name(const char *path, int flags)                                                                              \
    {                                                                                                                  \
        if (has_mode(flags))                                                                                           \
            __chk_fail();                                                                                              \
        NOTE_OPEN(#plain, path, flags);                                                                                \
        return NEXT(plain)(path, flags, 0);                                                                            \
    }
#define OPENAT_2(name, plain)                                                                                          \
    int name(int folder, const char *path, int flags)                                                                  \
    {                                                                                                                  \
        if (has_mode(flags))                                                                                           \
            __chk_fail();                                                                                              \
        NOTE_OPEN(#plain, path, flags);                                                                                \
        return NEXT(plain)(folder, path, flags, 0);                                                                    \
    }
OPEN_2(__open_2, open)
OPEN_2(__open64_2, open64)
OPENAT_2(__openat_2, openat)
OPENAT_2(__openat64_2, openat64)

NOTED(int, creat, (const char *path, mode_t mode), (path, mode))
NOTED(int, creat64, (const char *path, mode_t mode), (path, mode))
NOTED(int, mkstemp, (char *pattern), (pattern))
NOTED(int, mkstemp64, (char *pattern), (pattern))
NOTED(int, mkostemp, (char *pattern, int flags), (pattern, flags))
NOTED(int, mkostemp64, (char *pattern, int flags), (pattern, flags))
NOTED(char *, mkdtemp, (char *pattern), (pattern))
NOTED(int, shm_open, (const char *name, int flags, mode_t mode), (name, flags, mode))
NOTED(int, shm_unlink, (const char *name), (name))
NOTED(int, memfd_create, (const char *name, unsigned int flags), (name, flags))

/* ---- names and attributes ---------------------------------------------------------------------------------------- */

NOTED(int, unlink, (const char *path), (path))
NOTED(int, unlinkat, (int folder, const char *path, int flags), (folder, path, flags))
NOTED(int, remove, (const char *path), (path))
NOTED(int, rename, (const char *from, const char *to), (from, to))
NOTED(int, renameat, (int from_folder, const char *from, int to_folder, const char *to),
      (from_folder, from, to_folder, to))
NOTED(int, renameat2, (int from_folder, const char *from, int to_folder, const char *to, unsigned int flags),
      (from_folder, from, to_folder, to, flags))
NOTED(int, link, (const char *from, const char *to), (from, to))
NOTED(int, linkat, (int from_folder, const char *from, int to_folder, const char *to, int flags),
      (from_folder, from, to_folder, to, flags))
NOTED(int, symlink, (const char *text, const char *path), (text, path))
NOTED(int, symlinkat, (const char *text, int folder, const char *path), (text, folder, path))
NOTED(int, mkdir, (const char *path, mode_t mode), (path, mode))
NOTED(int, mkdirat, (int folder, const char *path, mode_t mode), (folder, path, mode))
NOTED(int, rmdir, (const char *path), (path))
NOTED(int, mkfifo, (const char *path, mode_t mode), (path, mode))
NOTED(int, truncate, (const char *path, off_t size), (path, size))
NOTED(int, truncate64, (const char *path, off64_t size), (path, size))
NOTED(int, ftruncate, (int fd, off_t size), (fd, size))
NOTED(int, ftruncate64, (int fd, off64_t size), (fd, size))
NOTED(int, chmod, (const char *path, mode_t mode), (path, mode))
NOTED(int, fchmod, (int fd, mode_t mode), (fd, mode))
NOTED(int, chown, (const char *path, uid_t user, gid_t group), (path, user, group))
NOTED(int, fchown, (int fd, uid_t user, gid_t group), (fd, user, group))
NOTED(int, chdir, (const char *path), (path))
NOTED(int, fchdir, (int fd), (fd))
NOTED(mode_t, umask, (mode_t mask), (mask))

/* Memory that the world neither tracks nor restores; a read-only view of a file is harmless. */
#define MMAP(name, offset_type)                                                                                        \
    void *name(void *where, size_t size, int protection, int flags, int fd, offset_type offset)                        \
    {                                                                                                                  \
        if ((protection & PROT_WRITE) != 0)                                                                            \
            NOTE(#name);                                                                                               \
        return NEXT(name)(where, size, protection, flags, fd, offset);                                                 \
    }
MMAP(mmap, off_t)
MMAP(mmap64, off64_t)

/* ---- streams ----------------------------------------------------------------------------------------------------- */

/* Makes libc allocate the buffer of a new stream now; called between rh__outside_push and rh__outside_pop. */
static FILE *with_buffer(FILE *stream)
{
    if (stream) {
        int saved = errno;
        int fd = fileno(stream);
        NEXT(setvbuf)(stream, NULL, _IOFBF, 0);
        if (fd >= 0 && isatty(fd))
            NEXT(setvbuf)(stream, NULL, _IOLBF, 0);
        errno = saved;
    }
    return stream;
}

static bool mode_writes(const char *mode)
{
    return strpbrk(mode, "wa+") != NULL;
}

static bool names_random_device(const char *path)
{
    return strcmp(path, "/dev/urandom") == 0 || strcmp(path, "/dev/random") == 0;
}

static ssize_t read_random(void *cookie, char *memory, size_t size)
{
    (void)cookie;
    if (!rh__inside())
        return NEXT(getrandom)(memory, size, 0);
    rh__random_fill(memory, size);
    return (ssize_t)size;
}

/* Without a buffer, because bytes that were read ahead would not be returned when a run goes back. */
static FILE *open_random(void)
{
    FILE *stream = NEXT(fopencookie)(NULL, "r", (cookie_io_functions_t){ .read = read_random });

    if (stream)
        NEXT(setvbuf)(stream, NULL, _IONBF, 0);
    return stream;
}

#define FOPEN(name)                                                                                                    \
    FILE *name(const char *restrict path, const char *restrict mode)                                                   \
    {                                                                                                                  \
        if (!rh__inside())                                                                                             \
            return NEXT(name)(path, mode);                                                                             \
        if (mode_writes(mode) && strcmp(path, "/dev/null") != 0)                                                       \
            NOTE(#name);                                                                                               \
        rh__outside_push();                                                                                            \
        FILE *stream = names_random_device(path) ? open_random() : with_buffer(NEXT(name)(path, mode));                \
        rh__outside_pop();                                                                                             \
        return stream;                                                                                                 \
    }
FOPEN(fopen)
FOPEN(fopen64)

/* type name(...) that returns a stream; `noted` says whether the call is an escape */
#define STREAM(noted, name, parameters, arguments)                                                                     \
    FILE *name parameters                                                                                              \
    {                                                                                                                  \
        if (!rh__inside())                                                                                             \
            return NEXT(name) arguments;                                                                               \
        if (noted)                                                                                                     \
            NOTE(#name);                                                                                               \
        rh__outside_push();                                                                                            \
        FILE *made = with_buffer(NEXT(name) arguments);                                                                \
        rh__outside_pop();                                                                                             \
        return made;                                                                                                   \
    }
STREAM(mode_writes(mode), freopen, (const char *restrict path, const char *restrict mode, FILE *restrict stream),
       (path, mode, stream))
STREAM(mode_writes(mode), freopen64, (const char *restrict path, const char *restrict mode, FILE *restrict stream),
       (path, mode, stream))
STREAM(false, fdopen, (int fd, const char *mode), (fd, mode))
STREAM(true, tmpfile, (void), ())
STREAM(true, tmpfile64, (void), ())
STREAM(true, popen, (const char *command, const char *mode), (command, mode))
STREAM(false, fmemopen, (void *memory, size_t size, const char *mode), (memory, size, mode))
STREAM(false, fopencookie, (void *restrict cookie, const char *restrict mode, cookie_io_functions_t functions),
       (cookie, mode, functions))

/* Their buffer is their purpose, and is allocated at once. */
KEPT(FILE *, open_memstream, (char **text, size_t *size), (text, size))
KEPT(FILE *, open_wmemstream, (wchar_t * *text, size_t *size), (text, size))

int setvbuf(FILE *restrict stream, char *restrict buffer, int mode, size_t size)
{
    if (!rh__inside())
        return NEXT(setvbuf)(stream, buffer, mode, size);
    rh__outside_push();
    int result = NEXT(setvbuf)(stream, NULL, mode, size);
    rh__outside_pop();
    return result;
}

/* Defined in terms of setvbuf, because libc's versions would not call ours. */
void setbuffer(FILE *stream, char *buffer, size_t size)
{
    setvbuf(stream, buffer, buffer ? _IOFBF : _IONBF, size);
}

void setbuf(FILE *restrict stream, char *restrict buffer)
{
    setbuffer(stream, buffer, BUFSIZ);
}

void setlinebuf(FILE *stream)
{
    setvbuf(stream, NULL, _IOLBF, 0);
}
