/* What the user asked for.  The options themselves are rows: option_rows.h. */
#ifndef RH_RUNNER_OPTIONS_H
#define RH_RUNNER_OPTIONS_H

#include "explore/engine/engine.h"
#include "report/reporter.h"

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
    char weights[512];            /* of --weight: "timer=5, fault=0.1" */
    char weighted_explorer[1024]; /* the explorer with these weights */
    bool all_models;
    uint64_t seed;
    bool seed_given; /* else a test's own counts */
    struct rh__limits limits;
    bool limit_given; /* of runs, steps or time; else the limits are the usual ones */
    struct rh_param params[RH__MOST_PARAMS];
    size_t param_count;
    struct rh_param settings[RH__MOST_SETTINGS]; /* of struct rh_semantics, by name */
    size_t setting_count;
    char names[8192]; /* of -p and --set */
    size_t names_used;
    uint32_t workers;       /* 0: not said, one, in this process */
    const char *checkpoint; /* NULL for none */
    bool resume;
    const char *cluster; /* the address of a server; NULL: none.  The command reads it, and what goes with it */
    double lease;        /* seconds; 0: the usual ones */
    bool insecure;
    const char *cluster_file[4];
    const char *save;
    bool no_minimise, no_explain;
    uint32_t criteria; /* of coverage, as bits */
    bool required;     /* --require: less than this verdict is not enough */
    enum rh_verdict require;
    const char *suite;
    const char *reports[RH__MOST_REPORTERS]; /* the value of each reporter's option, "" for none; NULL: not given */
    bool quiet, verbose;
    bool in_words; /* stories are sentences */
    bool whole_story;
    bool curve;
    uint32_t step; /* replay: stop there; 0 for the end */
    bool gdb;
    const char *svg;                   /* show: the file for the chart; NULL: none */
    const char *beside;                /* show: another schedule; NULL: none */
    const char *words[RH__MOST_WORDS]; /* what is no option */
    size_t word_count;
    bool help;
};

/* Reads the words behind a command, which is a bit of option_rows.h.  False with a sentence. */
bool rh__options_parse(struct rh__options *o, uint32_t command, int argc, char **argv, char *error, size_t error_size);
/* False with a sentence, which names the parameter behind `prefix`: the program declares its parameters and bugs, and
 * one of these is not among them. */
bool rh__params_known(const struct rh_param *params, size_t count, const char *prefix, char *error, size_t error_size);
/* A reporter that was asked for and is of one test only; NULL for none. */
const struct rh__reporter *rh__options_one_test(const struct rh__options *o);
/* Whether an option needs coverage to be measured, by whatever criteria. */
bool rh__options_need_coverage(const struct rh__options *o);

/* The semantics of a test with the settings that were given, as the explorer needs them; `asked`, unless NULL, gets
 * them as they were before that.  False with a sentence. */
bool rh__options_semantics(const struct rh__options *o, const struct rh_test *test, struct rh_semantics *s,
                           struct rh_semantics *asked, char *error, size_t error_size);

#endif
