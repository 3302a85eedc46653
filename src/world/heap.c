/* The allocator inside a region.
 *
 * Layout.  All offsets count from the header of the heap.  Blocks are adjacent from FIRST to top.  Each block starts
 * with 8 bytes of header at an offset of 8 modulo 16, so that its bytes are 16-aligned.
 *
 *     live   | size+flags, seal+slack | n bytes asked for ... | guard bytes, 8 or more |
 *     free   | size+flags, seal+0 | next | prev | zero ...                       | size |
 *
 * The slack is the number of guard bytes.  The size is a multiple of 16, so size and slack give n.  The seal is a
 * checksum of the header and its offset.  A header with a valid seal is trusted; anything else that the program could
 * have written is checked before it is followed.
 *
 * Free blocks are never adjacent: free merges with both neighbours.  The flag BEFORE_FREE of a block says that a free
 * block precedes it; the size of the free block is directly before it (boundary tags [Knuth 1997, 2.5]).  The last
 * block before top is always live.  So the extent is as small as the live blocks allow, and a heap without blocks has
 * no bookkeeping.
 *
 * Bins.  A free block is in one of 24 lists: EXACT bins of one size each, then bins that each span a factor of two.  A
 * list is kept in the order of addresses, as far as a short walk from its head can tell.  That has two advantages: low
 * addresses are reused first, which keeps the extent small, and the links do not depend on the order of frees.  After
 * ORDERED_WALK entries the order is arbitrary, which is only less canonical.
 *
 * Choice of a block: the first that fits in its own bin, otherwise the first of the next bin that is not empty,
 * otherwise from top. */
#include "world/heap.h"

#include <stdbool.h>

#include "base/copy.h"
#include "base/fail.h"

#define MARK         0x70616568u /* "heap" */
#define FIRST        ((uint32_t)sizeof(struct rh__heap))
#define HEAD         8u  /* bytes of a block's header */
#define GUARD        8u  /* the least number of guard bytes */
#define SMALLEST     32u /* the smallest block: header, links, size at the end */
#define LIVE         1u
#define BEFORE_FREE  2u
#define FLAGS        15u
#define GUARD_WORD   0xb5b5b5b5b5b5b5b5u
#define EXACT        12u  /* bins 0..11 hold sizes 32, 48, ..., 208 */
#define FIT_WALK     32u  /* entries of a bin that are searched for one that fits */
#define ORDERED_WALK 16u  /* entries of a bin that are kept in order */
#define RED_ZONE     256u /* bytes after top that stay poisoned */

_Static_assert(sizeof(struct rh__heap) % 16 == 8, "blocks start at 8 modulo 16");
_Static_assert(sizeof(struct rh__heap) <= 160, "the header is copied with every snapshot");

struct __attribute__((may_alias)) block {
    uint32_t size_flags;
    uint32_t seal_slack; /* seal in the upper 24 bits */
    uint32_t next, prev; /* offsets, 0 for none; only in free blocks, where a live block has its bytes */
};

typedef uint32_t size_at_end __attribute__((may_alias));
typedef uint64_t guard_word __attribute__((aligned(1), may_alias));

extern void __asan_poison_memory_region(void const volatile *at, size_t size) __attribute__((weak));
extern void __asan_unpoison_memory_region(void const volatile *at, size_t size) __attribute__((weak));

/* ---- addresses ---- */

static inline unsigned char *at(const struct rh__heap *h, uint32_t offset)
{
    return (unsigned char *)(uintptr_t)h + offset;
}

static inline struct block *block_at(const struct rh__heap *h, uint32_t offset)
{
    return (struct block *)(void *)at(h, offset);
}

RH__NO_SANITIZE static inline uint32_t size_of(const struct block *b)
{
    return b->size_flags & ~FLAGS;
}

RH__NO_SANITIZE static inline uint32_t slack_of(const struct block *b)
{
    return b->seal_slack & 0xff;
}

