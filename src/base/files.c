/* See files.h. */
#include "base/files.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int open_plainly(const char *path, int flags, mode_t mode)
{
    return open(path, flags, mode);
}

struct rh__file_calls rh__file_calls = { open_plainly, write, ftruncate, fsync, close, rename };

bool rh__write_all(int fd, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size > 0) {
        ssize_t n = rh__file_calls.write(fd, at, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

bool rh__sync_folder(const char *path)
{
    char copy[RH__PATH_BYTES];
    snprintf(copy, sizeof copy, "%s", path);
    int fd = rh__file_calls.open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    /* Not every file system can sync a folder. */
    bool good = fd >= 0 && (rh__file_calls.sync(fd) == 0 || errno == EINVAL);
    int why = errno;
    if (fd >= 0)
        close(fd);
    errno = why;
    return good;
}

static bool say(const char *path, const char *what, char *error, size_t error_size)
{
    snprintf(error, error_size, "%s: %s", path, what);
    return false;
}

static bool say_errno(const char *path, char *error, size_t error_size)
{
    return say(path, strerror(errno), error, error_size);
}

/* ---- valid outputs ----------------------------------------------------------------------------------------------- */

enum kind { NOTHING, REGULAR, DESCRIPTOR, DEVICE };

struct place {
    enum kind kind;
    int fd;      /* for DESCRIPTOR */
    mode_t mode; /* for REGULAR */
    char path[RH__PATH_BYTES];
};

/* The descriptor that a path such as /dev/fd/3 names; -1 for other paths. */
static int descriptor_of(const char *path)
{
    static const char *const folders[] = { "/dev/fd/", "/proc/self/fd/" };
    if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0)
        return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0)
        return STDERR_FILENO;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        size_t n = strlen(folders[i]);
        const char *digits = path + n;
        if (strncmp(path, folders[i], n) == 0 && *digits && strlen(digits) < 10 &&
            strspn(digits, "0123456789") == strlen(digits))
            return atoi(digits);
    }
    return -1;
}

/* Follows a symbolic link, if its target is in the link's own folder. */
static bool follow(struct place *p, char *error, size_t error_size)
{
    char copy[RH__PATH_BYTES], target[PATH_MAX], here[PATH_MAX], there[PATH_MAX];
    snprintf(copy, sizeof copy, "%s", p->path);
    if (!realpath(p->path, target))
        return say(p->path, "it is a symbolic link to a file that does not exist", error, error_size);
    snprintf(there, sizeof there, "%s", target);
    if (!realpath(dirname(copy), here) || strcmp(here, dirname(there)) != 0)
        return say(p->path, "it is a symbolic link out of its folder, and is not followed", error, error_size);
    snprintf(p->path, sizeof p->path, "%s", target);
    return true;
}

static bool find_place(struct place *p, const char *path, bool may_stream, char *error, size_t error_size)
{
    struct stat s;
    *p = (struct place){ .kind = DESCRIPTOR, .fd = may_stream ? descriptor_of(path) : -1 };
    if (p->fd >= 0)
        return fcntl(p->fd, F_GETFD) >= 0 || say_errno(path, error, error_size);
    if (!*path || snprintf(p->path, sizeof p->path, "%s", path) >= (int)sizeof p->path) {
        errno = *path ? ENAMETOOLONG : ENOENT;
        return say_errno(path, error, error_size);
    }
    int got = lstat(p->path, &s);
    if (got == 0 && S_ISLNK(s.st_mode)) {
        if (!follow(p, error, error_size))
            return false;
        got = lstat(p->path, &s);
    }
    p->kind = got != 0 ? NOTHING : S_ISREG(s.st_mode) ? REGULAR : DEVICE;
    p->mode = got == 0 ? s.st_mode & 0777 : 0;
    if (got != 0 && errno != ENOENT)
        return say_errno(path, error, error_size);
    if (got == 0 && S_ISDIR(s.st_mode)) {
        errno = EISDIR;
        return say_errno(path, error, error_size);
    }
    if (p->kind == DEVICE && !(may_stream && (S_ISCHR(s.st_mode) || S_ISFIFO(s.st_mode))))
        return say(path, "it exists and is not a regular file; it is not replaced", error, error_size);
    if (p->kind != NOTHING && access(p->path, W_OK) != 0)
        return say_errno(path, error, error_size);
    return true;
}

