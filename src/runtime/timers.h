/* Timers: a heap of deadlines and one thread.  A timer that fires becomes a message; an actor finds out by the ticket
 * whether the timer was cancelled or replaced meanwhile, so a cancelled timer is never heard of again. */
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
    uint64_t order;              /* equal deadlines fire in the order they were set */
    size_t at;                   /* place in the heap, plus one; 0 when not in it */
    struct rh__message *message; /* to be sent; NULL for an RH__WAKE */
    uint64_t to;
    /* The actor's. */
    uint32_t ticket;
    struct rh__timer *next;
    char *name;
};

bool rh__timers_start(void);
void rh__timers_stop(void);
/* Lets the timers' thread look after the workers as well. */
void rh__timers_kick(void);

void rh__timer_set(struct rh__worker *worker, struct rh__actor *actor, const char *name, int64_t delay_ms,
                   const struct rh_message_type *type, const void *value);
bool rh__timer_cancel(struct rh__worker *worker, struct rh__actor *actor, const char *name);
/* Whether a timer with this ticket is set; with `take` it is so no longer. */
bool rh__timer_due(struct rh__actor *actor, uint32_t ticket, bool take);
void rh__timers_drop(struct rh__worker *worker, struct rh__actor *actor);

/* The actor's own alarm: sends RH__WAKE with the ticket of its wait. */
void rh__alarm_set(struct rh__actor *actor, int64_t delay_ms);
void rh__alarm_clear(struct rh__actor *actor);

#endif