RH__NO_SANITIZE static inline uint32_t asked_of(const struct block *b)
{
    return size_of(b) - HEAD - slack_of(b);
}

RH__NO_SANITIZE static inline bool is_live(const struct block *b)
{
    return (b->size_flags & LIVE) != 0;
}

/* The copy of a free block's size at its end, for the next block. */
static inline size_at_end *end_size(const struct rh__heap *h, uint32_t end)
{
    return (size_at_end *)(void *)at(h, end - 4);
}

/* ---- seals and guards ---- */

/* The flag BEFORE_FREE is omitted, because it changes without the block. */
static inline uint32_t seal(uint32_t offset, uint32_t size_live, uint32_t slack)
{
    uint64_t x = ((uint64_t)offset << 32 | size_live) + slack * 0xd6e8feb86659fd93u;

    return (uint32_t)((x * 0x9e3779b97f4a7c15u) >> 32) & ~0xffu;
}

RH__NO_SANITIZE static inline void write_head(struct rh__heap *h, uint32_t offset, uint32_t size_flags, uint32_t slack)
{
    struct block *b = block_at(h, offset);

    b->size_flags = size_flags;
    b->seal_slack = seal(offset, size_flags & ~BEFORE_FREE, slack) | slack;
}

/* Whether a block could start at the offset, which may be any number. */
static inline bool is_inside(const struct rh__heap *h, uint32_t offset)
{
    return offset >= FIRST && offset < h->top && offset % 16 == HEAD;
}

/* Whether a block does start at the offset. */
RH__NO_SANITIZE static inline bool is_block(const struct rh__heap *h, uint32_t offset)
{
    if (!is_inside(h, offset))
        return false;
    const struct block *b = block_at(h, offset);
    uint32_t size = size_of(b);
    return (b->seal_slack & ~0xffu) == seal(offset, b->size_flags & ~BEFORE_FREE, slack_of(b)) && size >= SMALLEST &&
           size <= h->top - offset && slack_of(b) <= size - HEAD;
}

RH__NO_SANITIZE static inline bool is_free_block(const struct rh__heap *h, uint32_t offset)
{
    return is_block(h, offset) && !is_live(block_at(h, offset));
}

/* Writes `slack` guard bytes, 8 or more, up to offset `end`. */
RH__NO_SANITIZE static inline void write_guard(struct rh__heap *h, uint32_t end, uint32_t slack)
{
    unsigned char *guard = at(h, end - slack), *last = at(h, end) - 8;

    /* Three words, which may overlap, are 24 bytes, as many as most blocks have: no branch depends on the size. */
    for (; slack > 24; slack -= 8, guard += 8) {
        *(guard_word *)guard = GUARD_WORD;
        RH__HIDE(guard); /* otherwise the loop becomes memset, which AddressSanitizer intercepts */
    }
    *(guard_word *)guard = GUARD_WORD;
    *(guard_word *)(guard + (slack - 8) / 2) = GUARD_WORD;
    *(guard_word *)last = GUARD_WORD;
}

RH__NO_SANITIZE static inline bool guard_intact(const struct rh__heap *h, uint32_t end, uint32_t slack)
{
    const unsigned char *guard = at(h, end - slack);
    uint64_t wrong = *(const guard_word *)(at(h, end) - 8) ^ GUARD_WORD;

    for (; slack > 24; slack -= 8, guard += 8)
        wrong |= *(const guard_word *)guard ^ GUARD_WORD;
    wrong |= (*(const guard_word *)guard ^ GUARD_WORD) | (*(const guard_word *)(guard + (slack - 8) / 2) ^ GUARD_WORD);
    return wrong == 0;
}

/* The first offset in [from, to) whose byte is not zero, or `to`. */
RH__NO_SANITIZE static uint32_t first_not_zero(const struct rh__heap *h, uint32_t from, uint32_t to)
{
    while (from < to && to - from >= 8 && *(const guard_word *)at(h, from) == 0)
        from += 8;
    while (from < to && *at(h, from) == 0)
        from++;
    return from;
}

