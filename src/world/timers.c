/* Timers (actors.h): a list per actor for names, and one of all that are set, newest first, for whoever asks what may
 * happen next.
 *
 * Which of them may fire is for enabled.c to say.
 *
 * With granularity object there is no clock that all share, because looking at it would put everything in order: an actor
 * knows the time of its own timers that have fired and what those who wrote to it knew (now_ns, sent_ns). */
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
    int64_t now = rh__time_of(w, actor);
    t->deadline_ns = delay_ns <= 0 ? now : delay_ns > INT64_MAX - now ? INT64_MAX : now + delay_ns;
    t->actor = actor;
    t->event = w->event_count - 1;
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
