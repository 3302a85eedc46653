/* Timers (actors.h): a list per actor for names, and one of all that are set, newest first, for whoever asks what may
 * happen next.
 *
 * Which of them may fire is for enabled.c to say.
 *
 * With granularity object there is no clock that all share, because looking at it would put everything in order: an actor
 * knows the time of its own timers that have fired and what those who wrote to it knew (now_ns, sent_ns).
 *
 * Logical time is the same with any granularity, and each message that is taken is a tick: Bita's logical time (VI-A), by
 * which programs that depend on the passing of time can be tested, counted as Lamport does, so that steps of different
 * actors still commute.
 *
 *     an actor       begins with the clock of the one that made it
 *     takes m        clock = max(clock, clock of the sender when it sent m) + tick
 *     timer fires    clock = max(clock + tick, deadline) */
#include <string.h>

#include "base/copy.h"
#include "world/actors.h"
#include "world/log.h"
#include "world/memory.h"
#include "world/outcome.h"

uint32_t rh__timer_set(struct rh_world *w, uint32_t actor, const char *name, int64_t delay_ns,
                       const struct rh_message_type *type, const void *value)
{
    struct actor *a = &w->actors[actor];
    uint32_t index = POOL_TAKE(w, timer_pool, timers, MAX_TIMERS);
    if (index == RH_NONE) {
        rh__fail(w, RH_OUTCOME_LIMIT, actor, "", "more than %u timers are set", MAX_TIMERS);
        return RH_NONE;
    }
    struct timer *t = &w->timers[index];
    rh__log_image(w, t, sizeof *t);
    t->type = type;
    t->deadline_ns = rh__later(rh__time_of(w, actor), delay_ns);
    t->actor = actor;
    t->name = type ? rh__payload_text(w, name) : 0;
    t->payload = 0;
    if (type) {
        t->payload = rh__payload_take(w, type->size);
        rh__copy(w->payload + t->payload, value, type->size);
    }
    t->next = a->timers;
    put32(w, &a->timers, index);
    t->newer = RH_NONE;
    t->older = w->timer_newest;
    if (t->older != RH_NONE)
        put32(w, &w->timers[t->older].newer, index);
    put32(w, &w->timer_newest, index);
    return index;
}

void rh__clock_reach(struct rh_world *w, uint32_t actor, int64_t ns)
{
    struct actor *a = &w->actors[actor];
    if (ns > a->now_ns)
        put_time(w, &a->now_ns, ns);
}

void rh__clock_hear(struct rh_world *w, uint32_t actor, int64_t sent_ns)
{
    int64_t own = w->actors[actor].now_ns;
    rh__clock_reach(w, actor, rh__later(sent_ns > own ? sent_ns : own, w->tick_ns));
}

uint32_t rh__timer_find(const struct rh_world *w, uint32_t actor, const char *name)
{
    uint32_t i = w->actors[actor].timers;
    while (i != RH_NONE && (!w->timers[i].type || strcmp(w->payload + w->timers[i].name, name) != 0))
        i = w->timers[i].next;
    return i;
}

void rh__timer_unset(struct rh_world *w, uint32_t timer)
{
    struct timer *t = &w->timers[timer];
    uint32_t *at = &w->actors[t->actor].timers;
    while (*at != timer)
        at = &w->timers[*at].next;
    put32(w, at, t->next);
    if (t->newer != RH_NONE)
        put32(w, &w->timers[t->newer].older, t->older);
    else
        put32(w, &w->timer_newest, t->older);
    if (t->older != RH_NONE)
        put32(w, &w->timers[t->older].newer, t->newer);
    put32(w, &t->next, w->timer_pool.free);
    put32(w, &w->timer_pool.free, timer);
}