/* ---- AddressSanitizer ---- */

static inline void poison(const struct rh__heap *h, uint32_t from, uint32_t to)
{
    if (__asan_poison_memory_region && from < to)
        __asan_poison_memory_region(at(h, from), to - from);
}

static inline void unpoison(const struct rh__heap *h, uint32_t from, uint32_t to)
{
    if (__asan_unpoison_memory_region && from < to)
        __asan_unpoison_memory_region(at(h, from), to - from);
}

static inline void poison_behind_top(const struct rh__heap *h)
{
    if (__asan_poison_memory_region)
        poison(h, h->top, h->capacity - h->top < RED_ZONE ? h->capacity : h->top + RED_ZONE);
}

/* ---- bins ---- */

static inline uint32_t bin_of(uint32_t size)
{
    if (size < SMALLEST + 16 * EXACT)
        return (size - SMALLEST) / 16;
    /* 224..255 in the first, then a factor of two each */
    uint32_t bin = EXACT + (31 - (uint32_t)__builtin_clz(size)) - 7;
    return bin < RH__HEAP_BINS ? bin : RH__HEAP_BINS - 1;
}

/* Whether both neighbours in its list point to the free block. */
RH__NO_SANITIZE static bool links_sound(const struct rh__heap *h, uint32_t offset)
{
    const struct block *b = block_at(h, offset);

    if (b->prev == 0 ? h->bins[bin_of(size_of(b))] != offset
                     : !is_free_block(h, b->prev) || block_at(h, b->prev)->next != offset)
        return false;
    return b->next == 0 || (is_free_block(h, b->next) && block_at(h, b->next)->prev == offset);
}

/* Removes a free block, whose links are sound, from its bin, and clears it. */
RH__NO_SANITIZE static void unlink_block(struct rh__heap *h, uint32_t offset)
{
    struct block *b = block_at(h, offset);
    uint32_t size = size_of(b), bin = bin_of(size);

    if (b->next)
        block_at(h, b->next)->prev = b->prev;
    if (b->prev)
        block_at(h, b->prev)->next = b->next;
    else if ((h->bins[bin] = b->next) == 0)
        h->bins_used &= ~(1u << bin);
    RH__AT(16, (unsigned char *)b, 0) = (rh__chunk16){ 0, 0 };
    *end_size(h, offset + size) = 0;
}

/* Turns zero bytes into a free block and adds it to its bin. */
RH__NO_SANITIZE static void link_block(struct rh__heap *h, uint32_t offset, uint32_t size)
{
    struct block *b = block_at(h, offset);
    uint32_t bin = bin_of(size), before = 0, after = h->bins[bin];

    for (uint32_t i = 0; after != 0 && after < offset && i < ORDERED_WALK && is_inside(h, after); i++) {
        before = after;
        after = block_at(h, after)->next;
    }
    /* Damaged: the rest of the list, or all of it, is dropped; rh__heap_check will notice. */
    if (before != 0 && !is_free_block(h, before))
        before = after = 0;
    if (after != 0 && !is_free_block(h, after))
        after = 0;
    write_head(h, offset, size, 0);
    b->next = after;
    b->prev = before;
    *end_size(h, offset + size) = size;
    if (after)
        block_at(h, after)->prev = offset;
    if (before)
        block_at(h, before)->next = offset;
    else
        h->bins[bin] = offset;
    h->bins_used |= 1u << bin;
}

/* A free block of at least `size` bytes, or 0.  Searches at most `walk` entries of the bin that contains larger and
 * smaller blocks. */
