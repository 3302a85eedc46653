/* The story of a run as text: what went wrong, the events with a column for each actor, the log lines, and what is
 * left. */
#ifndef RH_FINDINGS_STORY_H
#define RH_FINDINGS_STORY_H

#include "base/text.h"
#include "explore/engine/engine.h"
#include "findings/changes.h"
#include "run/run.h"

/* Schedule and story of each finding, from the run that it keeps.  A finding without a run has neither.  With a world
 * (NULL for none) the runs are made again in it, for what their events changed; false if the tool failed at that.
 * `in_words`: the story is told by words.h. */
bool rh__findings_describe(struct rh__results *r, struct rh_world *w, bool in_words);

/* The story of the run that the world holds, which is made again for its changes.  For a process that did not begin the
 * world itself. */
void rh__story_write_world(struct rh_world *w, bool in_words, struct rh__text *to);

/* `changes` may be NULL.  The rows of the decisive and of the failing event (RH_NONE for none) are marked, * and !. */
void rh__story_write(const struct rh__run *r, const struct rh__changes *changes, uint32_t decisive, uint32_t failing,
                     struct rh__text *to);

/* The last part of a story: the last log lines, the messages that are left, and who waits. */
void rh__story_write_rest(const struct rh__run *r, struct rh__text *to);

#endif
