/* Shared objects: several actors can observe the order of operations on them.
 *
 * The shared objects are: a name of the registry, the life of an actor (link, monitor, alive, end), the monitors of
 * announcements, a key of a shared table, a durable store (who opens it), an `eventually` property, and an external
 * sender.  With granularity object, the clock of ordered time is a shared object too, and so are the restarts that are
 * left, if there are fewer restarts than crashes: who restarts is an order of operations.
 * Each object has a 64-bit identity that is the same in every run.  The world records which event accessed which
 * object, in order, and whether it changed the object.  Two events of different actors commute if they have no object
 * in common that one of them changes.  Whether an operation changes its object may depend on what it finds: a failed
 * insert only looks, as does a put of the value that is there.
 *
 * With granularity object, every operation accesses exactly one object and is a separate step.  The actor stops before
 * the operation (STATUS_PREEMPTED, a->object), and other actors may run in between. */
/* Private to src/world. */
#ifndef RH_WORLD_OBJECTS_H
#define RH_WORLD_OBJECTS_H

#include "world/state.h"

uint64_t rh__object_of_actor(const struct rh_world *w, enum rh__object_kind kind, uint32_t actor);

/* Called before an actor's code accesses an object.  Stops the actor if the granularity demands it, and records the
 * operation, as one that changes the object. */
void rh__operation(struct rh_world *w, uint64_t object, const char *place);
/* The same for an operation on the life of an actor, which only looks if the actor has ended, and for one that only
 * looks whether it has.  The life of the test is an object with operations in turn: its end is a step only if some
 * actor looks (rh__test_is_over).  To watch a life is to look at it, because the end tells everybody who watches, in an
 * order that does not depend on theirs (but see rh__watching_looks); to cease to watch it is to change it. */
void rh__operation_on_life(struct rh_world *w, uint32_t actor, const char *place);
void rh__look_at_life(struct rh_world *w, uint32_t actor, const char *place);
void rh__watch_life(struct rh_world *w, uint32_t actor, bool on, const char *place);

/* The two parts of an operation: stops the actor if the granularity demands it; records that the current event accesses
 * the object. */
void rh__stop_before(struct rh_world *w, uint64_t object, const struct rh__action *action, const char *place);
void rh__touch_as(struct rh_world *w, uint64_t object, bool wrote, uint64_t key, uint64_t value);
/* For a call that stops several times: what it has found out in an earlier step and keeps in variables of its own, as a
 * number; 0: nothing.  The fingerprint has this and the arguments of the call, not the library's part of the stack. */
void rh__has_found(struct rh_world *w, uint64_t what);
/* Stops the actor, whatever the granularity: rh_yield. */
void rh__yield(struct rh_world *w, const char *place);
/* Stops the actor before a look at what another one is doing: rh_info. */
void rh__look_around(struct rh_world *w, const char *place);
/* With kills anywhere: stops the process before an effect that has no stop of its own. */
bool rh__kill_point(struct rh_world *w, const char *place);
/* Stops the actor before a send to a mailbox, with granularity object.  A send accesses no object. */
void rh__stop_before_send(struct rh_world *w, const char *place);
/* Records only that the current event changes the object. */
void rh__touch(struct rh_world *w, uint64_t object);
/* The operation that an actor without a running handler is about to make on its own life. */
void rh__await_life(struct rh_world *w, uint32_t actor, bool ends);
/* The same of a crashed actor, for one of the restarts that are left. */
void rh__await_restart(struct rh_world *w, uint32_t actor);

static inline bool rh__by_object(const struct rh_world *w)
{
    return w->semantics.granularity == RH_GRAIN_OBJECT;
}

/* Returns the object's entry in the object table of this run, or a free entry if the object is new. */
struct world_object *rh__object_entry(struct rh_world *w, uint64_t object);

#endif
