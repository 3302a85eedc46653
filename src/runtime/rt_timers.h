/* Timers: a heap of deadlines and one thread.  A timer that fires becomes a message.  The actor recognises by the
 * ticket whether the timer was cancelled or replaced meanwhile, so it never sees a cancelled timer. */
#ifndef RH_RUNTIME_TIMERS_H
#define RH_RUNTIME_TIMERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rh__actor;
struct rh__message;
struct rh_message_type;
struct rh__worker;

struct rh__timer {
    /* Guarded by the lock of the heap. */
    int64_t due_ns;
    uint64_t order;              /* equal deadlines fire in the order in which they were set */
    size_t at;                   /* index in the heap, plus one; 0 if it is not in the heap */
    struct rh__message *message; /* the message to send; NULL for an RH__WAKE */
    uint64_t to;
    /* Only for the actor. */
    uint32_t ticket;
    struct rh__timer *next;
    char *name;
};

bool rh__timers_start(void);
void rh__timers_stop(void);
/* Makes the timers' thread look at the workers as well. */
void rh__timers_kick(void);

void rh__rt_timer_set(struct rh__worker *worker, struct rh__actor *actor, const char *name, int64_t delay_ms,
                      const struct rh_message_type *type, const void *value);
bool rh__timer_cancel(struct rh__worker *worker, struct rh__actor *actor, const char *name);
/* Whether a timer with this ticket is set; `take` clears it. */
bool rh__timer_due(struct rh__actor *actor, uint32_t ticket, bool take);
/* Before a timer's message is claimed: records that it fires. */
void rh__timer_record(struct rh__actor *actor, const struct rh__message *m);
void rh__timers_drop(struct rh__worker *worker, struct rh__actor *actor);

/* Sets the actor's own alarm, which sends RH__WAKE with the ticket of the wait. */
void rh__alarm_set(struct rh__actor *actor, int64_t delay_ms);
void rh__alarm_clear(struct rh__actor *actor);

#endif
