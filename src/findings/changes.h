/* What the events of a finding's run changed: fields of actors' states, behaviours, the time.
 *
 * A run keeps messages, but no states.  So the run is made again, in a child process, and the states are compared
 * before and after each event.  A run that cannot be made again (the program is not deterministic) has changes up to
 * the event that differs. */
#ifndef RH_FINDINGS_CHANGES_H
#define RH_FINDINGS_CHANGES_H

#include <rehearse/world.h>

#include "run/run.h"

enum { RH__CHANGES_BYTES = 128 << 10, RH__MOST_CHANGES = 4096 };

struct rh__changes {
    uint32_t count;
    uint32_t first; /* event from which on changes are noted */
    uint32_t used;  /* bytes of texts */
    struct rh__change {
        uint32_t event;
        uint32_t actor;     /* whose state or behaviour; RH_NONE: the clock */
        uint32_t text;      /* offset in texts: "balance=150", "becomes open", "at 150 ms" */
    } at[RH__MOST_CHANGES]; /* by event */
    char texts[RH__CHANGES_BYTES];
};

/* Memory that a child process can write; NULL if there is none. */
struct rh__changes *rh__changes_new(void);
void rh__changes_free(struct rh__changes *c);

/* Makes the first events of the run again, and notes the changes from event `first` on.  `w` is the world of the
 * exploration; no child process uses it now.  False if the tool failed; the failure is on standard error. */
bool rh__changes_note(struct rh__changes *c, struct rh_world *w, const struct rh__run *r, uint32_t first,
                      uint32_t events);

/* The changes of the events from first to last, all of one actor, as one text: "balance=150, becomes open; audit#1:
 * total=150".  That actor is not named.  "" for none, and without changes (NULL). */
const char *rh__changes_text(const struct rh__changes *c, const struct rh__run *r, uint32_t first, uint32_t last,
                             char *text, size_t size);

#endif
