/* The hash of distinct runs (identity.h).  A message is identified by the event that sent it and its index among the
 * messages of this event.  An event is identified by its actor and its index among the actor's events.  [Bita 2013,
 * III-B] uses hashes of hashes instead; indices suffice, because the actor's earlier events are parts of the same
 * sum. */
#include "run/identity.h"

#include <string.h>

#include "base/hash.h"

static inline uint64_t identity_of_message(const struct rh__run *r, uint32_t message)
{
    const struct rh__run_message *m = rh__run_message(r, message);
    uint64_t copy = m->copy_of != RH_NONE;
    if (copy)
        m = rh__run_message(r, m->copy_of);
    const struct rh_event *by = rh__run_event(r, m->event);
    uint64_t sender = rh__run_actor(r, m->sender)->identity;
    uint64_t actor = by->choice.actor == m->sender ? sender : rh__run_actor(r, by->choice.actor)->identity;
    return rh__mix(actor ^ (uint64_t)by->number << 32, sender ^ (uint64_t)m->ordinal << 32 ^ copy);
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

static uint64_t hash_of_what(const struct rh__run *r, const struct rh_choice *c)
{
    if (rh__is_about_message(c))
        return identity_of_message(r, c->what);
    if (c->kind == RH_CHOICE_OUTSIDE)
        return rh__mix(hash_of_text(rh__run_text(r, c->arg)),
                       rh__run_actor(r, c->actor)->identity ^ rh__outside_number(c));
    if (c->kind == RH_CHOICE_TIMER)
        return c->arg ? hash_of_text(rh__run_text(r, c->arg)) : 1;
    return c->what;
}

/* Of an event of its actor, with what the actor took. */
static inline uint64_t hash_of_taking(const struct rh__run *r, uint32_t event, uint64_t what)
{
    const struct rh_event *e = rh__run_event(r, event);
    uint64_t actor = rh__run_actor(r, e->choice.actor)->identity, who = actor ^ (uint64_t)e->number << 32, when = who;
    if (rh__run_goes_on_with_set(r, event)) /* a set has no order */
        when = actor ^ (uint64_t)rh__run_event(r, rh__run_first_of_set(r, event))->number << 32;
    return rh__mix(rh__mix(e->choice.kind, what), when) ^ hash_of_accesses(r, event, who);
}

static __attribute__((noinline)) uint64_t hash_of_other(const struct rh__run *r, uint32_t event)
{
    const struct rh_choice *c = rh__run_choice(r, event);
    uint32_t attributes = rh_choice_attributes(c->kind);
    if (c->actor == RH_NONE)
        return 0; /* no actor took a message: the network splits or heals, or the run ends */
    if (attributes & RH_ONLY_DELAYS)
        return 0; /* the delayed step comes later and has its own hash */
    if (attributes & RH_BEFALLS)
        return rh__mix(c->kind, hash_of_what(r, c)); /* the fault counts, its position in the run does not */
    return hash_of_taking(r, event, hash_of_what(r, c));
}

static inline uint64_t hash_of_event(const struct rh__run *r, uint32_t event)
{
    const struct rh_choice *c = rh__run_choice(r, event);
    return c->kind == RH_CHOICE_DELIVER ? hash_of_taking(r, event, identity_of_message(r, c->what))
                                        : hash_of_other(r, event);
}

uint64_t rh__event_hash(const struct rh__run *r, uint32_t event)
{
    return hash_of_event(r, event);
}

uint64_t rh__run_hash(const struct rh__run *r, uint32_t from, uint64_t *prefix)
{
    for (uint32_t i = from; i < r->event_count; i++)
        prefix[i] = prefix[i - 1] ^ hash_of_event(r, i);
    uint64_t hash = prefix[r->event_count - 1];
    return hash ? hash : 1;
}
