/* What the two parts of why.c share: the nearest passing run (why_differs.c), and continuations and the decisive step
 * (why.c). */
/* Private to src/findings. */
#ifndef RH_FINDINGS_WHY_PARTS_H
#define RH_FINDINGS_WHY_PARTS_H

#include "explore/shrink.h"
#include "findings/why.h"

enum { RH__WHY_TRIES = 400 }; /* runs in which one thing differs */

struct rh__why_attempt {
    enum rh__why_differs kind;
    uint32_t first, second; /* steps; of another choice: the step, and the index of the choice; else the message */
    bool late;              /* an order: the first one comes as late as possible */
};

/* Drawing: continuations of one prefix after the other.  Sampling: of one prefix.  Searching: all of one prefix. */
enum rh__why_phase { RH__WHY_TRYING, RH__WHY_DRAWING, RH__WHY_SAMPLING, RH__WHY_SEARCHING };

/* Which prefixes are drawn from: `count` of the first `steps`, then where the drawn continuations cease to avoid the
 * failure, between `low` and `high`. */
struct rh__why_curve {
    uint32_t steps, count, at;
    uint32_t low; /* the longest prefix that is known to have one that avoids it; RH__WHY_NO_EVENT for none */
    uint32_t high;
    bool narrows, done;
};
enum { RH__WHY_NO_EVENT = 0xffffffffu /* before the first event: this plus 1 is 0 */ };

struct rh__why_work {
    struct rh__finding *f;
    const struct rh__run *r; /* of the finding */
    struct rh__shrink *s;    /* for tries */
    uint64_t wanted;
    uint32_t steps, most; /* of the run; of a continuation */
    enum rh__why_phase phase;
    bool in_run;
    uint64_t runs, made; /* of all phases: runs, and events since the phase began */

    uint32_t try_count, try_at;
    uint32_t best_class, best_places;
    struct rh__why_attempt tries[RH__WHY_TRIES];

    uint32_t prefix;                 /* so many steps of the run, then at random */
    uint32_t drawn, samples, failed; /* rh_assume ended those that are drawn and no samples */
    uint32_t wanted_samples;
    struct rh__why_curve curve;
    bool avoided;                   /* a continuation of the prefix has avoided the failure */
    uint32_t drawn_events, cold_at; /* of a lasso: length of the last drawn one; where the monitor was not hot last */

    uint64_t search_runs, search_steps;
    bool searched; /* all continuations were made */
    uint32_t depth;
    uint32_t arrays[]; /* plan; picks and numbers of choices of the search */
};

/* Chooses the tries of the run: two receives in the other order, a run without a fault, ... */
void rh__why_collect_tries(struct rh__why_work *x);
/* Makes the run of the next try, and judges it: the nearest passing run is kept. */
void rh__why_run_try(struct rh__why_work *x, struct rh_world *w);
void rh__why_end_try(struct rh__why_work *x, const struct rh_world *w, const struct rh_outcome *outcome);

#endif
