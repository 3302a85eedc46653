/* See atomic.h.  A name with a colon is a line; any other one is a function, which is looked for among the frames of
 * the stack, inlined ones included.  Whether a return address is inside one of the functions is looked up once. */
#include "world/atomic.h"

#include <string.h>
#include <unwind.h>

#include "world/control.h"
#include "world/fiber.h"
#include "world/symbol.h"

static bool is_line(const char *name, const char *place)
{
    size_t n = strlen(name), m = strlen(place);
    return strchr(name, ':') && n <= m && strcmp(place + m - n, name) == 0 && (n == m || place[m - n - 1] == '/');
}

struct frames {
    struct rh_world *w;
    int depth;
    uint64_t met;
};

static uint64_t bit_of(const struct rh_world *w, const char *const *name)
{
    size_t at = (size_t)(name - w->semantics.atomic);
    return (uint64_t)1 << (at < RH__MOST_ATOMIC_NAMES ? at : RH__MOST_ATOMIC_NAMES - 1);
}

/* The functions that the instruction is inside of, as bits. */
static uint64_t functions_at(struct rh_world *w, uintptr_t address)
{
    enum { CALLS = sizeof w->atomic_calls / sizeof *w->atomic_calls };
    uint32_t at = (uint32_t)((address >> 2) % CALLS);
    if (w->atomic_calls[at].address == address)
        return w->atomic_calls[at].met;
    uint64_t met = 0;
    for (const char *const *name = w->semantics.atomic; *name; name++)
        if (!strchr(*name, ':') && rh__symbol_is_in((const void *)(address - 1), *name))
            met |= bit_of(w, name);
    w->atomic_calls[at].address = address;
    w->atomic_calls[at].met = met;
    return met;
}

static _Unwind_Reason_Code look_at(struct _Unwind_Context *context, void *arg)
{
    struct frames *f = arg;
    f->met |= functions_at(f->w, (uintptr_t)_Unwind_GetIP(context));
    bool bottom = rh__is_fiber_function((uintptr_t)_Unwind_GetRegionStart(context));
    return bottom || ++f->depth > 64 ? _URC_END_OF_STACK : _URC_NO_REASON;
}

bool rh__is_atomic(struct rh_world *w, const char *place)
{
    struct frames f = { .w = w };
    bool functions = false;
    for (const char *const *name = w->semantics.atomic; *name; name++) {
        f.met |= is_line(*name, place) ? bit_of(w, name) : 0;
        functions |= !strchr(*name, ':');
    }
    if (functions && w->inside) {
        rh__outside_push();
        _Unwind_Backtrace(look_at, &f);
        rh__outside_pop();
    }
    if (f.met && w->atomic_met)
        __atomic_fetch_or(w->atomic_met, f.met, __ATOMIC_RELAXED);
    return f.met != 0;
}
