/* The sequence chart of a run: lifelines, slanted arrows with message and fields, timers, faults, what changed, a time
 * axis, the failure and the decisive step.
 *
 * Drawn without a process: the run is decoded, and its changes were noted before (findings/changes.h). */
#ifndef RH_REPORT_CHART_H
#define RH_REPORT_CHART_H

#include <stdio.h>

#include "findings/changes.h"
#include "run/run.h"

struct rh__chart {
    const struct rh__run *run;
    const struct rh__changes *changes; /* NULL: not known */
    const char *title;                 /* one line: what failed */
    bool failed;                       /* the last event is the failure */
    uint32_t decisive;                 /* the event after which the failure could not be avoided; 0: not known */
};

/* Writes one SVG document, which refers to nothing outside of itself.  Of a long run the last rows are drawn.  False if
 * memory is short. */
bool rh__chart_svg(FILE *f, const struct rh__chart *c);

#endif
