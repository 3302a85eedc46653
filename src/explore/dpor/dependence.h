/* The dependence relation between the events of a run, and happens-before [Lamport 1978] [Eta 2011, 5.1], for every
 * feature of the world.  Reductions that examine a complete run use this relation.
 *
 *     meeting   a thing that two events have in common: an actor, a mailbox, a shared object; events that do not meet
 *               are independent: they commute; events that only look at the same object do not meet there
 *     name      identifies the actor, mailbox or object of a meeting
 *     unit      an event with the values of rh_choose that directly follow it, or the events that take a set: no other
 *               actor moves in between
 *     past      of an event: all events that happen before it
 *     walk      goes backwards along the run from an event, through the past of the event
 *
 * At an ordinary meeting, an event can observe the earlier events that meet it, so these are in its past.  At a blind
 * meeting only a third event can observe the order; an example is two senders to one mailbox.  Events with global
 * effect depend on every other event.
 *
 * Meetings of the same name are linked backwards through the run, so that a search for dependent units skips all other
 * units (rh__question).
 *
 * No memory is allocated while runs are made.  Each walk is linear in the length of the run. */
/* Private to src/explore/dpor. */
#ifndef RH_EXPLORE_DEPENDENCE_H
#define RH_EXPLORE_DEPENDENCE_H

#include <rehearse/explorer.h>

#include "run/run.h"
#include "world/live.h"

struct rh__dpor_step {
    /* Fields of the unit that begins with this event: */
    uint64_t signature;         /* Bloom filter of the meetings */
    uint64_t walk;              /* number of the last walk whose past contains the unit */
    uint32_t last;              /* last event of the unit */
    uint32_t everywhere_before; /* nearest earlier unit with global effect; 0: none */
    bool everywhere;
    /* Fields of the event: */
    bool timers; /* the actor had timers before the event */
    bool timed;  /* the event may change which timer is next; only with ordered time */
    /* With a clock that stands still (rh__clock_holders), the event: */
    bool advances;  /* is an advance of the clock, and needs that nobody holds it */
    bool lets_go;   /* changes who holds the clock */
    bool holds;     /* also, somebody holds it who did not before */
    bool sets;      /* sets a timer */
    bool asks;      /* reads or sets the clock */
    bool reads;     /* the program asks for the time */
    bool waits;     /* the event leaves its actor in a wait that times out if the mailbox is empty */
    uint32_t cause; /* unit that sent the message of the choice; RH_NONE: none */
    uint32_t unit;
    uint32_t meetings; /* index of the first meeting; the meetings of the next event follow */
};

struct rh__seen {
    uint64_t meeting, walk;
};

/* Links of a meeting: its unit, the nearest earlier meeting of the same name, and the nearest such meeting of another
 * actor's unit; RH_NONE for none. */
struct rh__link {
    uint32_t unit, before, before_other;
};

/* The last meeting of a name. */
struct rh__last {
    uint64_t meeting;
    uint32_t at, used;
};

struct rh__history {
    struct rh__dpor_step *step; /* by event; one extra entry for the end of the meetings */
    struct rh__stance *stance;  /* by event: stance of its actor before the event; not in `step`, which walks read */
    uint64_t *meeting;
    struct rh__clock_holders *holders; /* by event: who held the clock before it */
    struct rh__seen *seen;             /* meetings in the past of the current walk; open addressing */
    struct rh__link *link;             /* by meeting */
    struct rh__last *name;             /* table of names; open addressing */
    uint32_t linked;                   /* number of linked meetings */
    uint32_t names;
    bool unlinked;    /* too many names to link: a question then visits all units */
    uint32_t *cursor; /* For each meeting of the question's unit: the nearest meeting not yet visited; RH_NONE: none. */
    uint32_t asking;  /* unit of the current question */
    uint64_t walk, questions; /* ... and rh__clock_questions before the event under way */
    uint32_t under_way;       /* the event that is being made; 0: none */
    bool reads;               /* some event of the placed run asks for the time */
    uint32_t floor;           /* events up to this one are not examined */
    bool any, all;            /* of the current walk: the past is not empty; the past contains all earlier events */
    bool full;                /* the run was too long */
};

bool rh__history_open(struct rh__history *h, struct rh_exploration *x);

/* Called while a run is made: before an event of `actor`, and after the event, when it is the last event so far. */
void rh__history_before(struct rh__history *h, const struct rh__run *r, uint32_t event, uint32_t actor);
void rh__history_after(struct rh__history *h, const struct rh__run *r, uint32_t event);
/* Called at the end of a run.  Events from `first` on are new.  True if all events were placed anew, because the
 * program asks for the time in this run and did not in the last one, or the other way round: so timers depend on other
 * events. */
bool rh__history_settle(struct rh__history *h, const struct rh__run *r, uint32_t first);

static inline bool rh__is_unit(const struct rh__history *h, uint32_t event)
{
    return h->step[event].unit == event;
}

/* True if an event with this choice has global effect. */
bool rh__is_everywhere(const struct rh__history *h, const struct rh__run *r, const struct rh_choice *c);

enum rh__dependence { RH__INDEPENDENT, RH__MEET_BLINDLY, RH__MEET };
enum rh__dependence rh__dependence(const struct rh__history *h, uint32_t one, uint32_t other);

/* Begin a walk with an empty past; then put into the past: the sends of the unit's messages, all earlier events of an
 * actor, or the unit of an event. */
void rh__walk_begin(struct rh__history *h);
void rh__walk_causes(struct rh__history *h, uint32_t unit);
void rh__walk_actor(struct rh__history *h, uint32_t actor);
void rh__walk_put(struct rh__history *h, uint32_t event);
/* A walk visits the units backwards.  rh__walk_meets is true if the unit is in the past.  rh__walk_follow puts the unit
 * and its past into the past. */
bool rh__walk_meets(const struct rh__history *h, const struct rh__run *r, uint32_t unit);
void rh__walk_follow(struct rh__history *h, uint32_t unit);

/* A question finds the earlier units of other actors that depend on a unit.  Earlier units of the same actor are all in
 * the past once rh__walk_actor was called. */
void rh__question_begin(struct rh__history *h, const struct rh__run *r, uint32_t unit);
/* Returns the nearest candidate at or before event `i`; 0: none. */
uint32_t rh__question_next(const struct rh__history *h, uint32_t i);
/* Marks a candidate as visited, when it is in the past of the walk. */
void rh__question_pass(struct rh__history *h, const struct rh__run *r, uint32_t unit);

/* ---- messages ---------------------------------------------------------------------------------------------------- */

/* True if the message was delivered: not dropped, lost or wasted. */
bool rh__is_taken(const struct rh__run *r, uint32_t message);

/* Returns the unit that put the message where its receiver could find it, or RH_NONE if none did before event
 * `until`. */
uint32_t rh__arrival(const struct rh__history *h, const struct rh__run *r, uint32_t message, uint32_t until);

/* True if the unit takes a set of messages, or a part of it. */
bool rh__takes_set(const struct rh__history *h, const struct rh__run *r, uint32_t unit);

/* True if the receiver could have taken the message in this unit, had the message been there. */
bool rh__could_take(const struct rh__history *h, const struct rh__run *r, uint32_t unit, uint32_t message);

#endif
