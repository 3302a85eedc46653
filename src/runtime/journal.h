/* The journal: the file that holds all stores of one folder.
 *
 *   FOLDER/journal        a head, then records, appended
 *   FOLDER/journal.mark   how many bytes of the journal are acknowledged; its lock keeps other processes out
 *   FOLDER/journal.new    a journal that is being rewritten; it takes the name `journal` when it is durable
 *
 *   head     8 bytes "RHSTORE2", salt, number of bytes that were durable when the file got its name, checksum
 *   record   uint32 kind, store, bytes of the key, bytes of the value; checksum of key and value; checksum of the record's
 *            head; key; value
 *   mark     8 bytes "RHMARK2\n", salt of the journal, acknowledged bytes, checksum
 *
 * Each checksum is seeded with the salt and the place of the record in the file: bytes of another file, or of another place,
 * are no record.
 *
 * Which bytes were acknowledged decides what a broken record means.  The mark is written after the sync of a batch and
 * before anybody is told, without a sync of its own: a process that is killed leaves it behind.  A broken record before the
 * mark is damage, and is told.  A broken record behind the mark is the end of a write that a crash cut short: nobody was told
 * that it is durable, and it is cut off.
 *
 * A write or a sync that fails ends the journal for good: after a failed sync nobody knows which bytes are on the disk. */
#ifndef RH_RUNTIME_JOURNAL_H
#define RH_RUNTIME_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rh__record_kind {
    RH__RECORD_NAME = 1, /* the key is the name of the store with the next number */
    RH__RECORD_PUT,
    RH__RECORD_REMOVE,
};
enum { RH__JOURNAL_HEAD = 32, RH__RECORD_HEAD = 32, RH__LONGEST_KEY = 1 << 16 };

struct rh__record {
    uint32_t kind, store;
    uint32_t key_size, value_size;
    const char *key; /* the value follows it */
};

/* What reading tells, record by record in their order. */
struct rh__journal_reader {
    /* False: this record makes no sense here, which is damage. */
    bool (*record)(void *arg, const struct rh__record *record);
    /* Key or value of this record are damaged; which store it is of is known.  False as above. */
    bool (*damaged)(void *arg, uint32_t store);
    void *arg;
};

enum rh__journal_state {
    RH__JOURNAL_GOOD,
    RH__JOURNAL_FOREIGN, /* it does not begin like a journal */
    RH__JOURNAL_DAMAGED, /* acknowledged bytes are not as they were written */
};
/* Reads a journal in memory.  `acknowledged` and `salt` are those of the mark, or 0.  *good: the bytes up to the end of the
 * last whole record. */
enum rh__journal_state rh__journal_read(const char *bytes, size_t size, uint64_t salt, uint64_t acknowledged,
                                        const struct rh__journal_reader *reader, size_t *good);
/* The head of a journal of which `durable` bytes are durable when it gets its name. */
void rh__journal_head(char *to, uint64_t salt, uint64_t durable);
/* Appends the record to `to`, as it stands at `at` in its file; gives its size. */
size_t rh__record_write(char *to, uint64_t salt, uint64_t at, const struct rh__record *record);
static inline size_t rh__record_size(const struct rh__record *r)
{
    return RH__RECORD_HEAD + (size_t)r->key_size + r->value_size;
}

struct rh__journal {
    int folder, fd, mark;  /* descriptors, -1 where there is none */
    uint64_t salt, size;   /* of the file under the name `journal` */
    uint64_t acknowledged; /* as the mark says */
    bool failed;
    int error; /* of the failure */
    int new_fd;
    uint64_t new_salt, new_size;
    size_t buffered;
    char *buffer;
};

/* Opens the journal in this folder, makes it if it is not there, locks it, reads it, and cuts off what a crash left.  False
 * with a sentence; then nothing is held and nothing was changed that holds acknowledged bytes. */
bool rh__journal_open(struct rh__journal *j, const char *folder, const struct rh__journal_reader *reader, char *text,
                      size_t text_size);
/* Records go to the end of the file, buffered.  A failure shows in j->failed. */
void rh__journal_add(struct rh__journal *j, const struct rh__record *record);
/* What was added is durable, and the mark says so, unless j->failed. */
void rh__journal_commit(struct rh__journal *j);
/* Begins a new file: what is added from now on goes there.  False: it cannot be made, and the old one is as it was. */
bool rh__journal_rewrite(struct rh__journal *j);
/* The new file takes the place of the old one; all that was added to it is durable.  False: the new file was given up and the
 * old one is as it was, unless j->failed. */
bool rh__journal_replace(struct rh__journal *j);
void rh__journal_close(struct rh__journal *j);

#endif
