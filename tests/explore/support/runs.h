/* What tests of explorers share.
 *
 *     record     runs that were made, each as a hash of its choices and one of its behaviour, in shared memory
 *     spy        an explorer around another one (spy:INNER) that fills a record
 *     brute      every sequence of choices by an odometer that starts each run from the beginning and knows nothing of
 *                the engine; a crash of the program is a run like any other
 *
 * Behaviours are made here from names and texts, not from the engine's hashes. */
#ifndef RH_TESTS_EXPLORE_SUPPORT_RUNS_H
#define RH_TESTS_EXPLORE_SUPPORT_RUNS_H

#include <rehearse/explorer.h>
#include <rehearse/sandbox.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "explore/engine/engine.h"
#include "world/state.h"

/* ---- records ----------------------------------------------------------------------------------------------------- */

enum { MOST_RUNS = 1 << 17 };

struct record {
    uint32_t count;
    uint64_t failed;
    uint64_t sequence[MOST_RUNS], behaviour[MOST_RUNS];
    uint64_t engine_behaviour[MOST_RUNS]; /* as the engine told the explorer; spy only */
    uint32_t events[MOST_RUNS];
};

struct record *record_new(void);
void record_free(struct record *r);

#define FNV_START 0xcbf29ce484222325u
uint64_t fnv(uint64_t hash, const void *bytes, size_t size);
/* A hash of the choices of the run so far. */
uint64_t sequence_of(const struct rh_world *w);
/* The events of all actors, each with its actor, number and what it took, in an order that does not depend on the
 * run. */
uint64_t behaviour_of(const struct rh_world *w);

/* For qsort of arrays of char. */
int by_text(const void *a, const void *b);
/* For qsort and bsearch of uint64_t. */
int by_number(const void *a, const void *b);
/* How many different ones; sorts them. */
uint32_t distinct(uint64_t *list, uint32_t count);

/* ---- spy --------------------------------------------------------------------------------------------------------- */

/* Filled by spy:INNER; set before the exploration begins. */
extern struct record *spied;

struct spy {
    struct rh_inner inner;
};

/* An explorer NAME:INNER that makes INNER's runs, and does `at_end` when one is over. */
#define SPY(table, text, at_end)                                                                                       \
    static const struct rh_explorer table = {                                                                          \
        .name = #table,                                                                                                \
        .summary = text,                                                                                               \
        .state_size = sizeof(struct spy),                                                                              \
        .arguments = rh_only_arguments,                                                                                \
        .decorator = &rh_only_decorator,                                                                               \
        .open = rh_only_open,                                                                                          \
        .end = at_end,                                                                                                 \
    };                                                                                                                 \
    RH_EXPLORER(table)

/* ---- brute force ------------------------------------------------------------------------------------------------- */

/* False where there are more runs than `limit`. */
bool brute_force(struct rh_world *w, struct record *record, uint32_t limit);

/* ---- worlds and explorations ------------------------------------------------------------------------------------- */

const struct rh_test *test_named(const char *name);
struct rh_world *world_of(const char *test, const struct rh_semantics *semantics, const struct rh_param *params,
                          size_t param_count);
/* Explores to the end, or until `max_runs`. */
struct rh_exploration *explored(struct rh_world *w, const char *explorer, uint64_t seed, uint64_t max_runs);

/* A test that failed leaves its world behind. */
int close_world(void **unused);
#define EXPLORE_TEST(name) cmocka_unit_test_teardown(name, close_world)

#endif
