/* rehearse/delaying.h: delaying explorers: an order of choices, and a way to deviate from it [Desai, Qadeer, Seshia
 * 2015].
 *
 * A delaying explorer says which of the open choices is next.  A delay makes it say another one.  The runs with no
 * delay are few, one for a deterministic explorer; then come those with one delay, two, and so on.  An explorer is
 * good if the runs that matter need few delays.  The searches go through the runs in this order:
 *
 *     --explorer 'delay(rtc, ses)'     every state, by its number of delays (stratified exhaustive search)
 *     --explorer 'delay(rtc, ss)'      samples with 0, 1, 2, ... delays (stratified sampling)
 *
 * rtc (run to completion), rr (round robin) and prr (round robin in a random order) are built in.  Your own is a
 * const table, registered with RH_DELAYING(table), and used by its name: delay(NAME, ses).
 *
 * The state is plain bytes, zero at first; it is copied, so it has no pointers to itself.  All functions are
 * functions of the state and their arguments.  Sound: from any state, as many delays as there are choices must make
 * `next` give each choice once.  A search finds out if that is not so, and promises nothing then; delay(NAME, ses,
 * check) says where. */
#ifndef REHEARSE_DELAYING_H
#define REHEARSE_DELAYING_H

#include <rehearse/explorer.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { RH_DELAYING_MOST_STATE = 4096 }; /* bytes */

/* What a step did. */
struct rh_step {
    struct rh_choice choice; /* choice.actor has moved; RH_NONE: nobody */
    uint32_t sent;           /* messages that were sent in the step */
    uint32_t first_message;  /* the first of them (rh_world_message) */
    bool received;           /* the actor took a message, not in the middle of a handler */
    bool blocked;            /* the actor waits inside of its handler or body now */
    bool became;             /* the actor handles other messages than before */
    bool ended;              /* the actor has ended */
    const char *said;        /* the last line that the step logged (rh_log); NULL: none.  So a program talks to you. */
};

struct rh_delaying {
    const char *name;    /* letters, digits, - and _ */
    const char *summary; /* one line for people */
    size_t state_size;   /* at most RH_DELAYING_MOST_STATE */
    /* The index of the next choice.  It may put its state in order, if that changes no later answer. */
    uint32_t (*next)(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count);
    /* Another choice is next. */
    void (*delay)(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count);
    /* A step was made.  Calls of `start` and `finish` for the same step come before.  May be NULL. */
    void (*step)(void *state, const struct rh_world *w, const struct rh_step *did);
    /* An actor was spawned, or was there from the beginning.  `random` depends on the seed and the actor only. */
    void (*start)(void *state, const struct rh_world *w, uint32_t actor, uint64_t random);
    /* An actor that has moved has ended.  May be NULL. */
    void (*finish)(void *state, uint32_t actor);
};

#define RH_DELAYING(table)                                                                                             \
    __attribute__((constructor)) static void rh_delaying_register_##table(void)                                        \
    {                                                                                                                  \
        static struct rh_delaying_entry entry;                                                                         \
        entry.delaying = &table;                                                                                       \
        rh_delaying_register_(&entry);                                                                                 \
    }
struct rh_delaying_entry {
    const struct rh_delaying *delaying;
    struct rh_delaying_entry *next;
};
void rh_delaying_register_(struct rh_delaying_entry *entry);

/* ---- a round of actors, for your own
 * ----------------------------------------------------------------------------- */

/* Actors in an order, the first of them first; one that has nothing to do moves to the end.  The choices of an actor
 * are next in the order in which they are open: its messages, then faults that hit it, then its timers.  A delay passes
 * over one of them, and behind the last one the actor moves to the end.  Actors of whom only timers are open come when
 * there are no others, or delays have passed over them; then the run ends; those that can only be hit by a fault come
 * last.  So a run without delays has no fault, and no timer fires early.  Actors from number RH_ROUND_ACTORS - 2 on
 * share a place, and choices of nobody have one. */
enum { RH_ROUND_ACTORS = 120 };
struct rh_round {
    uint32_t passed; /* choices of the first actor that were passed over */
    uint32_t moved;  /* actors that delays have moved to the end, since the last step */
    uint8_t count;
    uint8_t actors[RH_ROUND_ACTORS];
};
/* For a state that begins with a struct rh_round: .next = rh_round_next, .delay = rh_round_delay */
uint32_t rh_round_next(void *round, const struct rh_world *w, const struct rh_choice *open, uint32_t count);
void rh_round_delay(void *round, const struct rh_world *w, const struct rh_choice *open, uint32_t count);
/* Puts an actor at a place; 0 is the first, and RH_ROUND_ACTORS the last.  An actor that is there moves. */
void rh_round_put(struct rh_round *r, uint32_t actor, uint32_t place);
/* The choice was taken: the next one is not passed over any more. */
void rh_round_step(struct rh_round *r);

#ifdef __cplusplus
}
#endif
#endif
