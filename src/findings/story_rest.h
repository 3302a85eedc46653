/* What stories share: lines that fit the terminal, and what stands below the rows. */
/* Private to src/findings. */
#ifndef RH_FINDINGS_STORY_REST_H
#define RH_FINDINGS_STORY_REST_H

#include "base/text.h"
#include "run/run.h"

/* The width of the terminal, if it is one. */
uint32_t rh__story_width(void);
/* Adds a text that begins at column `at`, broken between words where it would be too wide. */
void rh__story_add_broken(struct rh__text *t, const char *text, uint32_t at, uint32_t indent);

/* The last line that each actor logged. */
void rh__story_write_last_logs(const struct rh__run *r, struct rh__text *t);

#endif
