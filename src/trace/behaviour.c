/* See behaviour.h.  A message is known by the event that sent it and its ordinal there; that event by its actor and
 * number (Bita III-B, with numbers in place of hashes of hashes: an actor's earlier events are parts of the same sum). */
#include "trace/behaviour.h"

#include "base/hash.h"
#include "world/state.h"

static uint64_t identity_of_message(const struct rh_world *w, uint32_t message)
{
    const struct message *m = &w->messages[message];
    const struct rh_event *by = &w->events[m->event];
    return rh__mix((uint64_t)by->choice.actor << 32 | by->number, (uint64_t)m->ordinal << 32 | m->sender);
}

uint64_t rh__event_hash(const struct rh_world *w, uint32_t event)
{
    const struct rh_event *e = &w->events[event];
    uint64_t what = 0;
    switch ((enum rh_choice_kind)e->choice.kind) {
    case RH_CHOICE_DELIVER:
    case RH_CHOICE_ACCEPT:
    case RH_CHOICE_LOSE:
    case RH_CHOICE_DUPLICATE:
        what = identity_of_message(w, e->choice.what);
        break;
    case RH_CHOICE_TIMER:
        what = e->choice.arg ? rh__hash(w->payload + (uint64_t)e->choice.arg * 16, 8, 0) : 1;
        break;
    default:
        what = e->choice.what;
        break;
    }
    return rh__mix(rh__mix(e->choice.kind, what), (uint64_t)e->choice.actor << 32 | e->number);
}