RH__NO_SANITIZE static uint32_t find_free(const struct rh__heap *h, uint32_t size, uint32_t walk)
{
    uint32_t bin = bin_of(size);

    if (bin >= EXACT) {
        uint32_t offset = h->bins[bin];
        for (uint32_t i = 0; i < walk && is_free_block(h, offset); i++) {
            if (size_of(block_at(h, offset)) >= size)
                return offset;
            offset = block_at(h, offset)->next;
        }
        if (++bin == RH__HEAP_BINS)
            return 0;
    }
    uint32_t larger = h->bins_used & ((1u << RH__HEAP_BINS) - (1u << bin));
    return larger ? h->bins[__builtin_ctz(larger)] : 0;
}

/* ---- space: ranges of zero bytes that are neither live nor in a bin ---- */

/* Returns zero bytes to the bins or to top.  A live block, or the start, precedes `from`.  The block at `to`, if any,
 * is valid, and its links are sound if it is free. */
RH__NO_SANITIZE static void give_space(struct rh__heap *h, uint32_t from, uint32_t to)
{
    if (to < h->top && !is_live(block_at(h, to))) {
        uint32_t size = size_of(block_at(h, to));
        unlink_block(h, to);
        to += size;
    }
    if (to == h->top) {
        h->top = from;
    } else {
        link_block(h, from, to - from);
        block_at(h, to)->size_flags |= BEFORE_FREE;
    }
}

/* Takes at least `size` zero bytes out of the bins; they end at *end.  Returns 0 if there are none, or if they are
 * damaged. */
RH__NO_SANITIZE static uint32_t take_free(struct rh__heap *h, uint32_t size, uint32_t walk, uint32_t *end)
{
    uint32_t offset = find_free(h, size, walk);

    if (offset == 0 || !is_free_block(h, offset) || !links_sound(h, offset))
        return 0;
    *end = offset + size_of(block_at(h, offset));
    if (*end - offset < size || !is_block(h, *end))
        return 0;
    unlink_block(h, offset);
    block_at(h, *end)->size_flags &= ~BEFORE_FREE;
    return offset;
}

static inline uint32_t room_behind_top(const struct rh__heap *h)
{
    return h->capacity - h->top;
}

/* The size of a block for n bytes, where n is at most the capacity. */
static inline uint64_t block_size(size_t n)
{
    uint64_t size = ((uint64_t)n + HEAD + GUARD + 15) & ~(uint64_t)15;

    return size < SMALLEST ? SMALLEST : size;
}

/* Turns the space [offset, end) into a live block of n bytes, and returns the rest of the space. */
RH__NO_SANITIZE static inline void *settle(struct rh__heap *h, uint32_t offset, uint32_t end, uint32_t n,
                                           uint32_t flags)
{
    uint32_t size = (uint32_t)block_size(n);

    if (end - offset - size >= SMALLEST)
        give_space(h, offset + size, end);
    else
        size = end - offset;
    write_head(h, offset, size | flags, size - HEAD - n);
    write_guard(h, offset + size, size - HEAD - n);
    unpoison(h, offset + HEAD, offset + HEAD + n);
    return at(h, offset + HEAD);
}

RH__NO_SANITIZE static void *alloc_aligned(struct rh__heap *h, uint32_t n, size_t align)
{
    uint64_t size = block_size(n), most = size + align + 16;
    uint32_t end = 0, offset = most > h->capacity ? 0 : take_free(h, (uint32_t)most, FIT_WALK, &end);
    uint32_t start = offset ? offset : h->top;
    /* The gap before the block becomes a free block, so it is 0 or at least the smallest size. */
    uint64_t gap = -(uintptr_t)at(h, start + HEAD) & (align - 1);

    if (gap == 16)
        gap += align;
    if (offset == 0) {
        if (gap + size > room_behind_top(h))
            return NULL;
        end = h->top = start + (uint32_t)(gap + size);
        poison_behind_top(h);
    }
    if (gap == 0)
        return settle(h, start, end, n, LIVE);
    link_block(h, start, (uint32_t)gap);
    return settle(h, start + (uint32_t)gap, end, n, LIVE | BEFORE_FREE);
}

