/* The commands of a test program, each in a file of its own.  Their rows are in command_rows.h. */
#ifndef RH_RUNNER_COMMANDS_H
#define RH_RUNNER_COMMANDS_H

#include <stdio.h>

#include "runner/options.h"

/* Each returns an exit code. */
int rh__command_test(const char *program, const struct rh__options *o);
int rh__command_list(const char *program, const struct rh__options *o);
int rh__command_replay(const char *program, const struct rh__options *o);
int rh__command_minimise(const char *program, const struct rh__options *o);
int rh__command_estimate(const char *program, const struct rh__options *o);
int rh__command_agent(const char *program, const struct rh__options *o);
int rh__command_corpus(const char *program, const struct rh__options *o);
int rh__command_step(const char *program, const struct rh__options *o);
int rh__command_show(const char *program, const struct rh__options *o);

const struct rh_test *rh__test_named(const char *name);

/* How the replay of one schedule ended. */
enum rh__replayed {
    RH__REPLAYED_SAME,     /* the run failed, as recorded schedules do */
    RH__REPLAYED_PASSED,   /* every line fits, and nothing failed */
    RH__REPLAYED_DIVERGED, /* a line does not fit: `text` says which */
    RH__REPLAYED_REFUSED,  /* the file or its settings make no sense: `text` says why */
    RH__REPLAYED_BROKEN,   /* the tool failed */
};
/* Is called after the run, while the session has it; `f` is NULL if nothing failed. */
struct rh__session;
struct rh__finding;
typedef void rh__replay_look(const struct rh__session *s, const struct rh__finding *f, void *arg);
struct rh__replay_view {
    rh__replay_look *look;
    void *arg;
    bool explain; /* finds out first why the run fails (findings/why.h) */
};
/* Without a view (NULL) the world prints no warnings. */
enum rh__replayed rh__replay(const char *program, const char *path, const struct rh__options *o,
                             const struct rh__replay_view *view, char *text, size_t size);
/* "assertion: box#1: two first  (file.c:12)", then further lines of the program's own text, and why it fails. */
struct rh__text;
void rh__finding_tell(const struct rh__finding *f, struct rh__text *t);
/* Prints what a replay came to, with the sentence that rh__replay gave; returns the exit code. */
int rh__replay_tell(FILE *to, const char *path, enum rh__replayed came_to, char *text);

#endif
