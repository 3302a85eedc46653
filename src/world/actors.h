/* Actors: spawning, ending, links and monitors, names of the registry, timers. */
/* Private to src/world. */
#ifndef RH_WORLD_ACTORS_H
#define RH_WORLD_ACTORS_H

#include "world/live.h"
#include "world/state.h"

/* Returns RH_NONE, and ends the run, if the limit is reached. */
uint32_t rh__actor_spawn(struct rh_world *w, uint32_t parent, const struct rh_actor_type *type, const void *state,
                         const char *place);
/* An actor without code; and an external sender: the existing one with that name, or a new one. */
uint32_t rh__actor_outside(struct rh_world *w, const char *name, uint64_t identity);
uint32_t rh__actor_external(struct rh_world *w, const char *name);
void rh__actor_become(struct rh_world *w, uint32_t actor, const struct rh_behaviour *behaviour);

/* Ends the actor: messages to it are lost, and linked and monitoring actors are told. */
void rh__actor_end(struct rh_world *w, uint32_t actor, const char *reason);
void rh__actor_crash(struct rh_world *w, uint32_t actor, uint32_t surviving_writes);
/* The same in a step of its own with granularity object. */
void rh__actor_end_in_turn(struct rh_world *w, uint32_t actor, const char *reason);
/* The body of the test has returned. */
void rh__test_end_in_turn(struct rh_world *w);
void rh__actor_crash_in_turn(struct rh_world *w, uint32_t actor, uint32_t surviving_writes);
void rh__actor_restart_in_turn(struct rh_world *w, uint32_t actor, bool keep_state);
void rh__actor_restart(struct rh_world *w, uint32_t actor, bool keep_state);
/* An actor that has stopped before its end or crash stops once more before (FLAG_SETTLES); it goes on from there: false
 * if it has not stopped there. */
void rh__settle_first(struct rh_world *w, uint32_t actor);
bool rh__settle(struct rh_world *w, uint32_t actor);
/* The same within the actor's code. */
void rh__settle_here(struct rh_world *w, const char *place);
/* Handles an exit signal: ends the actor, or gives it a message if it traps exits.  Returns that message; else RH_NONE.
 */
uint32_t rh__actor_signal(struct rh_world *w, uint32_t actor, uint32_t message);

void rh__link(struct rh_world *w, uint32_t one, uint32_t other, bool on);
/* `other`, in this life of it (its restarts), will be told when `one` ends, but not the other way round. */
void rh__link_half(struct rh_world *w, uint32_t one, uint32_t other, uint32_t life);
void rh__unlink_half(struct rh_world *w, uint32_t one, uint32_t other);
/* The current actor has linked itself to one that has ended. */
void rh__link_too_late(struct rh_world *w, uint32_t other, const char *place);
void rh__monitor(struct rh_world *w, uint32_t watcher, uint32_t watched, bool on);
/* What the watcher itself knows: a monitor lasts until its rh_down is taken. */
bool rh__watches(const struct rh_world *w, uint32_t watcher, uint32_t watched);
void rh__watch(struct rh_world *w, uint32_t watcher, uint32_t watched, bool on);
void rh__signal_kill(struct rh_world *w, uint32_t from, uint32_t to, const char *reason);
/* Sends rh_down to the watcher, from the actor that it watched. */
void rh__send_down(struct rh_world *w, uint32_t who, uint32_t watcher, const char *reason);

/* Who has a name, in which of its lives (its restarts); RH_NONE: nobody. */
struct world_holder {
    uint32_t actor, life;
};
bool rh__name_set(struct rh_world *w, const char *name, struct world_holder holder);
struct world_holder rh__name_find(struct rh_world *w, const char *name);

/* Converts milliseconds to nanoseconds; saturates at INT64_MAX and at 0. */
static inline int64_t rh__ms(int64_t ms)
{
    return ms < 0 ? 0 : ms > INT64_MAX / 1000000 ? INT64_MAX : ms * 1000000;
}

/* Adds a delay; saturates at INT64_MAX, and never goes back. */
static inline int64_t rh__later(int64_t now_ns, int64_t delay_ns)
{
    return delay_ns <= 0 ? now_ns : delay_ns > INT64_MAX - now_ns ? INT64_MAX : now_ns + delay_ns;
}

/* The time that the actor sees. */
static inline int64_t rh__time_of(const struct rh_world *w, uint32_t actor)
{
    return w->own_clocks ? w->actors[actor].now_ns : w->now_ns;
}
/* Advances the actor's own clock to a time that it heard of or reached itself. */
void rh__clock_hear(struct rh_world *w, uint32_t actor, int64_t sent_ns);
void rh__clock_reach(struct rh_world *w, uint32_t actor, int64_t ns);

/* The shared clock, if there is one (timers.c): creates its actor; an operation of the running actor on it; its next
 * step. */
void rh__clock_begin(struct rh_world *w);
void rh__clock_operation(struct rh_world *w, const char *place);
uint32_t rh__clock_next(const struct rh_world *w); /* a timer, RH_NONE for none */
bool rh__clock_may_reach(struct rh_world *w, uint32_t timer);
static inline bool rh__clock_is_still(const struct rh_world *w)
{
    return w->clock != RH_NONE && !w->semantics.pauses;
}
void rh__clock_ring(struct rh_world *w, uint32_t timer);

/* Timers; with type NULL a timer wakes the actor, and its name is that of its budget (NULL: none). */
uint32_t rh__timer_set(struct rh_world *w, uint32_t actor, const char *name, int64_t delay_ns,
                       const struct rh_message_type *type, const void *value);
/* The budget of timers of this name (timer_budgets.h); RH_NONE if they have none. */
uint32_t rh__timer_budget(const struct rh_world *w, const char *name);
/* The timer fires. */
void rh__timer_spend(struct rh_world *w, const struct world_timer *t);
/* Its budget does not let it fire again in this run. */
static inline bool rh__timer_is_spent(const struct rh_world *w, const struct world_timer *t)
{
    return t->budget != RH_NONE && !w->timers_left[t->budget];
}
/* True if such a timer is set. */
bool rh__timers_are_spent(const struct rh_world *w);
uint32_t rh__timer_find(const struct rh_world *w, uint32_t actor, const char *name);
void rh__timer_unset(struct rh_world *w, uint32_t timer);
/* The name of a timer in a choice, because slots are reused: payload offset / 16, 0 for a timer that wakes; for a timer
 * of the clock, with its owner. */
static inline uint32_t rh__timer_name(const struct rh_world *w, uint32_t timer)
{
    if (w->timers[timer].clocked)
        return (uint32_t)(w->timers[timer].label / 16);
    return w->timers[timer].type ? (uint32_t)(w->timers[timer].name / 16) : 0;
}

/* Takes an index from a pool, RH_NONE if it is used up; and returns one. */
#define POOL_TAKE(w, pool, table, limit)                                                                               \
    ((w)->pool.free != RH_NONE ? rh__pool_pop((w), &(w)->pool, (w)->table[(w)->pool.free].next)                        \
                               : ((w)->pool.count < (limit) ? rh__pool_grow((w), &(w)->pool) : RH_NONE))
uint32_t rh__pool_pop(struct rh_world *w, struct world_pool *pool, uint32_t next_free);
uint32_t rh__pool_grow(struct rh_world *w, struct world_pool *pool);

#endif
