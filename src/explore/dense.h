/* A dense set of hashes: a table that is nearly full at every size.
 *
 * Linear probing with keys in order [Amble and Knuth 1974]: the home slot of a key is its share of the table, and keys
 * are sorted.  So a search for a key that is not there ends at the first larger one, after 5 slots at a load of 90 %,
 * and the table can grow by any factor, in place, in two sweeps: by 18 %, so that it is never emptier than 76 %, and a
 * key of 12 bytes takes less than 16.  Keys behind the last slot go to a tail.  At its largest size, a new key replaces
 * a neighbour.
 *
 * A process may be killed at any point.  The table must be repaired then before it is used, and a few keys near the
 * place of the last insertion may be lost. */
#ifndef RH_EXPLORE_DENSE_H
#define RH_EXPLORE_DENSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `first` is not 0.  A table keeps all of it; a wide one also 32 bits of `rest`. */
struct rh__dense_key {
    uint64_t first, rest;
};

struct rh__dense {
    unsigned char *bytes;       /* zeroes at first */
    uint32_t width;             /* bytes of a slot: 8 or 12 */
    uint64_t slots, most, tail; /* slots now, at the largest size, and behind them */
    uint64_t used;              /* keys */
    uint64_t end;               /* no key is at or behind this slot */
    uint64_t added, replaced;   /* keys; those that are no longer there */
};

/* In `size` bytes of memory, which are zero; enough for some slots. */
void rh__dense_begin(struct rh__dense *d, void *memory, size_t size, bool wide);
/* Bytes in use. */
uint64_t rh__dense_bytes(const struct rh__dense *d);
bool rh__dense_has(const struct rh__dense *d, struct rh__dense_key key);
/* The key will be asked for soon. */
void rh__dense_prefetch(const struct rh__dense *d, struct rh__dense_key key);
void rh__dense_repair(struct rh__dense *d);
/* False if it was there. */
bool rh__dense_add(struct rh__dense *d, struct rh__dense_key key);

#endif
