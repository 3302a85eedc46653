/* See fiber.h.  The switch is Boost.Context's (some nanoseconds, no system call); its C symbols have no header.
 *
 * Undo: before a suspended fiber goes on or is forgotten, the live part of its stack is copied to the log.  A fresh
 * stack needs nothing: what is on a free stack is of no interest. */
#include "world/fiber.h"

#include "world/control.h"
#include "world/guard.h"
#include "world/log.h"
#include "world/memory.h"

typedef void *fcontext_t;
typedef struct {
    fcontext_t context;
    void *data;
} transfer_t;
extern transfer_t jump_fcontext(fcontext_t to, void *data);
extern fcontext_t make_fcontext(void *top, size_t size, void (*entry)(transfer_t));

/* AddressSanitizer wants to know on which stack we are. */
__attribute__((weak)) void __sanitizer_start_switch_fiber(void **fake, const void *bottom, size_t size);
__attribute__((weak)) void __sanitizer_finish_switch_fiber(void *fake, const void **bottom, size_t *size);

/* ---- actor's side -------------------------------------------------------------------------------------------------- */

static void arrive_on_fiber(struct rh_world *w, transfer_t from, void *fake)
{
    if (w->asan)
        __sanitizer_finish_switch_fiber(fake, &w->asan_bottom, &w->asan_size);
    w->back = from.context;
}

static void leave_fiber(struct rh_world *w, enum yield why)
{
    void *fake = NULL;
    w->yield = why;
    if (w->asan)
        __sanitizer_start_switch_fiber(why == YIELD_BLOCKED ? &fake : NULL, w->asan_bottom, w->asan_size);
    transfer_t from = jump_fcontext(w->back, w);
    arrive_on_fiber(from.data, from, fake);
}

static void fiber_main(transfer_t from)
{
    struct rh_world *w = from.data;
    arrive_on_fiber(w, from, NULL);
    if (w->job_body)
        w->job_body(ref_of(w->current), w->job_state);
    else
        w->job_handler(ref_of(w->current), w->job_state, w->job_value);
    leave_fiber(w, YIELD_DONE);
    __builtin_unreachable();
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

static void go(struct rh_world *w, uint32_t actor, fcontext_t to, uint32_t stack, bool fresh)
{
    struct actor *a = &w->actors[actor];
    if (w->semantics.check_isolation)
        rh__isolate(w, actor);
    if (w->asan)
        __sanitizer_start_switch_fiber(&w->asan_fake, rh__stack_base(w, stack), rh__stack_size(w));
    rh__control_begin(); /* a fiber that was abandoned may have left something pushed */
    w->current = actor;
    w->inside = true;
    transfer_t from = jump_fcontext(to, w);
    w->inside = false;
    if (w->asan)
        __sanitizer_finish_switch_fiber(w->asan_fake, NULL, NULL);
    if (w->yield == YIELD_BLOCKED) {
        put_pointer(w, &a->context, from.context);
        if (fresh) {
            rh__stack_take(w, stack);
            put32(w, &a->stack, stack);
        }
    } else if (!fresh) {
        rh__stack_give(w, stack);
        put32(w, &a->stack, RH_NONE);
    } else if (w->yield == YIELD_ABANDONED && w->asan) {
        rh__stack_take(w, stack);
        rh__stack_give(w, stack);
    }
}

void rh__fiber_start(struct rh_world *w, uint32_t actor)
{
    uint32_t stack = rh__stack_peek(w);
    char *base = rh__stack_base(w, stack);
    size_t size = rh__stack_size(w);
    go(w, actor, make_fcontext(base + size, size, fiber_main), stack, true);
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
    log_stack(w, actor);
    go(w, actor, w->actors[actor].context, w->actors[actor].stack, false);
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
