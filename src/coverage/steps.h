/* A run as the generator of schedules sees it: steps, what caused each, and which of them are receives that count.
 *
 * Nothing of the world is left in it, so it can outlive the run, and tests can write one down.  Step 0 is the beginning
 * (Bita's entry point).  Indices of steps are those of the world's events. */
#ifndef RH_COVERAGE_STEPS_H
#define RH_COVERAGE_STEPS_H

#include "coverage/identity.h"

enum rh__step_flag {
    RH__STEP_RECEIVE = 1, /* an asynchronous receive: what goals are made of (Bita II) */
    RH__STEP_BECOMES = 2, /* it changes the handlers of its actor: cmh of Definition 3 */
    RH__STEP_PART = 4,    /* its actor goes on with what it was doing: a synchronous receive, a value, ... */
    RH__STEP_FENCE = 8,   /* no step of its actor can be moved past it (without an actor: no step at all) */
    RH__STEP_APART = 16,  /* its message is from outside: whoever sent it has seen no sends but its own */
    RH__STEP_CHOSEN = 32, /* its actor chooses what to receive: the order of sends is not that of receives */
    RH__STEP_QUEUED = 64, /* its message waited among others in the order of sends: no timer, no exit signal */
    RH__STEP_LAST = 128,  /* causal: of what its cause sent, nothing was taken that was sent behind it */
};

struct rh__step {
    uint64_t id;
    uint32_t actor;   /* whose step it is; RH_NONE for nobody's */
    uint32_t cause;   /* the step without which there were no such message or timer; for a part the one it follows */
    uint32_t born;    /* the step that made the actor, or the last fence before it; RH_NONE for none */
    uint32_t before;  /* the step of the same actor before it, RH_NONE for none */
    uint32_t after;   /* the receive that the model wants before it (Definition 6); RH_NONE for none */
    uint32_t earlier; /* causal: the step that took what the same sender outside sent before; RH_NONE for none */
    uint32_t elder;   /* causal: the step that took what its cause sent right before it; RH_NONE for none */
    uint32_t arrival; /* the step that fixes its place among the receives of its actor: itself, but under mailbox */
    uint32_t flags;
    uint32_t type; /* of its message */
    uint32_t site; /* the behaviour or the receive that it met its actor in; 0: an actor that takes whatever comes */
};

struct rh__steps {
    struct rh__step *list;
    uint32_t count;
    uint32_t actors;
    bool by_sends; /* causal and mailbox: of two messages to one actor, that which was sent before the other in any case
                    * is received before it */
    bool mailbox;
};

/* The run so far; `n` must have followed it, `list` have room for all its events, `scratch` for a number for each of the
 * world's actors, channels and messages (rh__steps_scratch). */
size_t rh__steps_scratch(const struct rh_world *w);
void rh__steps_of(const struct rh_world *w, const struct rh__identities *n, struct rh__steps *s, struct rh__step *list,
                  uint32_t *scratch);

/* Must-happen-before (Definitions 5 to 7), for the receives of one actor.
 *
 * Step j must come behind all that its cause had seen: the steps of that actor up to the cause, and what these had to come
 * behind (Definition 5, closed under 7).  It must also come behind the receive before it on its channel, where the model
 * keeps channels in order, and behind what that must come behind (6).  That an actor made two receives in some order is no
 * reason in itself.
 *
 * `bit` gives each receive of the actor its place in sets of `words` words; all other steps have RH_NONE.  `seen` has room
 * for two sets for each step; `must` gets a set for each step, and has room for one more.  Time and memory: steps times words. */
void rh__must_happen_before(const struct rh__steps *s, const uint32_t *bit, uint32_t words, uint64_t *seen,
                            uint64_t *must);

#endif
