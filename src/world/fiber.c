/* See fiber.h.
 *
 * Undo: before a suspended fiber continues or is discarded, the live part of its stack is copied to the log.  A new
 * stack needs no copy, because nobody reads what is on a free stack. */
#include "world/fiber.h"

#include <string.h>

#include "actor/blocking.h"
#include "base/copy.h"
#include "world/control.h"
#include "world/guard.h"
#include "world/heap.h"
#include "world/log.h"
#include "world/memory.h"
#include "world/switch.h"
#include "world/threads.h"

/* AddressSanitizer must know the current stack. */
__attribute__((weak)) void __sanitizer_start_switch_fiber(void **fake, const void *bottom, size_t size);
__attribute__((weak)) void __sanitizer_finish_switch_fiber(void *fake, const void **bottom, size_t *size);
__attribute__((weak)) void __asan_unpoison_memory_region(void const volatile *at, size_t size);

/* ---- actor's side ------------------------------------------------------------------------------------------------ */

static void arrive_on_fiber(struct rh_world *w, void *fake)
{
    if (w->asan)
        __sanitizer_finish_switch_fiber(fake, &w->asan_bottom, &w->asan_size);
}

static void leave_fiber(struct rh_world *w, enum world_yield why)
{
    void *fake = NULL;
    w->yield = why;
    if (w->asan)
        __sanitizer_start_switch_fiber(why == YIELD_BLOCKED ? &fake : NULL, w->asan_bottom, w->asan_size);
    rh__switch_yield(&w->suspended, &w->back);
    arrive_on_fiber(w, fake);
}

static void fiber_main(void *arg)
{
    struct rh_world *w = arg;
    arrive_on_fiber(w, NULL);
    const struct world_job *job = &w->job;
    if (job->body)
        job->body(ref_of(w->current), job->state);
    else
        job->handler(ref_of(w->current), job->state, job->value);
    if (w->asan)
        __sanitizer_start_switch_fiber(NULL, w->asan_bottom, w->asan_size);
}

void rh__fiber_calls(const struct rh_world *w)
{
    bool plain = w->semantics.granularity == RH_GRAIN_HANDLER && !w->fingerprints;
    if (plain != rh__calls_are_plain) /* a store would make a page of globals hot */
        rh__calls_are_plain = plain;
}

bool rh__is_fiber_function(uintptr_t function)
{
    return function == (uintptr_t)fiber_main || function == rh__switch_caller();
}

void rh__fiber_block(struct rh_world *w)
{
    leave_fiber(w, YIELD_BLOCKED);
}

void rh__fiber_abandon(struct rh_world *w)
{
    leave_fiber(w, YIELD_ABANDONED);
    __builtin_unreachable();
}

/* ---- world's side ------------------------------------------------------------------------------------------------ */

/* AddressSanitizer's view of an actor's memory is not restored with the memory: this updates it before the actor
 * runs. */
static void shadow_fits(struct rh_world *w, uint32_t actor)
{
    const struct world_actor *a = &w->actors[actor];
    __asan_unpoison_memory_region(a->region, a->heap ? a->heap : a->type->size);
    if (a->heap && a->used > a->heap)
        rh__heap_restored((const struct rh__heap *)(const void *)(a->region + a->heap), a->used - a->heap);
}

/* By the C library, whose stores are as wide as the processor allows.  With a sanitizer the bytes are not poisoned: see
 * enter_with_sanitizer. */
RH__APART static void zero_stack(char *from, char *to)
{
    if (from < to)
        memset(from, 0, (size_t)(to - from));
}

/* Leftovers of earlier handlers must not get into the fingerprint of a fiber that blocks, nor into what is compared of
 * alike actors.  So a stack is cleaned before use, to the greatest depth at which fibers have blocked, and to a usual
 * depth, once there are fingerprints or alike actors matter; so is that of the test's body, which begins before anybody
 * asks.  Otherwise nobody compares stacks.  The first fiber that goes deeper than all before it may still contain
 * leftovers, so that one state counts as two.  Which fiber that is depends on where a process began; therefore the
 * depth is part of what fingerprints mean (rh__stacks_meaning), and searches over states start over when it grows.  It
 * grows in few steps: 2048, 3072, 4096, 6144, 8192, ... */
enum { USUAL_DEPTH = 1024, PROCESS_DEPTH = 2048, DEPTHS = 28 };

static uint32_t depth_of(uint32_t step)
{
    return (step % 2 ? PROCESS_DEPTH : PROCESS_DEPTH / 2 * 3) << (step - 1) / 2;
}

void rh__stacks_clean_to(struct rh_world *w, uint32_t depth)
{
    while (w->deepest < depth && w->deepest_step < DEPTHS)
        w->deepest = depth_of(++w->deepest_step);
}

