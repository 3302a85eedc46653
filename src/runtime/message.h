/* Messages in memory, and where that memory comes from.
 *
 * A message is one block: this header, the fields, then the tail.  Blocks come in classes of 64, 128, ... bytes; each
 * worker keeps free blocks of its own (two lists, after Bonwick's magazines) and trades whole batches with a depot, so
 * that a producer on one thread and a consumer on another recycle the same memory at the price of one lock per batch.
 * Larger messages are malloc's.  The memory of the pools is given back when the runtime stops. */
#ifndef RH_RUNTIME_MESSAGE_H
#define RH_RUNTIME_MESSAGE_H

#include <rehearse.h>
#include <stdatomic.h>
#include <string.h>

#include "runtime/sanitize.h"

/* What a message is to the one that takes it out of the mailbox. */
enum rh__kind {
    RH__PLAIN,     /* for the behaviour or the receive; a ticket other than 0 is that of rh_ask */
    RH__REPLY,     /* answers the ask of this ticket */
    RH__TIMER,     /* of the timer of this ticket, if that is still set */
    RH__DOWN,      /* rh_down, if the monitor of this ticket is still there */
    RH__EXIT,      /* an exit signal; the ticket is that of the link, 0 for rh_kill */
    RH__EXITED,    /* rh_exited of a link, if that is not taken back; the ticket is 0 until then */
    RH__WAKE,      /* ends the wait of this ticket */
    RH__STORED,    /* rh_stored: the write of this ticket is durable */
    RH__STORE_BAD, /* a write has failed */
    RH__BEGIN,     /* brings the actor that is to live in this slot */
    RH__STUB,      /* nothing: keeps a mailbox from being without a node */
};

struct rh__message {
    _Atomic(struct rh__message *) next; /* in the mailbox */
    struct rh__message *link;           /* in the list of those set aside, or of free ones */
    const struct rh_message_type *type;
    rh_ref sender;
    uint32_t generation; /* of the actor it is meant for */
    uint32_t ticket;
    uint32_t tail_size;
    uint8_t kind; /* enum rh__kind */
    uint8_t size_class;
    uint8_t held;    /* not to be freed when the mailbox moves on: somebody else will */
    uint8_t counted; /* towards the limit of the mailbox */
};

enum {
    RH__CLASSES = 7,     /* 64 << 0 .. 64 << 6 */
    RH__CLASS_LARGE = 7, /* by malloc */
    RH__BATCH = 128,     /* blocks that change hands at once */
    RH__HEADER = 48,     /* a multiple of 16: fields may want any alignment */
};
_Static_assert(sizeof(struct rh__message) == RH__HEADER, "the fields start behind the header");

/* One thread's free blocks. */
struct rh__cache {
    struct {
        struct rh__message *loaded, *spare; /* spare is empty or a whole batch */
        uint32_t count;                     /* of loaded */
        char *fresh, *fresh_end;            /* never used yet */
    } of[RH__CLASSES];
};

/* A block for this many bytes behind the header, or NULL where memory is out; all but the header is undefined. */
struct rh__message *rh__message_refill(struct rh__cache *cache, size_t bytes);
void rh__message_spill(struct rh__cache *cache, struct rh__message *m);

static inline int rh__class_of(size_t bytes)
{
    size_t lines = (bytes + RH__HEADER + 63) / 64;
    return lines <= 1 ? 0 : 64 - __builtin_clzl(lines - 1);
}

static inline struct rh__message *rh__message_alloc(struct rh__cache *cache, size_t bytes)
{
    int c = RH__ASAN ? RH__CLASS_LARGE : rh__class_of(bytes);
    if (c < RH__CLASSES && cache->of[c].loaded) {
        struct rh__message *m = cache->of[c].loaded;
        cache->of[c].loaded = m->link;
        cache->of[c].count--;
        return m;
    }
    if (c < RH__CLASSES && !cache->of[c].spare && cache->of[c].fresh != cache->of[c].fresh_end) {
        struct rh__message *m = (struct rh__message *)(void *)cache->of[c].fresh;
        cache->of[c].fresh += (size_t)64 << c;
        m->size_class = (uint8_t)c;
        return m;
    }
    return rh__message_refill(cache, bytes);
}

static inline void rh__message_free(struct rh__cache *cache, struct rh__message *m)
{
    int c = m->size_class;
    if (c < RH__CLASSES && cache->of[c].count < RH__BATCH) {
        m->link = cache->of[c].loaded;
        cache->of[c].loaded = m;
        cache->of[c].count++;
    } else {
        rh__message_spill(cache, m);
    }
}

/* All pools are given back; no message may be in use. */
void rh__message_release_pools(void);

static inline void *rh__message_value(const struct rh__message *m)
{
    return (char *)(uintptr_t)m + RH__HEADER;
}

static inline size_t rh__message_tail_at(uint32_t value_size)
{
    return ((size_t)value_size + 15) & ~(size_t)15;
}

static inline const void *rh__message_tail(const struct rh__message *m)
{
    return m->tail_size ? (char *)rh__message_value(m) + rh__message_tail_at(m->type->size) : NULL;
}

/* memcpy for what is nearly always some few bytes. */
static inline void rh__copy_fields(void *to, const void *from, size_t n)
{
    char *t = to;
    const char *f = from;
    if (n > 16) {
        memcpy(t, f, n);
    } else if (n >= 8) {
        uint64_t a, b;
        memcpy(&a, f, 8), memcpy(&b, f + n - 8, 8);
        memcpy(t, &a, 8), memcpy(t + n - 8, &b, 8);
    } else if (n >= 4) {
        uint32_t a, b;
        memcpy(&a, f, 4), memcpy(&b, f + n - 4, 4);
        memcpy(t, &a, 4), memcpy(t + n - 4, &b, 4);
    } else {
        for (; n > 0; n--)
            *t++ = *f++;
    }
}

#endif
