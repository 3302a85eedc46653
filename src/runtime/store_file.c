/* See store_file.h. */
#include "runtime/store_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/hash.h"

static const char magic[8] = "RHSTORE1";

static uint64_t checksum(const char *record, size_t key_size, size_t value_size)
{
    return rh__hash(record + RH__RECORD_HEAD, key_size + value_size, rh__hash(record, 8, 0));
}

size_t rh__record_size(size_t key_size, const void *value, size_t value_size)
{
    return RH__RECORD_HEAD + key_size + (value ? value_size : 0);
}

void rh__record_write(char *to, const char *key, size_t key_size, const void *value, size_t value_size)
{
    uint32_t sizes[2] = { value ? (uint32_t)value_size : RH__RECORD_REMOVES, (uint32_t)key_size };
    memcpy(to, sizes, sizeof sizes);
    memcpy(to + RH__RECORD_HEAD, key, key_size);
    if (value && value_size)
        memcpy(to + RH__RECORD_HEAD + key_size, value, value_size);
    uint64_t sum = checksum(to, key_size, value ? value_size : 0);
    memcpy(to + 8, &sum, sizeof sum);
}

/* Gives the bytes up to the end of the last whole record. */
static size_t read_records(const char *bytes, size_t size, rh__record_fn *each, void *arg)
{
    size_t at = sizeof magic;
    while (size - at >= RH__RECORD_HEAD) {
        uint32_t sizes[2];
        uint64_t sum;
        memcpy(sizes, bytes + at, sizeof sizes);
        memcpy(&sum, bytes + at + 8, sizeof sum);
        bool removes = sizes[0] == RH__RECORD_REMOVES;
        size_t value_size = removes ? 0 : sizes[0], rest = size - at - RH__RECORD_HEAD;
        if (sizes[1] > rest || value_size > rest - sizes[1] || checksum(bytes + at, sizes[1], value_size) != sum)
            break;
        const char *key = bytes + at + RH__RECORD_HEAD;
        each(arg, key, sizes[1], removes ? NULL : key + sizes[1], value_size);
        at += RH__RECORD_HEAD + sizes[1] + value_size;
    }
    return at;
}

static bool read_all(int fd, char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t n = read(fd, bytes, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        bytes += n;
        size -= (size_t)n;
    }
    return true;
}

/* 0, or what went wrong; ENOTSUP for a file of another kind. */
static int load(int fd, size_t size, const char *path, rh__record_fn *each, void *arg, size_t *good)
{
    char *bytes = malloc(size + 1);
    int error = bytes && read_all(fd, bytes, size) ? 0 : errno ? errno : EIO;
    if (!error && size >= sizeof magic && memcmp(bytes, magic, sizeof magic) != 0)
        error = ENOTSUP;
    if (!error && size < sizeof magic && memcmp(bytes, magic, size) != 0)
        error = ENOTSUP;
    if (!error && size >= sizeof magic) {
        *good = read_records(bytes, size, each, arg);
        if (*good < size && (ftruncate(fd, (off_t)*good) != 0 || fsync(fd) != 0))
            error = errno;
    } else if (!error) {
        *good = sizeof magic;
        if (ftruncate(fd, 0) != 0 || !rh__write_all(fd, magic, sizeof magic) || fsync(fd) != 0 ||
            !rh__sync_folder(path))
            error = errno;
    }
    free(bytes);
    return error;
}

int rh__store_file_open(const char *path, rh__record_fn *each, void *arg, size_t *size, size_t *cut, char *text,
                        size_t text_size)
{
    struct stat about;
    errno = 0;
    int fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    int error = fd < 0 || fstat(fd, &about) != 0 ? errno : load(fd, (size_t)about.st_size, path, each, arg, size);
    if (!error) {
        *cut = (size_t)about.st_size > *size ? (size_t)about.st_size - *size : 0;
        return fd;
    }
    if (error == ENOTSUP)
        snprintf(text, text_size, "%s is there but is no store", path);
    else
        snprintf(text, text_size, "%s: %s", path, strerror(error));
    if (fd >= 0)
        close(fd);
    return -1;
}

int rh__store_file_replace(const char *path, const char *bytes, size_t size)
{
    char other[4096];
    if ((size_t)snprintf(other, sizeof other, "%s.new", path) >= sizeof other)
        return -1;
    int fd = open(other, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
    if (fd < 0)
        return -1;
    if (rh__write_all(fd, magic, sizeof magic) && rh__write_all(fd, bytes, size) && fsync(fd) == 0 &&
        rename(other, path) == 0 && rh__sync_folder(path))
        return fd;
    close(fd);
    unlink(other);
    return -1;
}