/* ---- errors ---- */

/* Finds out, by walking the heap, why p is not a live block. */
RH__NO_SANITIZE static enum rh__heap_error why_not_live(const struct rh__heap *h, const void *p)
{
    uintptr_t distance = (uintptr_t)p - (uintptr_t)h;

    if (distance < FIRST + HEAD || distance > h->capacity || distance % 16 != 0)
        return RH__HEAP_NOT_A_BLOCK;
    for (uint32_t offset = FIRST; offset < h->top; offset += size_of(block_at(h, offset))) {
        if (!is_block(h, offset))
            return RH__HEAP_OVERRUN;
        if (distance < offset + size_of(block_at(h, offset)))
            return is_live(block_at(h, offset)) ? RH__HEAP_NOT_A_BLOCK : RH__HEAP_DOUBLE_FREE;
    }
    return RH__HEAP_DOUBLE_FREE; /* after the last block: a block that was there is free */
}

/* The block of p, if it is live and undamaged and its neighbours are undamaged. */
RH__NO_SANITIZE static inline enum rh__heap_error find_live(const struct rh__heap *h, const void *p, uint32_t *offset)
{
    uintptr_t distance = (uintptr_t)p - (uintptr_t)h - HEAD;

    if (distance >= h->top || !is_block(h, (uint32_t)distance) || !is_live(block_at(h, (uint32_t)distance)))
        return why_not_live(h, p);
    *offset = (uint32_t)distance;

    const struct block *b = block_at(h, *offset);
    uint32_t end = *offset + size_of(b);
    if (!guard_intact(h, end, slack_of(b)))
        return RH__HEAP_OVERRUN;
    if (end != h->top) {
        if (!is_block(h, end))
            return RH__HEAP_OVERRUN;
        if (!is_live(block_at(h, end)) && !links_sound(h, end))
            return RH__HEAP_FREE_WRITTEN;
    }
    if (b->size_flags & BEFORE_FREE) {
        uint32_t size = *end_size(h, *offset);
        if (!is_free_block(h, *offset - size) || size_of(block_at(h, *offset - size)) != size ||
            !links_sound(h, *offset - size))
            return RH__HEAP_FREE_WRITTEN;
    }
    return RH__HEAP_OK;
}

/* Frees a block that find_live has found. */
RH__NO_SANITIZE static void free_live(struct rh__heap *h, uint32_t offset)
{
    struct block *b = block_at(h, offset);
    uint32_t size = size_of(b), from = offset, end = offset + size;

    h->blocks--;
    h->asked -= asked_of(b);
    if (b->size_flags & BEFORE_FREE) {
        from -= *end_size(h, offset);
        unlink_block(h, from);
    }
    rh__zero(b, size);
    give_space(h, from, end);
    poison(h, offset, end);
}

/* ---- interface ---- */

RH__NO_SANITIZE void rh__heap_init(struct rh__heap *h, uint32_t capacity)
{
    RH__ASSERT((uintptr_t)h % 16 == 0, "a heap at %p", (void *)h);
    RH__ASSERT(capacity >= sizeof *h, "a heap of %u bytes", (unsigned)capacity);
    unpoison(h, 0, FIRST);
    rh__zero(h, sizeof *h);
    h->mark = MARK;
    h->capacity = capacity;
    h->top = FIRST;
    poison_behind_top(h);
}

