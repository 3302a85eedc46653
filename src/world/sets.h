/* rh_receive_set and RH_SETS: taking several messages at once. */
/* Private to src/world. */
#ifndef RH_WORLD_SETS_H
#define RH_WORLD_SETS_H

#include "world/network.h"
#include "world/state.h"

/* A message that a waiting actor may take as one of its set. */
struct world_member {
    uint32_t message;
    uint32_t before; /* the member before it in the same queue, which must be taken first; RH_NONE: none */
    bool taken;      /* is in the set already */
    bool behind;     /* is behind those that are, in the order in which sets are taken */
    bool cut_off;    /* by a partition: it cannot be taken, but may stand in the way of others */
    bool single;     /* is taken alone: no member, but in the way of those that it precedes */
    bool fits;       /* scratch: is, or can be, in the set in question */
    bool open;       /* can be taken next */
};

/* The number of messages of the set that the actor waits for or, if it is idle, gathers; 0 if it does neither. */
static inline uint32_t rh__set_awaited(const struct world_actor *a)
{
    if (a->status == STATUS_WAITING)
        return a->asking == RH_NONE ? a->filter->count : 0;
    return a->flags & FLAG_GATHERS ? rh__live_stance(a).set : 0;
}

/* True if the message would be one of the set that its receiver waits for or gathers. */
bool rh__set_joins(const struct rh_world *w, uint32_t message);

/* Finds the messages that fit the set that the actor waits for; they are in w->members, as many as returned. */
uint32_t rh__set_find(struct rh_world *w, uint32_t actor);
/* True if the message can be the next one that the actor takes. */
bool rh__set_open(struct rh_world *w, uint32_t actor, uint32_t message);
/* True if the actor can take a set with this message now. */
bool rh__set_has(struct rh_world *w, uint32_t actor, uint32_t message);
/* rh__set_open remembers the members of one actor.  Call this before it if the world has moved. */
static inline void rh__sets_anew(struct rh_world *w)
{
    w->members_of = RH_NONE;
}
/* The largest number of members that the actor can take together if it takes only those for which `may` holds. */
uint32_t rh__set_size(struct rh_world *w, uint32_t actor, bool (*may)(struct rh_world *w, uint32_t message));

/* True if the message that is taken now is one of a set, and others follow. */
bool rh__set_goes_on(const struct rh_world *w, uint32_t message);
/* Adds a message to the actor's set: the message of the current event.  Returns RH_NONE while the set is incomplete;
 * then the last one in the order in which the program sees the set. */
uint32_t rh__set_take(struct rh_world *w, uint32_t actor);
/* The number of messages of the last complete set, if the actor may still look at them; else 0. */
uint32_t rh__set_held(const struct world_actor *a);
/* Whether the actor's code is a handler that runs for each message of that set, and not one that has received it. */
bool rh__set_handles(const struct rh_world *w, const struct world_actor *a);
/* These messages, in that order. */
const uint32_t *rh__set_messages(const struct rh_world *w, const struct world_actor *a);
/* Envelopes of that set, to be filled in by the caller. */
struct rh_envelope *rh__set_envelopes(const struct rh_world *w, const struct world_actor *a);

#endif
