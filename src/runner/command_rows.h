/* The commands of a test program as rows; `rehearse COMMAND BINARY` hands them on (src/cli). */
#ifndef RH_RUNNER_COMMAND_ROWS_H
#define RH_RUNNER_COMMAND_ROWS_H

#include <stddef.h>
#include <stdint.h>

/* Bits: which commands take an option. */
enum {
    RH__FOR_TEST = 1,
    RH__FOR_ESTIMATE = 2,
    RH__FOR_LIST = 4,
    RH__FOR_REPLAY = 8,
    RH__FOR_CORPUS = 16,
    RH__FOR_EMBEDDED = 32, /* rh_explore_test of rehearse/run.h */
    RH__FOR_SHOW = 64,
    RH__FOR_MINIMISE = 128,
    RH__FOR_STEP = 256,
    RH__FOR_AGENT = 512,
    RH__FOR_RUNS = RH__FOR_TEST | RH__FOR_ESTIMATE | RH__FOR_EMBEDDED,
    RH__FOR_SCHEDULES = RH__FOR_REPLAY | RH__FOR_CORPUS | RH__FOR_SHOW | RH__FOR_MINIMISE | RH__FOR_STEP,
    RH__FOR_ALL = RH__FOR_RUNS | RH__FOR_LIST | RH__FOR_SCHEDULES,
    RH__FOR_EVERY = RH__FOR_ALL | RH__FOR_AGENT,
};

/* What a command takes behind the test program, for completion. */
enum rh__command_words { RH__WORDS_NONE, RH__WORDS_TESTS, RH__WORDS_SCHEDULE, RH__WORDS_FOLDER };

struct rh__command_row {
    const char *name, *arguments, *help;
    uint32_t bit;
    enum rh__command_words words;
};
/* The commands of a test program, in the order of help; a row without a name is behind the last. */
extern const struct rh__command_row rh__command_rows[];

/* What the exit status means, as the end of a help text. */
extern const char rh__exit_text[];

#endif
