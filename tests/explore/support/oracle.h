/* An explorer that claims one run for each behaviour, compared with every sequence of choices (dfs) on the same
 * program.
 *
 *   distinct run   as the engine counts it: which messages each actor took in which order, and the operations on
 *                  shared objects
 *   outcome        of a run that came to its end: its end and the histories of all actors, whatever the order of
 *                  steps; of a run in which a step fails: the finding
 *
 * Runs that come to their end are compared by behaviour, each with its outcome; runs in which a step fails by their
 * findings, since where such a run breaks off is a matter of order.  That one behaviour has one outcome is checked,
 * too: else something is seen by several actors and not counted as shared.
 *
 * A difference is made smaller (minimise), then told with the runs that show it and the line that makes it again. */
#ifndef RH_TESTS_EXPLORE_SUPPORT_ORACLE_H
#define RH_TESTS_EXPLORE_SUPPORT_ORACLE_H

#include "explore/support/oracle_make.h"
#include "explore/support/runs.h"

/* ---- what was seen: oracle_notes.c ------------------------------------------------------------------------------- */

enum { MOST_NOTED = 1 << 18 };
#define ASSUMED_AWAY ((uint64_t)1 << 63) /* a run that breaks off, too, but no finding */

struct noted {
    uint64_t behaviour, outcome;
};

struct notes {
    uint32_t ended, broken; /* how many in the two lists */
    uint32_t unexplained;   /* ended with a history that has no order */
    uint64_t runs, steps, cut, given_up;
    bool complete; /* the explorer says that nothing is left */
    bool tool_failed;
    struct noted end[MOST_NOTED];
    uint64_t finding[MOST_NOTED];
};

struct notes *notes_new(void);
void notes_free(struct notes *n);
/* Explores the program as it stands. */
void take_notes(struct notes *to, const char *explorer, uint64_t max_runs);

/* The outcome of the run that the world has made; without `of_ended` the histories of actors that have ended are no
 * part of it, nor of a state. */
uint64_t outcome_of(const struct rh_world *w, enum rh_outcome_kind kind, bool of_ended);

/* Which runs to print. */
struct shown {
    bool on, given_up, cut, all;
    bool not_this;               /* another outcome than this one */
    uint64_t behaviour, outcome; /* outcome 0: any */
    uint32_t most;
};
extern struct shown show;

/* ---- differences: oracle.c --------------------------------------------------------------------------------------- */

#define DIFFERENCES(X)                                                                                                 \
    X(FAILED, "the explorer failed")                                                                                   \
    X(CUT, "cut")                                                                                                      \
    X(SPLIT, "one behaviour, two outcomes")                                                                            \
    X(IMPOSSIBLE, "impossible")                                                                                        \
    X(MISSING, "missing")                                                                                              \
    X(TWICE, "twice")                                                                                                  \
    X(OTHER, "another outcome")                                                                                        \
    X(GIVEN_UP, "given up")                                                                                            \
    X(NOT_FOUND, "findings not found")                                                                                 \
    X(INVENTED, "findings invented")                                                                                   \
    X(INCOMPLETE, "something is left")                                                                                 \
    X(DPOR, "missing with dpor")                                                                                       \
    X(STILL, "while time stands still in handlers")

enum {
#define D_X(name, text) D_##name,
    DIFFERENCES(D_X)
#undef D_X
        D_COUNT
};
extern const char *const difference_names[D_COUNT];

struct difference {
    bool too_large, any;
    uint32_t behaviours, findings;
    uint64_t runs, all_runs, unexplained;
    uint64_t count[D_COUNT];
    struct noted example[D_COUNT]; /* behaviour, for split also an outcome */
};

/* Compares dfs with optimal, and with dpor, on one program; `largest` is the most runs of dfs. */
void differ(struct difference *d, const struct features *p, uint32_t largest);
/* The same without optimal. */
void differ_with_dpor(struct difference *d, const struct features *p, uint32_t largest);
/* Makes the program smaller while it differs in the same way. */
void minimise(struct features *p, struct difference *d, uint32_t largest);
/* Prints the numbers, and the line that makes the program again. */
void tell(const struct features *p, const struct difference *d);
/* Prints the runs that show the differences. */
void tell_runs(const struct features *p, const struct difference *d);

#endif
