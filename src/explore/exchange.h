/* What the decorator `symmetry` tells a reduction about actors that can be exchanged.
 *
 * A reduction cannot be filtered: it relies on steps that it has seen in other runs (symmetry.c).  So it leaves out
 * runs itself, by this rule.  Let the actors of a class be alike in the first state in which there is something to
 * choose.  All runs go through that state, so with each run there is the run in which the actors of the class are
 * permuted.  One actor is the decider of the class.  A run is *in order* if the decider first hears the actors of the
 * class in the order of their age: it takes a message of a younger one only after one of each older one.  Each run has
 * a permutation that is in order: give the actors the ages in which the decider hears them.  So the runs in order are
 * enough.  If there are several classes, permuting one must not move the decider of one that was permuted before: no
 * circle of classes, each with its decider in the next.  A decider may belong to its own class; then the others of the
 * class are permuted.
 *
 * optimal/exchange.c says which subtrees of the search have no run in order. */
/* Private to src/explore. */
#ifndef RH_EXPLORE_EXCHANGE_H
#define RH_EXPLORE_EXCHANGE_H

#include <rehearse/explorer.h>

#include "run/run.h"

struct rh__exchange {
    uint32_t version;  /* counts the changes */
    uint32_t actors;   /* the first actors of every run; the arrays are about them */
    uint32_t most;     /* room of the arrays */
    uint32_t *leader;  /* by actor: the oldest of its class, the actor itself if it is alike to no other */
    uint32_t *decider; /* by leader; RH_NONE: the class is not permuted */
    unsigned char *in_globals, *heard; /* by actor; `heard` is scratch */
    uint32_t looked;                   /* events of the first run after which there was nothing to choose */
    bool found;                        /* the classes are known */
    bool decided;                      /* the deciders are final: runs may have been left out */
    bool left_out;                     /* runs were left out, or may be by others */
};

bool rh__exchange_open(struct rh__exchange *e, struct rh_exploration *x, uint32_t most);
/* Called before each step, with the number of enabled choices: finds the classes in the first state with a choice. */
void rh__exchange_look(struct rh__exchange *e, struct rh_world *w, uint32_t choices);
/* Chooses as decider of each class the actor that heard most of it in this run.  If no actor heard two of a class, this
 * is left to a later run. */
void rh__exchange_decide(struct rh__exchange *e, const struct rh__run *r);
/* The work is shared: no decider is chosen from now on, and others may leave out runs. */
void rh__exchange_settle(struct rh__exchange *e);

/* The deciders as bytes.  All who share the work must have the same.  Returns the number of bytes; 0: no room, or no
 * such bytes. */
size_t rh__exchange_pack(const struct rh__exchange *e, void *buffer, size_t room);
size_t rh__exchange_unpack(struct rh__exchange *e, const void *bytes, size_t size);
/* Forgets the deciders. */
void rh__exchange_reset(struct rh__exchange *e);

/* Gives the explorer `optimal` with this state a rule, which may change between runs, and once in the first run, before
 * there is anything to choose. */
void rh__optimal_exchanges(void *state, struct rh__exchange *e);

/* Gives the explorer `dpor` with this state the classes, which it uses by a rule of its own: no decider, but the orders
 * of events before a choice (dpor/images.h).  False: no memory. */
bool rh__dpor_exchanges(void *state, struct rh__exchange *e);

#endif
