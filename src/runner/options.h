/* What a person asked for: one table of options makes parsing, help and completion (options.c). */
#ifndef RH_RUNNER_OPTIONS_H
#define RH_RUNNER_OPTIONS_H

#include "explore/engine.h"

enum {
    RH__EXIT_OK,
    RH__EXIT_FAILURE,
    RH__EXIT_USAGE,
    RH__EXIT_TOOL,
    RH__EXIT_DIVERGED,
    RH__EXIT_UNMET,
    RH__EXIT_SIGNAL = 128 /* plus its number: interrupted */
};
enum { RH__MOST_PARAMS = 64, RH__MOST_WORDS = 256, RH__MOST_SETTINGS = 64 };

struct rh__options {
    const char *explorer;
    bool all_models;
    uint64_t seed;
    bool seed_given; /* else a test's own counts */
    struct rh__limits limits;
    bool seconds_given; /* else the limit is the usual one */
    struct rh_param params[RH__MOST_PARAMS];
    size_t param_count;
    struct rh_param settings[RH__MOST_SETTINGS]; /* of struct rh_semantics, by name */
    size_t setting_count;
    char names[8192]; /* of -p and --set */
    size_t names_used;
    uint32_t workers;       /* 0: not said, one, in this process */
    const char *checkpoint; /* NULL for none */
    bool resume;
    const char *save, *json, *junit;
    uint32_t criteria; /* of coverage, as bits */
    bool required;     /* --require: less than this verdict is not enough */
    enum rh_verdict require;
    const char *coverage_file, *suite;
    bool tap, quiet, verbose;
    uint32_t step; /* replay: stop there; 0 for the end */
    bool gdb;
    const char *words[RH__MOST_WORDS]; /* what is no option */
    size_t word_count;
    bool help;
};

/* False with a sentence. */
bool rh__options_parse(struct rh__options *o, int argc, char **argv, char *error, size_t error_size);
/* Whether all parameters and bugs that were given are ones the program declares; false with a sentence. */
bool rh__options_params_known(const struct rh__options *o, char *error, size_t error_size);
/* The table for people. */
void rh__options_help(void);

/* The semantics of a test with what was asked for, which is kept in `asked` if that is not NULL, and then as the explorer wants
 * it; false with a sentence. */
bool rh__options_semantics(const struct rh__options *o, const struct rh_test *test, struct rh_semantics *s,
                           struct rh_semantics *asked, char *error, size_t error_size);

#endif
