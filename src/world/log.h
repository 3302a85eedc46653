/* The undo log: a stack of old values.
 *
 * An entry is 16 bytes at the top; the two low bits of its address say what it is:
 *     0  an eight-byte word       1  a four-byte word
 *     2  an image: its bytes are in the log below the entry, rounded up to 16
 *     3  bytes that were zero
 * For the last two, `old` is the number of bytes, shifted by two, with the low bits of the address, which the tag
 * hides.  The image of a region has an entry more between bytes and entry: the actor, and the image of the same
 * region before it (LOG_LINKED).  A rollback over both restores the older one only.  The reserved address space limits
 * the log; rh__log_room is checked once a step, so that a push need not check. */
/* Private to src/world. */
#ifndef RH_WORLD_LOG_H
#define RH_WORLD_LOG_H

#include "base/copy.h"
#include "world/state.h"

/* A rare or large part of a function that runs at every step.  Apart, it costs the common part no registers and no
 * room. */
#define RH__APART __attribute__((noinline))

struct world_log_entry {
    uint64_t where;
    uint64_t old;
};

#define LOG_LINKED ((uint64_t)1 << 63) /* in `old` of an image */

enum { LOG_WORD64 = 0, LOG_WORD32 = 1, LOG_IMAGE = 2, LOG_ZERO = 3, LOG_TAGS = 3 };

static inline void log_push(struct rh_world *w, const void *where, unsigned tag, uint64_t old)
{
    struct world_log_entry *e = (struct world_log_entry *)(void *)w->log;
    e->where = (uint64_t)(uintptr_t)where | tag;
    e->old = old;
    w->log = (char *)(e + 1);
}

/* What goes to the log once a step may go there again: a step begins, or changes were undone. */
static inline void rh__epoch_begin(struct rh_world *w)
{
    w->epoch++;
    w->ready_logged = RH_NONE;
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

static inline void put_wide(struct rh_world *w, struct rh__wide *where, struct rh__wide value)
{
    put64(w, &where->high, value.high);
    put64(w, &where->low, value.low);
}

static inline void put_time(struct rh_world *w, int64_t *where, int64_t value)
{
    log_push(w, where, LOG_WORD64, (uint64_t)*where);
    *where = value;
}

/* Logs two adjacent words that mostly change in the same step as one entry; both may then be written freely until the
 * end of the step. */
static inline void log_pair(struct rh_world *w, uint32_t *first)
{
    uint64_t old;
    __builtin_memcpy(&old, first, sizeof old);
    log_push(w, first, LOG_WORD64, old);
}
_Static_assert(offsetof(struct world_actor, events) % 8 == 0 &&
                   offsetof(struct world_actor, taken) == offsetof(struct world_actor, events) + 4,
               "events and taken are a pair");
_Static_assert(offsetof(struct world_channel, first) % 8 == 0 &&
                   offsetof(struct world_channel, last) == offsetof(struct world_channel, first) + 4,
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

/* Copies `size` bytes at `where` to the log.  A rollback overwrites whatever is at `where` then. */
static inline void rh__log_image(struct rh_world *w, void *where, uint32_t size)
{
    rh__copy(w->log, where, size);
    w->log += (size + 15) & ~(uint32_t)15;
    log_push(w, (void *)((uintptr_t)where & ~(uintptr_t)3), LOG_IMAGE, (uint64_t)size << 2 | ((uintptr_t)where & 3));
}

static inline size_t rh__log_size(const struct world_log_entry *e)
{
    return (size_t)((e->old & ~LOG_LINKED) >> 2);
}

/* The log before an entry of bytes. */
static inline char *rh__log_before(const struct world_log_entry *e)
{
    if ((e->where & LOG_TAGS) != LOG_IMAGE)
        return (char *)(uintptr_t)e;
    return (char *)(uintptr_t)(e - (e->old & LOG_LINKED ? 1 : 0)) - ((rh__log_size(e) + 15) & ~(size_t)15);
}

/* The same for the region of an actor. */
static inline void rh__log_region(struct rh_world *w, struct world_actor *a)
{
    uintptr_t where = (uintptr_t)a->region;
    rh__copy(w->log, a->region, a->used);
    struct world_log_entry *e = (struct world_log_entry *)(void *)(w->log + ((a->used + 15) & ~(uint32_t)15));
    e[0] = (struct world_log_entry){ (uint64_t)(uintptr_t)a, (uint64_t)(uintptr_t)a->image };
    e[1] = (struct world_log_entry){ (where & ~(uintptr_t)3) | LOG_IMAGE,
                                     (uint64_t)a->used << 2 | (where & 3) | LOG_LINKED };
    a->image = &e[1];
    w->log = (char *)(e + 2);
}

/* Undoes entries from the top down to `mark`. */
void rh__log_rollback(struct rh_world *w, char *mark);

/* Whether the entries of one step certainly fit. */
static inline bool rh__log_room(const struct rh_world *w)
{
    return (size_t)(w->log_end - w->log) > ((size_t)256 << 20);
}

#endif
