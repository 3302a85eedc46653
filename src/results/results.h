/* The results of some runs, as a value that adds up: counts, distinct runs, findings, properties, escapes, coverage,
 * and the share of the tree.
 *
 *     rh__results_add_run       adds one run when it ends (the engine)
 *     rh__results_encode        writes the value as bytes, or only its difference to an earlier moment (a mark)
 *     rh__results_add_encoded   checks bytes from another process and adds them to the value
 *     rh__results_add           adds another value
 *
 * Addition is commutative and associative for everything that is reported, so the sums do not depend on which process
 * made which run.  Of equal findings, the value shows the shortest run (see prefer_first_in_tree).
 *
 * A value lives in shared memory, because child processes that may crash make the runs. */
#ifndef RH_RESULTS_RESULTS_H
#define RH_RESULTS_RESULTS_H

#include <rehearse/explorer.h>

#include "base/bytes.h"
#include "coverage/goals.h"
#include "results/distinct_set.h"
#include "results/finding.h"

/* A run is counted as a whole when it ends. */
#define RH__COUNTS_OF_RUNS(X)                                                                                          \
    X(runs)                                                                                                            \
    X(steps)                                                                                                           \
    X(cut)     /* runs ended by a bound or by the explorer */                                                          \
    X(pruned)  /* runs ended by the explorer because other runs cover their continuations (RH_PRUNED) */               \
    X(blocked) /* runs that ended stuck */                                                                             \
    X(failed)                                                                                                          \
    X(assumed) /* runs ended by rh_assume: apart from this count, only `runs` and `steps` include them */

/* All that is counted: also what explorers count for their notes (rh__exploration_counters). */
#define RH__COUNTS(X)                                                                                                  \
    RH__COUNTS_OF_RUNS(X)                                                                                              \
    X(noted[0])                                                                                                        \
    X(noted[1])                                                                                                        \
    X(noted[2]) X(noted[3]) X(noted[4]) X(noted[5]) X(noted[6]) X(noted[7]) X(noted[8]) X(noted[9])

enum { RH__NOTED = 10 };

struct rh__counts {
#define RH__X(name) uint64_t name;
    RH__COUNTS_OF_RUNS(RH__X)
#undef RH__X
    uint64_t noted[RH__NOTED];
};

enum { RH__MOST_PROPERTIES = 1 << 10, RH__MOST_ESCAPES = 64, RH__PROPERTY_NAME = 96 };

/* A property, with the number of runs in which it held and in which it failed.  For `eventually`, the last evaluation
 * in a run counts. */
struct rh__property_result {
    enum rh_property kind;
    bool ever_held; /* true at some evaluation, also in a run that is not counted */
    uint64_t held, failed;
    const char *place;
    char name[RH__PROPERTY_NAME];
};

struct rh__results {
    struct rh__counts count;
    struct rh__distinct_set distinct;

    /* The explored share of the tree, and the number of runs in that share; see rh_explorer.share. */
    double share;
    uint64_t share_runs;

    bool incomplete;     /* a part of the tree could not be explored */
    bool bounded;        /* a bound hid choices from the explorer */
    bool diverged;       /* the program did not repeat a run, or a work item did not fit the program */
    bool shares_globals; /* an actor has written a global variable */

    bool prefer_first_in_tree; /* of equal findings with runs of one length, show the first in the tree */
    uint32_t finding_count;
    struct rh__finding findings[RH__MAX_FINDINGS];
    void *findings_memory; /* of all findings (rh__findings_init) */

    uint32_t property_count;
    struct rh__property_result *properties;
    uint32_t escape_count;
    /* Number of leading entries that this process's world has met (rh__results_meet). */
    uint32_t own_properties, own_escapes;
    struct rh_escape escapes[RH__MOST_ESCAPES]; /* calls that escape control, with their source places */

    struct rh__coverage *coverage; /* owned; NULL: not measured */

    size_t events; /* events of the longest run: capacity of picks */
    char *texts;   /* places of properties, names of calls */
    size_t texts_used;
};

