/* The story of a finding as JSON: one object for each event. */
/* Private to src/report. */
#ifndef RH_REPORT_JSON_STORY_H
#define RH_REPORT_JSON_STORY_H

#include <stdio.h>

#include "report/result.h"

/* Writes a list of the events of the finding's run, the last 10,000 of a longer one; `null` for a finding without a
 * run.  The run is made again for what its events changed. */
void rh__json_story(FILE *f, const struct rh__result *r, const struct rh__finding *g);

#endif
