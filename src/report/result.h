/* What came of one test, as all reports see it. */
#ifndef RH_REPORT_RESULT_H
#define RH_REPORT_RESULT_H

#include <stdio.h>

#include "base/text.h"
#include "explore/engine.h"
#include "explore/explorers.h"
#include "report/json_text.h"

struct rh__result {
    const char *program; /* as it was called */
    const char *test;
    const char *explorer;
    const char *model;
    uint64_t seed;
    const struct rh_exploration *x; /* counts and findings; alive until the reports are written */
    struct rh_world *world;
    struct rh_semantics asked; /* what was asked for; of the world it is what the explorer made of it */
    bool required;             /* --require: at least `require` */
    enum rh_verdict require;
    const char *checkpoint;            /* the file that is kept, or NULL */
    struct rh_outcome determinism;     /* RH_OUTCOME_FINISHED, with a note or "", or what differed */
    char files[RH__MAX_FINDINGS][512]; /* schedules saved, "" for none */
    bool kept[RH__MAX_FINDINGS];       /* it is of another run, found before, which is shorter */
    bool failed;
};

/* ---- what it came to (summary.c) ----------------------------------------------------------------------------------------- */

/* In one word. */
enum rh__came_to {
    RH__FAILED,
    RH__STALE, /* a schedule that was to be replayed does not fit */
    RH__INTERRUPTED,
    RH__EMPTY,         /* no run made a step: there is nothing that could have gone wrong */
    RH__NOTHING_FOUND, /* in some runs, or in runs none of which came to its end */
    RH__PASSED,        /* every run, or every one within a bound */
};
enum rh__came_to rh__result_came_to(const struct rh__result *r);
const char *rh__came_to_name(enum rh__came_to came_to);

/* "exhaustive", "bounded", "sampled", "empty" or "failed". */
const char *rh__result_verdict(const struct rh__result *r);

/* A `sometimes` that held in no run that counts. */
bool rh__result_never_held(const struct rh__result *r, const struct rh_property_info *p);
/* An exploration that was exhaustive, and a `sometimes` property that never held: that is a failure. */
bool rh__result_never(const struct rh__result *r);

/* One of the reasons why a test failed (failures.c): a finding, a difference between equal runs, a `sometimes` that never held. */
struct rh__failure {
    const char *kind, *message, *place, *actor, *story, *schedule; /* from `place` on "" for none */
    uint64_t run, count;                                           /* 0: of no run */
    char text[512];
};
/* False where there are not so many. */
bool rh__result_failure(const struct rh__result *r, uint32_t i, struct rh__failure *f);
/* The command that replays it; nothing where no schedule was kept. */
void rh__failure_replay(const struct rh__result *r, const struct rh__failure *f, struct rh__text *t);

/* The parameters that were given; false where there are not so many. */
bool rh__result_param(const struct rh__result *r, size_t i, const char **name, const char **value);

/* Something was required, and this is less: then why, as a sentence; else NULL.  What has failed or is stale says so itself. */
const char *rh__result_unmet(const struct rh__result *r, char *buffer, size_t size);

/* Lines for people, without line breaks. */
void rh__result_headline(const struct rh__result *r, struct rh__text *t);  /* "passed NAME  (fifo, dfs)" */
void rh__result_counts(const struct rh__result *r, struct rh__text *t);    /* "5 runs, 10 steps, ..." */
void rh__result_semantics(const struct rh__result *r, struct rh__text *t); /* "fifo, granularity handler, ..." */
void rh__result_sentence(const struct rh__result *r, struct rh__text *t);  /* "exhaustive: every ..." */
/* "pthread_create (file.c:7): ...", what the verdict does not hold for; nothing where all calls are controlled. */
void rh__result_escapes(const struct rh__result *r, struct rh__text *t);
/* Parameters that were given and made no difference, of a program that declares none; nothing where there are none. */
void rh__result_unasked(const struct rh__result *r, struct rh__text *t);
void rh__result_next(const struct rh__result *r, struct rh__text *t); /* what to do next; nothing where it passed */

/* 1234567 as 1,234,567; the buffers are used in turn. */
const char *rh__grouped(uint64_t n);

/* ---- the terminal (terminal.c) ------------------------------------------------------------------------------------------- */

void rh__terminal_progress(struct rh_exploration *x); /* for struct rh_exploration.progress */
void rh__terminal_clear(void);
void rh__terminal_result(const struct rh__result *r, bool quiet, bool verbose);
/* A list of things with commas, in lines that fit. */
void rh__terminal_wrapped(const char *lead, const char *text);
void rh__tap_result(const struct rh__result *r, unsigned number);

/* ---- files; false with a sentence ---------------------------------------------------------------------------------------- */

bool rh__json_open(const char *path, char *error, size_t error_size);
void rh__json_result(const struct rh__result *r);
/* One object of `estimate`, which has not explored. */
void rh__json_estimate(const struct rh__result *r, const struct rh__size *size);
bool rh__json_close(char *error, size_t error_size);
bool rh__junit_open(const char *path, const char *program, char *error, size_t error_size);
void rh__junit_result(const struct rh__result *r);
/* A test without a result: begun, or not even that. */
void rh__junit_missing(const char *test, const char *model, bool begun, const char *why);
bool rh__junit_close(char *error, size_t error_size);
/* Closes them all without a trace; closing one to which nothing was written does so too. */
void rh__reports_drop(void);

#endif
