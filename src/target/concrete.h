/* The concrete stage of `rehearse target`: the program makes runs, and tells which goals they reach.
 *
 * The explorer `reach` of the program (explore/decorate/reach.c) records the first run that reaches a block.  Random
 * runs come first; then, for a test that is closed, `optimal`: if it makes every distinct run, what has not run is
 * unreachable.  A test that is open (rh_open) gets random runs with other drawn values instead. */
#ifndef RH_TARGET_CONCRETE_H
#define RH_TARGET_CONCRETE_H

#include "target/target_goals.h"

enum { RH__CONCRETE_WORDS = 64, RH__CONCRETE_FAILURES = 32 };

struct rh__concrete {
    const char *program, *test;
    const char *words[RH__CONCRETE_WORDS]; /* options for the program: parameters and semantics */
    uint32_t word_count;
    double seconds; /* of processor time, for all explorations together */
    uint64_t seed;
    char folder[256]; /* for files between the processes; made by rh__concrete_open */

    uint64_t runs;            /* all runs made */
    volatile int interrupted; /* number of the signal that wants an end (base/interrupt.h); 0 for none */
    bool is_open;             /* the test is open to the outside: known after rh__concrete_explore */

    /* What went wrong in runs, whatever they were made for; each kind at each place once. */
    struct rh__failed_run {
        char *kind, *message, *place, *schedule; /* the text of the schedule */
        char *saved;                             /* name of its file; NULL for none */
    } failures[RH__CONCRETE_FAILURES];
    uint32_t failure_count;
    void (*doing)(void *arg, const char *what); /* told before each exploration; may be NULL */
    void *doing_arg;
};

/* Makes and removes the folder.  `prepare` writes what explorations read to a folder that is there. */
bool rh__concrete_open(struct rh__concrete *c, const struct rh__program *p, char *error, size_t error_size);
bool rh__concrete_prepare(struct rh__concrete *c, const struct rh__program *p, char *error, size_t error_size);
void rh__concrete_close(struct rh__concrete *c);
/* Frees the failures. */
void rh__concrete_release(struct rh__concrete *c);

/* Settles goals, with random runs and with optimal.  False with a sentence if the program could not be run. */
bool rh__concrete_explore(struct rh__concrete *c, struct rh__goals *g, char *error, size_t error_size);
/* Only looks whether the program can be run, and whether its test is open. */
bool rh__concrete_look(struct rh__concrete *c, char *error, size_t error_size);
/* The same with samplers and other seeds. */
void rh__concrete_explore_more(struct rh__concrete *c, struct rh__goals *g);

/* Makes runs, and tells `add` of up to `most` moments at which the function that begins with this block is the handler
 * of a message from outside: the schedule up to there, which `add` keeps, and bytes of state and message in
 * hexadecimal. */
void rh__concrete_states(struct rh__concrete *c, uint32_t block, uint32_t most, uint64_t seed, double seconds,
                         void (*add)(void *arg, char *schedule_kept, const char *state, const char *message),
                         void *arg);
/* Makes runs until there are `most` snapshots (snapshot.h), the first one of the beginning; their text, or NULL.  The
 * caller frees it.  With `prefix`, the runs begin with that schedule; with `after` the snapshots are of states after so
 * many choices.  `each`: so many of one run, ever further apart; 0: two in a row, which show a step, and so on. */
char *rh__concrete_worlds(struct rh__concrete *c, const struct rh__goals *g, const char *prefix, uint32_t after,
                          uint32_t most, uint32_t each, uint64_t seed, double seconds);
/* The lines of a schedule that fit the program, without the last one if all do; NULL if no choice is left.  The caller
 * frees it. */
char *rh__concrete_fitting(struct rh__concrete *c, const char *schedule);
/* Settles other goals that the schedule of a goal reaches, too; how many. */
uint32_t rh__concrete_also(struct rh__concrete *c, struct rh__goals *g, const struct rh__goal *x);
/* The schedule that begins at `from`, up to so many choices; the caller frees it. */
char *rh__concrete_cut(const char *from, uint32_t choices);
/* Whether a replay of the goal's schedule reaches its block. */
bool rh__concrete_replays(struct rh__concrete *c, const struct rh__goal *x, char *error, size_t error_size);

/* Writes the schedule of a goal that was reached to `path`, with `reaches` as its last line, and replays it.  False if
 * the replay does not reach the goal. */
bool rh__concrete_confirm(struct rh__concrete *c, struct rh__goal *x, const char *path, char *error, size_t error_size);

#endif
