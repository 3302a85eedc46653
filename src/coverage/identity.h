/* Events, messages and actors by names that are the same in every run (Bita III-B).
 *
 * An event is known by the message it takes and who takes it; a message by its type, the event that sent it and how many
 * that event had sent before; an actor by its type, the event that made it and how many that event had made before.  So
 * what an actor did earlier has no part in it: the same receive is recognised wherever it comes in its actor's order.
 *
 * A handler that stops on the way (for a reply, for a value, before an operation on something shared) is several events of
 * the world and one here: all but the first are parts of it, and what it sends is counted over all of them.  So names do
 * not depend on the granularity either. */
#ifndef RH_COVERAGE_IDENTITY_H
#define RH_COVERAGE_IDENTITY_H

#include <rehearse/world.h>

struct rh__identities {
    uint32_t most_events, most_actors;
    uint32_t events, actors; /* known so far */
    uint64_t *id;            /* of each event */
    uint32_t *root;          /* of each event: the one that it is a part of, or itself */
    uint32_t *previous;      /* of each event: the one of the same actor before it, RH_NONE for none */
    uint32_t *sent;          /* of each event: messages that its root had sent before it */
    uint32_t *parts;         /* of each event: parts that its root had before it */
    uint32_t *sent_in_all;   /* of each root, so far */
    uint32_t *parts_in_all;
    uint32_t *made;     /* of each root: actors, so far */
    uint32_t *last;     /* of each actor: its last event */
    uint64_t *actor_id; /* of each actor */
};

/* How many bytes it needs, for so many events and actors at most; and setting it up there, all zero. */
size_t rh__identities_size(uint32_t most_events, uint32_t most_actors);
void rh__identities_init(struct rh__identities *n, void *memory, uint32_t most_events, uint32_t most_actors);

/* Another run begins; and goes on to where it is now. */
void rh__identities_begin(struct rh__identities *n);
void rh__identities_follow(struct rh__identities *n, const struct rh_world *w);

/* What an open choice would be called, if it were the next event.  Not for begin and end. */
uint64_t rh__choice_identity(const struct rh__identities *n, const struct rh_world *w, const struct rh_choice *c);

/* Whether an event is one of its choice's actor.  What befalls messages and the network is not; nor is a timer of a process,
 * which only puts a message into its mailbox. */
bool rh__event_of_actor(const struct rh_world *w, const struct rh_event *e);

#endif
