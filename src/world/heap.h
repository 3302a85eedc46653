/* The heap of one actor: an allocator that lives whole inside the actor's region.
 *
 * Its header, its bookkeeping and its blocks are bytes of the region, linked by offsets. So copying the first
 * rh__heap_used bytes away and back is a snapshot of the heap and of all it holds. It takes no memory from elsewhere,
 * no lock and no clock.
 *
 *   deterministic   The same calls give the same addresses.
 *   zero            Fresh memory is zero, freed memory is cleared at once, and all bytes behind rh__heap_used are zero.
 *   canonical       A heap tends to the same bytes when the same blocks are live, whatever the order in which
 *                   the others were freed (see heap.c); fingerprints of states profit.
 *   low             Free space at low addresses is taken first, and the extent shrinks when the last blocks go.
 *   watched         Each block has a sealed header before it and guard bytes directly behind the last byte asked for.
 *                   Frees of freed blocks, of wild pointers and of overrun blocks are errors, not crashes. Where
 *                   AddressSanitizer runs in the process, everything but live blocks is poisoned too.
 *
 * An error leaves the heap as it was. A heap in which the program has overwritten bookkeeping gives errors or NULL, but
 * does not lead the allocator out of the region; only the header at its start is trusted.
 *
 * It is not thread-safe: one actor runs at a time.
 */
#ifndef RH_WORLD_HEAP_H
#define RH_WORLD_HEAP_H

#include <stddef.h>
#include <stdint.h>

/* code, name, text for people */
#define RH__HEAP_ERRORS(X)                                                                                             \
    X(OK, "ok", "no error")                                                                                            \
    X(EXHAUSTED, "exhausted", "the heap of the actor is full")                                                         \
    X(DOUBLE_FREE, "double-free", "the block is free already")                                                         \
    X(NOT_A_BLOCK, "not-a-block", "the pointer is not the start of a block of this actor")                             \
    X(OVERRUN, "overrun", "bytes around the block were overwritten")                                                   \
    X(FREE_WRITTEN, "free-written", "free memory was written")                                                         \
    X(BROKEN, "broken", "the header of the heap was overwritten")

enum rh__heap_error {
#define RH__HEAP_ERROR_CODE(code, name, text) RH__HEAP_##code,
    RH__HEAP_ERRORS(RH__HEAP_ERROR_CODE)
#undef RH__HEAP_ERROR_CODE
};

#define RH__HEAP_BINS 24

/* Placed by the caller at a 16-aligned address; the blocks follow it. Private but for its size. */
struct rh__heap {
    uint32_t mark;     /* tells a heap from other bytes */
    uint32_t capacity; /* bytes from the header on that the heap may use */
    uint32_t top;      /* offset behind the last live block */
    uint32_t blocks;   /* live blocks */
    uint32_t asked;    /* bytes asked for by live blocks */
    uint32_t bins_used;
    uint32_t bins[RH__HEAP_BINS];
};

/* Makes an empty heap of `capacity` bytes, header included. The bytes behind the header must be zero. */
void rh__heap_init(struct rh__heap *h, uint32_t capacity);

/* A zero-filled block of n bytes, aligned to `align` (a power of two) and to 16. A block of no bytes has an address of
 * its own. NULL when the capacity is exhausted, or the bookkeeping damaged: rh__heap_check knows which. */
void *rh__heap_alloc(struct rh__heap *h, size_t n, size_t align) __attribute__((warn_unused_result));

/* Gives block *p, or a new one when *p is NULL, a size of n bytes, and moves it if it must. Bytes past the old size are
 * zero. On an error block and *p are untouched. An alignment above 16 is not kept by a move. */
enum rh__heap_error rh__heap_resize(struct rh__heap *h, void **p, size_t n) __attribute__((warn_unused_result));

/* Frees a block; p is not NULL. */
enum rh__heap_error rh__heap_free(struct rh__heap *h, void *p) __attribute__((warn_unused_result));

/* The bytes asked for, all of which and no more may be used; 0 when p is not a live block. */
size_t rh__heap_size(const struct rh__heap *h, const void *p);

/* The bytes from h on that hold anything; behind them all is zero. */
uint32_t rh__heap_used(const struct rh__heap *h);

/* The number of live blocks. */
uint32_t rh__heap_blocks(const struct rh__heap *h);

/* Walks the whole heap. On an error *where is the block or the place that is damaged. */
enum rh__heap_error rh__heap_check(const struct rh__heap *h, const void **where);

/* Whether the bytes from rh__heap_used to offset `extent` are still zero; if not, *where is the first that is not. A
 * write to a block that was freed at the end of the heap lands there, and a snapshot would not hold it: who knows
 * the widest extent a region ever had can find such writes. */
enum rh__heap_error rh__heap_check_behind(const struct rh__heap *h, uint32_t extent, const void **where);

/* To be called when the bytes of a region were replaced (restore, reset): AddressSanitizer's view of a heap is not in
 * the region, and is made to fit again. `extent` is the widest of rh__heap_used before and now. Does nothing where
 * AddressSanitizer does not run. */
void rh__heap_restored(const struct rh__heap *h, uint32_t extent);

/* Name and text of an error. */
const char *rh__heap_error_name(enum rh__heap_error error);
const char *rh__heap_error_text(enum rh__heap_error error);

#endif