RH__NO_SANITIZE void *rh__heap_alloc(struct rh__heap *h, size_t n, size_t align)
{
    void *p;

    RH__ASSERT((align & (align - 1)) == 0, "alignment %zu", align);
    if (n > h->capacity || align > h->capacity)
        return NULL;
    if (align > 16) {
        p = alloc_aligned(h, (uint32_t)n, align);
    } else {
        uint64_t size = block_size(n);
        uint32_t end = 0, offset = 0;
        if (size > h->capacity)
            return NULL;
        if (h->bins_used)
            offset = take_free(h, (uint32_t)size, FIT_WALK, &end);
        if (offset == 0 && size <= room_behind_top(h)) {
            offset = h->top;
            end = h->top = offset + (uint32_t)size;
            poison_behind_top(h);
        }
        if (offset == 0 && h->bins_used)
            offset = take_free(h, (uint32_t)size, h->top / SMALLEST, &end);
        if (offset == 0)
            return NULL;
        p = settle(h, offset, end, (uint32_t)n, LIVE);
    }
    if (p) {
        h->blocks++;
        h->asked += (uint32_t)n;
    }
    return p;
}

RH__NO_SANITIZE enum rh__heap_error rh__heap_resize(struct rh__heap *h, void **p, size_t n)
{
    uint32_t offset = 0;

    if (*p == NULL) {
        *p = rh__heap_alloc(h, n, 16);
        return *p ? RH__HEAP_OK : RH__HEAP_EXHAUSTED;
    }
    enum rh__heap_error error = find_live(h, *p, &offset);
    if (error)
        return error;
    if (n > h->capacity || block_size(n) > h->capacity)
        return RH__HEAP_EXHAUSTED;

    struct block *b = block_at(h, offset);
    uint32_t flags = b->size_flags & FLAGS, old = asked_of(b), end = offset + size_of(b);
    uint32_t wanted = offset + (uint32_t)block_size(n);
    uint64_t space_end = end;
    if (end == h->top)
        space_end = h->capacity;
    else if (!is_live(block_at(h, end)))
        space_end = (uint64_t)end + size_of(block_at(h, end));

    if ((uint64_t)offset + block_size(n) > space_end) {
        void *moved = rh__heap_alloc(h, n, 16);
        if (!moved)
            return RH__HEAP_EXHAUSTED;
        rh__copy(moved, *p, old);
        /* The new block may be in the free space beside this one, so b's flags are read again. */
        free_live(h, offset);
        *p = moved;
        return RH__HEAP_OK;
    }

    uint32_t keep = n < old ? (uint32_t)n : old;
    rh__zero(at(h, offset + HEAD + keep), end - offset - HEAD - keep);
    poison(h, offset + HEAD, end);
    if (wanted > end) {
        if (end == h->top) {
            end = h->top = wanted;
            poison_behind_top(h);
        } else {
            unlink_block(h, end);
            end = (uint32_t)space_end;
            block_at(h, end)->size_flags &= ~BEFORE_FREE;
        }
    }
    settle(h, offset, end, (uint32_t)n, flags);
    h->asked += (uint32_t)n - old;
    return RH__HEAP_OK;
}

RH__NO_SANITIZE enum rh__heap_error rh__heap_free(struct rh__heap *h, void *p)
{
    uint32_t offset = 0;
    enum rh__heap_error error = find_live(h, p, &offset);

    if (error)
        return error;
    free_live(h, offset);
    return RH__HEAP_OK;
}

RH__NO_SANITIZE size_t rh__heap_size(const struct rh__heap *h, const void *p)
{
    uintptr_t distance = (uintptr_t)p - (uintptr_t)h - HEAD;

    if (distance >= h->top || !is_block(h, (uint32_t)distance) || !is_live(block_at(h, (uint32_t)distance)))
        return 0;
    return asked_of(block_at(h, (uint32_t)distance));
}

uint32_t rh__heap_used(const struct rh__heap *h)
{
    /* Without blocks the bins are empty, and therefore zero. */
    return h->top == FIRST ? (uint32_t)offsetof(struct rh__heap, bins_used) : h->top;
}

uint32_t rh__heap_blocks(const struct rh__heap *h)
{
    return h->blocks;
}

