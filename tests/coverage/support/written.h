/* Runs written down by hand, and the algorithms of [Bita 2013, IV] on them word by word, with nothing but loops: to
 * compare with.
 *
 * A run is a list of receives, each with its name, who receives and which earlier one sent it; "" is the entry point.
 * Its relations are matrices, its schedules lists of positions from 1, as in the paper. */
#ifndef RH_TESTS_COVERAGE_SUPPORT_WRITTEN_H
#define RH_TESTS_COVERAGE_SUPPORT_WRITTEN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "coverage/plan.h"

enum { LONGEST = 64, GENERATOR_BYTES = 1 << 22 };

struct receive {
    const char *name;
    const char *receiver;
    const char *cause;
    bool becomes;
};

struct written {
    uint32_t count; /* of receives: 1 .. count */
    bool fifo;
    const struct receive *r[LONGEST];
    uint32_t cause[LONGEST];
    bool causality[LONGEST][LONGEST], send_rec[LONGEST][LONGEST], must[LONGEST][LONGEST];
    /* The same as src/coverage has it. */
    struct rh__coverage_step list[LONGEST];
    struct rh__steps steps;
    uint64_t actor_ids[LONGEST];
};

bool same_receiver(const struct written *w, uint32_t a, uint32_t b);

/* ---- as src/coverage has it -------------------------------------------------------------------------------------- */

void written_make(struct written *w, const struct receive *list, uint32_t count, bool fifo);
/* The must-happen-before of src/coverage, for all receives at once. */
void found_relation(const struct written *w, bool must[LONGEST][LONGEST]);

/* ---- schedules and goals ----------------------------------------------------------------------------------------- */

struct schedule {
    uint32_t count;
    uint32_t at[LONGEST];
};

struct goals {
    bool has[LONGEST][LONGEST];
};

bool achieves(const struct written *w, const struct schedule *s, uint32_t a, uint32_t b, enum rh__criterion criterion);
uint32_t add_goals(const struct written *w, const struct schedule *s, enum rh__criterion criterion, struct goals *o);
bool cr_related(const struct written *w, uint32_t a, uint32_t b, enum rh__criterion criterion);

/* ---- Algorithms 2 and 3 ------------------------------------------------------------------------------------------ */

/* What Algorithm 2 had when it came to its line 10, the first time: for the example of IV-D. */
struct midway {
    bool set;
    struct schedule prefix, tail;
};

void append_to(struct schedule *s, uint32_t r);
bool contains(const struct schedule *s, uint32_t r);
/* `s` may be a schedule that was made before: i and j are places in it, from 0. */
void schedule(const struct written *w, const struct schedule *s, uint32_t i, uint32_t j, bool swap,
              enum rh__criterion criterion, const struct goals *o, struct schedule *out, struct midway *m);

/* ---- a generator, with what its schedules achieve ---------------------------------------------------------------- */

struct generating {
    struct rh__coverage *coverage;
    struct rh__plan_input *g;
    void *memory;
};

/* A schedule as if it were a run of its own: what it achieves is counted. */
void count_schedule(struct rh__coverage *c, const struct written *w, const struct schedule *s);
struct schedule whole(const struct written *w);
void generating_new(struct generating *x, const struct written *w, enum rh__criterion criterion, bool farthest);
void generating_free(struct generating *x);
bool next_plan(struct generating *x, struct schedule *s, struct rh__schedule_plan *plan);

/* ---- as text ----------------------------------------------------------------------------------------------------- */

const char *text_of(const struct written *w, const struct schedule *s);
const char *pairs_of(const struct written *w, bool relation[LONGEST][LONGEST]);

#define WRITE(w, list) written_make(w, list, sizeof(list) / sizeof *(list), true)

#endif
