/* The world's answers to the interposed functions of libc (control.h): memory of the running actor, virtual time,
 * seeded random numbers, and the list of calls that escape control. */
#include "world/control.h"

#include "base/visible.h"
#include "world/actors.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

#include "base/copy.h"
#include "base/random.h"
#include "world/alike.h"
#include "world/fiber.h"
#include "world/fingerprint.h"
#include "world/guard.h"
#include "world/heap.h"
#include "world/log.h"
#include "world/memory.h"
#include "world/network.h"
#include "world/outcome.h"
#include "world/receive.h"

static struct world_actor *running(struct rh_world *w)
{
    return &w->actors[code_of(w)];
}

/* Per thread: a thread that an actor starts (which escapes control) is not inside, nor is a child that it forks. */
static _Thread_local bool steps_here;
static _Thread_local uint32_t outside;

void rh__control_begin(void)
{
    steps_here = true;
    outside = 0;
}

void rh__control_end(void)
{
    steps_here = false;
}

RH__NO_SANITIZE bool rh__inside(void)
{
    const struct rh_world *w = rh__world;
    return w && steps_here && !outside && w->inside;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static struct rh__heap *heap_of(struct rh_world *w, struct world_actor *a)
{
    if (!a->heap) {
        uint32_t at = a->type->size ? (a->type->size + 15u) & ~15u : 16; /* 0 would mean that there is none */
        size_t capacity = rh__region_capacity(w, (uint32_t)(a - w->actors));
        if (capacity < at + sizeof(struct rh__heap))
            return NULL;
        put32(w, &a->heap, at);
        rh__heap_init((struct rh__heap *)(void *)(a->region + at), (uint32_t)capacity - at);
    }
    return (struct rh__heap *)(void *)(a->region + a->heap);
}

/* A test may let the k-th allocation of a run fail. */
static bool must_fail(struct rh_world *w)
{
    if (!w->semantics.fail_allocation)
        return false;
    put32(w, &w->allocations, w->allocations + 1);
    return w->allocations == w->semantics.fail_allocation;
}

/* The caller of malloc or of its family: the frame after the outermost function of the family near the top of the
 * stack. */
struct caller {
    int depth;
    bool next; /* the previous frame was a function of the family */
    uintptr_t address, function;
};

static _Unwind_Reason_Code look_at(struct _Unwind_Context *context, void *arg)
{
    static const void *const family[] = {
        rh__region_alloc, rh__region_resize, rh__region_free, malloc, calloc, realloc, free,
        reallocarray,     aligned_alloc,     posix_memalign,  strdup, strndup
    };
    struct caller *caller = arg;
    if (caller->next) {
        caller->address = (uintptr_t)_Unwind_GetIP(context);
        caller->function = (uintptr_t)_Unwind_GetRegionStart(context);
    }
    caller->next = false;
    for (size_t i = 0; i < sizeof family / sizeof *family; i++)
        caller->next |= (uintptr_t)_Unwind_GetRegionStart(context) == (uintptr_t)family[i];
    return ++caller->depth < 12 ? _URC_NO_REASON : _URC_END_OF_STACK;
}

/* The function of the program that runs at the bottom of the actor's stack; 0: not known. */
static uintptr_t first_function(const struct rh_world *w)
{
    const struct world_actor *a = &w->actors[w->current];
    const struct rh_entry *entry = NULL;
    if (w->current == 0)
        return (uintptr_t)w->test->body;
    if (a->type->kind == RH_KIND_PROCESS)
        return (uintptr_t)a->type->body;
    if (a->behaviour && a->taken < w->message_count)
        rh__disposition(a->behaviour, w->messages[a->taken].type, &entry);
    return entry ? (uintptr_t)entry->call : 0;
}

static const char *place_of_caller(char *place, size_t size)
{
    struct caller caller = { 0 };
    *place = 0;
    rh__outside_push();
    _Unwind_Backtrace(look_at, &caller);
    rh__outside_pop();
    /* A handler that ends with the call has left its frame to it: then all that is known is the handler. */
    if (rh__is_fiber_function(caller.function) && first_function(rh__world))
        caller.address = first_function(rh__world) + 1;
    if (caller.address)
        rh__place_of_call((const void *)caller.address, place, size);
    return place;
}

static void out_of_memory(struct rh_world *w, size_t size)
{
    char place[128];
    rh__fail_inside(w, RH_OUTCOME_LIMIT, place_of_caller(place, sizeof place),
                    "it has no room for %zu bytes more: the limit is %u bytes for its state "
                    "and heap (max_bytes_per_actor)",
                    size, w->semantics.max_bytes_per_actor);
}

static void corrupt(struct rh_world *w, enum rh__heap_error error, const void *p, const char *call)
{
    char place[128];
    rh__fail_inside(w, RH_OUTCOME_HEAP, place_of_caller(place, sizeof place), "%s(%p): %s", call, p,
                    rh__heap_error_text(error));
}

/* The block must belong to the running actor. */
static struct rh__heap *own_heap(struct rh_world *w, const void *p, const char *call)
{
    struct world_actor *a = running(w);
    bool within = (uintptr_t)p - (uintptr_t)a->region < w->semantics.max_bytes_per_actor; /* mostly */
    uint32_t owner = within ? (uint32_t)(a - w->actors) : rh__region_owner(w, p);
    if (&w->actors[owner] != a) {
        char mine[128], theirs[128], place[128];
        rh_world_actor_name(w, (uint32_t)(a - w->actors), mine, sizeof mine);
        rh_world_actor_name(w, owner, theirs, sizeof theirs);
        rh__fail_inside(w, RH_OUTCOME_ISOLATION, place_of_caller(place, sizeof place), "%s called %s on memory of %s",
                        mine, call, theirs);
    }
    return heap_of(w, a);
}

void *rh__region_alloc(size_t size, size_t align)
{
    struct rh_world *w = rh__world;
    if (must_fail(w)) {
        errno = ENOMEM;
        return NULL;
    }
    struct rh__heap *h = heap_of(w, running(w));
    void *p = h ? rh__heap_alloc(h, size, align) : NULL;
    if (p)
        return p;
    const void *where;
    enum rh__heap_error error = h ? rh__heap_check(h, &where) : RH__HEAP_OK;
    if (error != RH__HEAP_OK)
        corrupt(w, error, where, "malloc");
    if (size > w->semantics.max_bytes_per_actor) { /* the program itself must check for absurd sizes */
        errno = ENOMEM;
        return NULL;
    }
    out_of_memory(w, size);
    return NULL;
}

void *rh__region_resize(void *p, size_t size)
{
    struct rh_world *w = rh__world;
    if (!w->inside)
        return NULL; /* no actor's code runs, so actors' memory cannot change */
    if (must_fail(w)) {
        errno = ENOMEM;
        return NULL;
    }
    struct rh__heap *h = own_heap(w, p, "realloc");
    enum rh__heap_error error = rh__heap_resize(h, &p, size);
    if (error == RH__HEAP_OK)
        return p;
    if (error != RH__HEAP_EXHAUSTED)
        corrupt(w, error, p, "realloc");
    if (size <= w->semantics.max_bytes_per_actor)
        out_of_memory(w, size);
    errno = ENOMEM;
    return NULL;
}

void rh__region_free(void *p)
{
    struct rh_world *w = rh__world;
    if (!w->inside)
        return;
    enum rh__heap_error error = rh__heap_free(own_heap(w, p, "free"), p);
    if (error != RH__HEAP_OK)
        corrupt(w, error, p, "free");
}

size_t rh__region_size(void *p)
{
    struct rh_world *w = rh__world;
    uint32_t owner = rh__region_owner(w, p);
    if (owner >= w->actor_count || !w->actors[owner].heap)
        return 0;
    return rh__heap_size(heap_of(w, &w->actors[owner]), p);
}

RH__NO_SANITIZE bool rh__in_region(const void *p)
{
    const struct rh_world *w = rh__world;
    return w && rh__region_owner(w, p) != RH_NONE;
}

/* ---- time and chance --------------------------------------------------------------------------------------------- */

int64_t rh__virtual_ns(void)
{
    struct rh_world *w = rh__world;
    rh__clock_seen(w);
    rh__clock_operation(w, "a look at the clock");
    uint32_t actor = code_of(w);
    return actor == RH_NONE ? w->now_ns : rh__time_of(w, actor);
}

void rh__virtual_sleep(int64_t ns)
{
    rh__sleep(rh__world, ns, "sleep");
}

uint64_t rh__virtual_random(void)
{
    struct rh_world *w = rh__world;
    struct world_actor *a = running(w);
    rh__tell_apart(w, (uint32_t)(a - w->actors));
    uint64_t state = a->random, value = rh__random_next(&state);
    put64(w, &a->random, state);
    return value;
}

/* ---- what escapes ------------------------------------------------------------------------------------------------ */

void rh__outside_push(void)
{
    outside++;
}

void rh__outside_pop(void)
{
    outside--;
}

void rh__escaped(const char *call, const void *from)
{
    struct rh_world *w = rh__world;
    struct rh_escape e = { .call = call };
    rh__place_of_call(from, e.place, sizeof e.place);
    for (uint32_t i = 0; i < w->escape_count; i++)
        if (strcmp(w->escapes[i].call, call) == 0 && strcmp(w->escapes[i].place, e.place) == 0)
            return;
    if (w->escape_count == MAX_ESCAPES)
        return;
    w->escapes[w->escape_count++] = e;
    if (!w->quiet)
        rh__complain("warning: %s: %s escapes control: its effects are neither explored nor undone", e.place, call);
}

/* From the C++ runtime, if there is one. */
__attribute__((weak)) const void *__cxa_current_exception_type(void);
__attribute__((weak)) char *__cxa_demangle(const char *name, char *buffer, size_t *size, int *status);

/* The type of the exception that std::terminate handles; false if there is none. */
static bool exception_name(char *name, size_t size)
{
    const char *const *type =
        __cxa_current_exception_type ? (const char *const *)__cxa_current_exception_type() : NULL; /* std::type_info */
    int status = -1;
    if (!type)
        return false;
    char *plain = __cxa_demangle ? __cxa_demangle(type[1], NULL, NULL, &status) : NULL;
    snprintf(name, size, "%s", plain && status == 0 ? plain : type[1]);
    free(plain);
    return true;
}

void rh__exit_called(const char *call, int status, const void *from)
{
    struct rh_world *w = rh__world;
    char place[128], name[256];
    rh__outside_push();
    from = rh__caller_in_program(from);
    bool thrown = exception_name(name, sizeof name);
    rh__outside_pop();
    rh__place_of_call(from, place, sizeof place);
    if (thrown)
        rh__fail_inside(w, RH_OUTCOME_CRASH, place, "a C++ exception that nobody caught, %s, left the handler", name);
    if (strcmp(call, "abort") == 0)
        rh__fail_inside(w, RH_OUTCOME_CRASH, place, "abort was called");
    rh__fail_inside(w, RH_OUTCOME_EXIT, place, "%s(%d) was called", call, status);
}
