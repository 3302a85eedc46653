/* Encoding of values as bytes that leave the process, and decoding without trust.
 *
 * A writer that owns its buffer grows it when it runs out of room; any other writer sets `full` and writes no more.  A
 * reader that runs out of bytes, or reads an invalid value, returns zeros from then on.  So the caller writes or reads
 * a whole record and checks for errors once, at its end:
 *
 *     struct rh__reader r = rh__reader_of(bytes, size);
 *     uint32_t n = rh__get32(&r);
 *     double weight = rh__get_double(&r);
 *     if (!rh__reader_done(&r))
 *         return false;
 *
 * Numbers have the byte order of the machine: both ends are the same program on the same kind of machine. */
#ifndef RH_BASE_BYTES_H
#define RH_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/fail.h"

struct rh__writer {
    unsigned char *at;
    size_t cap, len;
    bool full; /* something did not fit */
    bool owns; /* the writer owns the buffer; rh__writer_release frees it */
};

struct rh__reader {
    const unsigned char *at;
    size_t left;
    bool bad;
};

static inline struct rh__writer rh__writer_of(void *buffer_kept, size_t cap)
{
    return (struct rh__writer){ buffer_kept, cap, 0, false, false };
}

static inline struct rh__writer rh__writer_new(void)
{
    return (struct rh__writer){ .owns = true };
}

static inline void rh__writer_release(struct rh__writer *w)
{
    if (w->owns)
        rh__free(w->at);
    *w = (struct rh__writer){ .owns = w->owns };
}

/* Whether `size` more bytes fit; grows the buffer if the writer owns it. */
static inline bool rh__writer_has(struct rh__writer *w, size_t size)
{
    if (!w->full && size > w->cap - w->len && w->owns) {
        size_t cap = w->cap + size + w->cap / 2 + 256;
        void *at = cap > w->cap ? rh__realloc(w->at, cap) : NULL;
        if (at) {
            w->at = at;
            w->cap = cap;
        }
    }
    w->full = w->full || size > w->cap - w->len;
    return !w->full;
}

static inline void rh__put(struct rh__writer *w, const void *bytes, size_t size)
{
    if (!rh__writer_has(w, size))
        return;
    if (size)
        memcpy(w->at + w->len, bytes, size);
    w->len += size;
}

static inline void rh__put32(struct rh__writer *w, uint32_t value)
{
    rh__put(w, &value, sizeof value);
}

static inline void rh__put64(struct rh__writer *w, uint64_t value)
{
    rh__put(w, &value, sizeof value);
}

static inline void rh__put_double(struct rh__writer *w, double value)
{
    rh__put(w, &value, sizeof value);
}

/* Variable-length encoding for small numbers: seven bits a byte, lowest first. */
static inline void rh__put_small(struct rh__writer *w, uint64_t value)
{
    unsigned char bytes[10];
    size_t n = 0;
    do {
        bytes[n++] = (unsigned char)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
        value >>= 7;
    } while (value);
    rh__put(w, bytes, n);
}

/* Writes the size, then the bytes. */
static inline void rh__put_block(struct rh__writer *w, const void *bytes, size_t size)
{
    rh__put_small(w, size);
    rh__put(w, bytes, size);
}

static inline void rh__put_text(struct rh__writer *w, const char *text)
{
    rh__put_block(w, text, strlen(text) + 1);
}

static inline struct rh__reader rh__reader_of(const void *bytes, size_t size)
{
    return (struct rh__reader){ bytes, size, false };
}

/* A pointer to the next `size` bytes in the buffer; NULL if there are fewer. */
static inline const void *rh__get(struct rh__reader *r, size_t size)
{
    if (r->bad || size > r->left) {
        r->bad = true;
        return NULL;
    }
    const void *bytes = r->at;
    r->at += size;
    r->left -= size;
    return bytes;
}

static inline uint32_t rh__get32(struct rh__reader *r)
{
    uint32_t value = 0;
    const void *bytes = rh__get(r, sizeof value);
    if (bytes)
        memcpy(&value, bytes, sizeof value);
    return value;
}

static inline uint64_t rh__get64(struct rh__reader *r)
{
    uint64_t value = 0;
    const void *bytes = rh__get(r, sizeof value);
    if (bytes)
        memcpy(&value, bytes, sizeof value);
    return value;
}

static inline double rh__get_double(struct rh__reader *r)
{
    double value = 0;
    const void *bytes = rh__get(r, sizeof value);
    if (bytes)
        memcpy(&value, bytes, sizeof value);
    return value;
}

static inline uint64_t rh__get_small(struct rh__reader *r)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const unsigned char *byte = rh__get(r, 1);
        if (!byte)
            return 0;
        value |= (uint64_t)(*byte & 0x7f) << shift;
        if (!(*byte & 0x80))
            return value;
    }
    r->bad = true;
    return 0;
}

static inline const void *rh__get_block(struct rh__reader *r, size_t *size)
{
    uint64_t length = rh__get_small(r);
    const void *bytes = rh__get(r, length < SIZE_MAX ? (size_t)length : SIZE_MAX);
    *size = bytes ? (size_t)length : 0;
    return bytes;
}

/* A pointer to the next text in the buffer; "" if it is not terminated. */
static inline const char *rh__get_text(struct rh__reader *r)
{
    size_t size;
    const char *text = rh__get_block(r, &size);
    if (text && size && memchr(text, 0, size) == text + size - 1)
        return text;
    r->bad = true;
    return "";
}

/* Whether every value was valid and no bytes are left. */
static inline bool rh__reader_done(const struct rh__reader *r)
{
    return !r->bad && r->left == 0;
}

#endif
