/* An actor: what only the worker that runs it touches. */
#ifndef RH_RUNTIME_ACTOR_H
#define RH_RUNTIME_ACTOR_H

#include "runtime/mailbox.h"
#include "runtime/room.h"
#include "runtime/runtime.h"
#include "runtime/table.h"
#include "runtime/timers.h"

struct rh__name;
struct rh__store;

enum rh__waiting {
    RH__WAIT_MESSAGE, /* one that fits the filter */
    RH__WAIT_REPLY,   /* to the ask */
    RH__WAIT_WAKE,    /* only the wake-up: a sleep, or room in a mailbox */
    RH__WAIT_STORED,  /* all writes durable */
};

/* What a blocked actor waits for.  Any wait ends with the RH__WAKE of its ticket. */
struct rh__wait {
    enum rh__waiting what;
    uint32_t ticket;
    uint32_t ask;
    const struct rh_filter *filter;
    struct rh__message *found;
};

/* What is to be done when the handler has returned. */
enum { RH__STOP = 1, RH__RESCAN = 2, RH__RELEASE = 4 };

struct rh__actor {
    rh_ref self;
    struct rh__slot *slot;
    const struct rh_behaviour *behaviour;
    struct rh__message *current; /* being handled; in a process, received last */
    uint32_t attention;          /* RH__STOP and so on */
    bool traps;
    const struct rh_actor_type *type;
    struct rh__message *received; /* in a handler, by rh_receive */
    struct rh__message *answer;   /* by rh_ask */
    struct rh__message *last;     /* of the three: whose tail rh_tail gives */
    /* Messages set aside, in order; those before `seen` are known to be deferred by the behaviour. */
    struct rh__message *aside, **aside_end, **seen;
    struct rh__fiber *fiber; /* parked on; NULL when it is not */
    struct rh__wait wait;
    uint32_t tickets, asks;
    struct rh__timer alarm; /* ends a wait in time */
    struct rh__room room;   /* where it waits to send */
    struct rh__timer *timers;
    struct rh__ties watching;   /* whom it monitors; each until its rh_down is taken */
    struct rh__message *result; /* of rh_return: what the rh_down of those who monitor it carry */
    struct rh__store *store;
    struct rh__name *name;
    uint64_t chance;
    struct {
        const struct rh_actor_type *type;
        uint32_t count;
    } * spawned; /* how many of each type, for their names */
    uint32_t spawned_types;
    struct rh_envelope envelope;
    _Alignas(16) char state[];
};

/* ---- actor.c: life and death ---- */
rh_ref rh__actor_spawn(struct rh__worker *worker, const struct rh_actor_type *type, const void *state,
                       enum rh_watch watch, const char *here);
/* Ends the actor, which must not be used any more.  The slot stays the caller's. */
void rh__actor_end(struct rh__worker *worker, struct rh__actor *actor, const char *reason);
/* The same for the actor that runs now, with the frames it stands on.  An abnormal end of which nobody is told is a
 * failure at `here`, unless that is NULL. */
_Noreturn void rh__actor_exit(struct rh__actor *actor, const char *reason, const char *here);
/* Frees what a slot holds; no code of the program runs. */
void rh__slot_clear(struct rh__slot *slot);

/* ---- run.c: taking messages ---- */
/* Runs the slot, which is the caller's, for a while, and gives it up.  May return on another thread or, where it
 * resumes a fiber, not at all. */
void rh__slot_run(struct rh__worker *worker, struct rh__slot *slot);
void rh__actor_set_aside(struct rh__actor *actor, struct rh__message *m);
struct rh__message *rh__actor_unlink(struct rh__actor *actor, struct rh__message **at);
/* A message that was set aside is to be delivered: false where its timer, its watch or its link has been taken back since. */
bool rh__message_claim(struct rh__actor *actor, struct rh__message *m);
/* A message leaves the mailbox for good. */
static inline void rh__message_left(struct rh__slot *slot, struct rh__message *m)
{
    if (__builtin_expect(m->counted, 0)) {
        m->counted = 0;
        atomic_fetch_sub(&slot->counted, 1);
    }
}
/* Releases a message that the actor holds, if there is one. */
void rh__actor_let_go(struct rh__actor *actor, struct rh__message **held);

/* ---- signals.c ---- */
enum rh__outcome { RH__DONE, RH__DELIVER, RH__ENDED };
/* What a message that is not plain does to the actor; RH__DELIVER: it is for the program. */
enum rh__outcome rh__signal(struct rh__worker *worker, struct rh__actor *actor, struct rh__message *m);
/* The actor ends: from now on nobody finds it alive.  Tells those linked and those who watch; an abnormal end of which
 * nobody is told is a failure at `here`, unless that is NULL. */
void rh__signal_end(struct rh__worker *worker, struct rh__actor *actor, const char *reason, const char *here);
/* Before anybody else knows of this actor: its creator watches it. */
void rh__signal_born(struct rh__actor *creator, rh_ref who, enum rh_watch watch);
/* Takes away the monitor of this number; false where it is gone. */
bool rh__signal_claim(struct rh__actor *actor, uint32_t number);
/* Nobody lives there any more: counts. */
void rh__undeliverable(struct rh__worker *worker, rh_ref to, struct rh__message *m);
void rh__signal_link(struct rh__actor *actor, rh_ref who, bool on);
void rh__signal_watch(struct rh__actor *actor, rh_ref who, bool on);
void rh__signal_kill(struct rh__worker *worker, rh_ref from, rh_ref who, const char *reason);

/* ---- send.c ---- */
/* What is sent, and how. */
struct rh__letter {
    const struct rh_message_type *type;
    const void *value;
    const void *tail;
    size_t tail_size;
    enum rh__kind kind; /* RH__PLAIN or RH__REPLY */
    uint32_t ticket;
    bool exempt; /* from the limit of the mailbox */
};
/* False where it was a misuse, which has been reported. */
bool rh__send(struct rh__worker *worker, rh_ref from, rh_ref to, const struct rh__letter *letter, const char *here);
/* Puts a message that is ready, but for its generation, into a mailbox, or says where it is undeliverable. */
void rh__post(struct rh__worker *worker, rh_ref to, struct rh__message *m);
/* A message of the runtime's own; never NULL. */
struct rh__message *rh__message_make(struct rh__worker *worker, enum rh__kind kind, rh_ref sender,
                                     const struct rh_message_type *type, size_t bytes);

/* ---- receive.c ---- */
enum rh__outcome rh__offer(struct rh__worker *worker, struct rh__actor *actor, struct rh__message *m);
/* Blocks until the wait is over; timeout 0 for ever.  Where no stack can be had the actor ends. */
void rh__wait(struct rh__actor *actor, int64_t timeout_ms, const char *here);
const struct rh_envelope *rh__receive(struct rh__actor *actor, const struct rh_filter *filter, const char *here);
const void *rh__ask(struct rh__actor *actor, rh_ref to, const struct rh__letter *letter,
                    const struct rh_message_type *reply, int64_t timeout_ms, const char *here);
void rh__sleep(struct rh__actor *actor, int64_t ms, const char *here);

#endif
