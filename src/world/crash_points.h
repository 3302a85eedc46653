/* Crashes inside a handler, with granularity object.
 *
 * A crash is seen by others only by what the actor has done before it, so a handler with n effects has n + 1 places to
 * crash: before its first effect, ..., after its last one.  An effect is what others can see and what a crash does not
 * take back: a send, a spawn, an operation that may change a shared object, a put that is durable on return, rh_exit.
 * Before an effect an actor that has done something since it could crash last stops at a crash point, where its
 * choices are to go on and to crash.  After its last effect it waits or is idle, where it may crash anyway.  (One that
 * ends by returning does not: there is no place between its last effect and its end.)
 *
 *   - Before the first effect, the crash takes the message with it.  Without a restart nobody sees that, and there is
 *     no stop.
 *   - A put that becomes durable later (rh_store_put) needs no stop before it: the crash after it, with the put among
 *     those that do not survive, is the same.
 *   - Operations that only look are no effects.
 *
 * Whether an actor stops depends on the test's budgets, not on what is left of them: otherwise its steps would depend
 * on what others do.  The steps of others commute with the stop; dpor and stateful leave them out there
 * (rh__world_narrows).  dfs does not: it promises every sequence of choices, also within a bound of events. */
/* Private to src/world. */
#ifndef RH_WORLD_CRASH_POINTS_H
#define RH_WORLD_CRASH_POINTS_H

#include "world/state.h"

/* An actor that never takes a message stops at most so often, so that an endless loop is still found as one. */
enum { RH__MOST_POINTS = 1000 };

bool rh__crash_point(struct rh_world *w, const char *place);
void rh__acted_on(struct rh_world *w);
void rh__has_begun(struct rh_world *w, struct world_actor *a, const struct world_message *m);

/* Before an effect of the running actor.  Returns true if the actor has stopped. */
static inline bool rh__before_effect(struct rh_world *w, const char *place)
{
    return w->crash_points && rh__crash_point(w, place);
}

/* The running actor has done something that needs no stop before. */
static inline void rh__acted(struct rh_world *w)
{
    if (w->crash_points)
        rh__acted_on(w);
}

/* The actor takes a message; or it begins something without one. */
static inline void rh__begins_with(struct rh_world *w, struct world_actor *a, const struct world_message *m)
{
    if (w->crash_points)
        rh__has_begun(w, a, m);
}

static inline bool rh__is_at_point(const struct world_actor *a)
{
    return a->flags & FLAG_AT_POINT && a->status == STATUS_PREEMPTED && a->then == THEN_GO_ON;
}

/* The actor that has stopped at a crash point in the last step; RH_NONE for none. */
static inline uint32_t rh__at_point_now(const struct rh_world *w)
{
    uint32_t actor = w->crash_points && w->event_count ? w->events[w->event_count - 1].choice.actor : RH_NONE;
    return actor != RH_NONE && rh__is_at_point(&w->actors[actor]) ? actor : RH_NONE;
}

#endif
