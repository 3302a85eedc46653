/* What an event of a run was, in a few words: for stories, charts and pages.
 *
 * An event that only goes on with what its actor did in the event before has no row of its own: nobody else has moved
 * in between.  Texts of the program are made visible (base/visible.h). */
#ifndef RH_FINDINGS_EVENT_TEXT_H
#define RH_FINDINGS_EVENT_TEXT_H

#include "run/run.h"

/* What to say besides what happened. */
enum {
    RH__EVENT_SENDER = 1, /* " < client#1" */
    RH__EVENT_VALUES = 2, /* "(amount=50)" */
    RH__EVENT_SENDS = 4,  /* " -> ack, log" */
};
void rh__event_text(const struct rh__run *r, uint32_t event, unsigned parts, char *text, size_t size);

/* The last event has a row in any case, for a failing run fails there, and so has the first event of a loop. */
bool rh__event_has_row(const struct rh__run *r, uint32_t event);
/* The event whose row stands for this one. */
uint32_t rh__event_row_of(const struct rh__run *r, uint32_t event);
/* The last of the events that the row of an event stands for. */
uint32_t rh__event_last_of_row(const struct rh__run *r, uint32_t event);

/* The fields of a message; "" if it has none.  Of a message whose type is not known (rh__message_is_bytes) its size and
 * bytes.  The last two return `text`. */
bool rh__message_is_bytes(const struct rh__run *r, uint32_t message);
const char *rh__message_values(const struct rh__run *r, uint32_t message, char *text, size_t size);
/* The fields of the message that the event is about; "" if it is about none. */
const char *rh__event_values(const struct rh__run *r, uint32_t event, char *text, size_t size);

void rh__event_actor(const struct rh__run *r, uint32_t actor, char *buffer, size_t size);

/* A line of the log that the world writes about a crash inside a handler (world/faults.c): it belongs to the event. */
bool rh__line_tells_of_crash(const struct rh__run *r, const struct rh__run_line *line);

#endif
