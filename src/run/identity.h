/* Identities of events, messages and actors: the purpose of each, and where it is stable.
 *
 *   identity                 identifies              stable over                       used by
 *   -----------------------  ----------------------  --------------------------------  --------------------------------
 *   index                    event, message, actor   one run                           tables (world/run_record.h)
 *   (event, ordinal)         message                 runs that begin with the same     the world's replies and copies;
 *                                                    choices up to its event           optimal, to find a send in a run
 *   actor identity           actor, shared object    all runs, processes, builds       the two hashes below, objects,
 *   (run_record.h: identity)                                                           places of optimal
 *   event hash               event                   all runs of one granularity,      the hash of distinct runs
 *   (rh__event_hash)                                 processes, builds
 *   identity by causes       event, message, actor,  all runs, all granularities,      coverage goals, schedules of
 *   (struct rh__identities)  enabled choice          processes, builds                 cover
 *   (place, position)        send, event             runs with the same past of it     optimal (optimal/graph.h), also
 *                                                                                      in items for other processes
 *   type, sender, receiver,  message                 runs that begin alike; unrelated  lines of schedules
 *   rank among those                                 edits of the program              (trace/schedule.h), for users
 *
 * Each identity has a reason:
 *
 * - An index is the cheapest identity, but another order of the same steps gives other indices.
 * - The hash of distinct runs must change when an actor takes two messages in another order.  So the event hash
 *   contains the index of the event among its actor's events.
 * - A coverage goal is about the order of two receives.  So a receive must have the same identity at any position in
 *   its actor's order: it is identified by its causes.
 * - Granularity object divides a handler into several events.  This changes the event hash, but not the identity by
 *   causes.
 * - optimal compares sends of graphs that have no run yet, so its identity must not need a run.
 * - Users read schedules, and schedules must survive a rebuild: they use names and small numbers. */
#ifndef RH_RUN_IDENTITY_H
#define RH_RUN_IDENTITY_H

#include "run/run.h"

/* ---- event hash (distinct.c) ------------------------------------------------------------------------------------- */

/* Two runs are the same distinct run if every actor took the same messages in the same order, and every access of a
 * shared object found the same change of the object.  So the changes of each object come in the same order; the order
 * of accesses that found the same change and changed nothing does not matter.  The hash of a distinct run is the
 * exclusive or of the hashes of its events.  An event's hash depends on the actor, the index among the actor's
 * events, the taken message, and what its accesses found.  It does not depend on the event's position in the run.
 */
uint64_t rh__event_hash(const struct rh__run *r, uint32_t event);
/* The hash of the run so far, which is not 0.  prefix[i] is the exclusive or of the hashes of events 1 to i; those
 * before `from`, which is at least 1, are known. */
uint64_t rh__run_hash(const struct rh__run *r, uint32_t from, uint64_t *prefix);

/* ---- identity by causes (identity.c; Bita III-B) ----------------------------------------------------------------- */

/* An event is identified by the message that it takes and by the actor that takes the message.  A message is identified
 * by its type, by the event that sent it, and by its index among the messages of that event.  An actor is identified by
 * its type, by the event that spawned it, and by its index among the actors that this event spawned.  The actor's
 * earlier events do not matter: a receive has the same identity at any position in its actor's order.
 *
 * A named timer is identified by its actor, its name, and how often it has fired before, not by the event that set it:
 * programs set timers anew in many handlers, and it would be another timer each time.
 *
 * So identities form chains: the identity of an event is computed from that of its parent, and wherever an event with
 * this identity occurs, one with the parent's identity occurred before it.
 *
 * A handler may stop on the way: for a reply, for a value, or before an operation on a shared object.  Such a handler
 * is several events of the world and one event here.  All events but the first are parts of the first (the root), and
 * its messages are counted over all parts.  So the identities do not depend on the granularity. */
struct rh__identities {
    uint32_t most_events, most_actors;
    uint32_t events, actors; /* number of events and actors known so far */
    uint64_t *id;            /* by event: identity */
    uint32_t *root;          /* by event: the event that it is a part of, or the event itself */
    uint32_t *previous;      /* by event: previous event of the same actor, RH_NONE for none */
    uint32_t *sent;          /* by event: number of messages that its root had sent before */
    uint32_t *parts;         /* by event: number of parts that its root had before */
    uint32_t *sent_in_all;   /* by root: number of messages so far */
    uint32_t *parts_in_all;
    uint32_t *made;          /* by root: number of spawned actors so far */
    uint32_t *parent;        /* by event: the event from whose identity its own is computed; RH_NONE for none */
    uint32_t *last;          /* by actor: last event */
    uint64_t *actor_id;      /* by actor: identity */
    struct rh__fired *fired; /* by actor and name of a timer: a table, of which entries of other runs are free */
    uint32_t fired_mask, run;
};

/* How often a timer has fired in this run. */
struct rh__fired {
    uint64_t key;
    uint32_t count, last; /* last: its last event */
    uint32_t run;
};

/* The number of bytes for at most so many events and actors, and initialization in such memory.  The memory must be
 * zero-filled. */
size_t rh__identities_size(uint32_t most_events, uint32_t most_actors);
void rh__identities_init(struct rh__identities *n, void *memory, uint32_t most_events, uint32_t most_actors);

/* Forgets the previous run, and identifies all events of a run so far. */
void rh__identities_begin(struct rh__identities *n);
void rh__identities_follow(struct rh__identities *n, const struct rh__run *r);

/* Returns the identity that an enabled choice of a live world would have as the next event.  Not for begin and end. */
uint64_t rh__choice_identity(const struct rh__identities *n, const struct rh__run *r, const struct rh_choice *c);

/* True if an event is a step of its choice's actor.  Faults of messages and of the network are not.  A timer of a
 * process is not either, because it only puts a message into the mailbox. */
bool rh__event_of_actor(const struct rh__run *r, const struct rh_event *e);

#endif
