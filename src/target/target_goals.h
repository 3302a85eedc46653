/* What `rehearse target` is to reach: basic blocks, as lines, assertions or functions of the source.
 *
 * A goal is reached if one of its blocks has run in the controlled world. */
#ifndef RH_TARGET_GOALS_H
#define RH_TARGET_GOALS_H

#include "target/flow.h"

enum rh__goal_status { RH__GOAL_OPEN, RH__GOAL_REACHED, RH__GOAL_UNREACHABLE };

struct rh__goal {
    char *place;      /* "bank.c:50" */
    char *what;       /* "assertion", "block 3 of on_deposit" */
    uint32_t *blocks; /* numbers of block coverage; any of them will do */
    uint32_t block_count;
    enum rh__goal_status status;
    char *how;        /* which explorer reached it, or why it is unreachable; NULL while it is open */
    char *schedule;   /* text up to the event that reached it */
    uint32_t block;   /* the block that was reached */
    uint32_t choices; /* lines of the schedule that are choices */
    bool ran;         /* it ran, but no schedule is known that leads there */
    double seconds;   /* of processor time that was spent on it alone */
    char *saved;      /* name of the schedule's file; NULL for none */
};

struct rh__goals {
    const struct rh__program *program;
    struct rh__goal *at;
    uint32_t count;
};

/* Add goals; false with a sentence if there are none. */
bool rh__goals_add_line(struct rh__goals *g, const char *file, uint32_t line, char *error, size_t error_size);
bool rh__goals_add_assertions(struct rh__goals *g, char *error, size_t error_size);
bool rh__goals_add_function(struct rh__goals *g, const char *name, char *error, size_t error_size);
/* Every block of the actors' code, without the bodies of tests: handlers, bodies of processes, and what they call.  `f`
 * is the graph of all tests. */
bool rh__goals_add_all(struct rh__goals *g, const struct rh__flow *f, char *error, size_t error_size);
/* Keeps only goals whose block is in a file of numbers; false with a sentence if there are none. */
bool rh__goals_keep(struct rh__goals *g, const char *path, char *error, size_t error_size);
void rh__goals_release(struct rh__goals *g);

/* Marks the goals in functions that no run of the test can call, because the message flow graph has no way to them.
 * The graph must be one of this test. */
void rh__goals_judge_by_flow(struct rh__goals *g, const struct rh__flow *f);

uint32_t rh__goals_with(const struct rh__goals *g, enum rh__goal_status status);

#endif
