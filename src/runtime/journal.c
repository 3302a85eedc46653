/* The file of a journal: see journal.h. */
#include "runtime/journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/hash.h"

enum { BUFFER = 256 << 10 };

static const char mark_magic[8] = "RHMARK2\n";

struct mark {
    char magic[8];
    uint64_t salt, acknowledged, sum;
};

/* The error that openat, rename and others leave in errno. */
static int error_now(void)
{
    return errno ? errno : EIO;
}

static void fails(struct rh__journal *j)
{
    if (!j->failed)
        j->error = error_now();
    j->failed = true;
}

static bool sync_folder(int folder)
{
    return fsync(folder) == 0 || errno == EINVAL; /* not every file system can sync a folder */
}

static bool write_at(int fd, const void *bytes, size_t size, uint64_t at)
{
    const char *from = bytes;
    while (size > 0) {
        ssize_t n = pwrite(fd, from, size, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            if (n == 0)
                errno = ENOSPC;
            return false;
        }
        from += n;
        at += (size_t)n;
        size -= (size_t)n;
    }
    return true;
}

static bool read_all(int fd, char *bytes, size_t size)
{
    size_t at = 0;
    while (at < size) {
        ssize_t n = pread(fd, bytes + at, size - at, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            if (n == 0)
                errno = EIO; /* the file has become shorter meanwhile */
            return false;
        }
        at += (size_t)n;
    }
    return true;
}

/* ---- the mark -------------------------------------------------------------------------------------------------- */

static bool mark_write(struct rh__journal *j, uint64_t salt, uint64_t acknowledged)
{
    struct mark m = { .salt = salt, .acknowledged = acknowledged };
    memcpy(m.magic, mark_magic, sizeof mark_magic);
    m.sum = rh__hash(&m, offsetof(struct mark, sum), 0);
    if (!write_at(j->mark, &m, sizeof m, 0))
        return false;
    j->acknowledged = acknowledged;
    return true;
}

/* Only the first mark can be truncated; later marks overwrite it. */
enum marked { MARK_UNREADABLE, MARK_NONE, MARK_DAMAGED, MARK_GOOD };

static enum marked mark_read(struct rh__journal *j, struct mark *m)
{
    struct stat about;
    memset(m, 0, sizeof *m);
    if (fstat(j->mark, &about) != 0)
        return MARK_UNREADABLE;
    if (about.st_size < (off_t)sizeof *m)
        return MARK_NONE;
    if (about.st_size == sizeof *m && !read_all(j->mark, (char *)m, sizeof *m))
        return MARK_UNREADABLE;
    if (memcmp(m->magic, mark_magic, sizeof mark_magic) == 0 && m->sum == rh__hash(m, offsetof(struct mark, sum), 0))
        return MARK_GOOD;
    memset(m, 0, sizeof *m);
    return MARK_DAMAGED;
}

static bool sync_mark(const struct rh__journal *j)
{
    return fdatasync(j->mark) == 0;
}

/* ---- appending ------------------------------------------------------------------------------------------------- */

static void flush(struct rh__journal *j)
{
    bool new_file = j->new_fd >= 0;
    uint64_t *size = new_file ? &j->new_size : &j->size;
    if (!j->failed && j->buffered && !write_at(new_file ? j->new_fd : j->fd, j->buffer, j->buffered, *size))
        fails(j);
    *size += j->buffered;
    j->buffered = 0;
}

void rh__journal_add(struct rh__journal *j, const struct rh__record *record)
{
    bool new_file = j->new_fd >= 0;
    size_t size = rh__record_size(record);
    if (j->buffered + size > BUFFER)
        flush(j);
    uint64_t at = (new_file ? j->new_size : j->size) + j->buffered, salt = new_file ? j->new_salt : j->salt;
    if (size <= BUFFER) {
        j->buffered += rh__record_write(j->buffer + j->buffered, salt, at, record);
        return;
    }
    char *large = malloc(size);
    if (!large) {
        errno = ENOMEM;
        fails(j);
        return;
    }
    rh__record_write(large, salt, at, record);
    if (!j->failed && !write_at(new_file ? j->new_fd : j->fd, large, size, at))
        fails(j);
    *(new_file ? &j->new_size : &j->size) += size;
    free(large);
}

void rh__journal_commit(struct rh__journal *j)
{
    flush(j);
    if (!j->failed && (fdatasync(j->fd) != 0 || !mark_write(j, j->salt, j->size)))
        fails(j);
}

/* ---- a new file ------------------------------------------------------------------------------------------------ */

