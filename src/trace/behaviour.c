/* See behaviour.h.  A message is known by the event that sent it and its ordinal there; that event by its actor and
 * number (Bita III-B, with numbers in place of hashes of hashes: an actor's earlier events are parts of the same sum). */
#include "trace/behaviour.h"

#include <string.h>

#include "base/hash.h"
#include "world/objects.h"

static uint64_t identity_of_message(const struct rh_world *w, uint32_t message)
{
    const struct message *m = &w->messages[message];
    uint64_t copy = m->copy_of != RH_NONE;
    if (copy)
        m = &w->messages[m->copy_of];
    const struct rh_event *by = &w->events[m->event];
    return rh__mix(w->actors[by->choice.actor].identity ^ (uint64_t)by->number << 32,
                   w->actors[m->sender].identity ^ (uint64_t)m->ordinal << 32 ^ copy);
}

/* Which operations it made on shared objects, each as the how-many-th of its object. */
static inline uint64_t hash_of_accesses(const struct rh_world *w, uint32_t event, uint64_t who)
{
    uint32_t n;
    const struct rh__access *a = rh__event_accesses(w, event, &n);
    uint64_t hash = 0;
    for (uint32_t i = 0; i < n; i++)
        hash ^= rh__mix(a[i].object ^ a[i].ordinal, who);
    return hash;
}

uint64_t rh__event_hash(const struct rh_world *w, uint32_t event)
{
    const struct rh_event *e = &w->events[event];
    uint64_t what = 0;
    if (e->choice.actor == RH_NONE)
        return 0; /* nobody took anything: the network splits, heals, or the run ends */
    switch ((enum rh_choice_kind)e->choice.kind) {
    case RH_CHOICE_LOSE:
    case RH_CHOICE_DUPLICATE: /* that it happened counts, not when */
        return rh__mix(e->choice.kind, identity_of_message(w, e->choice.what));
    case RH_CHOICE_DELIVER:
    case RH_CHOICE_ACCEPT:
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
    uint64_t who = w->actors[e->choice.actor].identity ^ (uint64_t)e->number << 32;
    return rh__mix(rh__mix(e->choice.kind, what), who) ^ hash_of_accesses(w, event, who);
}