/* Returns an empty value for runs of at most `events` events, or NULL if memory is short. */
struct rh__results *rh__results_new(size_t events);
void rh__results_free(struct rh__results *r);

/* Number of runs to report: all runs except those that rh_assume ended. */
static inline uint64_t rh__results_counted(const struct rh__results *r)
{
    return r->count.runs - r->count.assumed;
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

/* Adds the run in the world, which has ended.  Sets run->number, and run->is_new if `wants_new`.  Does not add a
 * finding: see rh__results_find. */
void rh__results_add_run(struct rh__results *r, const struct rh_world *w, struct rh_run *run, bool wants_new);
/* Adds the properties of a run that is not counted, but is a part of one: see RH_ASIDE. */
void rh__results_add_aside(struct rh__results *r, const struct rh_world *w);
/* Adds a run that failed in the body of the test, before its first choice. */
void rh__results_add_failed_body(struct rh__results *r, const struct rh_world *w);
/* Adds the properties and escapes that the world has met since the last call, also those of runs that are not counted.
 * Afterwards the first properties of the value are those of the world, in the same order. */
void rh__results_meet(struct rh__results *r, const struct rh_world *w);

/* Counts a finding whose run took these choices.  Returns the finding if the caller must fill it in: because it is new,
 * or because this run replaces the shown run.  Otherwise returns NULL. */
struct rh__finding *rh__results_find(struct rh__results *r, uint64_t signature, const uint32_t *picks,
                                     uint32_t pick_count);

/* ---- adding and encoding ----------------------------------------------------------------------------------------- */

/* A mark is a moment in the life of a value.  Everything that the value held at that moment has been passed on. */
struct rh__tally {
    uint64_t held, failed;
};
struct rh__results_mark {
    struct rh__counts count;
    uint64_t findings[RH__MAX_FINDINGS];         /* counts of the findings */
    struct rh__tally tally[RH__MOST_PROPERTIES]; /* by property */
    uint32_t escapes;
    uint64_t coverage; /* value of rh__coverage_changes */
};

/* Writes the value.  With a mark, writes only the difference since the mark.  `share` and the hashes to pass on are
 * always those since the last mark. */
void rh__results_encode(const struct rh__results *r, const struct rh__results_mark *since, struct rh__writer *w);
/* Sets the mark to the present.  Clears `share` and the hashes to pass on. */
void rh__results_set_mark(struct rh__results *r, struct rh__results_mark *mark);

/* Adds the bytes that rh__results_encode wrote.  Returns false and changes nothing if the bytes are invalid or do not
 * fit the value, or if memory is short. */
bool rh__results_add_encoded(struct rh__results *r, const void *bytes, size_t size);
/* What encoded results hold, without adding them. */
struct rh__results_peek {
    struct rh__counts count;
    uint64_t findings; /* how often something was found */
};
/* Returns false if the beginning of the bytes is invalid. */
bool rh__results_look(const void *bytes, size_t size, struct rh__results_peek *peek);
/* True if the bytes are valid and fit the value. */
bool rh__results_check(const struct rh__results *r, const void *bytes, size_t size);
/* Adds another value.  Returns false and changes nothing if the coverage has another subject, a run of `other` may be
 * too long for `r`, or memory is short. */
bool rh__results_add(struct rh__results *r, const struct rh__results *other);

/* Sorts findings by their place in the tree.  Sorts properties and escapes from other processes by their place in the
 * program.  This order does not depend on which process was first. */
void rh__results_sort(struct rh__results *r);

/* ---- for results_encode.c: one record at a time ------------------------------------------------------------------ */

/* Adds a finding and copies its texts.  `f->run` is relative to the number of runs in `r`. */
void rh__results_add_finding(struct rh__results *r, const struct rh__finding *f, bool whole);
void rh__results_add_property(struct rh__results *r, const struct rh__property_result *p);
void rh__results_add_escape(struct rh__results *r, const char *call, const char *place);

#endif
