/* Effects of steps, as foretell.h keeps them: a table of buckets of two, of which the one that was used last stays. */
/* Private to src/world. */
#ifndef RH_WORLD_EFFECTS_H
#define RH_WORLD_EFFECTS_H

#include "world/foretell.h"
#include "world/state.h"

enum {
    RH__EFFECT_SENDS = 5,   /* an effect with more messages is not kept */
    RH__MOST_PARTS = 128,   /* actors, and channels */
    RH__MOST_FORETOLD = 64, /* choices of a state at a time */
    RH__EFFECT_LINE = 64,   /* of the cache */
    RH__EFFECT_BUCKETS = 1 << 16,
};

enum rh__effect_kind { RH__EFFECT_NOT_KNOWN, RH__EFFECT_NOT_FORETOLD, RH__EFFECT_ANNOUNCES, RH__EFFECT_KNOWN };

struct rh__sent {
    struct rh__wide hash;
    uint32_t from, to; /* the channel */
};

/* Most effects send one message at most, and then a line of the cache has all of it. */
struct rh__effect {
    struct rh__wide key; /* written last; 0: none */
    struct rh__wide after;
    uint8_t kind, count;
    bool recalls, silent;
    bool more;   /* timers or monitors change */
    bool simple; /* the actor takes what comes afterwards, without timers, and so can be all that it sends (ahead.h) */
    struct rh__sent sent[RH__EFFECT_SENDS];
    struct rh__wide timers, monitors; /* what changes in their sum, and in their exclusive or */
};
_Static_assert(offsetof(struct rh__effect, sent[1]) <= RH__EFFECT_LINE, "see above");

struct rh__effect_bucket {
    _Alignas(RH__EFFECT_LINE) struct rh__effect effects[2];
};

/* The state before the step that is to be learnt. */
struct rh__effect_before {
    bool pending;
    uint32_t events, actor, timer;
    uint32_t actor_count, channel_count, taken_channel, under_way;
    struct rh__wide key, monitors, tables, globals;
    struct world_footprint footprint;
    struct world_parts parts;
    struct rh__wide actors[RH__MOST_PARTS], channels[RH__MOST_PARTS];
};

struct rh__foretelling {
    uint32_t events;                   /* of the state that was last foretold */
    uint8_t silent[RH__MOST_FORETOLD]; /* of its choices: they do nothing that others can notice */
    struct rh__effect_before before;
    uint8_t last[RH__EFFECT_BUCKETS]; /* used, of the two in a bucket */
    struct rh__effect_bucket buckets[RH__EFFECT_BUCKETS];
};

static inline bool rh__wide_is_same(struct rh__wide a, struct rh__wide b)
{
    return a.high == b.high && a.low == b.low;
}

/* The effect of this key; one of a kind that says so if none is known.  It is valid until an effect is kept. */
static inline const struct rh__effect *rh__effect_find(struct rh__foretelling *f, struct rh__wide key)
{
    static const struct rh__effect none;
    const struct rh__effect_bucket *b = &f->buckets[key.high % RH__EFFECT_BUCKETS];
    for (uint32_t i = 0; i < 2; i++)
        if (rh__wide_is_same(b->effects[i].key, key)) {
            f->last[key.high % RH__EFFECT_BUCKETS] = (uint8_t)i;
            return &b->effects[i];
        }
    return &none;
}

static inline void rh__effect_prefetch(const struct rh__foretelling *f, struct rh__wide key)
{
    const struct rh__effect_bucket *b = &f->buckets[key.high % RH__EFFECT_BUCKETS];
    __builtin_prefetch(&b->effects[0]);
    __builtin_prefetch(&b->effects[1]);
}

void rh__effect_keep(struct rh__foretelling *f, const struct rh__effect *e);

/* ---- what is part of the key of an effect, in the present state of a world --------------------------------------- */

/* Whether steps can be foretold in the present state at all. */
bool rh__can_foretell(const struct rh_world *w);
/* What a step sees besides its actor and the message. */
struct rh__wide rh__effect_surroundings(const struct rh_world *w);
/* The states of all monitors, and the key of a step that announces. */
struct rh__wide rh__monitors_hash(const struct rh_world *w);
struct rh__wide rh__effect_key_announcing(struct rh__wide key, struct rh__wide monitors);
/* A send finds its receiver alive. */
bool rh__takes_mail(const struct rh_world *w, uint32_t actor);
/* The actor takes messages between handlers, and has no store and no set. */
bool rh__is_between_handlers(const struct world_actor *a);
/* ... and takes whatever comes first, without timers. */
bool rh__takes_what_comes(const struct world_actor *a);
/* No message is in the way of it, and nobody waits for what becomes of it. */
bool rh__is_plain_mail(const struct world_message *m);

#endif
