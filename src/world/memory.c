/* See memory.h.  Address space is reserved once, generously and without backing; pages that are never touched cost
 * nothing.
 *
 *     TABLES   shared with the parent: the world itself, actors, channels, messages, payload, events, ...
 *     REGIONS  private: a slot per actor.  The region starts a few cache lines into its slot, a different number for
 *              each: with all of them at page boundaries the states of more than eight actors would fall into the same
 *              sets of the first-level cache and evict each other.
 *     STACKS   private: guard pages and stack, a slot each
 *     LOG      private */
#define _GNU_SOURCE
#include "world/memory.h"

#include "world/objects.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/copy.h"
#include "base/fail.h"
#include "base/hash.h"
#include "world/heap.h"
#include "world/log.h"
#include "world/outcome.h"
#include "world/pages.h"
#include "world/sets.h"

#define TABLES_AT  ((uintptr_t)0x210000000000)
#define REGIONS_AT ((uintptr_t)0x220000000000)
#define STACKS_AT  ((uintptr_t)0x280000000000)
#define LOG_AT     ((uintptr_t)0x2a0000000000)
#define LOG_BYTES  ((size_t)1 << 36)

enum { PAGE = RH__PAGE, COLOURS = 31, COLOUR_BYTES = 64 };

__attribute__((weak)) void __asan_unpoison_memory_region(void const volatile *at, size_t size);

