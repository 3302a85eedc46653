/* The journal: the file that holds all stores of one folder.
 *
 *   FOLDER/journal        a head, then records, appended
 *   FOLDER/journal.mark   how many bytes of the journal are acknowledged; its lock keeps other processes out
 *   FOLDER/journal.new    a journal that is being rewritten; it takes the name `journal` when it is durable
 *
 *   head     8 bytes "RHSTORE2", salt, number of bytes that were durable when the file got its name, checksum
 *   record   uint32 kind, store, bytes of the key, bytes of the value; checksum of key and value; checksum of the
 *            record's head; key; value
 *   mark     8 bytes "RHMARK2\n", salt of the journal, acknowledged bytes, checksum
 *
 * Each checksum is seeded with the salt and the position of the record in the file: bytes of another file, or of
 * another position, are not a valid record.
 *
 * The number of acknowledged bytes decides what a broken record means.  The mark is written after the sync of a batch
 * and before anybody is told; it is not synced, because it must survive only a killed process.  A broken record before
 * the mark is damage, and is reported.  A broken record after the mark is the end of a write that a crash cut short:
 * nobody was told that it is durable, and it is removed.
 *
 * A failed write or sync ends the journal for good, because after a failed sync nobody knows which bytes are on the
 * disk. */
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
    const char *key; /* the value follows the key */
};

/* Called by the reader of a journal, record by record. */
struct rh__journal_reader {
    /* Returns false if this record is invalid here, which is damage. */
    bool (*record)(void *arg, const struct rh__record *record);
    /* The key or value of a record of this store is damaged.  Returns false if the store is invalid. */
    bool (*damaged)(void *arg, uint32_t store);
    void *arg;
};

enum rh__journal_state {
    RH__JOURNAL_GOOD,
    RH__JOURNAL_FOREIGN, /* the file does not begin like a journal */
    RH__JOURNAL_DAMAGED, /* acknowledged bytes are not what was written */
};
/* Reads a journal in memory.  `acknowledged` and `salt` are from the mark, or 0. *good is the end of the last complete
 * record. */
enum rh__journal_state rh__journal_read(const char *bytes, size_t size, uint64_t salt, uint64_t acknowledged,
                                        const struct rh__journal_reader *reader, size_t *good);
/* Writes the head of a journal of which `durable` bytes are durable when it gets its name. */
void rh__journal_head(char *to, uint64_t salt, uint64_t durable);
/* Writes to `to` a record whose position in the file is `at`; returns its size. */
size_t rh__record_write(char *to, uint64_t salt, uint64_t at, const struct rh__record *record);
static inline size_t rh__record_size(const struct rh__record *r)
{
    return RH__RECORD_HEAD + (size_t)r->key_size + r->value_size;
}

struct rh__journal {
    int folder, fd, mark;  /* descriptors, or -1 */
    uint64_t salt, size;   /* of the file named `journal` */
    uint64_t acknowledged; /* the number in the mark */
    bool failed;
    int error; /* errno of the failure */
    int new_fd;
    uint64_t new_salt, new_size;
    size_t buffered;
    char *buffer;
};

/* Opens the journal of this folder, or creates it; locks it, reads it, and removes what a crash left.  On failure it
 * returns false with a sentence, holds nothing, and has changed no acknowledged bytes. */
bool rh__journal_open(struct rh__journal *j, const char *folder, const struct rh__journal_reader *reader, char *text,
                      size_t text_size);
/* Appends a record to the buffer.  A failure sets j->failed. */
void rh__journal_add(struct rh__journal *j, const struct rh__record *record);
/* Makes the added records durable and updates the mark, unless j->failed. */
void rh__journal_commit(struct rh__journal *j);
/* Begins a new file, to which later records are added.  Returns false if it cannot be created; the old file is then
 * unchanged. */
bool rh__journal_rewrite(struct rh__journal *j);
/* Makes the new file durable and replaces the old one by it.  On failure it returns false, gives up the new file and
 * keeps the old one, unless j->failed. */
bool rh__journal_replace(struct rh__journal *j);
void rh__journal_close(struct rh__journal *j);

#endif
