/* See objects.h. */
#include "world/objects.h"

#include <string.h>

#include "base/hash.h"
#include "world/atomic.h"
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

struct world_object *rh__object_entry(struct rh_world *w, uint64_t object)
{
    uint32_t i = (uint32_t)object & (MAX_OBJECTS - 1);
    while (w->objects[i].object && w->objects[i].object != object)
        i = (i + 1) & (MAX_OBJECTS - 1);
    return &w->objects[i];
}

void rh__touch_as(struct rh_world *w, uint64_t object, bool wrote, uint64_t key, uint64_t value)
{
    w->footprint.beyond++;
    struct world_object *o = rh__object_entry(w, object);
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
    w->accesses[w->access_count] = (struct rh__access){ object, w->event_count - 1, o->writes, wrote, key, value };
    put32(w, &o->touches, o->touches + 1);
    if (wrote)
        put32(w, &o->writes, o->writes + 1);
    put32(w, &w->access_count, w->access_count + 1);
}

void rh__touch(struct rh_world *w, uint64_t object)
{
    rh__touch_as(w, object, true, 0, 0);
}

/* The test's body makes its first preparations, and no other actor could run between two of them. */
static bool alone(const struct rh_world *w)
{
    if (w->event_count != 1 || w->under_way || w->timer_newest != RH_NONE)
        return false;
    for (uint32_t i = 1; w->left.crashes && i < w->actor_count; i++)
        if (rh__can_crash(w, i))
            return false;
    return true;
}

static void await(struct rh_world *w, uint32_t actor, uint64_t object, const struct rh__action *action)
{
    struct world_actor *a = &w->actors[actor];
    put64(w, &a->object, object);
    put32(w, &a->action.when, action->when);
    if (action->when == RH__IN_TURN || action->when == RH__LOOKS)
        return; /* the rest has no meaning */
    put64(w, &a->action.key, action->key);
    put64(w, &a->action.expected, action->expected);
    put64(w, &a->action.sets, action->sets);
}

void rh__yield(struct rh_world *w, const char *place)
{
    static const struct rh__action looks = { .when = RH__LOOKS };
    uint64_t object = rh__object_of_actor(w, RH__OBJECT_YIELD, w->current);
    if (alone(w) || !w->inside || w->observing != RH_NONE)
        return;
    if (rh__by_object(w))
        await(w, w->current, object, &looks);
    rh__halt(w, STATUS_PREEMPTED, place);
    if (rh__by_object(w))
        rh__touch_as(w, object, false, 0, 0);
}

void rh__look_around(struct rh_world *w, const char *place)
{
    static const struct rh__action looks = { .when = RH__LOOKS };
    uint64_t object = rh__object(RH__OBJECT_INFO, 0);
    rh__stop_before(w, object, &looks, place);
    rh__touch_as(w, object, false, 0, 0);
}

bool rh__kill_point(struct rh_world *w, const char *place)
{
    if (!w->kill_points || w->actors[w->current].type->kind != RH_KIND_PROCESS || w->observing != RH_NONE || alone(w))
        return false;
    rh__stop_before_send(w, place);
    return true;
}

void rh__stop_before(struct rh_world *w, uint64_t object, const struct rh__action *action, const char *place)
{
    if (__builtin_expect(w->semantics.atomic != NULL, 0) && rh__is_atomic(w, place))
        return;
    if (!rh__by_object(w) || alone(w) || !w->inside || w->observing != RH_NONE)
        return;
    await(w, w->current, object, action);
    rh__halt(w, STATUS_PREEMPTED, place);
}

void rh__has_found(struct rh_world *w, uint64_t what)
{
    struct world_actor *a = &w->actors[w->current];
    if (a->found != what)
        put64(w, &a->found, what);
}

void rh__stop_before_send(struct rh_world *w, const char *place)
{
    static const struct rh__action none = { .when = RH__IN_TURN };
    rh__stop_before(w, 0, &none, place);
}

void rh__operation(struct rh_world *w, uint64_t object, const char *place)
{
    static const struct rh__action in_turn = { .when = RH__IN_TURN };
    rh__stop_before(w, object, &in_turn, place);
    rh__touch(w, object);
}

static void operation_on_life(struct rh_world *w, uint32_t actor, enum rh__when when, uint64_t value, const char *place)
{
    uint64_t object = rh__object_of_actor(w, RH__OBJECT_LIFE, actor);
    struct rh__action action = { .when = actor ? when : RH__IN_TURN, .sets = value };
    rh__stop_before(w, object, &action, place);
    bool changes = when == RH__JOINS && !has_ended(&w->actors[actor]);
    rh__touch_as(w, object, changes || (rh__by_object(w) && !actor), 0, value);
}

void rh__operation_on_life(struct rh_world *w, uint32_t actor, const char *place)
{
    operation_on_life(w, actor, RH__JOINS, 0, place);
}

void rh__look_at_life(struct rh_world *w, uint32_t actor, const char *place)
{
    operation_on_life(w, actor, RH__LOOKS, 0, place);
}

void rh__watch_life(struct rh_world *w, uint32_t actor, bool on, const char *place)
{
    bool looks = on && rh__watching_looks(&w->semantics);
    operation_on_life(w, actor, looks ? RH__WATCHES : RH__JOINS, on ? 0 : RH__LIFE_UNWATCHED, place);
}

void rh__await_life(struct rh_world *w, uint32_t actor, bool ends)
{
    struct rh__action action = { .when = actor ? RH__CHANGES : RH__IN_TURN, .sets = ends ? RH__LIFE_OVER : 0 };
    await(w, actor, rh__object_of_actor(w, RH__OBJECT_LIFE, actor), &action);
}

void rh__await_restart(struct rh_world *w, uint32_t actor)
{
    static const struct rh__action in_turn = { .when = RH__IN_TURN };
    await(w, actor, rh__object(RH__OBJECT_RESTARTS, 0), &in_turn);
}
