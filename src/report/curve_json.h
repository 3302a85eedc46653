/* How an exploration went on, in JSON: for pages and for --curve. */
#ifndef RH_REPORT_CURVE_JSON_H
#define RH_REPORT_CURVE_JSON_H

#include <stdio.h>

#include "explore/engine/curve.h"

/* Two members: "curve", points [runs, seconds, distinct runs, estimate or null, covered pairs, sequences of choices or
 * null], and "members", those of a
 * portfolio: their names, and at each point [runs, distinct runs] of each. */
void rh__curve_json(FILE *f, const struct rh__curve *c);

#endif
