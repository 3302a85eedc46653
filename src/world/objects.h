/* Shared objects: what several actors can see the order of.
 *
 * A name of the registry, the life of an actor (link, monitor, alive, its end), a monitor that announcements go to, a key of
 * a shared table, a durable store (who opens it), an `eventually` property, an external sender; with granularity object under RH_MAILBOX a mailbox, and with
 * ordered time the clock.  Each has a 64-bit identity that is the same in every run.  The world records which event touched
 * which object, in order: two events on different actors that touch no object in common commute.
 *
 * With granularity object every operation is on exactly one object and a step of its own: whoever is about to do it stops
 * before it (STATUS_PREEMPTED, a->object says which), and others may come between. */
#ifndef RH_WORLD_OBJECTS_H
#define RH_WORLD_OBJECTS_H

#include "world/state.h"

enum rh__object_kind {
    RH__OBJECT_NAME = 1,
    RH__OBJECT_LIFE,
    RH__OBJECT_MONITOR,
    RH__OBJECT_TABLE,
    RH__OBJECT_PROPERTY,
    RH__OBJECT_MAILBOX,
    RH__OBJECT_SENDER, /* an external one: several actors may send in its name */
    RH__OBJECT_CLOCK,  /* where there is one: see timers.c */
    RH__OBJECT_STORE,
};

/* `what` is a hash of what names the object among its kind. */
uint64_t rh__object(enum rh__object_kind kind, uint64_t what);
uint64_t rh__object_named(enum rh__object_kind kind, const char *name);
uint64_t rh__object_of_actor(const struct rh_world *w, enum rh__object_kind kind, uint32_t actor);

/* Before an actor's code does something to an object: stops there where the granularity says so, and records it. */
void rh__operation(struct rh_world *w, uint64_t object, const char *place);
/* Only records it: what the event under way does to the object. */
void rh__touch(struct rh_world *w, uint64_t object);

static inline bool rh__fine(const struct rh_world *w)
{
    return w->semantics.granularity == RH_GRAIN_OBJECT;
}

/* The entry of an object in the table of those touched in this run; a free one if it is new. */
struct object *rh__object_entry(struct rh_world *w, uint64_t object);

/* One touch. */
struct rh__access {
    uint64_t object;
    uint32_t event;
    uint32_t ordinal; /* the how-many-th of its object in this run, from 0 */
};
/* Those of one event, in order. */
const struct rh__access *rh__event_accesses(const struct rh_world *w, uint32_t event, uint32_t *count);

#endif
