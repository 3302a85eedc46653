/* What came of one test, as all reports see it. */
#ifndef RH_REPORT_RESULT_H
#define RH_REPORT_RESULT_H

#include <stdio.h>

#include "explore/engine.h"
#include "explore/explorers.h"
#include "report/json_text.h"

struct rh__result {
    const char *test;
    const char *explorer;
    const char *model;
    uint64_t seed;
    const struct rh_exploration *x; /* counts and findings; alive until the reports are written */
    struct rh_world *world;
    struct rh_outcome determinism;     /* RH_OUTCOME_FINISHED, or what differed */
    char files[RH__MAX_FINDINGS][512]; /* schedules saved, "" for none */
    bool failed;
};

/* "exhaustive", "bounded", "sampled" or "failed". */
const char *rh__result_verdict(const struct rh__result *r);

/* An exploration that was exhaustive, and a `sometimes` property that never held: that is a failure. */
bool rh__result_never(const struct rh__result *r);

/* The terminal (terminal.c). */
void rh__terminal_progress(struct rh_exploration *x); /* for struct rh_exploration.progress */
void rh__terminal_clear(void);
void rh__terminal_result(const struct rh__result *r, const char *program, bool quiet, bool verbose);
void rh__tap_result(const struct rh__result *r, unsigned number);

/* Files; false with a sentence. */
bool rh__json_open(const char *path, char *error, size_t error_size);
void rh__json_result(const struct rh__result *r);
/* One object of `estimate`, which has not explored. */
void rh__json_estimate(const char *test, const struct rh_semantics *s, const struct rh_exploration *x,
                       const struct rh__size *size);
bool rh__json_close(char *error, size_t error_size);
bool rh__junit_open(const char *path, const char *program, char *error, size_t error_size);
void rh__junit_result(const struct rh__result *r);
bool rh__junit_close(char *error, size_t error_size);

#endif
