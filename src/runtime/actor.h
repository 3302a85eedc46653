/* An actor: the state that only the worker that runs it accesses. */
#ifndef RH_RUNTIME_ACTOR_H
#define RH_RUNTIME_ACTOR_H

#include "runtime/mailbox.h"
#include "runtime/mailbox_limit.h"
#include "runtime/rt_timers.h"
#include "runtime/runtime.h"
#include "runtime/table.h"

struct rh__name;
struct rh__set;
struct rh__store;

enum rh__waiting {
    RH__WAIT_MESSAGE, /* for a message that fits the filter */
    RH__WAIT_SET,     /* for so many messages that fit the filter */
    RH__WAIT_REPLY,   /* for the reply to an ask */
    RH__WAIT_WAKE,    /* only for the wake-up: a sleep, or room in a mailbox */
    RH__WAIT_STORED,  /* until all writes are durable */
};

/* What a blocked actor waits for.  The RH__WAKE with its ticket ends any wait. */
struct rh__wait {
    enum rh__waiting what;
    uint32_t ticket;
    uint32_t ask;
    uint32_t missing; /* of a set */
    const struct rh_filter *filter;
    struct rh__message *found;
};

/* What remains to be done when the handler has returned. */
enum { RH__ASIDE_TYPES = 4 };
enum { RH__STOP = 1, RH__RESCAN = 2, RH__RELEASE = 4, RH__GATHERS = 8 /* always: its behaviour has RH_SETS */ };

struct rh__actor {
    rh_ref self;
    struct rh__slot *slot;
    const struct rh_behaviour *behaviour;
    struct rh__message *current; /* the message being handled; in a process, received last */
    uint32_t attention;          /* a set of RH__STOP, RH__RESCAN, RH__RELEASE, RH__GATHERS */
    bool traps;
    const struct rh_actor_type *type;
    struct rh__message *received; /* received by rh_receive in a handler */
    struct rh__message *answer;   /* the reply that rh_ask returned */
    struct rh__message *last;     /* the latest of these three; rh_tail returns its tail */
    struct rh__set *set;          /* of rh_receive_set, RH_SETS; one message of it is also `current` or `received` */
    /* Messages set aside, in order; the behaviour is known to defer those before `seen`. */
    struct rh__message *aside, **aside_end, **seen;
    /* How many of them have which type, for the first types; and how many have others. */
    struct rh__aside_type {
        const struct rh_message_type *type;
        size_t count;
    } aside_types[RH__ASIDE_TYPES];
    size_t aside_others;
    struct rh__fiber *fiber; /* the parked fiber; NULL if the actor is not parked */
    struct rh__wait wait;
    uint32_t tickets, asks;
    struct rh__timer alarm; /* for the time limit of a wait */
    struct rh__room room;   /* while it waits for room to send */
    struct rh__timer *timers;
    struct rh__ties watching;   /* actors that it monitors; each until its rh_down is taken */
    struct rh__message *result; /* of rh_return; the rh_down of each monitoring actor carries it */
    struct rh__store *store;
    struct rh__name *name;
    uint64_t chance;
    struct {
        const struct rh_actor_type *type;
        uint32_t count;
    } * spawned; /* spawns of each type, for names */
    uint32_t spawned_types;
    struct rh_envelope envelope;
    _Alignas(16) char state[];
};

/* ---- actor.c: life and death ---- */
rh_ref rh__rt_actor_spawn(struct rh__worker *worker, const struct rh_actor_type *type, const void *state,
                          enum rh_watch watch, const char *here);
/* Ends the actor, which must not be used afterwards.  The caller keeps the slot. */
void rh__rt_actor_end(struct rh__worker *worker, struct rh__actor *actor, const char *reason);
/* Ends the running actor and abandons its stack frames.  An abnormal end of which no actor is told is a failure at
 * `here`, unless `here` is NULL. */
_Noreturn void rh__actor_exit(struct rh__actor *actor, const char *reason, const char *here);
/* Frees what a slot holds, without running code of the program. */
void rh__slot_clear(struct rh__slot *slot);

/* ---- run.c: taking messages ---- */
/* Runs the slot, which the caller owns, for a while, and gives it up.  May return on another thread or, if it resumes a
 * fiber, not at all. */
void rh__slot_run(struct rh__worker *worker, struct rh__slot *slot);
void rh__actor_set_aside(struct rh__actor *actor, struct rh__message *m);
/* The behaviour is a new one: looks at the messages set aside again, unless it defers all of them. */
void rh__actor_look_again(struct rh__actor *actor);
struct rh__message *rh__actor_unlink(struct rh__actor *actor, struct rh__message **at);
/* Called before a message that was set aside is delivered; false if its timer, monitor or link was cancelled
 * meanwhile. */
bool rh__message_claim(struct rh__actor *actor, struct rh__message *m);
/* Whether rh__message_claim would be true. */
bool rh__message_stands(struct rh__actor *actor, const struct rh__message *m);
/* A message leaves the mailbox for good. */
static inline void rh__message_left(struct rh__slot *slot, struct rh__message *m)
{
    if (__builtin_expect(m->counted, 0)) {
        m->counted = 0;
        atomic_fetch_sub(&slot->counted, 1);
    }
}
/* Releases a message that the actor holds, if any, unless a set owns it. */
void rh__actor_let_go(struct rh__actor *actor, struct rh__message **held);

