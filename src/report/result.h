/* The result of one test, as all reporters see it. */
#ifndef RH_REPORT_RESULT_H
#define RH_REPORT_RESULT_H

#include <stdio.h>

#include "base/text.h"
#include "explore/engine/engine.h"
#include "explore/explorers.h"
#include "report/json_text.h"

struct rh__result {
    const char *program; /* as the user called it */
    const char *test;
    const char *explorer;
    const char *model;
    uint64_t seed;
    const struct rh_param *params; /* that were given */
    size_t param_count;
    uint64_t printed_lines;                   /* that the program printed in its first run, and nobody saw */
    const uint64_t *params_asked;             /* bits of those that a run asked for; NULL: not known */
    const struct rh_timer_names *timer_names; /* that runs have set; NULL: not known */
    const uint64_t *atomic_met;               /* bits of names of `atomic` that runs have met; NULL: not known */
    const uint64_t *monitors;       /* three sets: started, told something, hot in a cut run; NULL: not known */
    const struct rh_exploration *x; /* counts and findings; lives until the reports are written */
    struct rh_world *world;
    struct rh_semantics asked; /* as the user asked for them; the world has them as the explorer needs them */
    bool required;             /* --require was given: the verdict must be at least `require` */
    enum rh_verdict require;
    const char *checkpoint;            /* file, or NULL */
    struct rh_outcome determinism;     /* RH_OUTCOME_FINISHED, with a note or ""; otherwise what differed */
    char files[RH__MAX_FINDINGS][512]; /* the schedule of each finding, "" for none */
    bool kept[RH__MAX_FINDINGS]; /* the file holds a shorter run of the same finding, from an earlier exploration */
    bool failed;
};

/* ---- the result in words (summary.c) ----------------------------------------------------------------------------- */

/* The result in one word. */
enum rh__came_to {
    RH__FAILED,
    RH__STALE, /* the schedule of an explorer `replay` does not fit the program */
    RH__INTERRUPTED,
    RH__EMPTY,         /* no run made a step, so nothing could have gone wrong */
    RH__NOTHING_FOUND, /* some runs only, or no run came to its end */
    RH__PASSED,        /* every run, or every run within a bound */
};
enum rh__came_to rh__result_came_to(const struct rh__result *r);
const char *rh__came_to_name(enum rh__came_to came_to);

/* "exhaustive", "bounded", "sampled", "empty" or "failed". */
const char *rh__result_verdict(const struct rh__result *r);

/* Whether the property is a `sometimes` that held in no run that counts. */
bool rh__result_never_held(const struct rh__result *r, const struct rh__property_result *p);
/* Whether the exploration was exhaustive and a `sometimes` property never held: that is a failure. */
bool rh__result_never(const struct rh__result *r);

/* One reason why a test failed (failures.c): a finding, two equal runs that differed, a `sometimes` that never held. */
struct rh__failure {
    const char *kind, *message, *place, *actor, *story, *schedule; /* "" for none, but for kind and message */
    const char *reason, *decided;                                  /* of a finding: see struct rh__finding */
    uint64_t run, count;                                           /* 0: the failure belongs to no run */
    char text[512];
};
/* The i-th reason; false behind the last. */
bool rh__result_failure(const struct rh__result *r, uint32_t i, struct rh__failure *f);
/* Adds the command that replays the failure; nothing if no schedule was kept. */
void rh__failure_replay(const struct rh__result *r, const struct rh__failure *f, struct rh__text *t);

/* The i-th parameter that was given; false behind the last. */
bool rh__result_param(const struct rh__result *r, size_t i, const char **name, const char **value);

/* Why the verdict is less than required, as a sentence; NULL if it is not.  A failed or stale test says so itself. */
const char *rh__result_unmet(const struct rh__result *r, char *buffer, size_t size);

/* Lines for people, without line breaks. */
void rh__result_headline(const struct rh__result *r, struct rh__text *t);  /* "passed NAME  (fifo, dfs)" */
void rh__result_counts(const struct rh__result *r, struct rh__text *t);    /* "5 runs, 10 steps, ..." */
void rh__result_semantics(const struct rh__result *r, struct rh__text *t); /* "fifo, granularity handler, ..." */
void rh__result_sentence(const struct rh__result *r, struct rh__text *t);  /* "exhaustive: every ..." */
/* Calls that the verdict does not hold for: "pthread_create (file.c:7): ..."; nothing if all calls are controlled. */
void rh__result_escapes(const struct rh__result *r, struct rh__text *t);
/* The rh_sometimes and rh_cover that held, each with the number of its runs; and those that never did. */
void rh__result_reached(const struct rh__result *r, struct rh__text *t);
void rh__result_gaps(const struct rh__result *r, struct rh__text *t);
/* The gaps that no run has evaluated, if the program has one test; of several tests see struct rh__report_end. */
void rh__result_unreached(const struct rh__result *r, struct rh__text *t);
/* Actors that change global variables, which no distributed system has; nothing if none does. */
void rh__result_globals(const struct rh__result *r, struct rh__text *t);
/* Parameters that were given but no run asked for, if the program declares none, and budgets of timers that no run has
 * set; otherwise nothing. */
/* Whether a run may have set a timer of this name; if not, the guess gets the names of those that runs have set. */
struct rh__guess;
bool rh__result_set_timer(const struct rh__result *r, const char *name, size_t length, struct rh__guess *g);
void rh__result_unasked(const struct rh__result *r, struct rh__text *t);
/* Monitors that were never told anything; one that was not even started only if the program has one test. */
void rh__result_untold(const struct rh__result *r, struct rh__text *t);
/* Monitors that were hot where runs were cut: whether they stay hot for ever is not known. */
void rh__result_unjudged(const struct rh__result *r, struct rh__text *t);
void rh__result_next(const struct rh__result *r, struct rh__text *t); /* what to do next; nothing if the test passed */

/* 1234567 as 1,234,567.  The last eight results are valid. */
const char *rh__grouped(uint64_t n);

#endif
