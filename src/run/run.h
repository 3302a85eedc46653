/* A run as a value: its events, messages, actors, accesses, names and semantics, read-only.
 *
 * A struct rh__run is a view of the tables of a live world (rh__world_run), or owns decoded tables (run/encode.h).  All
 * code above the world reads runs: the hash of distinct runs, coverage, dependence, schedules, stories.  Code that
 * needs the live world uses the headers live.h and alike.h of src/world.
 *
 * The rows are in world/run_record.h.  Indices identify entries of tables; RH_NONE is no index.  Event 0 is the
 * beginning, actor 0 the test.  (struct rh_run of rehearse/explorer.h is the engine's summary of a run, for
 * explorers.) */
#ifndef RH_RUN_RUN_H
#define RH_RUN_RUN_H

#include "world/delivery.h"
#include "world/run_record.h"

static inline const struct rh_event *rh__run_event(const struct rh__run *r, uint32_t event)
{
    return &r->events[event];
}

static inline const struct rh_choice *rh__run_choice(const struct rh__run *r, uint32_t event)
{
    return &r->events[event].choice;
}

/* Returns the end of an event's messages, which begin at its first_message. */
static inline uint32_t rh__run_messages_end(const struct rh__run *r, uint32_t event)
{
    return event + 1 < r->event_count ? r->events[event + 1].first_message : r->message_count;
}

/* Returns the operations of an event on shared objects, in order. */
static inline const struct rh__access *rh__run_accesses(const struct rh__run *r, uint32_t event, uint32_t *count)
{
    uint32_t from = r->events[event].first_access;
    uint32_t to = event + 1 < r->event_count ? r->events[event + 1].first_access : r->access_count;
    *count = to - from;
    return r->accesses + from;
}

static inline uint64_t rh__run_object_of(const struct rh__run *r, enum rh__object_kind kind, uint32_t actor)
{
    return rh__object(kind, rh__run_actor(r, actor)->identity);
}

/* Returns the text of a choice (`arg`) or of a message (`timer`). */
static inline const char *rh__run_text(const struct rh__run *r, uint32_t text)
{
    return r->payload + (uint64_t)text * 16;
}

static inline bool rh__run_is_outside(const struct rh__run *r, uint32_t actor)
{
    return rh__run_actor(r, actor)->status == STATUS_OUTSIDE;
}

static inline const struct rh__delivery *rh__run_delivery(const struct rh__run *r)
{
    return rh__delivery(r->semantics->model);
}

static inline bool rh__run_by_object(const struct rh__run *r)
{
    return r->semantics->granularity == RH_GRAIN_OBJECT;
}

/* True if the choice is a step of the clock itself: a timer that the clock reaches. */
static inline bool rh__run_is_clock(const struct rh__run *r, const struct rh_choice *c)
{
    return c->actor == r->clock && c->actor != RH_NONE;
}

/* True if the event delivered the message, instead of dropping, losing or wasting it. */
static inline bool rh__run_is_delivery(const struct rh__run *r, uint32_t event, uint32_t message)
{
    return event < r->event_count && r->events[event].choice.kind == RH_CHOICE_DELIVER &&
           r->events[event].choice.what == message;
}

/* The messages of a set (rh_receive_set) are taken by events in a row.  True if the event before took one of the same
 * set. */
static inline bool rh__run_goes_on_with_set(const struct rh__run *r, uint32_t event)
{
    return event && r->events[event - 1].flags & RH_EVENT_MORE;
}

/* Returns the first event of the set that the event belongs to; the event itself if it belongs to none. */
static inline uint32_t rh__run_first_of_set(const struct rh__run *r, uint32_t event)
{
    while (rh__run_goes_on_with_set(r, event))
        event--;
    return event;
}

/* True if the actor is a node of the network: not one that is where its parent is. */
static inline bool rh__run_is_node(const struct rh__run *r, uint32_t actor)
{
    const struct rh__run_actor *a = rh__run_actor(r, actor);
    return a->node != RH_NONE && a->parent != RH_NONE && rh__run_actor(r, a->parent)->node != a->node;
}

/* True if a fault may lose or duplicate the message. */
static inline bool rh__run_may_fail(const struct rh__run *r, const struct rh__run_message *m)
{
    return rh__travels(m) && rh__is_among(r->semantics->may_lose, rh__run_actor(r, m->receiver)->type);
}

/* Return the value and the tail of a message; *kept is the number of bytes that the run has kept. */
static inline const char *rh__run_value(const struct rh__run *r, uint32_t message, uint32_t *kept)
{
    const struct rh__run_message *m = rh__run_message(r, message);
    *kept = m->size < r->most_value ? m->size : r->most_value;
    return r->payload + m->payload;
}

static inline const char *rh__run_tail(const struct rh__run *r, uint32_t message, uint32_t *kept)
{
    const struct rh__run_message *m = rh__run_message(r, message);
    uint32_t before = m->size < r->most_value ? m->size : r->most_value;
    *kept = m->tail_size < r->most_value ? m->tail_size : r->most_value;
    return r->payload + m->payload + ((before + 15u) & ~15u);
}

/* Sufficient buffer size for any text of rh__run_waits. */
enum { RH__RUN_WAIT_BYTES = 256 };

/* Writes what an actor waits for at the end of the run, as rh_world_actor_text does.  False if the actor is not
 * blocked, or is an idle server. */
bool rh__run_waits(const struct rh__run *r, uint32_t actor, char *buffer, size_t size);

#endif
