/* The operations of a run, in words: "sends ping to P1", "registers P1.1 as \"pong\"", each with its file and line.
 *
 * A run keeps events, messages and accesses, but not every call of rehearse.h, and no lines.  While a run is made again
 * for its story, the program's calls go through a second seam, which notes each of them and passes it on: what is not
 * told costs nothing.
 *
 * Logical names [Christakis, Gotovos and Sagonas 2013, V-A]: the test is P1, the first actor that it spawns P1.1, the
 * first one that P1.1 spawns P1.1.1.  External senders have their own names. */
#ifndef RH_WORLD_DEEDS_H
#define RH_WORLD_DEEDS_H

#include "base/text.h"
#include "world/run_record.h"

enum { RH__MOST_DEEDS = 8192, RH__DEEDS_BYTES = 1 << 20 };

struct rh__deeds {
    uint32_t count, used;
    bool full;        /* later ones are missing */
    bool story_names; /* actors are named as in stories, "worker#1": set it after rh__world_note_deeds */
    struct rh__deed {
        uint32_t event;
        uint32_t actor;
        uint32_t accesses; /* of the run, when the deed was noted: the last one of the actor is the deed's, if any is */
        uint32_t text;     /* offset in texts; the actor's name precedes it */
        uint32_t place;    /* the same: "file.c:12", or "" */
        const struct rh_message_type
            *sends; /* not NULL: the event is the one that sends the next message of the type */
    } at[RH__MOST_DEEDS];
    char texts[RH__DEEDS_BYTES];
};

/* Memory that a child process can write; NULL if there is none. */
struct rh__deeds *rh__deeds_new(void);
void rh__deeds_free(struct rh__deeds *d);

/* From the next rh_world_begin on, operations are noted in `to`, which is emptied; NULL: no longer. */
void rh__world_note_deeds(struct rh_world *w, struct rh__deeds *to);

/* Notes something else that happens to an actor. */
void rh__deed_add(struct rh__deeds *d, uint32_t event, uint32_t actor, const char *place, const char *text);

/* The seam that notes, for the world itself. */
struct rh_seam;
const struct rh_seam *rh__noting_seam(void);

void rh__run_logical_name(const struct rh__run *r, uint32_t actor, struct rh__text *t);

/* Where the handler is defined that an actor with this behaviour runs for a message: "ledger.c:12".  False without
 * debug information. */
bool rh__handler_place(const struct rh_behaviour *behaviour, const struct rh_message_type *type, char *buffer,
                       size_t size);

#endif
