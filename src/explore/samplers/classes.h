/* Choices drawn by class: first a class of choices by weight, then a choice of that class.  For weighted, swarm and
 * phases.
 *
 * A uniform choice among all open choices spends budgets at once: each message under way can also be lost and
 * doubled, each actor can crash, each timer can fire, so most of the first steps of a run are faults and timers.
 * Here
 *   - a class has a weight, however many choices it has at a step;
 *   - faults are spread over the run.  Each run draws how many faults of each budget it uses, from none to all, and
 *     their steps, uniformly over the length of earlier runs, as PCT draws its change points [PCT 2010, 3].  A fault
 *     that is due has the weight of a fault, any other a small part of it: every open choice keeps a positive
 *     probability. */
#ifndef RH_EXPLORE_SAMPLERS_CLASSES_H
#define RH_EXPLORE_SAMPLERS_CLASSES_H

#include <rehearse/explorer.h>

#include "run/run.h"

/* X(name, default weight, help).  A budget of faults is a class of its own, with the weight of `fault`; and the
 * timers of one name are a class of their own, with the weight of `timer`. */
#define RH__CLASSES(X)                                                                                                 \
    X(deliver, 1, "an actor takes a message or goes on; default 1")                                                    \
    X(value, 1, "rh_choose, and the opening of a store; default 1")                                                    \
    X(timer, 0.1, "a timer of some name fires, or a wait ends; default 0.1")                                           \
    X(stored, 0.3, "a write becomes durable; default 0.3")                                                             \
    X(outside, 0.2, "a message comes from outside; default 0.2")                                                       \
    X(restart, 0.1, "an actor starts again after a crash; default 0.1")                                                \
    X(heal, 0.1, "the network becomes whole again; default 0.1")                                                       \
    X(fault, 1, "a fault whose step has come; default 1")

enum rh__class {
#define X(name, weight, help) RH__CLASS_##name,
    RH__CLASSES(X)
#undef X
};
enum rh__budget {
#define X(field, spends, option, help) RH__BUDGET_##field,
    RH_BUDGETS(X)
#undef X
        RH__BUDGETS_END
};

enum {
    RH__TIMER_NAMES = 32,                                /* more share classes */
    RH__CLASS_named = RH__CLASS_fault + RH__BUDGETS_END, /* of timers: the first one */
    RH__CLASS_COUNT = RH__CLASS_named + RH__TIMER_NAMES,
    RH__MOST_FAULTS = 16,     /* of one budget that are drawn for a run */
    RH__WEIGHT_ONE = 1 << 20, /* the weight 1 */
    RH__FACTOR_FULL = 1 << 12,
#define RH_X(name, text, attributes, line, people, word) +1
    RH__CHOICE_KINDS = 0 RH_CHOICES(RH_X),
#undef RH_X
};

struct rh__classes {
    uint64_t given[RH__CLASS_fault + 1]; /* weights, as given */
    uint8_t of_kind[RH__CHOICE_KINDS];   /* the class of each kind of choice, where the kind decides */
    /* of the run under way */
    uint64_t random, seed;
    bool varied;
    bool chose;                                              /* it was asked for a choice of this run */
    uint64_t now[RH__CLASS_COUNT];                           /* weights */
    uint32_t faults[RH__BUDGETS_END], used[RH__BUDGETS_END]; /* how many were drawn, and taken so far */
    uint32_t step[RH__BUDGETS_END][RH__MOST_FAULTS];         /* of each fault that was drawn, in order */
};

/* The arguments of an explorer that has classes: their weights. */
extern const struct rh_argument rh__class_arguments[];

/* For `open`. */
void rh__classes_open(struct rh__classes *x, const struct rh_arguments *a);

/* A run begins: draws its faults, from the seed.  length: of earlier runs; 0: there was none.  varied: draws weights
 * that are larger, smaller or almost nothing, and budgets that are not used, because different bugs need different
 * settings [Swarm 2012]. */
void rh__classes_begin(struct rh__classes *x, const struct rh_semantics *s, uint64_t seed, uint32_t length,
                       bool varied);

/* For `end`: the length of runs, learned from the run that has ended. */
uint32_t rh__classes_learn(uint32_t length, const struct rh_run *run);

/* Channels, senders or receivers of different speeds. */
enum rh__speeds { RH__SPEED_NONE, RH__SPEED_CHANNEL, RH__SPEED_SENDER, RH__SPEED_RECEIVER, RH__SPEED_KINDS };
/* Of a choice: from 1 to 64, the same for the whole run; 1 if it takes no message, or if there are no speeds. */
uint64_t rh__speed_of(enum rh__speeds speeds, uint64_t seed, const struct rh__run *r, const struct rh_choice *c);

/* Factors of choices within their classes, at least 1: `of` tells that of a delivery and of a timer, all others have
 * `other`.  shrinks: the weight of a class is also multiplied with the largest factor in it, as a part of
 * RH__FACTOR_FULL. */
struct rh__factors {
    uint64_t (*of)(const void *state, const struct rh_world *w, const struct rh_choice *c);
    const void *state;
    uint64_t other;
    bool shrinks;
};

/* Draws a choice: its class by weight, then a choice of the class by factor (NULL: all of a class alike). */
uint32_t rh__classes_choose(struct rh__classes *x, const struct rh_world *w, const struct rh_choice *open,
                            uint32_t count, const struct rh__factors *factors);

/* For an explorer that decides by itself what else happens: a fault whose step has come; or now and then, by weight, an
 * end of a fault (restart, heal).  RH_NONE: none. */
uint32_t rh__classes_due(struct rh__classes *x, const struct rh_world *w, const struct rh_choice *open, uint32_t count);

#endif