uint32_t rh__stacks_meaning(const struct rh_world *w)
{
    return ((uint32_t)1 << w->deepest_step) - 1;
}

void rh__stacks_have_meant(struct rh_world *w, uint32_t meaning)
{
    for (uint32_t step = w->deepest_step + 1; step <= DEPTHS && meaning >> (step - 1) & 1; step++)
        rh__stacks_clean_to(w, depth_of(step));
}

static inline void clean(const struct rh_world *w, const struct world_actor *a, char *top, char *live)
{
    if (!w->fingerprints && !w->watches_twins && w->event_count > 1)
        return;
    bool body = w->event_count <= 1; /* each process makes it once, some before and some after they know the depth */
    size_t depth = body ? 0 : w->deepest, most = rh__stack_size(w);
    bool stops = w->semantics.granularity == RH_GRAIN_OBJECT || a->type->kind == RH_KIND_PROCESS;
    if (w->fingerprints && depth < USUAL_DEPTH)
        depth = USUAL_DEPTH;
    if (stops && depth < PROCESS_DEPTH && (w->fingerprints || a->type->kind == RH_KIND_PROCESS))
        depth = PROCESS_DEPTH;
    depth = depth < most ? depth : most;
    if (depth)
        zero_stack(top - depth, live);
    rh__clean_down_to = w->fingerprints && (stops || w->deepest) ? top - depth : NULL;
}

/* Stacks are filled and measured to this depth; deeper bytes are ignored. */
enum { FILLED = 64 << 10, PATTERN = 0xa5, POSITIVE = 0x55 };

RH__APART static void fill(struct rh_world *w, char *top, char *live)
{
    char *base = top - rh__stack_size(w);
    w->filled_to = live;
    w->filled_from = live - base > FILLED ? live - FILLED : base;
    int with = w->fill == FILL_PATTERN ? PATTERN : w->fill == FILL_POSITIVE ? POSITIVE : 0;
    memset(w->filled_from, with, (size_t)(live - w->filled_from));
}

/* The bytes are those of its own frame, so that calls of the caller will find them. */
RH__APART RH__NO_SANITIZE static void fill_below(size_t size)
{
    char *room = __builtin_alloca(size);
    memset(room, 0, size);
    __asm__ volatile("" : : "r"(room) : "memory");
}

void rh__fiber_clean(void)
{
    const struct rh_world *w = rh__world;
    enum { ROOM = 512 }; /* for frames that are in use, and for memset */
    size_t free = (size_t)((char *)__builtin_frame_address(0) - w->filled_from);
    if (w->fill == FILL_ZERO && free > (size_t)2 * ROOM && free <= FILLED)
        fill_below(free - ROOM);
}

RH__APART static void measure_depth(struct rh_world *w)
{
    const unsigned char *at = (const unsigned char *)w->filled_from, *end = (const unsigned char *)w->filled_to;
    for (uint64_t word, same = 0x0101010101010101u * PATTERN; at + sizeof word <= end; at += sizeof word) {
        memcpy(&word, at, sizeof word);
        if (word != same)
            break;
    }
    while (at < end && *at == PATTERN)
        at++;
    if ((size_t)(end - at) > w->handler_depth)
        w->handler_depth = (uint32_t)(end - at);
}

static void note_depth(struct rh_world *w, uint32_t actor)
{
    uint32_t size;
    rh__fiber_live(w, actor, &size);
    if (__builtin_expect(size > w->deepest, 0))
        rh__stacks_clean_to(w, size);
}

/* A step that was undone may have left red zones of its frames on the free part of the stack. */
RH__APART static void enter_with_sanitizer(struct rh_world *w, uint32_t actor, char *top, char *live)
{
    char *base = top - rh__stack_size(w);
    __asan_unpoison_memory_region(base, (size_t)(live - base));
    shadow_fits(w, actor);
    for (uint32_t i = 0; i < w->monitor_count; i++) /* monitors run on the stack of the announcing actor */
        shadow_fits(w, w->monitors[i]);
}

/* To the fiber and back; on the thread of the actor, if it has one.  Without a context it is a new fiber. */
struct crossing {
    struct rh_world *w;
    char *top;
    void *context;
};

static inline void cross(const struct crossing *c)
{
    struct rh_world *w = c->w;
    if (w->asan)
        __sanitizer_start_switch_fiber(&w->asan_fake, c->top - rh__stack_size(w), rh__stack_size(w));
    const struct world_job *job = &w->job;
    if (c->context)
        rh__switch_resume(c->context, &w->back);
    else if (job->body || w->asan)
        rh__switch_enter(c->top, fiber_main, w, &w->back);
    else /* as rh__fiber_start does: the frame below a handler is always the same */
        rh__switch_call(c->top, &w->back, job->handler, ref_of(w->current), job->state, job->value);
    if (w->asan)
        __sanitizer_finish_switch_fiber(w->asan_fake, NULL, NULL);
}

