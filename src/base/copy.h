/* Copying, clearing and comparing bytes of regions.
 *
 * These functions never call memcpy, memset or memcmp.  A sanitizer intercepts those and reports an access to poisoned
 * bytes, but a region is copied as a whole, with red zones and freed blocks.  So the functions here are exempt from
 * instrumentation and safe on poisoned memory.  They are also fast for the sizes that a step copies (tens to hundreds
 * of bytes), where the call itself is a large part of the cost.
 *
 * A chunk is 16 bytes, loaded and stored without alignment: one SSE2 or NEON register if there is one, otherwise two
 * words.  Compilers recognise such loops and replace them by memcpy; RH__HIDE, which makes a pointer opaque in each
 * iteration, prevents that. */
#ifndef RH_BASE_COPY_H
#define RH_BASE_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* For functions that access memory which the program under test must not access. */
#define RH__NO_SANITIZE __attribute__((no_sanitize("address", "thread")))

/* Keeps the compiler from assuming anything about pointer p.  It costs no instruction. */
#define RH__HIDE(p) __asm__("" : "+r"(p))

typedef uint64_t rh__chunk16 __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint64_t rh__chunk8 __attribute__((aligned(1), may_alias));
typedef uint32_t rh__chunk4 __attribute__((aligned(1), may_alias));
typedef uint16_t rh__chunk2 __attribute__((aligned(1), may_alias));

/* The chunk of `size` bytes at p + at. */
#define RH__AT(size, p, at)       (*(rh__chunk##size *)((p) + (at)))
#define RH__CONST_AT(size, p, at) (*(const rh__chunk##size *)((p) + (at)))

/* Copies n bytes; the ranges must not overlap. */
RH__NO_SANITIZE static inline void rh__copy(void *dst, const void *src, size_t n)
{
    unsigned char *d = dst;
    const unsigned char *s = src;

    if (n >= 16) {
        /* The last 16 to 64 bytes are stored from the end and may overlap bytes that the loop has stored. */
        while (n > 64) {
            rh__chunk16 a = RH__CONST_AT(16, s, 0), b = RH__CONST_AT(16, s, 16);
            rh__chunk16 c = RH__CONST_AT(16, s, 32), e = RH__CONST_AT(16, s, 48);
            RH__AT(16, d, 0) = a;
            RH__AT(16, d, 16) = b;
            RH__AT(16, d, 32) = c;
            RH__AT(16, d, 48) = e;
            d += 64;
            s += 64;
            n -= 64;
            RH__HIDE(d);
        }
        /* After the loop n is 1 to 64, and at least 64 bytes precede s; a tail under 16 bytes reaches back into
         * them. */
        if (n > 32) {
            rh__chunk16 a = RH__CONST_AT(16, s, 0), b = RH__CONST_AT(16, s, 16);
            rh__chunk16 c = RH__CONST_AT(16, s, n - 32), e = RH__CONST_AT(16, s, n - 16);
            RH__AT(16, d, 0) = a;
            RH__AT(16, d, 16) = b;
            RH__AT(16, d, n - 32) = c;
            RH__AT(16, d, n - 16) = e;
        } else if (n >= 16) {
            rh__chunk16 a = RH__CONST_AT(16, s, 0), e = RH__CONST_AT(16, s, n - 16);
            RH__AT(16, d, 0) = a;
            RH__AT(16, d, n - 16) = e;
        } else {
            RH__AT(16, d + n, -16) = RH__CONST_AT(16, s + n, -16);
        }
    } else if (n >= 8) {
        uint64_t a = RH__CONST_AT(8, s, 0), e = RH__CONST_AT(8, s, n - 8);
        RH__AT(8, d, 0) = a;
        RH__AT(8, d, n - 8) = e;
    } else if (n >= 4) {
        uint32_t a = RH__CONST_AT(4, s, 0), e = RH__CONST_AT(4, s, n - 4);
        RH__AT(4, d, 0) = a;
        RH__AT(4, d, n - 4) = e;
    } else if (n >= 2) {
        uint16_t a = RH__CONST_AT(2, s, 0), e = RH__CONST_AT(2, s, n - 2);
        RH__AT(2, d, 0) = a;
        RH__AT(2, d, n - 2) = e;
    } else if (n == 1) {
        d[0] = s[0];
    }
}

/* Sets n bytes to zero. */
RH__NO_SANITIZE static inline void rh__zero(void *dst, size_t n)
{
    unsigned char *d = dst;
    const rh__chunk16 none = { 0, 0 };

    if (n >= 16) {
        while (n > 64) {
            RH__AT(16, d, 0) = none;
            RH__AT(16, d, 16) = none;
            RH__AT(16, d, 32) = none;
            RH__AT(16, d, 48) = none;
            d += 64;
            n -= 64;
            RH__HIDE(d);
        }
        if (n > 32) {
            RH__AT(16, d, 0) = none;
            RH__AT(16, d, 16) = none;
            RH__AT(16, d, n - 32) = none;
            RH__AT(16, d, n - 16) = none;
        } else if (n >= 16) {
            RH__AT(16, d, 0) = none;
            RH__AT(16, d, n - 16) = none;
        } else {
            RH__AT(16, d + n, -16) = none;
        }
    } else if (n >= 8) {
        RH__AT(8, d, 0) = 0;
        RH__AT(8, d, n - 8) = 0;
    } else if (n >= 4) {
        RH__AT(4, d, 0) = 0;
        RH__AT(4, d, n - 4) = 0;
    } else if (n >= 2) {
        RH__AT(2, d, 0) = 0;
        RH__AT(2, d, n - 2) = 0;
    } else if (n == 1) {
        d[0] = 0;
    }
}

/* Whether two ranges of n bytes are equal. */
RH__NO_SANITIZE static inline bool rh__equal(const void *left, const void *right, size_t n)
{
    const unsigned char *l = left, *r = right;

    if (n >= 16) {
        while (n > 64) {
            rh__chunk16 x = (RH__CONST_AT(16, l, 0) ^ RH__CONST_AT(16, r, 0)) |
                            (RH__CONST_AT(16, l, 16) ^ RH__CONST_AT(16, r, 16)) |
                            (RH__CONST_AT(16, l, 32) ^ RH__CONST_AT(16, r, 32)) |
                            (RH__CONST_AT(16, l, 48) ^ RH__CONST_AT(16, r, 48));
            if ((x[0] | x[1]) != 0)
                return false;
            l += 64;
            r += 64;
            n -= 64;
            RH__HIDE(l);
        }
        rh__chunk16 x = RH__CONST_AT(16, l + n, -16) ^ RH__CONST_AT(16, r + n, -16);
        for (; n > 16; n -= 16) {
            x |= RH__CONST_AT(16, l, 0) ^ RH__CONST_AT(16, r, 0);
            l += 16;
            r += 16;
            RH__HIDE(l);
        }
        return (x[0] | x[1]) == 0;
    }
    if (n >= 8)
        return ((RH__CONST_AT(8, l, 0) ^ RH__CONST_AT(8, r, 0)) |
                (RH__CONST_AT(8, l, n - 8) ^ RH__CONST_AT(8, r, n - 8))) == 0;
    if (n >= 4)
        return ((RH__CONST_AT(4, l, 0) ^ RH__CONST_AT(4, r, 0)) |
                (RH__CONST_AT(4, l, n - 4) ^ RH__CONST_AT(4, r, n - 4))) == 0;
    while (n > 0) {
        n--;
        if (l[n] != r[n])
            return false;
        RH__HIDE(l);
    }
    return true;
}

#endif