static void give_up_new(struct rh__journal *j)
{
    if (j->new_fd >= 0)
        close(j->new_fd);
    j->new_fd = -1;
    j->buffered = 0;
    unlinkat(j->folder, "journal.new", 0);
}

bool rh__journal_rewrite(struct rh__journal *j)
{
    if (getrandom(&j->new_salt, sizeof j->new_salt, 0) != sizeof j->new_salt)
        return false;
    unlinkat(j->folder, "journal.new", 0);
    j->new_fd = openat(j->folder, "journal.new", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    j->new_size = RH__JOURNAL_HEAD; /* the head is written at the end, when its numbers are known */
    return j->new_fd >= 0;
}

bool rh__journal_replace(struct rh__journal *j)
{
    char head[RH__JOURNAL_HEAD];
    flush(j);
    rh__journal_head(head, j->new_salt, j->new_size);
    if (j->failed || !write_at(j->new_fd, head, sizeof head, 0) || fsync(j->new_fd) != 0 ||
        renameat(j->folder, "journal.new", j->folder, "journal") != 0) {
        int error = j->failed ? j->error : error_now();
        j->failed = false; /* only the new file has failed */
        give_up_new(j);
        errno = error;
        return false;
    }
    if (j->fd >= 0)
        close(j->fd);
    j->fd = j->new_fd;
    j->new_fd = -1;
    j->salt = j->new_salt;
    j->size = j->new_size;
    if (!sync_folder(j->folder) || !mark_write(j, j->salt, j->size))
        fails(j); /* after a crash either file may have the name */
    return !j->failed;
}

/* ---- opening --------------------------------------------------------------------------------------------------- */

struct opening {
    struct rh__journal *j;
    const char *folder;
    char *text;
    size_t text_size;
};

__attribute__((format(printf, 2, 3))) static bool refuse(const struct opening *o, const char *format, ...)
{
    va_list list;
    int n = snprintf(o->text, o->text_size, "store_folder %s: ", o->folder);
    va_start(list, format);
    if (n >= 0 && (size_t)n < o->text_size)
        vsnprintf(o->text + n, o->text_size - (size_t)n, format, list);
    va_end(list);
    return false;
}

static bool refuse_call(const struct opening *o, const char *what)
{
    return refuse(o, "%s: %s", what, strerror(error_now()));
}

static bool lock(const struct opening *o)
{
    struct rh__journal *j = o->j;
    j->mark = openat(j->folder, "journal.mark", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (j->mark < 0)
        return refuse_call(o, "journal.mark");
    while (flock(j->mark, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EINTR)
            continue;
        return errno == EWOULDBLOCK ? refuse(o, "another process uses these stores") : refuse_call(o, "journal.mark");
    }
    return true;
}

/* A file of version 1 holds a user's data in a format that is no longer read. */
static bool is_of_version_1(int folder, const char *name)
{
    char magic[8] = "";
    size_t length = strlen(name);
    if (length < 6 || strcmp(name + length - 6, ".store") != 0)
        return false;
    int fd = openat(folder, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return true; /* when in doubt */
    ssize_t n = pread(fd, magic, sizeof magic, 0);
    close(fd);
    return n < 0 || (n > 0 && memcmp(magic, "RHSTORE1", (size_t)n) == 0);
}

static bool refuse_version_1(const struct opening *o)
{
    int fd = openat(o->j->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    if (!d) {
        refuse_call(o, "its files");
        if (fd >= 0)
            close(fd);
        return false;
    }
    bool good = true;
    errno = 0;
    for (struct dirent *e; good && (e = readdir(d)); errno = 0)
        if (is_of_version_1(o->j->folder, e->d_name))
            good = refuse(
                o, "%s is a store of an older version of rehearse, which this one does not read: use another folder",
                e->d_name);
    if (good && errno)
        good = refuse_call(o, "its files");
    closedir(d);
    return good;
}

/* Makes the mark durable before it creates the journal, so that a journal without a mark has lost its mark.  Until the
 * journal exists, the mark says that nothing is acknowledged. */
static bool make(const struct opening *o)
{
    struct rh__journal *j = o->j;
    if (!rh__journal_rewrite(j) || !mark_write(j, j->new_salt, 0) || !sync_mark(j) || !rh__journal_replace(j) ||
        !sync_mark(j)) {
        if (j->failed)
            errno = j->error;
        return refuse_call(o, "journal");
    }
    return true;
}

/* `m` is NULL if the mark is damaged. */
static bool load(const struct opening *o, const char *bytes, size_t size, const struct mark *m,
                 const struct rh__journal_reader *reader)
{
    struct rh__journal *j = o->j;
    size_t good = 0;
    switch (rh__journal_read(bytes, size, m ? m->salt : 0, m ? m->acknowledged : 0, reader, &good)) {
    case RH__JOURNAL_FOREIGN:
        return refuse(o, "journal exists but is not a journal of stores");
    case RH__JOURNAL_DAMAGED:
        return refuse(o, "journal is damaged: acknowledged data is missing");
    case RH__JOURNAL_GOOD:
        break;
    }
    memcpy(&j->salt, bytes + 8, sizeof j->salt);
    j->size = good;
    if (good < size && !m)
        return refuse(o,
                      "journal.mark is damaged, and the last %zu bytes of the journal are not a complete record: it is "
                      "not known whether they were acknowledged",
                      size - good);
    if (good < size) {
        fprintf(stderr,
                "rehearse: store_folder %s: journal: the last %zu bytes are not a complete record and were not "
                "acknowledged: removed\n",
                o->folder, size - good);
        if (ftruncate(j->fd, (off_t)good) != 0)
            return refuse_call(o, "journal");
    }
    /* Actors may read from now on what a killed process has written, so it must become durable. */
    if (fsync(j->fd) != 0 || !mark_write(j, j->salt, j->size))
        return refuse_call(o, "journal");
    return true;
}

static bool read_journal(const struct opening *o, const struct mark *m, const struct rh__journal_reader *reader)
{
    struct stat about;
    if (fstat(o->j->fd, &about) != 0)
        return refuse_call(o, "journal");
    if (!S_ISREG(about.st_mode))
        return refuse(o, "journal is no file");
    char *bytes = malloc((size_t)about.st_size + 1);
    if (!bytes)
        return refuse(o, "there is no memory for a journal of %lld bytes", (long long)about.st_size);
    bool good = read_all(o->j->fd, bytes, (size_t)about.st_size) ? load(o, bytes, (size_t)about.st_size, m, reader)
                                                                 : refuse_call(o, "journal");
    free(bytes);
    return good;
}

static bool open_locked(const struct opening *o, const struct rh__journal_reader *reader)
{
    struct rh__journal *j = o->j;
    struct mark m;
    enum marked marked = mark_read(j, &m);
    if (marked == MARK_UNREADABLE)
        return refuse_call(o, "journal.mark");
    j->fd = openat(j->folder, "journal", O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (j->fd >= 0 && marked == MARK_NONE)
        return refuse(o,
                      "journal.mark is missing or truncated: it is not known how much of the journal was acknowledged; "
                      "restore it, or see docs/stores.md");
    if (j->fd >= 0 && marked == MARK_GOOD)
        return read_journal(o, &m, reader);
    if (j->fd >= 0) { /* the journal has checksums of its own: one fault loses nothing */
        if (!read_journal(o, NULL, reader))
            return false;
        fprintf(stderr, "rehearse: store_folder %s: journal.mark was damaged and has been rebuilt\n", o->folder);
        return true;
    }
    if (errno != ENOENT)
        return refuse_call(o, "journal");
    if (marked == MARK_DAMAGED || m.acknowledged)
        return refuse(o, "the journal is missing; if that is intended, remove journal.mark, too");
    return refuse_version_1(o) && make(o);
}

bool rh__journal_open(struct rh__journal *j, const char *folder, const struct rh__journal_reader *reader, char *text,
                      size_t text_size)
{
    struct opening o = { j, folder, text, text_size };
    *j = (struct rh__journal){ .folder = -1, .fd = -1, .mark = -1, .new_fd = -1 };
    errno = 0;
    bool made = mkdir(folder, 0700) == 0;
    if (!made && errno != EEXIST)
        return refuse_call(&o, "it cannot be made");
    if (made && !rh__sync_folder(folder))
        return refuse_call(&o, "it cannot be made durable");
    j->buffer = malloc(BUFFER);
    j->folder = j->buffer ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    bool good = j->folder < 0 ? refuse_call(&o, "it cannot be used") : lock(&o) && open_locked(&o, reader);
    if (!good)
        rh__journal_close(j);
    return good;
}

void rh__journal_close(struct rh__journal *j)
{
    if (j->mark >= 0 && j->fd >= 0 && !j->failed)
        fdatasync(j->mark); /* keeps the mark over a crash of the machine; it is correct without that */
    int descriptors[] = { j->new_fd, j->fd, j->mark, j->folder };
    for (size_t i = 0; i < sizeof descriptors / sizeof *descriptors; i++)
        if (descriptors[i] >= 0)
            close(descriptors[i]);
    free(j->buffer);
    *j = (struct rh__journal){ .folder = -1, .fd = -1, .mark = -1, .new_fd = -1 };
}
