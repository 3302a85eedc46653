/* The bytes of a journal: see journal.h.  This file does no input or output. */
#include <string.h>

#include "base/hash.h"
#include "runtime/journal.h"

static const char magic[8] = "RHSTORE2";

/* The layout in the file. */
struct head {
    uint32_t kind, store, key_size, value_size;
    uint64_t body, sum;
};
_Static_assert(sizeof(struct head) == RH__RECORD_HEAD, "the head of a record has no gaps");

struct file_head {
    char magic[8];
    uint64_t salt, durable, sum;
};
_Static_assert(sizeof(struct file_head) == RH__JOURNAL_HEAD, "the head of a journal has no gaps");

void rh__journal_head(char *to, uint64_t salt, uint64_t durable)
{
    struct file_head h = { .salt = salt, .durable = durable };
    memcpy(h.magic, magic, sizeof magic);
    h.sum = rh__hash(&h, offsetof(struct file_head, sum), 0);
    memcpy(to, &h, sizeof h);
}

static uint64_t sum_of(const struct head *h, uint64_t seed)
{
    return rh__hash(h, offsetof(struct head, sum), seed);
}

size_t rh__record_write(char *to, uint64_t salt, uint64_t at, const struct rh__record *record)
{
    uint64_t seed = rh__mix(salt, at);
    size_t body = (size_t)record->key_size + record->value_size;
    struct head h = { record->kind, record->store, record->key_size, record->value_size, 0, 0 };
    h.body = rh__hash(record->key, body, seed);
    h.sum = sum_of(&h, seed);
    memcpy(to, &h, sizeof h);
    memcpy(to + sizeof h, record->key, body);
    return sizeof h + body;
}

/* Reads the head of the record at `at`; false if there is none or if the record exceeds the file. */
static bool head_at(const char *bytes, size_t size, size_t at, uint64_t salt, struct head *h)
{
    if (size - at < sizeof *h)
        return false;
    memcpy(h, bytes + at, sizeof *h);
    return h->sum == sum_of(h, rh__mix(salt, at)) && h->key_size <= RH__LONGEST_KEY &&
           (uint64_t)h->key_size + h->value_size <= size - at - sizeof *h;
}

enum rh__journal_state rh__journal_read(const char *bytes, size_t size, uint64_t salt, uint64_t acknowledged,
                                        const struct rh__journal_reader *reader, size_t *good)
{
    struct file_head file;
    struct head h;
    if (size < sizeof file || memcmp(bytes, magic, sizeof magic) != 0)
        return RH__JOURNAL_FOREIGN;
    memcpy(&file, bytes, sizeof file);
    if (file.sum != rh__hash(&file, offsetof(struct file_head, sum), 0))
        return RH__JOURNAL_DAMAGED;
    if (file.salt != salt || acknowledged < file.durable) /* a mark of the journal that this one has replaced */
        acknowledged = file.durable;
    size_t at = sizeof file;
    while (head_at(bytes, size, at, file.salt, &h)) {
        const char *key = bytes + at + sizeof h;
        size_t body = (size_t)h.key_size + h.value_size, end = at + sizeof h + body;
        bool whole = h.body == rh__hash(key, body, rh__mix(file.salt, at));
        if (!whole && end > acknowledged)
            break;
        struct rh__record record = { h.kind, h.store, h.key_size, h.value_size, key };
        bool fits = whole                       ? reader->record(reader->arg, &record)
                    : h.kind == RH__RECORD_NAME ? false
                                                : reader->damaged(reader->arg, h.store);
        if (!fits)
            return RH__JOURNAL_DAMAGED;
        at = end;
    }
    *good = at;
    return at < acknowledged ? RH__JOURNAL_DAMAGED : RH__JOURNAL_GOOD;
}