static size_t pages_up(size_t bytes)
{
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

static void *reserve(uintptr_t at, size_t bytes, int sharing, const char *what, char *error, size_t error_size)
{
    void *p = mmap((void *)at, bytes, PROT_READ | PROT_WRITE,
                   sharing | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (p == MAP_FAILED) {
        snprintf(error, error_size,
                 "no address space for %s: %zu MiB at %p: %s (is a limit set with ulimit -v, or is "
                 "another world in use in this process?)",
                 what, bytes >> 20, (void *)at, strerror(errno));
        return NULL;
    }
    if (p != (void *)at) {
        munmap(p, bytes);
        snprintf(error, error_size, "no address space for %s at %p", what, (void *)at);
        return NULL;
    }
    if (sharing == MAP_SHARED)
        madvise(p, bytes, MADV_DONTDUMP); /* a core dump would fill it, to its whole size, with pages of zeros */
    return p;
}

/* The first pass measures, the second assigns addresses; both walk the same list. */
static size_t lay_out(struct rh_world *w, const struct rh_semantics *limits, char *base)
{
    size_t at = pages_up(sizeof *w);
    size_t actors = limits->max_actors;
    size_t choices = (size_t)limits->max_messages * 3 + actors * 8 + (1u << 16);
#define TABLE(field, count)                                                                                            \
    if (base)                                                                                                          \
        w->field = (void *)(base + at);                                                                                \
    at += pages_up((count) * sizeof *w->field);
    TABLE(actors, actors)
    TABLE(channels, (size_t)MAX_CHANNELS)
    TABLE(ready, (size_t)MAX_CHANNELS / 64)
    TABLE(messages, (size_t)MAX_MESSAGES)
    TABLE(payload, RH__PAYLOAD_BYTES)
    TABLE(events, (size_t)MAX_EVENTS)
    TABLE(first_sets, (size_t)MAX_EVENTS)
    TABLE(timers, (size_t)MAX_TIMERS)
    TABLE(timer_names, (size_t)TIMER_NAMES)
    TABLE(links, (size_t)MAX_LINKS)
    TABLE(names, (size_t)MAX_NAMES)
    TABLE(writes, (size_t)MAX_WRITES)
    TABLE(stores, (size_t)MAX_STORES)
    TABLE(tables, (size_t)MAX_TABLES)
    TABLE(items, (size_t)MAX_ITEMS)
    TABLE(operations, (size_t)MAX_OPERATIONS)
    TABLE(lines, (size_t)MAX_LINES)
    TABLE(objects, (size_t)MAX_OBJECTS)
    TABLE(accesses, (size_t)MAX_ACCESSES)
    TABLE(properties, (size_t)MAX_PROPERTIES)
    TABLE(shown, (size_t)MAX_SHOWN)
    TABLE(choice_table, MAX_LISTED + choices)
    TABLE(lists, (size_t)MAX_EVENTS)
    TABLE(members, choices)
    TABLE(stack_next, actors + 1)
    TABLE(stale_actors, actors)
    TABLE(stale_channels, (size_t)MAX_CHANNELS)
    TABLE(monitors, actors)
    TABLE(large, actors)
    TABLE(check_hashes, RH__IS_HOSTILE ? (size_t)MAX_EVENTS : 0)
    TABLE(check_meanings, RH__IS_HOSTILE ? (size_t)MAX_EVENTS : 0)
    TABLE(check_choices, RH__IS_HOSTILE ? choices : 0)
#undef TABLE
    if (base) {
        w->choices = w->choice_table;
        w->choice_capacity = (uint32_t)choices;
    }
    return at;
}

struct rh_world *rh__memory_reserve(const struct rh_semantics *limits, char *error, size_t error_size)
{
    struct rh_world sizes = { .begun = false };
    size_t bytes = lay_out(&sizes, limits, NULL);
    char *tables = reserve(TABLES_AT, bytes, MAP_SHARED, "the world's tables", error, error_size);
    if (!tables)
        return NULL;
    struct rh_world *w = (struct rh_world *)(void *)tables;
    lay_out(w, limits, tables);
    w->table_bytes = bytes;
    w->semantics = *limits;
    w->delivery = *rh__delivery(limits->model);
    w->region_stride = pages_up(limits->max_bytes_per_actor + COLOURS * COLOUR_BYTES) + PAGE;
    w->regions_bytes = w->region_stride * limits->max_actors;
    w->region_inverse = UINT64_MAX / (w->region_stride / PAGE) + 1;
    w->stack_stride = pages_up(limits->max_stack_bytes) + RH__GUARD;
    w->regions = reserve(REGIONS_AT, w->regions_bytes, MAP_PRIVATE, "the actors' memory", error, error_size);
    if (!w->regions)
        goto no_regions;
    w->stacks =
        reserve(STACKS_AT, w->stack_stride * (limits->max_actors + 1), MAP_PRIVATE, "stacks", error, error_size);
    if (!w->stacks)
        goto no_stacks;
    w->log_start = reserve(LOG_AT, LOG_BYTES, MAP_PRIVATE, "the undo log", error, error_size);
    if (!w->log_start)
        goto no_log;
    w->log = w->log_start;
    w->log_end = w->log_start + LOG_BYTES;
    w->payload_at = 16; /* 0 means no offset */
    w->asan = __asan_unpoison_memory_region != NULL;
    return w;

no_log:
    munmap(w->stacks, w->stack_stride * (limits->max_actors + 1));
no_stacks:
    munmap(w->regions, w->regions_bytes);
no_regions:
    munmap(tables, bytes);
    return NULL;
}

void rh__memory_release(struct rh_world *w)
{
    size_t actors = w->semantics.max_actors;
    if (w->asan) /* a later mapping at the same place must not inherit poison */
        for (uint32_t a = 0; a < w->actor_count; a++)
            __asan_unpoison_memory_region(w->regions + w->region_stride * a, w->region_stride);
    munmap(w->log_start, LOG_BYTES);
    munmap(w->stacks, w->stack_stride * (actors + 1));
    munmap(w->regions, w->regions_bytes);
    munmap(w, w->table_bytes);
}

uint64_t rh__payload_full(struct rh_world *w)
{
    /* Between handlers there is always room: rh__payload_room is checked before each step. */
    rh__fail_inside(w, RH_OUTCOME_LIMIT, "", "the bytes of all messages of one run exceed %zu MiB",
                    RH__PAYLOAD_BYTES >> 20);
}

uint64_t rh__payload_text(struct rh_world *w, const char *text)
{
    size_t size = strlen(text) + 1;
    uint64_t at = rh__payload_take(w, size);
    rh__copy(w->payload + at, text, size);
    return at;
}

/* ---- regions ----------------------------------------------------------------------------------------------------- */

static char *region_of(const struct rh_world *w, uint32_t actor)
{
    return w->regions + w->region_stride * actor + (actor * 5 % COLOURS) * COLOUR_BYTES;
}

size_t rh__region_capacity(const struct rh_world *w, uint32_t actor)
{
    (void)actor;
    return w->semantics.max_bytes_per_actor;
}

static struct rh__heap *heap_of(const struct world_actor *a)
{
    return a->heap ? (struct rh__heap *)(void *)(a->region + a->heap) : NULL;
}

static uint32_t size_in_use(const struct world_actor *a)
{
    return a->heap ? a->heap + rh__heap_used(heap_of(a)) : a->type->size;
}

/* Logs the growth of a region: undoing it clears the bytes after the old end. */
static void log_growth(struct rh_world *w, const struct world_actor *a, uint32_t from, uint32_t to)
{
    if (to > from)
        log_push(w, a->region + (from & ~(uint32_t)3), LOG_ZERO, (uint64_t)(to - from) << 2 | (from & 3));
}

void rh__region_begin(struct rh_world *w, uint32_t actor, const void *state)
{
    struct world_actor *a = &w->actors[actor];
    a->region = region_of(w, actor);
    if (w->asan) /* an undone region, or one of an earlier world, may have left poison */
        __asan_unpoison_memory_region(a->region, a->type->size);
    if (state) /* otherwise it is zero already */
        rh__copy(a->region, state, a->type->size);
    log_growth(w, a, 0, a->type->size);
    a->used = a->type->size;
    a->epoch = w->epoch;
}

void rh__region_enter_large(struct rh_world *w, uint32_t actor)
{
    if (!rh__pages_keep_images(w))
        rh__pages_sync(w->large[actor]);
}

static void leave_large(struct rh_world *w, uint32_t actor)
{
    struct world_actor *a = &w->actors[actor];
    struct rh__wide hash = a->region_hash;
    if (!rh__pages_keep_images(w))
        rh__pages_diff(w, w->large[actor], &hash);
    if (!rh__wide_is_zero(rh__wide_xor(hash, a->region_hash)))
        put_wide(w, &a->region_hash, hash);
    uint32_t used = size_in_use(a);
    if (used != a->used)
        put32(w, &a->used, used);
}

void rh__region_clear(struct rh_world *w, uint32_t actor)
{
    struct world_actor *a = &w->actors[actor];
    rh__region_enter(w, actor);
    rh__zero(a->region, a->used);
    if (w->asan)
        __asan_unpoison_memory_region(a->region, a->used);
    put32(w, &a->heap, 0);
    if (a->large)
        leave_large(w, actor);
    else
        put32(w, &a->used, a->type->size);
}

void rh__region_leave_heap(struct rh_world *w, uint32_t actor)
{
    struct world_actor *a = &w->actors[actor];
    if (a->large) {
        leave_large(w, actor);
        return;
    }
    uint32_t used = size_in_use(a);
    if (used != a->used) {
        log_growth(w, a, a->used, used);
        put32(w, &a->used, used);
    }
    if (used > (w->no_undo ? SMALL_FOR_RESET : SMALL_REGION) && !w->semantics.check_isolation) {
        struct rh__pages *pages = rh__pages_for_actor(w, actor);
        if (!pages)
            return; /* no memory for tracking: copying the region is slower, but correct */
        if (!rh__pages_keep_images(w))
            put_wide(w, &a->region_hash, rh__pages_hash(a->region, used));
        put_pointer(w, &w->large[actor], pages);
        put32(w, &a->large, 1);
    }
}

struct rh__wide rh__region_hash(struct rh_world *w, uint32_t actor)
{
    struct world_actor *a = &w->actors[actor];
    if (a->large)
        return rh__pages_keep_images(w) ? rh__pages_hash(a->region, a->used) : a->region_hash;
    return rh__wide_hash(a->region, a->used, 0);
}

void rh__regions_begin_anew(struct rh_world *w)
{
    rh__pages_protect_actors(w);
    for (uint32_t i = 0; i < w->actor_count; i++)
        if (w->actors[i].large)
            w->actors[i].region_hash = rh__pages_hash(w->actors[i].region, w->actors[i].used);
}

uint32_t rh__region_owner(const struct rh_world *w, const void *p)
{
    __extension__ typedef unsigned __int128 wide;
    size_t offset = (size_t)((uintptr_t)p - REGIONS_AT);
    if (offset >= w->regions_bytes)
        return RH_NONE;
    /* offset / region_stride.  Both are whole pages, fewer than 2^31 and 2^17, so that the product is exact. */
    return (uint32_t)((wide)(offset / PAGE) * w->region_inverse >> 64);
}

/* ---- stacks ------------------------------------------------------------------------------------------------------ */

void rh__stack_guard(struct rh_world *w, uint32_t stack)
{
    char *slot = w->stacks + w->stack_stride * stack;
    RH__ASSERT(mprotect(slot, RH__GUARD, PROT_NONE) == 0, "guard page of stack %u: %s", stack, strerror(errno));
    w->stacks_guarded = stack + 1;
}

void rh__stack_take(struct rh_world *w, uint32_t stack)
{
    if (stack == w->stack_free)
        put32(w, &w->stack_free, w->stack_next[stack]);
    else
        put32(w, &w->stack_count, stack + 1);
}

void rh__stack_give(struct rh_world *w, uint32_t stack)
{
    put32(w, &w->stack_next[stack], w->stack_free);
    put32(w, &w->stack_free, stack);
    if (w->asan) /* abandoned frames leave their red zones behind */
        __asan_unpoison_memory_region(rh__stack_base(w, stack), rh__stack_size(w));
}

bool rh__stack_guard_hit(const struct rh_world *w, const void *p)
{
    size_t offset = (size_t)((uintptr_t)p - STACKS_AT);
    return offset < w->stack_stride * (w->semantics.max_actors + 1) && offset % w->stack_stride < RH__GUARD;
}

/* ---- the log (log.h) --------------------------------------------------------------------------------------------- */

/* After the bytes of a region were replaced, AddressSanitizer must be told which bytes are blocks. */
static void shadow_follows(struct rh_world *w, char *where, uint32_t size)
{
    uint32_t owner = rh__region_owner(w, where);
    if (owner == RH_NONE) {
        __asan_unpoison_memory_region(where, size); /* a stack: its red zones are no longer known */
        return;
    }
    const struct world_actor *a = &w->actors[owner];
    if (a->heap && a->heap < size)
        rh__heap_restored(heap_of(a), (uint32_t)rh__region_capacity(w, owner) - a->heap);
    else
        __asan_unpoison_memory_region(where, size);
}

/* Undoes an entry that is not one word, and returns the log before it. */
RH__NO_SANITIZE static char *undo_bytes(struct rh_world *w, const struct world_log_entry *e, const char *mark)
{
    char *log = rh__log_before(e), *where = (char *)(uintptr_t)(e->where & ~(uint64_t)LOG_TAGS) + (e->old & 3);
    size_t size = rh__log_size(e);
    if ((e->where & LOG_TAGS) == LOG_IMAGE) {
        if (e->old & LOG_LINKED) {
            const struct world_log_entry *older = (const struct world_log_entry *)(uintptr_t)e[-1].old;
            ((struct world_actor *)(uintptr_t)e[-1].where)->image = older;
            if ((const char *)older >= mark && older->old == e->old && !w->asan)
                return log; /* the older image overwrites all of this */
        }
        rh__copy(where, log, size);
        if (w->asan)
            shadow_follows(w, where, (uint32_t)size);
    } else {
        if (w->asan)
            __asan_unpoison_memory_region(where, size);
        rh__zero(where, size);
    }
    return log;
}

/* Words of both sizes take turns as the program does, which no processor foresees.  So there is no branch between them:
 * one of two stores goes to a place that nobody reads.  (A compiler makes a branch of `? :`.) */
RH__NO_SANITIZE static inline void undo_word(uint64_t where, uint64_t old, uint64_t *nowhere)
{
    uintptr_t is_short = -(uintptr_t)(where & LOG_WORD32), aside = (uintptr_t)nowhere;
    uintptr_t either = (uintptr_t)(where & ~(uint64_t)LOG_WORD32) ^ aside;
    *(uint64_t *)(either ^ aside ^ (either & is_short)) = old;
    *(uint32_t *)(aside ^ (either & is_short)) = (uint32_t)old;
}

RH__NO_SANITIZE void rh__log_rollback(struct rh_world *w, char *mark)
{
    char *log = w->log; /* the stores below could change w->log, as far as the compiler knows */
    uint64_t nowhere;
    while (log > mark) {
        const struct world_log_entry *e = (const struct world_log_entry *)(void *)log - 1;
        log = (char *)e;
        if (e->where & 2)
            log = undo_bytes(w, e, mark);
        else
            undo_word(e->where, e->old, &nowhere);
    }
    w->log = log;
}
_Static_assert(!(LOG_WORD64 & 2) && !(LOG_WORD32 & 2) && (LOG_IMAGE & LOG_ZERO & 2) != 0, "the second bit says: bytes");
