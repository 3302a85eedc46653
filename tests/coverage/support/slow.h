/* What src/coverage finds in a run, once more and slowly: names as texts, relations as matrices, goals by loops over
 * all pairs and what is between them.  Nothing here is shared with src/coverage but the world.
 *
 * Names: a thing is called by a text that holds the numbers of the names it is made of.  The same text is the same
 * thing, in whichever run.  All of it is in one block that can be shared memory. */
#ifndef RH_TESTS_COVERAGE_SUPPORT_SLOW_H
#define RH_TESTS_COVERAGE_SUPPORT_SLOW_H

#include "explore/support/runs.h"

#include "coverage/goals.h"
#include "world/network.h"

enum { SLOW_NAMES = 1 << 15, SLOW_RECEIVES = 1 << 11, SLOW_TEXT = 160, SLOW_EVENTS = 320 };

struct slow {
    uint32_t name_count, receive_count;
    char text[SLOW_NAMES][SLOW_TEXT];
    uint32_t table[2 * SLOW_NAMES];
    uint32_t receive_of[SLOW_NAMES]; /* + 1 */
    uint32_t name_of[SLOW_RECEIVES], actor_of[SLOW_RECEIVES];
    uint64_t id_of[SLOW_NAMES]; /* as src/coverage calls it; 0 where it was not asked */
    bool becomes[SLOW_RECEIVES];
    unsigned char goals[SLOW_RECEIVES][SLOW_RECEIVES];  /* bits of enum rh__criterion */
    unsigned char freely[SLOW_RECEIVES][SLOW_RECEIVES]; /* the one was before the other, and need not have been */
    uint64_t runs, receives;
};

/* A run under examination. */
struct slow_run {
    struct slow *s;
    const struct rh_world *w;
    uint32_t count;
    const struct rh_event *events;
    uint32_t before[SLOW_EVENTS], root[SLOW_EVENTS];
    uint32_t name[SLOW_EVENTS];    /* of each event; 0 not known yet */
    uint32_t receive[SLOW_EVENTS]; /* its number, RH_NONE for none */
    bool must[SLOW_EVENTS][SLOW_EVENTS];
};

struct slow *slow_new(void);
void slow_free(struct slow *s);

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* Whose event it is: nobody's where something befalls a message or the network, or a timer writes to a mailbox. */
uint32_t slow_actor(const struct slow_run *r, uint32_t event);

/* ---- must happen before ------------------------------------------------------------------------------------------ */

bool slow_is_receive(const struct slow_run *r, uint32_t event);
const struct world_message *slow_taken(const struct slow_run *r, uint32_t event);
/* The event that brought what this one takes: it sent the message, accepted it for the mailbox, or set the timer. */
uint32_t slow_cause(const struct slow_run *r, uint32_t event);

/* ---- goals ------------------------------------------------------------------------------------------------------- */

bool slow_becomes(const struct slow_run *r, uint32_t event);
struct slow_run *slow_add(struct slow *s, const struct rh_world *w);

#endif