/* Opens a device or pipe for writing, without waiting for a reader. */
static int open_device(const char *path, char *error, size_t error_size)
{
    int fd = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 && errno == ENXIO)
        say(path, "nobody reads this pipe", error, error_size);
    else if (fd < 0)
        say_errno(path, error, error_size);
    else
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    return fd;
}

/* Creates a new file beside the place.  The name contains our process id, so a file that already has it is left over
 * from an earlier process. */
static int open_beside(const struct place *p, char *beside, size_t size, char *error, size_t error_size)
{
    if (snprintf(beside, size, "%s.%ld.new", p->path, (long)getpid()) >= (int)size) {
        errno = ENAMETOOLONG;
        say_errno(p->path, error, error_size);
        return -1;
    }
    unlink(beside);
    int fd = rh__file_calls.open(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0)
        say_errno(p->path, error, error_size);
    else if (p->kind == REGULAR)
        (void)!fchmod(fd, p->mode);
    return fd;
}

bool rh__output_possible(const char *path, bool may_stream, char *error, size_t error_size)
{
    struct place p;
    char beside[RH__PATH_BYTES];
    if (!find_place(&p, path, may_stream, error, error_size))
        return false;
    if (p.kind == DESCRIPTOR || p.kind == DEVICE)
        return true;
    int fd = open_beside(&p, beside, sizeof beside, error, error_size);
    if (fd < 0)
        return false;
    close(fd);
    unlink(beside);
    return true;
}

/* ---- outputs ----------------------------------------------------------------------------------------------------- */

bool rh__output_open(struct rh__output *o, const char *path, bool may_stream, char *error, size_t error_size)
{
    struct place p;
    int fd = -1;
    *o = (struct rh__output){ .file = NULL };
    if (!find_place(&p, path, may_stream, error, error_size))
        return false;
    o->stream = p.kind == DESCRIPTOR || p.kind == DEVICE;
    snprintf(o->path, sizeof o->path, "%s", o->stream ? path : p.path);
    if (p.kind == DESCRIPTOR && p.fd == STDOUT_FILENO) {
        o->file = stdout; /* shares the buffer with everything else that is printed */
        return true;
    }
    if (p.kind == DESCRIPTOR && (fd = fcntl(p.fd, F_DUPFD_CLOEXEC, 3)) < 0)
        return say_errno(path, error, error_size);
    if (p.kind == DEVICE && (fd = open_device(p.path, error, error_size)) < 0)
        return false;
    if (!o->stream && (fd = open_beside(&p, o->beside, sizeof o->beside, error, error_size)) < 0)
        return false;
    o->file = fdopen(fd, "w");
    if (!o->file) {
        say_errno(path, error, error_size);
        close(fd);
        if (*o->beside)
            unlink(o->beside);
    }
    return o->file != NULL;
}

static bool is_stdout(const struct rh__output *o)
{
    return o->file == stdout;
}

static int stdout_why;

static void flush(FILE *file, int *why)
{
    errno = 0;
    if ((fflush(file) != 0 || ferror(file)) && !*why)
        *why = errno ? errno : EIO; /* the error of an earlier write whose result nobody checked */
}

void rh__output_flush(struct rh__output *o)
{
    flush(o->file, is_stdout(o) ? &stdout_why : &o->why);
}

bool rh__stdout_flush(char *error, size_t error_size)
{
    flush(stdout, &stdout_why);
    if (stdout_why)
        snprintf(error, error_size, "standard output: not written: %s", strerror(stdout_why));
    return !stdout_why;
}

bool rh__output_close(struct rh__output *o, char *error, size_t error_size)
{
    rh__output_flush(o);
    int why = is_stdout(o) ? stdout_why : o->why;
    bool good = !why;
    if (!is_stdout(o) && fclose(o->file) != 0 && good) {
        good = false;
        why = errno;
    }
    o->file = NULL;
    if (good && *o->beside && rename(o->beside, o->path) != 0) {
        good = false;
        why = errno;
    }
    if (!good) {
        snprintf(error, error_size, "%s: not written: %s", o->path, strerror(why));
        if (*o->beside)
            unlink(o->beside);
    }
    return good;
}

void rh__output_drop(struct rh__output *o)
{
    if (o->file && !is_stdout(o))
        fclose(o->file);
    if (o->file && *o->beside)
        unlink(o->beside);
    o->file = NULL;
}

