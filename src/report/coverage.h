/* Coverage of ordering goals for people and for machines. */
#ifndef RH_REPORT_COVERAGE_H
#define RH_REPORT_COVERAGE_H

#include <stdio.h>

#include "base/text.h"
#include "coverage/goals.h"

/* Pairs of receives of one actor that some run had both of; by pmr those of which one changes handlers. */
struct rh__coverage_summary {
    uint64_t pairs, covered, open, impossible;
};
struct rh__coverage_summary rh__coverage_summary(const struct rh__coverage *c, enum rh__criterion criterion);

/* A line for each criterion that was asked for, and up to `most` pairs that were not reached; with UINT32_MAX as many
 * as one can read, and those that are impossible. */
void rh__coverage_print(FILE *f, const struct rh__coverage *c, const char *indent, uint32_t most);

/* The semantics that it was measured under: "fifo, time free, granularity object".  A line. */
void rh__coverage_under(const struct rh__coverage *c, struct rh__text *t);

/* One object: see docs/json.md.  `growth` writes what there is to say of its growth, behind a comma; may be NULL. */
void rh__coverage_json(FILE *f, const struct rh__coverage *c, void (*growth)(FILE *f, const void *arg),
                       const void *arg);

#endif
