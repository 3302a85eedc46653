/* The commands of a test program, each in its file; the program `rehearse` passes them on (src/cli). */
#ifndef RH_RUNNER_COMMANDS_H
#define RH_RUNNER_COMMANDS_H

#include "runner/options.h"

/* Each gives an exit code. */
int rh__command_test(const char *program, const struct rh__options *o);
int rh__command_list(const char *program, const struct rh__options *o);
int rh__command_replay(const char *program, const struct rh__options *o);
int rh__command_estimate(const char *program, const struct rh__options *o);
int rh__command_corpus(const char *program, const struct rh__options *o);

const struct rh_test *rh__test_named(const char *name);

/* What to exit with: what was found counts most. */
int rh__exit_of(bool failed, bool stale, bool unmet);

/* Explores in this process or with workers, as the options say; an exit code, with a sentence unless that is 0. */
int rh__run_exploration(struct rh_exploration *x, const struct rh__options *o, const struct rh_world_options *world,
                        char *error, size_t error_size);
/* What came of the check for determinism, if work that went from one process to another did not contradict it. */
void rh__note_divergence(const struct rh_exploration *x, struct rh_outcome *determinism);

/* Replays one schedule; what it came to. */
enum rh__replayed {
    RH__REPLAYED_SAME,     /* it failed, as recorded schedules do */
    RH__REPLAYED_PASSED,   /* every line fitted, and nothing failed */
    RH__REPLAYED_DIVERGED, /* a line did not fit: `text` says which */
    RH__REPLAYED_REFUSED,  /* the file or its settings make no sense */
    RH__REPLAYED_BROKEN,   /* the tool failed */
};
enum rh__replayed rh__replay(const char *program, const char *path, const struct rh__options *o, bool tell, char *text,
                             size_t size);

#endif
