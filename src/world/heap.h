/* The heap of one actor: an allocator that lives entirely inside the actor's region.
 *
 * Its header, bookkeeping and blocks are bytes of the region, linked by offsets.  So copying the first rh__heap_used
 * bytes away and back is a snapshot of the heap and its contents.  It uses no other memory, no lock and no clock.
 *
 *   deterministic   The same calls return the same addresses.
 *   zero            New memory is zero, freed memory is cleared at once, and all bytes after rh__heap_used are zero.
 *   canonical       If the same blocks are live, a heap tends to have the same bytes, whatever the order in which the
 *                   other blocks were freed (see heap.c).  That helps fingerprints.
 *   low             Free space at low addresses is used first, and the extent shrinks when the last blocks are freed.
 *   guarded         Each block has a sealed header before it and guard bytes directly after the last byte asked for.
 *                   Freeing a freed block, a wild pointer or an overrun block is an error, not a crash.  If
 *                   AddressSanitizer runs in the process, everything except live blocks is poisoned, too.
 *
 * An error leaves the heap unchanged.  If the program has overwritten bookkeeping, the allocator returns errors or
 * NULL, but never leaves the region; it trusts only the header at its start.
 *
 * It is not thread-safe: one actor runs at a time. */
/* Private to src/world. */
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

/* The caller places it at a 16-aligned address; the blocks follow it.  Everything except its size is private. */
struct rh__heap {
    uint32_t mark;     /* distinguishes a heap from other bytes */
    uint32_t capacity; /* bytes that the heap may use, with the header */
    uint32_t top;      /* offset of the end of the last live block */
    uint32_t blocks;   /* number of live blocks */
    uint32_t asked;    /* bytes asked for by live blocks */
    uint32_t bins_used;
    uint32_t bins[RH__HEAP_BINS];
};

/* Creates an empty heap of `capacity` bytes, with the header.  The bytes after the header must be zero. */
void rh__heap_init(struct rh__heap *h, uint32_t capacity);

/* A zero-filled block of n bytes, aligned to `align` (a power of two) and to 16.  Blocks of 0 bytes have distinct
 * addresses.  Returns NULL if the capacity is exhausted or the bookkeeping is damaged; rh__heap_check knows which. */
void *rh__heap_alloc(struct rh__heap *h, size_t n, size_t align) __attribute__((warn_unused_result));

/* Resizes block *p, or allocates a block if *p is NULL, to n bytes; the block may move.  Bytes after the old size are
 * zero.  On an error the block and *p are unchanged.  A move does not keep an alignment above 16. */
enum rh__heap_error rh__heap_resize(struct rh__heap *h, void **p, size_t n) __attribute__((warn_unused_result));

/* Frees a block; p is not NULL. */
enum rh__heap_error rh__heap_free(struct rh__heap *h, void *p) __attribute__((warn_unused_result));

/* The number of bytes asked for, which are all that may be used; 0 if p is not a live block. */
size_t rh__heap_size(const struct rh__heap *h, const void *p);

/* The number of bytes from h on that are in use; all bytes after them are zero. */
uint32_t rh__heap_used(const struct rh__heap *h);

/* The number of live blocks. */
uint32_t rh__heap_blocks(const struct rh__heap *h);

/* Checks the whole heap.  On an error *where is the damaged block or place. */
enum rh__heap_error rh__heap_check(const struct rh__heap *h, const void **where);

/* Checks that the bytes from rh__heap_used to offset `extent` are zero; if not, *where is the first that is not.  A
 * write to a block that was freed at the end of the heap goes there, and a snapshot would not contain it.  A caller
 * that knows the largest extent of a region can find such writes. */
enum rh__heap_error rh__heap_check_behind(const struct rh__heap *h, uint32_t extent, const void **where);

/* To be called after the bytes of a region were replaced (restore, reset).  AddressSanitizer's view of a heap is not in
 * the region; this updates it.  `extent` is the larger rh__heap_used, before or now.  No effect without
 * AddressSanitizer. */
void rh__heap_restored(const struct rh__heap *h, uint32_t extent);

/* Name and text of an error. */
const char *rh__heap_error_name(enum rh__heap_error error);
const char *rh__heap_error_text(enum rh__heap_error error);

#endif
