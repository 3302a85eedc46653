/* Memory of actors: one region (state and heap) each and, while suspended, one stack, at fixed addresses.
 *
 * A small region is copied to the log before its actor runs; a large one is tracked by pages.  A stack is copied before
 * its fiber continues.  All bytes of a region after `used` are zero, so undoing its growth is free. */
/* Private to src/world. */
#ifndef RH_WORLD_MEMORY_H
#define RH_WORLD_MEMORY_H

#include "world/log.h"

enum {
    RH__PAGE = 4096,
    RH__GUARD = 1 << 20, /* below each stack, so that a large frame does not step over it */
};
#define RH__PAYLOAD_BYTES ((size_t)1 << 35)

/* Reserves tables, regions, stacks and log for these limits; NULL with a sentence on failure. */
struct rh_world *rh__memory_reserve(const struct rh_semantics *limits, char *error, size_t error_size);
void rh__memory_release(struct rh_world *w);

/* The offset of `size` new bytes in the payload, 16-aligned, not cleared; ends the run if the table is full. */
static inline uint64_t rh__payload_take(struct rh_world *w, size_t size);
static inline bool rh__payload_room(const struct rh_world *w)
{
    return RH__PAYLOAD_BYTES - w->payload_at > (size_t)64 << 20;
}
/* Copies a text to the payload. */
uint64_t rh__payload_text(struct rh_world *w, const char *text);

/* Gives the actor its region, which contains `state` (NULL: all zero). */
void rh__region_begin(struct rh_world *w, uint32_t actor, const void *state);
/* Clears the region, before a restart. */
void rh__region_clear(struct rh_world *w, uint32_t actor);
/* Called before and after the actor's code runs. */
static inline void rh__region_enter(struct rh_world *w, uint32_t actor);
static inline void rh__region_leave(struct rh_world *w, uint32_t actor);
/* A hash of the region's contents. */
struct rh__wide rh__region_hash(struct rh_world *w, uint32_t actor);
/* The actor whose region contains this address; RH_NONE if there is none. */
uint32_t rh__region_owner(const struct rh_world *w, const void *p);
size_t rh__region_capacity(const struct rh_world *w, uint32_t actor);

/* Stacks; `base` is the low end, above the guard page. */
static inline char *rh__stack_base(struct rh_world *w, uint32_t stack);
static inline size_t rh__stack_size(const struct rh_world *w)
{
    return w->stack_stride - RH__GUARD;
}
/* The stack that the next handler uses. */
static inline uint32_t rh__stack_peek(const struct rh_world *w)
{
    return w->stack_free != RH_NONE ? w->stack_free : w->stack_count;
}
void rh__stack_take(struct rh_world *w, uint32_t stack);
void rh__stack_give(struct rh_world *w, uint32_t stack);
/* Whether the address is in the guard page of a stack. */
bool rh__stack_guard_hit(const struct rh_world *w, const void *p);

/* ---- the short ways, taken at every step ------------------------------------------------------------------------- */

_Noreturn uint64_t rh__payload_full(struct rh_world *w);
static inline uint64_t rh__payload_take(struct rh_world *w, size_t size)
{
    uint64_t at = w->payload_at;
    size = (size + 15) & ~(size_t)15;
    if (__builtin_expect(size > RH__PAYLOAD_BYTES - at, 0))
        rh__payload_full(w);
    w->payload_at = at + size;
    return at;
}

/* After a change of no_undo between two explorations: large regions are tracked in the other way from now on. */
void rh__regions_begin_anew(struct rh_world *w);
void rh__region_enter_large(struct rh_world *w, uint32_t actor);
static inline void rh__region_enter(struct rh_world *w, uint32_t actor)
{
    struct world_actor *a = &w->actors[actor];
    if (a->large) {
        rh__region_enter_large(w, actor);
    } else if (a->epoch != w->epoch) {
        rh__log_region(w, a);
        a->epoch = w->epoch;
    }
}

void rh__region_leave_heap(struct rh_world *w, uint32_t actor);
static inline void rh__region_leave(struct rh_world *w, uint32_t actor)
{
    if (w->actors[actor].heap | w->actors[actor].large)
        rh__region_leave_heap(w, actor);
}

void rh__stack_guard(struct rh_world *w, uint32_t stack);
static inline char *rh__stack_base(struct rh_world *w, uint32_t stack)
{
    if (__builtin_expect(stack >= w->stacks_guarded, 0))
        rh__stack_guard(w, stack);
    return w->stacks + w->stack_stride * stack + RH__GUARD;
}

#endif
