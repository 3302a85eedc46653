/* The hash of distinct runs (identity.h).  A message is identified by the event that sent it and its index among the
 * messages of this event.  An event is identified by its actor and its index among the actor's events.  [Bita 2013,
 * III-B] uses hashes of hashes instead; indices suffice, because the actor's earlier events are parts of the same
 * sum. */
#include "run/identity.h"

#include <string.h>

#include "base/hash.h"

static uint64_t identity_of_message(const struct rh__run *r, uint32_t message)
{
    const struct rh__run_message *m = rh__run_message(r, message);
    uint64_t copy = m->copy_of != RH_NONE;
    if (copy)
        m = rh__run_message(r, m->copy_of);
    const struct rh_event *by = rh__run_event(r, m->event);
    return rh__mix(rh__run_actor(r, by->choice.actor)->identity ^ (uint64_t)by->number << 32,
                   rh__run_actor(r, m->sender)->identity ^ (uint64_t)m->ordinal << 32 ^ copy);
}

/* Hashes the event's accesses of shared objects, each with the number of changes of that object before it: which
 * change it found, and the order of the changes. */
static inline uint64_t hash_of_accesses(const struct rh__run *r, uint32_t event, uint64_t who)
{
    uint32_t n;
    if (!r->access_count)
        return 0;
    const struct rh__access *a = rh__run_accesses(r, event, &n);
    uint64_t hash = 0;
    for (uint32_t i = 0; i < n; i++)
        hash += rh__mix(a[i].object ^ a[i].ordinal, who); /* a sum: an event may find the same change twice */
    return hash;
}

static uint64_t hash_of_text(const char *text)
{
    return rh__hash(text, strlen(text), 0);
}

uint64_t rh__event_hash(const struct rh__run *r, uint32_t event)
{
    const struct rh_event *e = rh__run_event(r, event);
    uint64_t what = 0;
    if (e->choice.actor == RH_NONE)
        return 0; /* no actor took a message: the network splits or heals, or the run ends */
    uint32_t attributes = rh_choice_attributes(e->choice.kind);
    if (attributes & RH_ONLY_DELAYS)
        return 0; /* the delayed step comes later and has its own hash */
    if (attributes & RH_ABOUT_MESSAGE)
        what = identity_of_message(r, e->choice.what);
    else if (e->choice.kind == RH_CHOICE_OUTSIDE)
        what = rh__mix(hash_of_text(rh__run_text(r, e->choice.arg)),
                       rh__run_actor(r, e->choice.actor)->identity ^ rh__outside_number(&e->choice));
    else if (e->choice.kind != RH_CHOICE_TIMER)
        what = e->choice.what;
    else
        what = e->choice.arg ? hash_of_text(rh__run_text(r, e->choice.arg)) : 1;
    if (attributes & RH_BEFALLS)
        return rh__mix(e->choice.kind, what); /* the fault counts, its position in the run does not */
    uint64_t actor = rh__run_actor(r, e->choice.actor)->identity, who = actor ^ (uint64_t)e->number << 32, when = who;
    if (rh__run_goes_on_with_set(r, event)) /* a set has no order */
        when = actor ^ (uint64_t)rh__run_event(r, rh__run_first_of_set(r, event))->number << 32;
    return rh__mix(rh__mix(e->choice.kind, what), when) ^ hash_of_accesses(r, event, who);
}
