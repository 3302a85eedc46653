/* Messages in memory, and the source of that memory.
 *
 * A message is one block: this header, the fields, then the tail.  Blocks come in classes of 64, 128, ... bytes.  Each
 * worker has its own free blocks (two lists, after Bonwick's magazines) and exchanges whole batches with a depot, so
 * that a producer on one thread and a consumer on another recycle the same memory at the cost of one lock per batch.
 * Larger messages come from malloc.  The memory of the pools is returned when the runtime stops. */
#ifndef RH_RUNTIME_MESSAGE_H
#define RH_RUNTIME_MESSAGE_H

#include <rehearse.h>
#include <stdatomic.h>
#include <string.h>

#include "runtime/sanitize.h"

/* What a message means to the consumer of the mailbox. */
enum rh__kind {
    RH__PLAIN,     /* for the behaviour or the receive; the ticket is that of an rh_ask, or 0 */
    RH__REPLY,     /* answers the ask with this ticket */
    RH__TIMER,     /* from the timer with this ticket, if it is still set */
    RH__DOWN,      /* rh_down, if the monitor with this ticket still exists */
    RH__EXIT,      /* an exit signal; the ticket is that of the link, or 0 for rh_kill */
    RH__EXITED,    /* rh_exited of a link; the ticket becomes TAKEN_BACK if the link is removed */
    RH__WAKE,      /* ends the wait with this ticket */
    RH__STORED,    /* rh_stored: the write with this ticket is durable */
    RH__STORE_BAD, /* a write has failed */
    RH__BEGIN,     /* brings the new actor of this slot */
    RH__STUB,      /* no content: a mailbox is never without a node */
};

struct rh__message {
    _Atomic(struct rh__message *) next; /* in the mailbox */
    struct rh__message *link;           /* in the list of messages set aside, or of free blocks */
    const struct rh_message_type *type;
    rh_ref sender;
    uint32_t generation; /* of the receiver */
    uint32_t ticket;
    uint32_t tail_size;
    uint8_t kind; /* enum rh__kind */
    uint8_t size_class;
    uint8_t held;         /* the mailbox must not free it; its holder will */
    uint8_t counted : 1;  /* it counts towards the limit of the mailbox */
    uint8_t by_other : 1; /* another actor sent it in the sender's name: rh__message_by is behind the tail */
    uint8_t forwarded : 1;
};

enum {
    RH__CLASSES = 7,     /* 64 << 0 .. 64 << 6 */
    RH__CLASS_LARGE = 7, /* from malloc */
    RH__BATCH = 128,     /* blocks that are exchanged at once */
    RH__HEADER = 48,     /* a multiple of 16, for fields of any alignment */
};
_Static_assert(sizeof(struct rh__message) == RH__HEADER, "the fields start behind the header");

/* The free blocks of one thread. */
struct rh__cache {
    struct {
        struct rh__message *loaded, *spare; /* spare is empty or a whole batch */
        uint32_t count;                     /* blocks in `loaded` */
        char *fresh, *fresh_end;            /* never used yet */
    } of[RH__CLASSES];
};

/* A block for so many bytes after the header, or NULL if there is not enough memory; everything except the header is
 * undefined. */
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

/* Returns the memory of all pools; no message may be in use. */
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

/* Where a message with so many bytes of fields and tail has the actor that sent it in another one's name. */
static inline size_t rh__message_by_at(size_t bytes)
{
    return (bytes + sizeof(rh_ref) - 1) & ~(sizeof(rh_ref) - 1);
}

/* The actor that made the send, if another one than the sender: after rh_forward and rh_send_from; else nobody. */
static inline rh_ref rh__message_by(const struct rh__message *m)
{
    rh_ref by = rh_nobody();
    if (m->by_other) {
        size_t bytes = m->tail_size ? rh__message_tail_at(m->type->size) + m->tail_size : m->type->size;
        memcpy(&by, (const char *)rh__message_value(m) + rh__message_by_at(bytes), sizeof by);
    }
    return by;
}

/* memcpy for what is nearly always a few bytes. */
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
