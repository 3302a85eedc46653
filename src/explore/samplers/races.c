/* See races.h.
 *
 * The events of an actor that do not race are the first ones: each is an ancestor of all that follow.  For if an event
 * does not descend from an earlier one, no later event descends from both, because causes are a forest; so every later
 * event races with one of them. */
#include "explore/samplers/races.h"

#include <string.h>

#include "base/hash.h"
#include "explore/explorers.h"
#include "run/run.h"
#include "world/live.h"

enum { KIND_BITS = sizeof((struct rh__stream *)0)->known * 8 };

struct rh__races {
    uint32_t *tip;    /* of each actor: the last of its events that may not race, plus one; 0: none */
    bool *broken;     /* of each actor: an event of it races */
    uint32_t *before; /* of each event: the tip before it */
    uint32_t actors;  /* entries of tip and broken that may not be zero */
};

struct rh__races *rh__races_new(struct rh_exploration *x)
{
    struct rh__races *r = rh_exploration_memory(x, sizeof *r);
    size_t actors = rh_world_semantics(rh__exploration_world(x))->max_actors;
    if (!r)
        return NULL;
    r->tip = rh_exploration_memory(x, actors * sizeof *r->tip);
    r->broken = rh_exploration_memory(x, actors * sizeof *r->broken);
    r->before = rh_exploration_memory(x, ((size_t)rh_exploration_max_steps(x) + 2) * sizeof *r->before);
    return r->tip && r->broken && r->before ? r : NULL;
}

static bool is_message(const struct rh_choice *c)
{
    return c->kind == RH_CHOICE_DELIVER || c->kind == RH_CHOICE_ACCEPT;
}

static uint64_t hash_name(const char *name)
{
    return rh__hash(name, strlen(name), 0);
}

/* Two kinds may have one bit: then a kind that does not race counts as one that does, which costs only speed. */
static uint32_t bit_of(const struct rh_world *w, const struct rh_choice *c)
{
    const struct rh_message_type *type = rh_world_message(w, c->what).type;
    const struct rh_actor_type *actor = rh_world_actor_type(w, c->actor);
    uint64_t message = type ? hash_name(type->name) : 0, receiver = actor ? hash_name(actor->name) : 0;
    return rh__mix(message, receiver) % KIND_BITS;
}

static void note(struct rh__stream *s, const struct rh_world *w, const struct rh_choice *c)
{
    if (is_message(c)) {
        uint32_t bit = bit_of(w, c);
        s->known[bit / 64] |= (uint64_t)1 << bit % 64;
    }
}

bool rh__races_has(const struct rh__stream *s, const struct rh_world *w, const struct rh_choice *c)
{
    uint32_t bit = is_message(c) ? bit_of(w, c) : 0;
    return !is_message(c) || s->known[bit / 64] >> bit % 64 & 1;
}

/* An event of an actor: it and those before it that race because of it are noted. */
static void note_event(struct rh__races *r, struct rh__stream *s, const struct rh__chains *c, const struct rh_world *w,
                       const struct rh_event *events, uint32_t at)
{
    uint32_t actor = events[at].choice.actor, *tip = &r->tip[actor];
    bool follows = !*tip || rh__chains_is_ancestor(c, *tip - 1, at);
    if (actor >= r->actors)
        r->actors = actor + 1;
    if (follows && !r->broken[actor]) {
        r->before[at] = *tip;
        *tip = at + 1;
        return;
    }
    r->broken[actor] = true;
    note(s, w, &events[at].choice);
    for (; *tip && !rh__chains_is_ancestor(c, *tip - 1, at); *tip = r->before[*tip - 1])
        note(s, w, &events[*tip - 1].choice);
}

void rh__races_learn(struct rh__races *r, struct rh__stream *s, const struct rh__chains *c, const struct rh_world *w)
{
    const struct rh__run *run = rh__world_run(w);
    memset(r->tip, 0, r->actors * sizeof *r->tip);
    memset(r->broken, 0, r->actors * sizeof *r->broken);
    r->actors = 0;
    for (uint32_t i = 0; i < run->event_count; i++) {
        uint32_t accesses;
        (void)rh__run_accesses(run, i, &accesses);
        /* The rest of a handler belongs to its first event: nothing of the actor can come in between. */
        if (run->events[i].choice.actor != RH_NONE && !(run->events[i].flags & RH_EVENT_INSIDE))
            note_event(r, s, c, w, run->events, i);
        if (accesses)
            note(s, w, &run->events[i].choice);
    }
}
