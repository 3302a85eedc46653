/* The fingerprint: a hash of everything that can influence the rest of the run, updated as things change.
 *
 * It is the exclusive or of one hash per actor, channel, timer and item of a shared table, and one hash for the small
 * tables.  A change puts the thing on a list of stale things; asking for the fingerprint hashes those again.  Hashes
 * are logged like any other change, the list is not: it may have things that an undo has restored, and when an undo
 * goes back behind a fingerprint, the list is empty where the log ends at the fingerprint before, and otherwise not
 * known (rh__hashes_undone).  Nothing is maintained before the first fingerprint is requested. */
/* Private to src/world. */
#ifndef RH_WORLD_FINGERPRINT_H
#define RH_WORLD_FINGERPRINT_H

#include "world/log.h"
#include "world/objects.h"

/* The hash of a message under way, or in the hands of an actor. */
struct rh__wide rh__message_hash(struct rh_world *w, uint32_t message);
/* No actor waits for a reply to this request any more.  That changes its hash wherever it is under way, forwarded, or
 * being answered. */
void rh__request_over(struct rh_world *w, uint32_t request);

/* Budgets of faults have become smaller.  The hash of a channel says which of its messages were doubled as long as that
 * matters for a fault: with the last loss and the last duplicate it changes. */
void rh__faults_spent(struct rh_world *w);

static inline void rh__actor_stale(struct rh_world *w, uint32_t actor)
{
    struct world_actor *a = &w->actors[actor];
    if (w->hashing && a->stale != w->stale_round) {
        a->stale = w->stale_round;
        w->stale_actors[w->stale_actor_count++] = actor;
    }
}

static inline void rh__channel_stale(struct rh_world *w, uint32_t channel)
{
    struct world_channel *c = &w->channels[channel];
    if (w->hashing && c->stale != w->stale_round) {
        c->stale = w->stale_round;
        w->stale_channels[w->stale_channel_count++] = channel;
    }
}

static inline void rh__hashes_fresh(struct rh_world *w)
{
    w->stale_round++;
    w->stale_actor_count = w->stale_channel_count = 0;
}

/* The log was rolled back; `hashed_log` is the value of w->hashed_log before. */
static inline void rh__hashes_undone(struct rh_world *w, uint64_t hashed_log)
{
    uint64_t end = (uint64_t)(uintptr_t)w->log;
    if (w->hashed_log == end)
        rh__hashes_fresh(w);
    else if (w->hashed_log != hashed_log || w->hashed_log > end)
        w->hashing = false;
}

/* The program reads the clock.  From the first time on the clock is part of the hash of every actor: all become
 * stale. */
static inline void rh__clock_seen(struct rh_world *w)
{
    w->clock_questions++;
    if (!w->clock_used) {
        w->clock_used = true;
        w->hashing = false;
    }
}

/* The program takes a set of messages.  From the first time on the order of sends within a channel is part of the hash,
 * also where messages arrive in any order: a set has the messages of a sender in the order of its sends. */
static inline void rh__set_seen(struct rh_world *w)
{
    if (!w->sets_used) {
        w->sets_used = true;
        w->hashing = false;
    }
}

static inline void rh__tables_stale(struct rh_world *w)
{
    if (w->hashing && !rh__wide_is_zero(w->tables_hash))
        put_wide(w, &w->tables_hash, rh__wide_of(0));
}

/* The hash of a channel, message by message: a chain, or a sum where messages have no order. */
struct rh__queue_hash {
    struct rh__wide chain, sum;
    bool any;
    bool in_order;
    bool plain; /* of a message without request, its contents are all that counts, once they are hashed */
};

static inline void rh__queue_add(struct rh__queue_hash *q, struct rh__wide message, bool in_order)
{
    q->any = true;
    if (in_order)
        q->chain = rh__wide_mix(q->chain, message);
    else
        q->sum = rh__wide_sum(q->sum, rh__wide_with(message, 15));
}

/* An empty channel counts as no channel. */
static inline struct rh__wide rh__queue_end(const struct rh__queue_hash *q, uint32_t sender, uint32_t receiver)
{
    if (!q->any)
        return rh__wide_of(0);
    return rh__wide_with(rh__wide_mix(q->chain, q->sum), (uint64_t)sender << 32 | receiver);
}

static inline struct rh__queue_hash rh__queue_begin(const struct rh_world *w, const struct world_channel *c)
{
    bool places = rh__by_object(w) || (c->sender != RH_NONE && c->arrived);
    return (struct rh__queue_hash){ .in_order = w->delivery.in_order || w->sets_used || c->sender == w->clock,
                                    .plain = !(places | w->sets_used | w->clock_used) };
}

/* Adds the message as it is in its channel now. */
void rh__queue_add_any(struct rh_world *w, struct rh__queue_hash *q, uint32_t message);
static inline void rh__queue_add_message(struct rh_world *w, struct rh__queue_hash *q, uint32_t message)
{
    const struct world_message *m = &w->messages[message];
    if (q->plain & q->in_order & (m->request == RH_NONE) & (m->answers == RH_NONE) & !rh__wide_is_zero(m->hash))
        rh__queue_add(q, m->hash, true);
    else
        rh__queue_add_any(w, q, message);
}

/* The hash of a timer, without its deadline. */
struct rh__wide rh__timer_hash(const struct rh_world *w, struct world_timer *t);

/* The parts of the fingerprint of the present state; they are valid until the world moves. */
const struct world_parts *rh__fingerprint_parts(struct rh_world *w);
/* The hash of all parts but the components. */
struct rh__wide rh__parts_apart(const struct world_parts *p);
/* The fingerprint that has these parts; there are no others. */
static inline struct rh_fingerprint rh__fingerprint_of(struct rh__wide components, struct rh__wide apart)
{
    struct rh__wide h = rh__wide_mix(components, apart);
    return (struct rh_fingerprint){ h.high, h.low };
}

/* A hash of actors, channels, tables and timers, which uses and changes nothing that fingerprints keep up; without
 * globals.  Slow: for self_check.h. */
uint64_t rh__fingerprint_anew(struct rh_world *w);

#endif
