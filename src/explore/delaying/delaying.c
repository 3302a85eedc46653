/* Delaying explorers by name, and what they are told (delaying.h). */
#include "explore/delaying/delaying.h"

#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "explore/delaying/rounds.h"
#include "world/delivery.h"
#include "world/run_record.h"

static struct rh_delaying_entry *registered;

void rh_delaying_register_(struct rh_delaying_entry *entry)
{
    entry->next = registered;
    registered = entry;
}

static const struct rh_delaying *const ours[] = { &rh__delaying_rtc, &rh__delaying_rr, &rh__delaying_prr };
enum { OURS = sizeof ours / sizeof *ours };

const struct rh_delaying *rh__delaying_named(const char *name)
{
    for (const struct rh_delaying_entry *e = registered; e; e = e->next)
        if (strcmp(e->delaying->name, name) == 0)
            return e->delaying;
    for (uint32_t i = 0; i < OURS; i++)
        if (strcmp(ours[i]->name, name) == 0)
            return ours[i];
    return NULL;
}

void rh__delaying_names(char *buffer, size_t size)
{
    struct rh__text t;
    rh__text_init(&t, buffer, size);
    for (uint32_t i = 0; i < OURS; i++)
        rh__text_add(&t, "%s%s", i ? ", " : "", ours[i]->name);
    for (const struct rh_delaying_entry *e = registered; e; e = e->next)
        rh__text_add(&t, ", %s", e->delaying->name);
}

/* ---- what they are told
 * ------------------------------------------------------------------------------------------ */

static void start(const struct rh_delaying *d, void *state, const struct rh_world *w, uint32_t actor, uint64_t seed)
{
    d->start(state, w, actor, rh__mix(seed, rh__run_actor(rh__world_run(w), actor)->identity));
}

void rh__delaying_begin(const struct rh_delaying *d, void *state, const struct rh_world *w, uint64_t seed)
{
    memset(state, 0, d->state_size);
    for (uint32_t i = 0; i < rh_world_actor_count(w); i++)
        start(d, state, w, i, seed);
}

static bool is_blocked(const struct rh_world *w, uint32_t actor)
{
    enum rh__stance_kind kind = rh__stance_of(w, actor).kind;
    return kind == RH__STOPPED || kind == RH__BUSY || kind == RH__SLEEPS || kind == RH__WAITS;
}

static const char *last_line(const struct rh_world *w, uint32_t event)
{
    uint32_t n = rh_world_log_count(w);
    struct rh_log_line last = { 0, 0, NULL };
    if (n)
        last = rh_world_log_line(w, n - 1);
    return n && last.event == event ? last.text : NULL;
}

void rh__delaying_step(const struct rh_delaying *d, void *state, const struct rh_world *w, uint32_t actors,
                       uint64_t seed)
{
    uint32_t n, now = rh_world_actor_count(w);
    const struct rh_event *e = rh_world_events(w, &n);
    e += n - 1;
    uint32_t actor = e->choice.actor;
    bool moved = actor < actors;
    struct rh_step did = { .choice = e->choice,
                           .first_message = e->first_message,
                           .sent = rh_world_message_count(w) - e->first_message,
                           .received = e->choice.kind == RH_CHOICE_DELIVER && !(e->flags & RH_EVENT_INSIDE),
                           .became = e->flags & RH_EVENT_BECOMES,
                           .said = last_line(w, n - 1) };
    if (moved) {
        did.ended = rh_world_actor_ended(w, actor);
        did.blocked = !did.ended && is_blocked(w, actor);
    }
    for (uint32_t i = actors; i < now; i++)
        start(d, state, w, i, seed);
    if (did.ended && d->finish)
        d->finish(state, actor);
    if (d->step)
        d->step(state, w, &did);
}
