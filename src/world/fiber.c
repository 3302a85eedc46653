/* See fiber.h.
 *
 * Undo: before a suspended fiber goes on or is forgotten, the live part of its stack is copied to the log.  A fresh
 * stack needs nothing: what is on a free stack is of no interest. */
#include "world/fiber.h"

#include "world/control.h"
#include "world/guard.h"
#include "world/log.h"
#include "world/memory.h"
#include "world/switch.h"

/* AddressSanitizer wants to know on which stack we are. */
__attribute__((weak)) void __sanitizer_start_switch_fiber(void **fake, const void *bottom, size_t size);
__attribute__((weak)) void __sanitizer_finish_switch_fiber(void *fake, const void **bottom, size_t *size);

/* ---- actor's side -------------------------------------------------------------------------------------------------- */

static void arrive_on_fiber(struct rh_world *w, void *fake)
{
    if (w->asan)
        __sanitizer_finish_switch_fiber(fake, &w->asan_bottom, &w->asan_size);
}

static void leave_fiber(struct rh_world *w, enum yield why)
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
    if (w->job_body)
        w->job_body(ref_of(w->current), w->job_state);
    else
        w->job_handler(ref_of(w->current), w->job_state, w->job_value);
    w->yield = YIELD_DONE;
    if (w->asan)
        __sanitizer_start_switch_fiber(NULL, w->asan_bottom, w->asan_size);
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

/* ---- world's side -------------------------------------------------------------------------------------------------- */

static void enter(struct rh_world *w, uint32_t actor, char *base)
{
    if (w->semantics.check_isolation)
        rh__isolate(w, actor);
    if (w->asan)
        __sanitizer_start_switch_fiber(&w->asan_fake, base, rh__stack_size(w));
    rh__control_begin(); /* a fiber that was abandoned may have left something pushed */
    w->current = actor;
    w->inside = true;
}

static void leave(struct rh_world *w)
{
    w->inside = false;
    if (w->asan)
        __sanitizer_finish_switch_fiber(w->asan_fake, NULL, NULL);
}

void rh__fiber_start(struct rh_world *w, uint32_t actor)
{
    uint32_t stack = rh__stack_peek(w);
    char *base = rh__stack_base(w, stack);
    enter(w, actor, base);
    rh__switch_enter(base + rh__stack_size(w), fiber_main, w, &w->back);
    leave(w);
    if (__builtin_expect(w->yield == YIELD_BLOCKED, 0)) {
        put_pointer(w, &w->actors[actor].context, w->suspended);
        rh__stack_take(w, stack);
        put32(w, &w->actors[actor].stack, stack);
    } else if (__builtin_expect(w->yield == YIELD_ABANDONED && w->asan, 0)) {
        rh__stack_take(w, stack);
        rh__stack_give(w, stack);
    }
}

char *rh__fiber_live(struct rh_world *w, uint32_t actor, uint32_t *size)
{
    const struct actor *a = &w->actors[actor];
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
    struct actor *a = &w->actors[actor];
    log_stack(w, actor);
    enter(w, actor, rh__stack_base(w, a->stack));
    rh__switch_resume(a->context, &w->back);
    leave(w);
    if (w->yield == YIELD_BLOCKED) {
        put_pointer(w, &a->context, w->suspended);
    } else {
        rh__stack_give(w, a->stack);
        put32(w, &a->stack, RH_NONE);
    }
}

void rh__fiber_discard(struct rh_world *w, uint32_t actor)
{
    struct actor *a = &w->actors[actor];
    if (a->stack == RH_NONE)
        return;
    log_stack(w, actor);
    rh__stack_give(w, a->stack);
    put32(w, &a->stack, RH_NONE);
}