bool rh__file_write(const char *path, const void *bytes, size_t size, char *error, size_t error_size)
{
    struct place p;
    char beside[RH__PATH_BYTES];
    if (!find_place(&p, path, false, error, error_size))
        return false;
    int fd = open_beside(&p, beside, sizeof beside, error, error_size);
    if (fd < 0)
        return false;
    bool good = rh__write_all(fd, bytes, size);
    int why = errno;
    if (rh__file_calls.close(fd) != 0 && good) {
        good = false;
        why = errno;
    }
    if (good && rh__file_calls.rename(beside, p.path) != 0) {
        good = false;
        why = errno;
    }
    if (good)
        return true;
    unlink(beside);
    errno = why;
    snprintf(error, error_size, "%s: not written: %s", path, strerror(why));
    return false;
}

/* ---- a file that one process owns -----------------------------------------------------------------------------------
 *
 * The lock is on the file itself and passes from one version to the next: a new version is locked before it gets its
 * name.  Children do not inherit this kind of lock, and closing any descriptor of the file releases it, so only one
 * descriptor is ever open. */

static const char in_use[] = "another process uses this file; choose another name";

/* Some file systems have no locks; users must then avoid two owners themselves. */
static bool lock(int fd)
{
    struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    return fcntl(fd, F_SETLK, &whole) == 0 || (errno != EACCES && errno != EAGAIN);
}

static bool is_named(int fd, const char *path)
{
    struct stat here, there;
    return fstat(fd, &here) == 0 && lstat(path, &there) == 0 && here.st_ino == there.st_ino &&
           here.st_dev == there.st_dev;
}

/* Opens and locks the file.  If the name has moved to another file meanwhile, tries that file.  Returns -1 with a
 * sentence, or with errno ENOENT. */
static int open_locked(const char *path, int flags, const char *name, char *error, size_t error_size)
{
    struct stat s;
    for (int i = 0; i < 100; i++) {
        int fd = rh__file_calls.open(path, flags | O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
        if (fd < 0) {
            int why = errno;
            say_errno(name, error, error_size);
            errno = why;
            return -1;
        }
        if (fstat(fd, &s) != 0 || !S_ISREG(s.st_mode))
            say(name, "it exists and is not a regular file; it is not replaced", error, error_size);
        else if (!lock(fd))
            say(name, in_use, error, error_size);
        else if (is_named(fd, path))
            return fd;
        else {
            close(fd);
            continue;
        }
        close(fd);
        errno = EBUSY;
        return -1;
    }
    say(name, in_use, error, error_size);
    errno = EBUSY;
    return -1;
}

bool rh__kept_open(struct rh__kept *k, const char *path, bool wanted, char *error, size_t error_size)
{
    struct place p;
    k->fd = -1;
    if (!find_place(&p, path, false, error, error_size))
        return false;
    memcpy(k->path, p.path, sizeof k->path);
    k->fd = open_locked(k->path, 0, path, error, error_size);
    return k->fd >= 0 || (errno == ENOENT && !wanted);
}

/* Gives the new version its name.  If the name was free, it must not replace a file that another process has just
 * created. */
static bool name_it(const struct rh__kept *k, const char *beside)
{
    if (k->fd < 0) {
        if (renameat2(AT_FDCWD, beside, AT_FDCWD, k->path, RENAME_NOREPLACE) == 0)
            return true;
        if (errno != EINVAL && errno != ENOSYS)
            return false;
    }
    return rh__file_calls.rename(beside, k->path) == 0;
}

bool rh__kept_write(struct rh__kept *k, const void *bytes, size_t size, char *error, size_t error_size)
{
    char beside[RH__PATH_BYTES + 8];
    snprintf(beside, sizeof beside, "%s.new", k->path);
    int fd = open_locked(beside, O_CREAT, k->path, error, error_size);
    if (fd < 0)
        return false;
    bool good = rh__file_calls.truncate(fd, 0) == 0 && rh__write_all(fd, bytes, size) && rh__file_calls.sync(fd) == 0;
    bool named = good && name_it(k, beside);
    int why = errno;
    if (!named) {
        unlink(beside);
        close(fd);
    } else {
        rh__kept_close(k);
        k->fd = fd;
        good = rh__sync_folder(k->path);
        why = errno;
    }
    if (named && good)
        return true;
    snprintf(error, error_size, "%s: %s", k->path, why == EEXIST ? in_use : strerror(why));
    return false;
}

void rh__kept_close(struct rh__kept *k)
{
    if (k->fd >= 0)
        close(k->fd);
    k->fd = -1;
}
