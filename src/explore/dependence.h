/* Which events of a run are independent of each other, and which happened before which (Eta 5.1), for every feature of the
 * world.  For reductions that study a run when it is over.
 *
 *     meeting   what two events can have in common: an actor, a mailbox, a shared object; if they meet nowhere they commute
 *     unit      an event with the values of rh_choose that follow it at once: nobody moves in between
 *     past      of an event: what had to happen before it could happen as it did
 *     walk      along the run backwards, from an event, through its past
 *
 * Most meetings are ways to learn: an event does what it does also because of those that met it there before, which are in
 * its past.  At others (blind) order counts, but only third ones can see it: senders to one mailbox.  Events whose effect
 * is everywhere meet all.
 *
 * Meetings of one name are linked backwards through the run, so that whoever looks for units that one depends on does not
 * pass by all others (rh__question).
 *
 * Nothing is allocated while runs are made, and each walk is linear in the length of a run. */
#ifndef RH_EXPLORE_DEPENDENCE_H
#define RH_EXPLORE_DEPENDENCE_H

#include <rehearse/explorer.h>

/* What its actor would have taken before an event, as far as that is known. */
struct rh__stance {
    const struct rh_behaviour *behaviour;
    const struct rh_message_type *type; /* a receive, of these only; NULL for any */
    uint64_t from;                      /* a receive, from this one only; 0 for any */
    uint32_t status, asking;
    bool timers; /* it has some */
};

struct rh__step {
    struct rh__stance stance;
    /* Of the unit that begins with this event: */
    uint64_t signature;         /* a bit for each meeting */
    uint64_t walk;              /* it is in the past, in the walk of this number */
    uint32_t last;              /* event */
    uint32_t everywhere_before; /* the nearest earlier unit with an effect everywhere; 0: none */
    bool everywhere;
    /* Of the event: */
    bool timed; /* it may change which timer is next; with ordered time only */
    bool waits; /* it leaves its actor in a wait that will end by time if nothing is in the mailbox */
    uint32_t unit;
    uint32_t meetings; /* where they begin; those of the next event follow */
};

struct rh__seen {
    uint64_t meeting, walk;
};

/* Of a meeting: whose it is, and the nearest earlier ones of the same name, of any unit and of another actor's; RH_NONE: none. */
struct rh__link {
    uint32_t unit, before, before_other;
};

/* The last meeting of this name. */
struct rh__last {
    uint64_t meeting;
    uint32_t at, used;
};

struct rh__history {
    struct rh__step *step; /* by event, and one more for where the meetings end */
    uint64_t *meeting;
    struct rh__seen *seen; /* meetings of the past of the walk under way; open addressing */
    struct rh__link *link; /* by meeting */
    struct rh__last *name; /* open addressing */
    uint32_t linked;       /* meetings */
    uint32_t names;
    bool unlinked;    /* there are too many names: then all units are in question */
    uint32_t *cursor; /* of the question: for each meeting of its unit, the nearest one that is left; RH_NONE: none */
    uint32_t asking;  /* its unit */
    uint64_t walk;
    uint32_t floor; /* events up to this one are none of ours */
    bool any, all;  /* of this walk: something is in the past; all from here back is */
    bool full;      /* the run was too long */
};

bool rh__history_open(struct rh__history *h, struct rh_exploration *x);

/* To be told while a run is made: before an event, of this actor, and after it, which is the last so far. */
void rh__history_before(struct rh__history *h, const struct rh_world *w, uint32_t event, uint32_t actor);
void rh__history_after(struct rh__history *h, const struct rh_world *w, uint32_t event);
/* When it is over: events from `first` on are new. */
void rh__history_settle(struct rh__history *h, const struct rh_world *w, uint32_t first);

static inline bool rh__is_unit(const struct rh__history *h, uint32_t event)
{
    return h->step[event].unit == event;
}

/* Whether the effect of an event with this choice is everywhere. */
bool rh__is_everywhere(const struct rh_world *w, const struct rh_choice *c);

enum rh__dependence { RH__INDEPENDENT, RH__MEET_BLINDLY, RH__MEET };
enum rh__dependence rh__dependence(const struct rh__history *h, uint32_t one, uint32_t other);

/* A walk begins with what made `c` possible in the past; `self`: and all that its actor had done. */
void rh__walk_begin(struct rh__history *h);
void rh__walk_cause(struct rh__history *h, const struct rh_world *w, const struct rh_choice *c);
void rh__walk_actor(struct rh__history *h, uint32_t actor);
void rh__walk_put(struct rh__history *h, uint32_t event);
/* For each unit on the way back: is it in the past?  If so (or if it shall be), its own past follows. */
bool rh__walk_meets(const struct rh__history *h, const struct rh_world *w, uint32_t unit);
void rh__walk_follow(struct rh__history *h, const struct rh_world *w, uint32_t unit);

/* A question is about one unit: which earlier ones of other actors depend on it?  Of its own actor's all are in its past, as
 * soon as a walk has its actor. */
void rh__question_begin(struct rh__history *h, const struct rh_world *w, uint32_t unit);
/* The nearest unit before event `i`, or at it, that may be such a one; 0: there is none. */
uint32_t rh__question_next(const struct rh__history *h, uint32_t i);
/* That was looked at, and is in the past of the walk now. */
void rh__question_pass(struct rh__history *h, const struct rh_world *w, uint32_t unit);

/* ---- messages ----------------------------------------------------------------------------------------------------------- */

/* Delivered, and not dropped, lost or wasted. */
bool rh__is_taken(const struct rh_world *w, uint32_t message);

/* The unit that put the message where its receiver could find it; RH_NONE if none did before event `until`. */
uint32_t rh__arrival(const struct rh__history *h, const struct rh_world *w, uint32_t message, uint32_t until);

/* Could the receiver have taken the message, had it been there, instead of doing what it did in this unit? */
bool rh__could_take(const struct rh__history *h, const struct rh_world *w, uint32_t unit, uint32_t message);

#endif