static void cross_on_thread(void *arg)
{
    cross(arg);
}

static inline void run_fiber(struct rh_world *w, uint32_t actor, char *top, void *context)
{
    struct crossing c = { w, top, context };
    if (__builtin_expect(w->threaded, 0))
        rh__thread_call(w, actor, cross_on_thread, &c);
    else
        cross(&c);
}

/* The stack ends at `top`; its bytes below `live` are free. */
static inline void enter(struct rh_world *w, uint32_t actor, char *top, char *live)
{
    if (w->threaded)
        rh__thread_prepare(w, actor);
    if (w->isolates)
        rh__isolate(w, actor);
    if (w->asan)
        enter_with_sanitizer(w, actor, top, live);
    clean(w, &w->actors[actor], top, live);
    if (__builtin_expect(w->fill != FILL_NOT, 0))
        fill(w, top, live);
    rh__fiber_enter_plainly(w, actor);
}

static inline void leave(struct rh_world *w)
{
    w->inside = false;
    rh__clean_down_to = NULL;
    if (__builtin_expect(w->fill == FILL_PATTERN && !w->asan, 0))
        measure_depth(w);
    if (__builtin_expect(w->yield == YIELD_ABANDONED, 0))
        rh__control_begin(); /* the handler may have left something pushed */
}

/* The fiber has blocked: from now on the stack is the actor's. */
RH__APART static void keep_stack(struct rh_world *w, uint32_t actor, uint32_t stack)
{
    put_pointer(w, &w->actors[actor].context, w->suspended);
    rh__stack_take(w, stack);
    put32(w, &w->actors[actor].stack, stack);
    note_depth(w, actor);
}

void rh__fiber_stopped(struct rh_world *w, uint32_t actor, uint32_t stack)
{
    leave(w);
    if (w->yield == YIELD_BLOCKED) {
        keep_stack(w, actor, stack);
    } else if (__builtin_expect(w->yield == YIELD_ABANDONED && w->asan, 0)) {
        rh__stack_take(w, stack);
        rh__stack_give(w, stack);
    }
}

RH__APART static void start_any(struct rh_world *w, uint32_t actor, const struct world_job *job)
{
    uint32_t stack = rh__stack_peek(w);
    char *top = rh__stack_base(w, stack) + rh__stack_size(w);
    w->job = *job;
    enter(w, actor, top, top);
    run_fiber(w, actor, top, NULL);
    rh__fiber_stopped(w, actor, stack);
}

void rh__fiber_start_body(struct rh_world *w, uint32_t actor, rh_body_fn *body)
{
    start_any(w, actor, &(struct world_job){ .body = body, .state = w->actors[actor].region });
}

void rh__fiber_start_with_needs(struct rh_world *w, uint32_t actor, rh_handler_fn *handler, void *state,
                                const void *value)
{
    start_any(w, actor, &(struct world_job){ .handler = handler, .state = state, .value = value });
}

char *rh__fiber_live(struct rh_world *w, uint32_t actor, uint32_t *size)
{
    const struct world_actor *a = &w->actors[actor];
    char *top = rh__stack_base(w, a->stack) + rh__stack_size(w);
    *size = (uint32_t)(top - (char *)a->context);
    return a->context;
}

static void log_stack(struct rh_world *w, uint32_t actor)
{
    uint32_t size;
    char *live = rh__fiber_live(w, actor, &size);
    rh__log_image(w, live, size);
}

void rh__fiber_resume(struct rh_world *w, uint32_t actor)
{
    struct world_actor *a = &w->actors[actor];
    log_stack(w, actor);
    char *top = rh__stack_base(w, a->stack) + rh__stack_size(w);
    enter(w, actor, top, a->context);
    rh__program_frame = a->frame; /* the call goes on, and may stop again */
    run_fiber(w, actor, top, a->context);
    leave(w);
    if (w->yield == YIELD_BLOCKED) {
        put_pointer(w, &a->context, w->suspended);
        note_depth(w, actor);
    } else {
        rh__stack_give(w, a->stack);
        put32(w, &a->stack, RH_NONE);
    }
}

void rh__fiber_discard(struct rh_world *w, uint32_t actor)
{
    struct world_actor *a = &w->actors[actor];
    if (a->stack == RH_NONE)
        return;
    log_stack(w, actor);
    rh__stack_give(w, a->stack);
    put32(w, &a->stack, RH_NONE);
    if (a->found) /* by a call that does not go on */
        put64(w, &a->found, 0);
}