/* Checks one free block by itself. */
RH__NO_SANITIZE static enum rh__heap_error check_free(const struct rh__heap *h, uint32_t offset, const void **where)
{
    uint32_t end = offset + size_of(block_at(h, offset));
    uint32_t written = first_not_zero(h, offset + (uint32_t)sizeof(struct block), end - 4);

    *where = at(h, written);
    if (written != end - 4 || *end_size(h, end) != end - offset)
        return RH__HEAP_FREE_WRITTEN;
    *where = &block_at(h, offset)->next;
    return links_sound(h, offset) ? RH__HEAP_OK : RH__HEAP_FREE_WRITTEN;
}

RH__NO_SANITIZE enum rh__heap_error rh__heap_check(const struct rh__heap *h, const void **where)
{
    uint32_t blocks = 0, asked = 0, free_blocks = 0, listed = 0;
    bool before_free = false;

    *where = h;
    if (h->mark != MARK || h->top < FIRST || h->top % 16 != HEAD || h->top > h->capacity ||
        h->bins_used >> RH__HEAP_BINS != 0)
        return RH__HEAP_BROKEN;

    for (uint32_t offset = FIRST; offset < h->top;) {
        const struct block *b = block_at(h, offset);
        uint32_t end;
        *where = at(h, offset + HEAD);
        if (!is_block(h, offset) || ((b->size_flags & BEFORE_FREE) != 0) != before_free)
            return RH__HEAP_OVERRUN;
        end = offset + size_of(b);
        if (is_live(b)) {
            if (!guard_intact(h, end, slack_of(b)))
                return RH__HEAP_OVERRUN;
            blocks++;
            asked += asked_of(b);
        } else {
            enum rh__heap_error error = check_free(h, offset, where);
            if (error)
                return error;
            free_blocks++;
        }
        if (!is_live(b) && (before_free || end == h->top))
            return RH__HEAP_OVERRUN;
        before_free = !is_live(b);
        offset = end;
    }

    *where = h;
    for (uint32_t bin = 0; bin < RH__HEAP_BINS; bin++) {
        if ((h->bins[bin] != 0) != ((h->bins_used >> bin & 1) != 0))
            return RH__HEAP_BROKEN;
        for (uint32_t offset = h->bins[bin]; offset != 0; offset = block_at(h, offset)->next) {
            if (!is_free_block(h, offset) || bin_of(size_of(block_at(h, offset))) != bin || ++listed > free_blocks)
                return RH__HEAP_BROKEN;
        }
    }
    if (listed != free_blocks || blocks != h->blocks || asked != h->asked)
        return RH__HEAP_BROKEN;
    *where = NULL;
    return RH__HEAP_OK;
}

RH__NO_SANITIZE enum rh__heap_error rh__heap_check_behind(const struct rh__heap *h, uint32_t extent, const void **where)
{
    uint32_t to = extent < h->capacity ? extent : h->capacity;
    uint32_t written = first_not_zero(h, rh__heap_used(h), to);

    *where = written < to ? at(h, written) : NULL;
    return written < to ? RH__HEAP_FREE_WRITTEN : RH__HEAP_OK;
}

RH__NO_SANITIZE void rh__heap_restored(const struct rh__heap *h, uint32_t extent)
{
    if (!__asan_poison_memory_region)
        return;
    poison(h, FIRST, extent < h->capacity ? extent : h->capacity);
    poison_behind_top(h);
    for (uint32_t offset = FIRST; is_block(h, offset); offset += size_of(block_at(h, offset))) {
        if (is_live(block_at(h, offset)))
            unpoison(h, offset + HEAD, offset + HEAD + asked_of(block_at(h, offset)));
    }
}

static const struct {
    const char *name, *text;
} errors[] = {
#define ERROR_ENTRY(code, name, text) { name, text },
    RH__HEAP_ERRORS(ERROR_ENTRY)
#undef ERROR_ENTRY
};

const char *rh__heap_error_name(enum rh__heap_error error)
{
    return errors[error].name;
}

const char *rh__heap_error_text(enum rh__heap_error error)
{
    return errors[error].text;
}
