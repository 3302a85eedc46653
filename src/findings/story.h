/* The story of a run as text: what went wrong, the events with a column for each actor, the log lines, and what is
 * left. */
#ifndef RH_FINDINGS_STORY_H
#define RH_FINDINGS_STORY_H

#include "base/text.h"
#include "explore/engine/engine.h"
#include "findings/changes.h"
#include "run/run.h"

/* How a story is told: flags. */
enum {
    RH__TELL_IN_WORDS = 1, /* by words.h */
    RH__TELL_WHOLE = 2,    /* every event, and whole values */
};

/* Events whose rows are shown in any case; RH_NONE for none.  The rows of the decisive and of the failing one are
 * marked, * and !; first and second are named by the reason. */
struct rh__story_marks {
    uint32_t decisive, failing, first, second;
    bool circle; /* the run has no end: its last rows say no more than others */
};

/* Schedule and story of each finding, from the run that it keeps.  A finding without a run has neither.  With a world
 * (NULL for none) the runs are made again in it, for what their events changed; false if the tool failed at that.
 */
bool rh__findings_describe(struct rh__results *r, struct rh_world *w, unsigned how);

/* The story of the run that the world holds, which is made again for its changes.  For a process that did not begin the
 * world itself. */
void rh__story_write_world(struct rh_world *w, unsigned how, struct rh__text *to);

/* `changes` and `marks` may be NULL. */
void rh__story_write(const struct rh__run *r, const struct rh__changes *changes, const struct rh__story_marks *marks,
                     unsigned how, struct rh__text *to);

/* The last part of a story: the messages that are left, and who waits. */
void rh__story_write_rest(const struct rh__run *r, struct rh__text *to);

#endif
