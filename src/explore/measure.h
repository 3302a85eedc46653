/* Coverage of the runs of an exploration (coverage/goals.h), measured as they end. */
#ifndef RH_EXPLORE_MEASURE_H
#define RH_EXPLORE_MEASURE_H

#include "coverage/goals.h"
#include "explore/engine.h"

/* How much there was when something had come. */
struct rh__growth {
    uint64_t run;
    double seconds;
    struct rh__count counts[RH__CRITERION_COUNT];
};
enum { RH__MOST_GROWTH = 1024 };

struct rh__measure {
    struct rh__coverage *coverage;
    struct rh__growth growth[RH__MOST_GROWTH];
    uint32_t growth_count;
    uint64_t growth_apart; /* runs between two of them, at least */
    /* Called for each run that brought a goal of a criterion that was asked for; may be NULL. */
    void (*keep)(struct rh_exploration *x, void *arg);
    void *keep_arg;
    struct rh__identities names;
    struct rh__steps steps; /* of the last run */
    struct rh__step *list;
    size_t size;
};

/* From now on, by these criteria (bits); more can be added.  False where there is no memory. */
bool rh__measure(struct rh_exploration *x, uint32_t criteria);
/* A run has ended; one that does not count brought nothing. */
void rh__measure_run(struct rh_exploration *x);
void rh__measure_nothing(struct rh_exploration *x);
/* The coverage may have grown. */
void rh__measure_growth(struct rh_exploration *x);
void rh__measure_free(struct rh_exploration *x);

#endif
