/* Files that appear completely or not at all, and outputs that may be files or streams.
 *
 * Every file that the tool writes is written here.  A file is written beside its place, as NAME.PID.new, and then
 * renamed.  Only a regular file is replaced.  A symbolic link is followed only to a file in the same folder.  A pipe
 * without a reader is refused, so the tool never waits for a reader.
 *
 * Some outputs may be streams: "-" (standard output), /dev/stdout, /dev/stderr, /dev/fd/N (a shell's >(command)), a
 * named pipe with a reader, or a character device such as /dev/null.  Streams are written to and not replaced. */
#ifndef RH_BASE_FILES_H
#define RH_BASE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>

enum { RH__PATH_BYTES = 4096 };

/* Returns false and sets errno on failure. */
bool rh__write_all(int fd, const void *bytes, size_t size);
/* Makes new names in the folder of `path` durable; syncing the file itself does not. */
bool rh__sync_folder(const char *path);

/* ---- outputs; the functions return false with a sentence that names the file ------------------------------------- */

struct rh__output {
    FILE *file; /* the stream to write to; NULL if the output is not open */
    bool stream;
    int why; /* errno of the first failed flush */
    char path[RH__PATH_BYTES], beside[RH__PATH_BYTES];
};

/* Whether the path can be an output.  Changes nothing. */
bool rh__output_possible(const char *path, bool may_stream, char *error, size_t error_size);
bool rh__output_open(struct rh__output *o, const char *path, bool may_stream, char *error, size_t error_size);
/* Flushes the buffer.  A failure is reported by rh__output_close. */
void rh__output_flush(struct rh__output *o);
/* Puts the file into its place.  If something could not be written, the old file stays. */
bool rh__output_close(struct rh__output *o, char *error, size_t error_size);
/* Closes the output and discards what was written; the old file stays. */
void rh__output_drop(struct rh__output *o);
/* Flushes standard output.  Returns false with a sentence if any output was lost, now or earlier. */
bool rh__stdout_flush(char *error, size_t error_size);
/* Writes a whole file; `path` must not be a stream. */
bool rh__file_write(const char *path, const void *bytes, size_t size, char *error, size_t error_size);

/* ---- a file that one process at a time owns, and writes again and again ------------------------------------------ */

struct rh__kept {
    int fd; /* the current version, locked for this process; -1 if there is none yet */
    char path[RH__PATH_BYTES];
};

/* Locks the existing file.  With `wanted`, it is an error if there is none. */
bool rh__kept_open(struct rh__kept *k, const char *path, bool wanted, char *error, size_t error_size);
/* Replaces the current version.  The new one is durable when this returns. */
bool rh__kept_write(struct rh__kept *k, const void *bytes, size_t size, char *error, size_t error_size);
void rh__kept_close(struct rh__kept *k);

/* ---- for tests --------------------------------------------------------------------------------------------------- */

/* The calls that rh__file_write and rh__kept_write make; a test replaces one by a call that fails. */
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
