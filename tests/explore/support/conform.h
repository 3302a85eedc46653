/* What every explorer must do, and every decorator around it: the checks of explore/conformance.c.
 *
 *     conform.c           the checks
 *     conform_listen.c    explorers that the checks use: they watch the calls, or answer all of them
 *     conform_defects.c   explorers and decorators with a planted defect each */
#ifndef RH_TESTS_EXPLORE_SUPPORT_CONFORM_H
#define RH_TESTS_EXPLORE_SUPPORT_CONFORM_H

#include "explore/support/runs.h"

/* An expression with a hole for the explorer inside. */
struct around {
    const char *text;
    bool same;  /* makes the same runs as the explorer inside */
    bool keeps; /* passes on how many events the explorer inside keeps */
};

struct subject {
    const struct around *around;
    const char *explorer;
};

/* `wrap` is put around the explorer, inside of the decorator: an expression with a hole. */
void conform_expression(const struct subject *s, const char *wrap, char *text, size_t size);

/* Each check gives what is wrong, or NULL. */
#define CONFORM_CHECKS(X)                                                                                              \
    X(same_seed_same_runs)                                                                                             \
    X(verdict_holds)                                                                                                   \
    X(limits_hold)                                                                                                     \
    X(starts_without_work)                                                                                             \
    X(packed_work_is_gone)                                                                                             \
    X(moved_work_gives_the_same_runs)                                                                                  \
    X(a_crash_is_a_run)                                                                                                \
    X(calls_come_in_order)
/* Each of a decorator alone: the check brings its own explorer. */
#define CONFORM_DECORATOR_CHECKS(X)                                                                                    \
    X(abandoned_runs_do_not_count)                                                                                     \
    X(answers_come_through)
#define X(name) const char *name(const struct subject *s);
CONFORM_CHECKS(X)
CONFORM_DECORATOR_CHECKS(X)
#undef X

/* ---- conform_listen.c -------------------------------------------------------------------------------------------- */

/* Filled by told(EXPLORER), quitter and witness, in shared memory. */
struct heard {
    uint32_t begins, ends, failed, abandoned;
    uint32_t keep, last; /* what begin gave; events when choose was asked last, 0: not in this run */
    uint32_t recorded;   /* events of the last run in `prefix` */
    uint32_t again;      /* times that choose was asked about a kept event */
    bool running;
    const char *wrong;
    uint64_t prefix[64]; /* a hash of the choices before each event of the last run */
};
extern struct heard *heard;
/* Empty again. */
void heard_clear(void);

/* relay(EXPLORER): packs the work before begin number relay_at, and unpacks it: all of it at once, or half of it when
 * nothing else is left. */
extern uint32_t relay_at;
extern bool relay_half;
enum { RELAY_NEVER = 1000 };

/* ---- conform_defects.c ------------------------------------------------------------------------------------------- */

bool conform_is_defect(const struct rh_explorer *e);
/* Outlives an exploration, in shared memory: an explorer must not use it. */
extern uint64_t *conform_outside;

#endif
