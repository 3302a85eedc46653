/* A run as the planner of schedules sees it: steps, the cause of each, and which of them are receives that count.
 *
 * It contains nothing of the world, so it can outlive the run, and tests can write one down.  Step 0 is the beginning
 * (the entry point of [Bita 2013, II]).  Step indices are indices of events. */
#ifndef RH_COVERAGE_STEPS_H
#define RH_COVERAGE_STEPS_H

#include "run/identity.h"

enum rh__step_flag {
    RH__STEP_RECEIVE = 1, /* an asynchronous receive: goals consist of these [Bita 2013, II] */
    RH__STEP_BECOMES = 2, /* it changes the handlers of its actor: cmh of Definition 3 */
    RH__STEP_PART = 4,    /* its actor continues a handler: a synchronous receive, a value, ... */
    RH__STEP_FENCE = 8,   /* no step of its actor can be moved past it (without an actor: no step at all) */
    RH__STEP_APART = 16,  /* its message is from outside: the sender has seen only its own sends */
    RH__STEP_CHOSEN = 32, /* its actor chooses what to receive: the order of sends is not that of receives */
    RH__STEP_QUEUED = 64, /* its message waited among others in the order of sends: not a timer, not an exit signal */
    RH__STEP_LAST = 128,  /* causal: no message that its cause sent later was taken */
    RH__STEP_MORE = 256,  /* the next step receives another message of the same set: neither comes before the other */
};

struct rh__coverage_step {
    uint64_t id;
    uint32_t actor;  /* the actor of the step; RH_NONE if it has none */
    uint32_t cause;  /* the step that sent the message or first set the timer; for a part the step that it follows */
    uint32_t born;   /* the step that spawned the actor, or the last fence before it; RH_NONE for none */
    uint32_t before; /* the previous step of the same actor; RH_NONE for none */
    uint32_t after;  /* the receive that must precede it in this model (Definition 6); RH_NONE for none */
    /* Causal: the step that took the previous message of the same external sender; RH_NONE for none. */
    uint32_t earlier;
    uint32_t elder; /* causal: the step that took the previous message of its cause; RH_NONE for none */
    /* The step that determines its place among the receives of its actor: itself, except under mailbox. */
    uint32_t arrival;
    uint32_t parent; /* the step from whose identity its own is computed (identity.h); RH_NONE for none */
    uint32_t flags;
    uint32_t type; /* type of its message */
    uint32_t site; /* the actor's behaviour or receive before the step; 0 for an actor that takes every message */
};

struct rh__steps {
    struct rh__coverage_step *list;
    uint32_t count;
    uint32_t actors;
    /* Causal and mailbox: of two messages to one actor, the one that was sent first in any case is received first. */
    bool by_sends;
    bool mailbox;
};

/* The run so far.  `n` must have followed it.  `list` needs room for all events, `scratch` for a number for each of the
 * world's actors, channels and messages (rh__steps_scratch). */
size_t rh__steps_scratch(const struct rh__run *r);
void rh__steps_of(const struct rh__run *r, const struct rh__identities *n, struct rh__steps *s,
                  struct rh__coverage_step *list, uint32_t *scratch);

/* Must-happen-before (Definitions 5 to 7), for the receives of one actor.
 *
 * Step j must come after everything that its cause had seen: the steps of that actor up to the cause, and everything
 * that must precede those (Definition 5, closed under 7).  If the model keeps channels in order, it must also come
 * after the previous receive on its channel, and everything that must precede that (6).  The order in which an actor
 * made two receives is not a reason in itself.
 *
 * `bit` gives each receive of the actor its index in sets of `words` words; all other steps have RH_NONE.  `seen` has
 * room for two sets for each step; `must` gets a set for each step, and has room for one more.  Time and memory: steps
 * times words. */
void rh__must_happen_before(const struct rh__steps *s, const uint32_t *bit, uint32_t words, uint64_t *seen,
                            uint64_t *must);

#endif
