/* Actors: spawning, ending, links and monitors, names of the registry, timers. */
#ifndef RH_WORLD_ACTORS_H
#define RH_WORLD_ACTORS_H

#include "world/state.h"

/* RH_NONE, and the run is over, where the limit is reached. */
uint32_t rh__actor_spawn(struct rh_world *w, uint32_t parent, const struct rh_actor_type *type, const void *state,
                         const char *place);
/* One without code; and an external sender: the one of that name, or a new one. */
uint32_t rh__actor_outside(struct rh_world *w, const char *name, uint64_t identity);
uint32_t rh__actor_external(struct rh_world *w, const char *name);
void rh__actor_become(struct rh_world *w, uint32_t actor, const struct rh_behaviour *behaviour);

/* Ends the actor: messages to it are lost, those linked to it and its monitors are told. */
void rh__actor_end(struct rh_world *w, uint32_t actor, const char *reason);
void rh__actor_crash(struct rh_world *w, uint32_t actor, uint32_t surviving_writes);
/* The same, when it is their turn: with granularity object that is a step of its own. */
void rh__actor_end_in_turn(struct rh_world *w, uint32_t actor, const char *reason);
/* The body of the test has returned. */
void rh__test_end_in_turn(struct rh_world *w);
void rh__actor_crash_in_turn(struct rh_world *w, uint32_t actor, uint32_t surviving_writes);
void rh__actor_restart_in_turn(struct rh_world *w, uint32_t actor, bool keep_state);
void rh__actor_restart(struct rh_world *w, uint32_t actor, bool keep_state);
/* An exit signal arrives; true if the actor goes on (it traps exits and is handed a message instead). */
void rh__actor_signal(struct rh_world *w, uint32_t actor, uint32_t message);

/* Granularity object: the same for one that stopped before it (THEN_SIGNAL). */
void rh__actor_signal_in_turn(struct rh_world *w, uint32_t actor);

void rh__link(struct rh_world *w, uint32_t one, uint32_t other, bool on);
/* When `one` ends `other` is told, but not the other way round. */
void rh__link_half(struct rh_world *w, uint32_t one, uint32_t other, bool on);
void rh__monitor(struct rh_world *w, uint32_t watcher, uint32_t watched, bool on);
/* What a watcher knows itself: a monitor lasts until its rh_down is taken. */
bool rh__watches(const struct rh_world *w, uint32_t watcher, uint32_t watched);
void rh__watch(struct rh_world *w, uint32_t watcher, uint32_t watched, bool on);
void rh__signal(struct rh_world *w, uint32_t from, uint32_t to, const char *reason, bool from_link);
/* rh_down to the watcher, from the one it watched. */
void rh__send_down(struct rh_world *w, uint32_t who, uint32_t watcher, const char *reason);

bool rh__name_set(struct rh_world *w, const char *name, uint32_t actor);
uint32_t rh__name_find(struct rh_world *w, const char *name);

/* Milliseconds as nanoseconds; what is past all time is the end of time, what is negative is now. */
static inline int64_t rh__ms(int64_t ms)
{
    return ms < 0 ? 0 : ms > INT64_MAX / 1000000 ? INT64_MAX : ms * 1000000;
}

/* Time ends at INT64_MAX, and does not go back. */
static inline int64_t rh__later(int64_t now_ns, int64_t delay_ns)
{
    return delay_ns <= 0 ? now_ns : delay_ns > INT64_MAX - now_ns ? INT64_MAX : now_ns + delay_ns;
}

/* The time as the actor sees it. */
static inline int64_t rh__time_of(const struct rh_world *w, uint32_t actor)
{
    return w->own_clocks ? w->actors[actor].now_ns : w->now_ns;
}
/* The actor's own clock: it hears from one whose clock said this, or has got there itself. */
void rh__clock_hear(struct rh_world *w, uint32_t actor, int64_t sent_ns);
void rh__clock_reach(struct rh_world *w, uint32_t actor, int64_t ns);

/* Where there is a clock (timers.c): its actor, an operation of the running actor on it, what it does next. */
void rh__clock_begin(struct rh_world *w);
uint64_t rh__clock_identity(void);
void rh__clock_operation(struct rh_world *w, const char *place);
uint32_t rh__clock_next(const struct rh_world *w); /* a timer, RH_NONE for none */
void rh__clock_ring(struct rh_world *w, uint32_t timer);

/* Timers: type NULL wakes the actor. */
uint32_t rh__timer_set(struct rh_world *w, uint32_t actor, const char *name, int64_t delay_ns,
                       const struct rh_message_type *type, const void *value);
uint32_t rh__timer_find(const struct rh_world *w, uint32_t actor, const char *name);
void rh__timer_unset(struct rh_world *w, uint32_t timer);
/* Its name as a choice carries it, since the slot is used again: payload offset / 16, 0 for one that wakes; of those that the
 * clock has, with whose it is. */
static inline uint32_t rh__timer_name(const struct rh_world *w, uint32_t timer)
{
    if (w->timers[timer].clocked)
        return (uint32_t)(w->timers[timer].label / 16);
    return w->timers[timer].type ? (uint32_t)(w->timers[timer].name / 16) : 0;
}

/* An actor's name in full (view.c), and a size that is enough for it, whatever its depth.  rh_world_actor_name is for people: it
 * leaves out what lies too deep. */
struct rh__text;
void rh__actor_path_write(const struct rh_world *w, uint32_t actor, struct rh__text *t);
size_t rh__actor_path_room(const struct rh_world *w, uint32_t actor);

/* An index from a pool, RH_NONE when it is used up; and back. */
#define POOL_TAKE(w, pool, table, limit)                                                                               \
    ((w)->pool.free != RH_NONE ? rh__pool_pop((w), &(w)->pool, (w)->table[(w)->pool.free].next)                        \
                               : ((w)->pool.count < (limit) ? rh__pool_grow((w), &(w)->pool) : RH_NONE))
uint32_t rh__pool_pop(struct rh_world *w, struct pool *pool, uint32_t next_free);
uint32_t rh__pool_grow(struct rh_world *w, struct pool *pool);

#endif
