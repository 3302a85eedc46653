/* See behaviour.h.  A message is known by the event that sent it and its ordinal there; that event by its actor and
 * number (Bita III-B, with numbers in place of hashes of hashes: an actor's earlier events are parts of the same sum). */
#include "trace/behaviour.h"

#include <string.h>

#include "base/hash.h"
#include "world/state.h"

/* Actors of the beginning have the same index in every run; one that comes later is known by its creator, type and
 * ordinal, an external sender by its name. */
static inline uint64_t identity_of_actor(const struct rh_world *w, uint32_t actor)
{
    uint64_t identity = 0;
    if (actor < w->baseline_actors)
        return actor;
    while (actor != RH_NONE && actor >= w->baseline_actors) {
        const struct actor *a = &w->actors[actor];
        const char *name = a->status == STATUS_OUTSIDE ? w->payload + a->initial : a->type->name;
        identity = rh__mix(identity, rh__hash(name, strlen(name), a->ordinal));
        actor = a->parent;
    }
    return identity ? rh__mix(identity, actor) : actor;
}

static uint64_t identity_of_message(const struct rh_world *w, uint32_t message)
{
    const struct message *m = &w->messages[message];
    const struct rh_event *by = &w->events[m->event];
    return rh__mix(identity_of_actor(w, by->choice.actor) ^ (uint64_t)by->number << 32,
                   identity_of_actor(w, m->sender) ^ (uint64_t)m->ordinal << 32);
}

uint64_t rh__event_hash(const struct rh_world *w, uint32_t event)
{
    const struct rh_event *e = &w->events[event];
    uint64_t what = 0;
    if (e->choice.actor == RH_NONE)
        return 0; /* nobody took anything: the network splits, heals, or the run ends */
    switch ((enum rh_choice_kind)e->choice.kind) {
    case RH_CHOICE_DELIVER:
    case RH_CHOICE_ACCEPT:
    case RH_CHOICE_LOSE:
    case RH_CHOICE_DUPLICATE:
        what = identity_of_message(w, e->choice.what);
        break;
    case RH_CHOICE_TIMER:
        if (e->choice.arg) {
            const char *name = w->payload + (uint64_t)e->choice.arg * 16;
            what = rh__hash(name, strlen(name), 0);
        } else {
            what = 1;
        }
        break;
    default:
        what = e->choice.what;
        break;
    }
    return rh__mix(rh__mix(e->choice.kind, what), identity_of_actor(w, e->choice.actor) ^ (uint64_t)e->number << 32);
}
