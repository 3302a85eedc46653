/* What `rehearse target` is to reach: basic blocks, as lines, assertions or functions of the source.
 *
 * A goal is reached if one of its blocks has run in the controlled world. */
#ifndef RH_TARGET_GOALS_H
#define RH_TARGET_GOALS_H

#include "target/flow.h"

/* LEFT: another process looks for it (workers.h). */
enum rh__goal_status { RH__GOAL_OPEN, RH__GOAL_REACHED, RH__GOAL_UNREACHABLE, RH__GOAL_LEFT };

/* What settled a goal. */
enum rh__stage {
    RH__STAGE_NONE,
    RH__STAGE_GRAPH,
    RH__STAGE_SAMPLERS,
    RH__STAGE_OPTIMAL,
    RH__STAGE_SOLVER,
    RH__STAGE_SEARCH,
    RH__STAGE_REPAIR,
    RH__STAGES
};

struct rh__goal {
    char *place;      /* "bank.c:50" */
    char *what;       /* "assertion", "block 3 of on_deposit" */
    uint32_t *blocks; /* numbers of block coverage; any of them will do */
    uint32_t block_count;
    enum rh__goal_status status;
    enum rh__stage stage;
    char *how;        /* which explorer reached it, why it is unreachable, or why it was not found; NULL: not known */
    char *schedule;   /* text up to the event that reached it */
    uint32_t block;   /* the block that was reached */
    uint32_t choices; /* lines of the schedule that are choices */
    bool ran;         /* it ran, but no schedule is known that leads there */
    double seconds;   /* of processor time that was spent on it alone */
    char *saved;      /* name of the schedule's file; NULL for none */
};

struct rh__goals {
    const struct rh__program *program;
    const struct rh__flow *flow; /* of the test; NULL: not made yet */
    struct rh__goal *at;
    uint32_t count;
    void (*settled)(struct rh__goals *g, uint32_t goal, void *arg); /* called when a goal is settled; may be NULL */
    void *arg;
};

/* Add goals; false with a sentence if there are none. */
bool rh__goals_add_line(struct rh__goals *g, const char *file, uint32_t line, char *error, size_t error_size);
bool rh__goals_add_assertions(struct rh__goals *g, char *error, size_t error_size);
bool rh__goals_add_function(struct rh__goals *g, const char *name, char *error, size_t error_size);
/* Where a check of `rehearse-bitcode --null` fails: a null pointer, an array's bounds, a send to nobody. */
bool rh__goals_add_checks(struct rh__goals *g, char *error, size_t error_size);
/* Every block of the actors' code, without the bodies of tests: handlers, bodies of processes, and what they call.  `f`
 * is the graph of all tests. */
bool rh__goals_add_all(struct rh__goals *g, const struct rh__flow *f, char *error, size_t error_size);
/* Keeps only goals whose block is in a file of numbers; false with a sentence if there are none. */
bool rh__goals_keep(struct rh__goals *g, const char *path, char *error, size_t error_size);
void rh__goals_release(struct rh__goals *g);

/* Marks the goals in functions that no run of the test can call, because the message flow graph has no way to them.
 * The graph must be one of this test. */
void rh__goals_judge_by_flow(struct rh__goals *g, const struct rh__flow *f);

/* The goal is reached or unreachable; its schedule, block and choices are set before. */
void rh__goals_settle(struct rh__goals *g, struct rh__goal *x, enum rh__goal_status status, enum rh__stage stage,
                      const char *how);
/* Why a goal is still open, in the place of what was said before. */
void rh__goals_explain(struct rh__goal *x, const char *how);
uint32_t rh__goals_with(const struct rh__goals *g, enum rh__goal_status status);
uint32_t rh__goals_by(const struct rh__goals *g, enum rh__stage stage, enum rh__goal_status status);
const char *rh__stage_name(enum rh__stage stage);

#endif
