/* What the events of a finding's run changed: fields of actors' states, behaviours, the time; and what the program
 * printed in them.
 *
 * A run keeps messages, but no states.  So the run is made again, in a child process, and the states are compared
 * before and after each event.  A run that cannot be made again (the program is not deterministic) has changes up to
 * the event that differs. */
#ifndef RH_FINDINGS_CHANGES_H
#define RH_FINDINGS_CHANGES_H

#include <rehearse/world.h>

#include "base/text.h"
#include "run/run.h"

/* Only address space: pages that nobody writes take no memory. */
enum { RH__CHANGES_BYTES = 1 << 26, RH__MOST_CHANGES = 1 << 20 };

enum rh__change_kind {
    RH__CHANGE_PART,      /* the fields that changed: "balance=150, votes[2]=true" */
    RH__CHANGE_BEHAVIOUR, /* "becomes open" */
    RH__CHANGE_TIME,      /* "at 150 ms"; of the clock */
    /* Of whole scenes only: also of event 0, the beginning, and of each actor that is new. */
    RH__CHANGE_STATE, /* all fields after the event */
    RH__CHANGE_DOING, /* what the actor is doing after the event: "is idle in open" */
    /* Of several events that are one row: all fields that they changed together, at the last of them; "" if they are
     * what they were before.  Only where an actor has several parts in them. */
    RH__CHANGE_ROW,
};

enum { RH__PRINTED_BYTES = 64 << 10, RH__MOST_PRINTS = 1024 };

struct rh__changes {
    uint32_t count;
    uint32_t first;       /* event from which on changes are noted */
    uint32_t used;        /* bytes of texts */
    uint32_t watched;     /* so many events were made again */
    uint32_t full;        /* there was no room for all: the changes end before the run */
    uint32_t most, bytes; /* limits of count and used */
    bool scenes;          /* notes whole scenes */
    struct rh__change {
        uint32_t event;
        uint32_t actor;     /* whose state or behaviour; RH_NONE: the clock */
        uint32_t kind;      /* enum rh__change_kind */
        uint32_t text;      /* offset in texts */
    } at[RH__MOST_CHANGES]; /* by event */
    char texts[RH__CHANGES_BYTES];

    uint32_t print_count;
    struct rh__print {
        uint32_t event, from, to; /* bytes of printed */
    } prints[RH__MOST_PRINTS];    /* by event */
    char printed[RH__PRINTED_BYTES];

    char overtakes[256]; /* free time: the first timer that fired before one that was due earlier; "" for none */
};

/* Memory that a child process can write; NULL if there is none. */
struct rh__changes *rh__changes_new(void);
/* The same with room for a whole long run, which notes whole scenes: what each actor has and does after each event. */
struct rh__changes *rh__scenes_new(void);
void rh__changes_free(struct rh__changes *c);

/* Notes the changes of a run that the caller makes, in the process that makes it. */
struct rh__watch;
struct rh__watch *rh__watch_new(struct rh__changes *to); /* NULL: memory is short */
void rh__watch_free(struct rh__watch *x);
/* At the beginning of the run, and after each event. */
bool rh__watch_begin(struct rh__watch *x, struct rh_world *w);
void rh__watch_event(struct rh__watch *x, struct rh_world *w);

/* How many events of the run to make again: an event that ends the process is not. */
static inline uint32_t rh__events_to_watch(const struct rh__run *r, enum rh_outcome_kind outcome)
{
    return r->event_count - (outcome >= RH_OUTCOME_HEAP && outcome != RH_OUTCOME_CRASH);
}

/* Makes the first events of the run again, and notes the changes from event `first` on.  `w` is the world of the
 * exploration; no child process uses it now.  False if the tool failed; the failure is on standard error. */
bool rh__changes_note(struct rh__changes *c, struct rh_world *w, const struct rh__run *r, uint32_t first,
                      uint32_t events);

/* The changes of the events from first to last, all of one actor, as one text: "balance=150, becomes open; audit#1:
 * total=150".  That actor is not named.  "" for none, and without changes (NULL).  Scenes are left out. */
const char *rh__changes_text(const struct rh__changes *c, const struct rh__run *r, uint32_t first, uint32_t last,
                             char *text, size_t size);
/* The same of changes of these kinds, as bits. */
const char *rh__changes_text_of(const struct rh__changes *c, const struct rh__run *r, uint32_t kinds, uint32_t first,
                                uint32_t last, char *text, size_t size);

/* The index of the first change of that event or a later one. */
uint32_t rh__changes_from(const struct rh__changes *c, uint32_t event);

/* What the program printed in the events from first to last, each line behind `lead`. */
void rh__changes_printed(const struct rh__changes *c, uint32_t first, uint32_t last, const char *lead,
                         struct rh__text *to);

/* The open choice that event `event` of the run took, in a world that has made its events before; NULL: it is not open.
 * Indices are the same in a run that is the same so far; texts may lie elsewhere. */
const struct rh_choice *rh__same_choice(struct rh_world *w, const struct rh_choice *open, uint32_t count,
                                        const struct rh__run *r, uint32_t event);

#endif
