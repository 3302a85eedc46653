/* The undo log: a stack of old values.
 *
 * An entry is 16 bytes at the top; its address's two low bits say what it is:
 *     0  an eight-byte word       1  a four-byte word
 *     2  an image: its bytes stand in the log below the entry, rounded up to 16
 *     3  bytes that were zero
 * For the last two `old` is the number of bytes, shifted by two, and the low bits of the address, which the tag hides.
 * The log is bounded by its reserved address space; rh__log_room is asked once a step, so that a push need not check. */
#ifndef RH_WORLD_LOG_H
#define RH_WORLD_LOG_H

#include "base/copy.h"
#include "world/state.h"

struct log_entry {
    uint64_t where;
    uint64_t old;
};

enum { LOG_WORD64 = 0, LOG_WORD32 = 1, LOG_IMAGE = 2, LOG_ZERO = 3, LOG_TAGS = 3 };

static inline void log_push(struct rh_world *w, const void *where, unsigned tag, uint64_t old)
{
    struct log_entry *e = (struct log_entry *)(void *)w->log;
    e->where = (uint64_t)(uintptr_t)where | tag;
    e->old = old;
    w->log = (char *)(e + 1);
}

static inline void put32(struct rh_world *w, uint32_t *where, uint32_t value)
{
    log_push(w, where, LOG_WORD32, *where);
    *where = value;
}

static inline void put64(struct rh_world *w, uint64_t *where, uint64_t value)
{
    log_push(w, where, LOG_WORD64, *where);
    *where = value;
}

static inline void put_time(struct rh_world *w, int64_t *where, int64_t value)
{
    log_push(w, where, LOG_WORD64, (uint64_t)*where);
    *where = value;
}

/* Two words that lie side by side and mostly change in the same step: logged as one; both may then be written freely until
 * the step is over. */
static inline void log_pair(struct rh_world *w, uint32_t *first)
{
    uint64_t old;
    __builtin_memcpy(&old, first, sizeof old);
    log_push(w, first, LOG_WORD64, old);
}
_Static_assert(offsetof(struct actor, events) % 8 == 0 &&
                   offsetof(struct actor, taken) == offsetof(struct actor, events) + 4,
               "events and taken are a pair");
_Static_assert(offsetof(struct channel, first) % 8 == 0 &&
                   offsetof(struct channel, last) == offsetof(struct channel, first) + 4,
               "first and last are a pair");

/* For pointers of any type: `where` is the address of the pointer. */
#define put_pointer(w, where, value)                                                                                   \
    do {                                                                                                               \
        log_push(w, where, LOG_WORD64, (uint64_t)(uintptr_t) * (where));                                               \
        *(where) = (value);                                                                                            \
    } while (0)

static inline void put_flag(struct rh_world *w, uint32_t *flags, uint32_t flag, bool on)
{
    uint32_t value = on ? *flags | flag : *flags & ~flag;
    if (value != *flags)
        put32(w, flags, value);
}

/* Copies `size` bytes at `where` to the log.  Everything that is at `where` when the log is rolled back is lost. */
static inline void rh__log_image(struct rh_world *w, void *where, uint32_t size)
{
    rh__copy(w->log, where, size);
    w->log += (size + 15) & ~(uint32_t)15;
    log_push(w, (void *)((uintptr_t)where & ~(uintptr_t)3), LOG_IMAGE, (uint64_t)size << 2 | ((uintptr_t)where & 3));
}

/* Undoes entries from the top down to `mark`. */
void rh__log_rollback(struct rh_world *w, char *mark);

/* Whether a step's worth of entries surely fits. */
static inline bool rh__log_room(const struct rh_world *w)
{
    return (size_t)(w->log_end - w->log) > ((size_t)256 << 20);
}

#endif
