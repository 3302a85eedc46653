/* Files that must be there whole, and stay; and what may become one.
 *
 * Every file that the tool writes is written here.  A file appears whole or not at all: it is written beside its place, as
 * NAME.PID.new, and then renamed.  What stands in its place is replaced only if it is a regular file.  A symbolic link is
 * followed only to a file in the same folder.  A pipe that nobody reads is refused, so nothing waits for one.
 *
 * Some outputs may be streams.  Such a path is "-" (standard output), /dev/stdout, /dev/stderr, /dev/fd/N (what a shell
 * makes of >(command)), a named pipe that somebody reads, or a character device as /dev/null.  These are written to and
 * stay what they are. */
#ifndef RH_BASE_FILES_H
#define RH_BASE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>

enum { RH__PATH_BYTES = 4096 };

/* False with errno. */
bool rh__write_all(int fd, const void *bytes, size_t size);
/* A new file, or a new name of one, is durable only when its folder is. */
bool rh__sync_folder(const char *path);

/* ---- outputs: all but the two calls above are false with a sentence that names the file ------------------------------- */

struct rh__output {
    FILE *file; /* to write to; NULL: it is not open */
    bool stream;
    int why; /* errno of the first flush that failed */
    char path[RH__PATH_BYTES], beside[RH__PATH_BYTES];
};

/* Whether the path can be an output at all, without a change to what is there. */
bool rh__output_possible(const char *path, bool may_stream, char *error, size_t error_size);
bool rh__output_open(struct rh__output *o, const char *path, bool may_stream, char *error, size_t error_size);
/* What was written leaves the process; if it cannot, closing will say so. */
void rh__output_flush(struct rh__output *o);
/* Now the file is in its place; if something could not be written, what was there before is. */
bool rh__output_close(struct rh__output *o, char *error, size_t error_size);
/* Closes it without: what was there before stays. */
void rh__output_drop(struct rh__output *o);
/* Standard output likewise; false with a sentence if something that was printed is lost, now or before. */
bool rh__stdout_flush(char *error, size_t error_size);
/* All at once; no stream. */
bool rh__file_write(const char *path, const void *bytes, size_t size, char *error, size_t error_size);

/* ---- a file that one process at a time keeps, and writes again and again ----------------------------------------------- */

struct rh__kept {
    int fd; /* of what is there now, locked for this process; -1: nothing yet */
    char path[RH__PATH_BYTES];
};

/* Locks what is there.  `wanted`: something must be. */
bool rh__kept_open(struct rh__kept *k, const char *path, bool wanted, char *error, size_t error_size);
/* In place of what is there; durable when it returns. */
bool rh__kept_write(struct rh__kept *k, const void *bytes, size_t size, char *error, size_t error_size);
void rh__kept_close(struct rh__kept *k);

/* ---- for tests ------------------------------------------------------------------------------------------------------------ */

/* The calls that rh__file_write and rh__kept_write make; a test puts one here that fails. */
struct rh__file_calls {
    int (*open)(const char *path, int flags, mode_t mode);
    ssize_t (*write)(int fd, const void *bytes, size_t size);
    int (*truncate)(int fd, off_t size);
    int (*sync)(int fd);
    int (*close)(int fd);
    int (*rename)(const char *from, const char *to);
};
extern struct rh__file_calls rh__file_calls;

#endif