/* ---- signals.c ---- */
enum rh__outcome { RH__DONE, RH__DELIVER, RH__ENDED };
/* Handles a message that is not plain; RH__DELIVER means that the message is for the program. */
enum rh__outcome rh__rt_signal(struct rh__worker *worker, struct rh__actor *actor, struct rh__message *m);
/* Ends the life of the actor and tells linked and monitoring actors.  An abnormal end of which no actor is told is a
 * failure at `here`, unless `here` is NULL. */
void rh__signal_end(struct rh__worker *worker, struct rh__actor *actor, const char *reason, const char *here);
/* Lets the creator link to the new actor or monitor it, before anybody else knows of it. */
void rh__signal_born(struct rh__actor *creator, rh_ref who, enum rh_watch watch);
/* Removes the monitor with this number; false if it does not exist any more. */
bool rh__signal_claim(struct rh__actor *actor, uint32_t number);
bool rh__signal_watches(const struct rh__actor *actor, uint32_t number);
/* Counts a message whose receiver has ended. */
void rh__undeliverable(struct rh__worker *worker, rh_ref to, struct rh__message *m);
void rh__signal_link(struct rh__actor *actor, rh_ref who, bool on);
void rh__signal_watch(struct rh__actor *actor, rh_ref who, bool on);
void rh__signal_kill(struct rh__worker *worker, rh_ref from, rh_ref who, const char *reason);

/* ---- send.c ---- */
/* The contents of a message to be sent, and how to send it. */
struct rh__letter {
    const struct rh_message_type *type;
    const void *value;
    const void *tail;
    size_t tail_size;
    enum rh__kind kind; /* RH__PLAIN or RH__REPLY */
    uint32_t ticket;
    bool exempt; /* does not count towards the limit of the mailbox */
    bool forwarded;
    rh_ref by; /* the actor that sends in the name of another one; nobody: the sender itself */
};
/* Returns false after a misuse, which has been reported. */
bool rh__send(struct rh__worker *worker, rh_ref from, rh_ref to, const struct rh__letter *letter, const char *here);
/* Puts a finished message into a mailbox and sets its generation; counts the message if it is undeliverable. */
void rh__post(struct rh__worker *worker, rh_ref to, struct rh__message *m);
/* Creates a message of the runtime itself; never NULL. */
struct rh__message *rh__message_make(struct rh__worker *worker, enum rh__kind kind, rh_ref sender,
                                     const struct rh_message_type *type, size_t bytes);

/* ---- receive.c ---- */
enum rh__outcome rh__offer(struct rh__worker *worker, struct rh__actor *actor, struct rh__message *m);
/* Blocks until the wait is over; timeout 0 waits for ever.  If there is no memory for a stack, the actor ends. */
void rh__wait(struct rh__actor *actor, int64_t timeout_ms, const char *here);
const struct rh_envelope *rh__rt_receive(struct rh__actor *actor, const struct rh_filter *filter, const char *here);
void rh__envelope_fill(struct rh_envelope *e, const struct rh__message *m);
bool rh__filter_fits(const struct rh_filter *filter, const struct rh__message *m);
/* Makes a message that the actor has received its latest, and releases the one before. */
void rh__actor_replace(struct rh__actor *actor, struct rh__message *m);
const void *rh__ask(struct rh__actor *actor, rh_ref to, const struct rh__letter *letter,
                    const struct rh_message_type *reply, int64_t timeout_ms, const char *here);
void rh__rt_sleep(struct rh__actor *actor, int64_t ms, const char *here);
/* Parks the actor behind others that are ready.  Without memory for a stack it goes on at once. */
void rh__rt_yield(struct rh__actor *actor);
/* kill_anywhere: takes the exit signals in the mailbox of a process that is about to make an operation.  Does not
 * return if one ends it. */
void rh__rt_hear_signals(struct rh__actor *actor);

/* ---- set.c ---- */
const struct rh_envelope *rh__rt_receive_set(struct rh__actor *actor, const struct rh_filter *filter, const char *here);
void rh__set_turn_to(struct rh__actor *actor, const struct rh_envelope *e, const char *here);
/* A message arrives while the actor waits for a set. */
enum rh__outcome rh__set_offer(struct rh__actor *actor, struct rh__message *m);
/* Sets attention to RH_SETS, or away from it, for the present behaviour. */
void rh__set_attend(struct rh__actor *actor, const char *here);
/* RH_SETS: if enough messages are aside that the behaviour has seen, takes them as a set and runs the handler for each.
 * False if not. */
bool rh__set_gather(struct rh__worker *worker, struct rh__actor *actor);
/* Whether the running handler runs for a set.  Then it must not receive. */
bool rh__set_is_handled(const struct rh__actor *actor, const char *here);
/* Whether the message is one of the set, which owns it. */
bool rh__set_holds(const struct rh__actor *actor, const struct rh__message *m);
/* Releases the messages of the set.  Call it when the actor has let go of all else (rh__actor_let_go). */
void rh__set_release(struct rh__actor *actor);
/* The same when the runtime stops. */
void rh__set_clear(struct rh__slot *slot, struct rh__actor *actor);

#endif
