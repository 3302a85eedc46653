/* Coverage of the runs of an exploration (coverage/goals.h), measured at the end of each run. */
#ifndef RH_EXPLORE_MEASURE_H
#define RH_EXPLORE_MEASURE_H

#include "coverage/goals.h"
#include "explore/engine/engine.h"

/* A point of the growth curve: the counts after a run that achieved a goal. */
struct rh__growth {
    uint64_t run;
    double seconds;
    struct rh__count counts[RH__CRITERION_COUNT];
};
enum { RH__MOST_GROWTH = 1024 };

struct rh__measure {
    struct rh__growth growth[RH__MOST_GROWTH];
    uint32_t growth_count;
    uint64_t growth_apart; /* least number of runs between two points */
    /* Called for each run that achieves a goal of a measured criterion; may be NULL. */
    void (*keep)(struct rh_exploration *x, void *arg);
    void *keep_arg;
    struct rh__identities names;
    struct rh__steps steps; /* steps of the last run */
    struct rh__coverage_step *list;
    size_t size;
};

/* Starts to measure these criteria (bits), in addition to earlier ones.  False if memory is short. */
bool rh__measure(struct rh_exploration *x, uint32_t criteria);
/* Called at the end of a run.  rh__measure_nothing is for a run that is not counted. */
void rh__measure_run(struct rh_exploration *x);
void rh__measure_nothing(struct rh_exploration *x);
/* Called when the coverage may have grown. */
void rh__measure_growth(struct rh_exploration *x);
void rh__measure_free(struct rh_exploration *x);

#endif
