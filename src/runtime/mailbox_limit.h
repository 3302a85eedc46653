/* Room in a mailbox with a limit, and the senders that wait for it. */
#ifndef RH_RUNTIME_MAILBOX_LIMIT_H
#define RH_RUNTIME_MAILBOX_LIMIT_H

#include "runtime/mailbox.h"

struct rh__actor;
struct rh__worker;

/* A waiting sender.  It is part of an actor, or on the stack of a thread that is not a worker.  The lock of
 * mailbox_limit.c guards it, except `slot`, which belongs to the sender. */
struct rh__room {
    struct rh__room *next;
    struct rh__slot *slot; /* the slot whose mailbox is full; NULL if the sender does not wait */
    rh_ref who;            /* nobody for a foreign thread */
    uint32_t ticket;       /* ticket of the wait */
    bool listed;           /* not woken yet */
};

enum rh__room_answer {
    RH__ROOM_YES,  /* a place is reserved; the message will be counted */
    RH__ROOM_NONE, /* the message must be dropped */
};

/* Reserves a place in the mailbox of `to`, as options.overflow demands: may block, and may end the running actor. */
enum rh__room_answer rh__room_wait(struct rh__slot *slot, rh_ref to, const char *here);
/* Wakes as many waiting senders as there is room for. */
void rh__room_offer(struct rh__worker *worker, struct rh__slot *slot);
/* The actor ends: if it waited, or was woken and has not sent yet, the next sender gets its place. */
void rh__room_leave(struct rh__worker *worker, struct rh__actor *actor);
/* Wakes all waiting foreign threads; their messages are dropped. */
void rh__room_close(void);

#endif
