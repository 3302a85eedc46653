/* Room in a mailbox that has a limit, and those who wait for it. */
#ifndef RH_RUNTIME_ROOM_H
#define RH_RUNTIME_ROOM_H

#include "runtime/mailbox.h"

struct rh__actor;
struct rh__worker;

/* One who waits: an actor has it, a thread that is no worker has it on its stack.  Guarded by the lock of room.c, but for
 * `slot`, which is the waiter's own. */
struct rh__room {
    struct rh__room *next;
    struct rh__slot *slot; /* whose mailbox is full; NULL when it does not wait */
    rh_ref who;            /* nobody for a foreign thread */
    uint32_t ticket;       /* of its wait */
    bool listed;           /* not woken yet */
};

enum rh__room_answer {
    RH__ROOM_YES,  /* a place is reserved: the message will be counted */
    RH__ROOM_NONE, /* the message is to be dropped */
};

/* A place in the mailbox of `to`, by the rule of options.overflow: may block, and may end the actor that runs. */
enum rh__room_answer rh__room_wait(struct rh__slot *slot, rh_ref to, const char *here);
/* Wakes as many who wait as there is room for. */
void rh__room_offer(struct rh__worker *worker, struct rh__slot *slot);
/* An actor ends: where it waited, or was woken and has not sent yet, others come next. */
void rh__room_leave(struct rh__worker *worker, struct rh__actor *actor);
/* Lets all foreign threads that wait go on; their messages are dropped. */
void rh__room_close(void);

#endif
