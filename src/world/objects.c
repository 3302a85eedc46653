/* See objects.h. */
#include "world/objects.h"

#include <string.h>

#include "base/hash.h"
#include "world/fingerprint.h"
#include "world/log.h"
#include "world/outcome.h"
#include "world/receive.h"
#include "world/step.h"

uint64_t rh__object(enum rh__object_kind kind, uint64_t what)
{
    uint64_t object = rh__mix(what, kind);
    return object ? object : 1; /* 0 is none */
}

uint64_t rh__object_named(enum rh__object_kind kind, const char *name)
{
    return rh__object(kind, rh__hash(name, strlen(name), 0));
}

uint64_t rh__object_of_actor(const struct rh_world *w, enum rh__object_kind kind, uint32_t actor)
{
    return rh__object(kind, w->actors[actor].identity);
}

struct object *rh__object_entry(struct rh_world *w, uint64_t object)
{
    uint32_t i = (uint32_t)object & (MAX_OBJECTS - 1);
    while (w->objects[i].object && w->objects[i].object != object)
        i = (i + 1) & (MAX_OBJECTS - 1);
    return &w->objects[i];
}

void rh__touch(struct rh_world *w, uint64_t object)
{
    struct object *o = rh__object_entry(w, object);
    if (!o->object) {
        if (w->object_count == MAX_OBJECTS / 2) {
            rh__fail(w, RH_OUTCOME_LIMIT, w->current, "", "more than %u shared objects in one run", MAX_OBJECTS / 2);
            return;
        }
        put32(w, &w->object_count, w->object_count + 1);
        put64(w, &o->object, object);
    }
    if (w->access_count == MAX_ACCESSES) {
        rh__fail(w, RH_OUTCOME_LIMIT, w->current, "", "more than %u operations on shared objects in one run",
                 MAX_ACCESSES);
        return;
    }
    w->accesses[w->access_count] = (struct rh__access){ object, w->event_count - 1, o->touches };
    put32(w, &o->touches, o->touches + 1);
    put32(w, &w->access_count, w->access_count + 1);
}

/* The test's body makes its first preparations, and there is nobody yet who could come between two of them. */
static bool alone(const struct rh_world *w)
{
    if (w->event_count != 1 || w->under_way || w->timer_newest != RH_NONE)
        return false;
    for (uint32_t i = 1; w->crashes && i < w->actor_count; i++)
        if (rh__can_crash(w, i))
            return false;
    return true;
}

void rh__operation(struct rh_world *w, uint64_t object, const char *place)
{
    if (!rh__fine(w)) {
        rh__preempt(w, place);
    } else if (!alone(w) && w->inside && w->observing == RH_NONE) {
        struct actor *a = &w->actors[w->current];
        put64(w, &a->object, object);
        rh__halt(w, STATUS_PREEMPTED, place);
    }
    rh__touch(w, object);
}

const struct rh__access *rh__event_accesses(const struct rh_world *w, uint32_t event, uint32_t *count)
{
    uint32_t from = w->events[event].first_access;
    uint32_t to = event + 1 < w->event_count ? w->events[event + 1].first_access : w->access_count;
    *count = to - from;
    return w->accesses + from;
}
