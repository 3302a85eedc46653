/* Which rows the story of a run has: events that tell nothing have none, equal rows in a row are one, and of a long run
 * the middle is left out. */
/* Private to src/findings. */
#ifndef RH_FINDINGS_STORY_ROWS_H
#define RH_FINDINGS_STORY_ROWS_H

#include "findings/changes.h"
#include "findings/story.h"
#include "run/run.h"

struct rh__story_row {
    uint32_t event; /* the first of those for which the row stands */
    uint32_t last;  /* the first event of the last row that was folded into it; else `event` */
    uint32_t count; /* so many rows were folded */
    bool left_out;  /* it is not shown */
};

struct rh__story_rows {
    struct rh__story_row *at;
    uint32_t count;
};

/* Rows of events that are marked are neither folded nor left out. */
bool rh__story_rows_make(struct rh__story_rows *rows, const struct rh__run *r, const struct rh__changes *changes,
                         const struct rh__story_marks *marks, bool whole);
void rh__story_rows_release(struct rh__story_rows *rows);

#endif
