/* Recording of a run in production (rh_runtime_options.record), as a schedule for a test.
 *
 * One array of records for all threads.  The index of a record is taken with one atomic addition: before a message is
 * pushed, and before its receiver goes on.  So the order of the indices is consistent with causality: a message is
 * recorded as sent before it is recorded as taken, and an event comes after the events that it knows of.  An event is a
 * handler from its beginning, or from one of its waits, to the next wait or the end, as with granularity handler.
 *
 * A record names its actor by the reference, which is never used again, and the name is kept by the record of the
 * spawn.  A message is named by its block: of one block, sends and receives alternate. */
#ifndef RH_RUNTIME_TAPE_H
#define RH_RUNTIME_TAPE_H

#include <stdio.h>

#include "runtime/actor.h"

enum rh__tape_kind {
    RH__TAPE_NONE, /* not complete yet */
    RH__TAPE_SPAWN,
    RH__TAPE_SEND,
    RH__TAPE_START,   /* a process or a handler of rh_start begins */
    RH__TAPE_HANDLE,  /* a handler begins, or the message is ignored */
    RH__TAPE_RECEIVE, /* a receive or an ask returns the message */
    RH__TAPE_FIRE,    /* a timer's message is taken; HANDLE or RECEIVE follows */
    RH__TAPE_TIMEOUT, /* a receive, ask or sleep ends without a message */
    RH__TAPE_YIELD,   /* an actor goes on after rh_yield */
    RH__TAPE_VALUE,   /* rh_choose */
    RH__TAPE_FAILURE,
};

struct rh__tape_entry {
    _Atomic(uint32_t) kind; /* enum rh__tape_kind, written last */
    uint32_t how;           /* of a send: enum rh__kind */
    uint64_t actor;         /* the actor whose event it is; 0 outside of actors */
    uint64_t from, to;      /* of a send: the sender that the receiver sees, the receiver; of a value: value, count */
    const void *type;       /* of a spawn, of a send */
    const void *what;       /* the message; of a spawn and a timer: the name; of a failure: its kind */
};

/* What happened and is not in the records. */
enum {
    RH__UNRECORDED_SHARED = 1, /* names, tables, lives of actors */
    RH__UNRECORDED_RANDOM = 2,
    RH__UNRECORDED_CLOCK = 4,
    RH__UNRECORDED_STORES = 8,
    RH__UNRECORDED_DROPS = 16,
    RH__UNRECORDED_INFO = 32,
};

/* False, with a sentence on standard error, if there is no memory or the file cannot be written. */
bool rh__tape_start(void);
/* Writes the schedule: after the last worker has ended, or while others run on, as far as it is complete. */
void rh__tape_write(void);
void rh__tape_release(void);

static inline bool rh__recording(void)
{
    return __builtin_expect(rh__rt.tape != NULL, 0);
}
void rh__tape_add(enum rh__tape_kind kind, const struct rh__actor *actor, const void *what);
/* A process, or a handler of rh_start, begins with this message. */
void rh__tape_start_of(const struct rh__actor *actor, const struct rh__message *m);
/* `creator` may be NULL. */
void rh__tape_spawn(const struct rh__actor *actor, const struct rh__actor *creator);
/* Before the push.  `worker` may be NULL. */
void rh__tape_send(const struct rh__worker *worker, rh_ref to, const struct rh__message *m);
/* The receiver has ended.  Where an earlier event has sent it, it comes before others of its kind all the same. */
void rh__tape_send_astray(const struct rh__worker *worker, rh_ref from, rh_ref to, const struct rh_message_type *type);
void rh__tape_fire(const struct rh__actor *actor, const struct rh__message *m, const char *timer);
void rh__tape_value(const struct rh__actor *actor, uint32_t value, uint32_t count);
/* A failure; the first one writes the schedule. */
void rh__tape_failure(const struct rh__actor *actor, const char *kind);
void rh__tape_flaw(uint32_t flaw);

static inline void rh__unrecorded(uint32_t flaw)
{
    if (rh__recording())
        rh__tape_flaw(flaw);
}

/* Private to rt_tape*.c: the complete records, their number, and what is missing. */
struct rh__tape {
    struct rh__tape_entry *at;
    uint32_t limit;
    _Atomic(uint32_t) next;
    _Atomic(bool) full;
    _Atomic(uint32_t) flaws;
    _Atomic(bool) failed;
};
void rh__tape_write_lines(struct rh__tape *r, uint32_t count, FILE *out);

#endif
