/* Coverage of ordering goals, as text and as JSON. */
#ifndef RH_REPORT_COVERAGE_H
#define RH_REPORT_COVERAGE_H

#include <stdio.h>

#include "base/text.h"
#include "coverage/goals.h"

/* Counts pairs of receives of one actor that stand in one run; by pmr only pairs of which one receive changes
 * handlers. */
struct rh__coverage_summary {
    uint64_t pairs, covered, open, forced, impossible;
};
struct rh__coverage_summary rh__coverage_summary(const struct rh__coverage *c, enum rh__criterion criterion);

/* Prints a line for each criterion that was asked for, and up to `most` pairs that were not reached.  UINT32_MAX: up to
 * 1000 pairs, and also the impossible ones and those whose order was forced in every run. */
void rh__coverage_print(FILE *f, const struct rh__coverage *c, const char *indent, uint32_t most);

/* Adds the semantics of the runs, without a line break: "fifo, time free, granularity object". */
void rh__coverage_under(const struct rh__coverage *c, struct rh__text *t);

/* Writes one object: see docs/json.md.  `growth` writes a further member, behind a comma; it may be NULL. */
void rh__coverage_json(FILE *f, const struct rh__coverage *c, void (*growth)(FILE *f, const void *arg),
                       const void *arg);

#endif
