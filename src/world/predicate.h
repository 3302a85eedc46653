/* Would the predicate of a receive accept a message, in the state in which its actor waited?
 *
 * A predicate is code of the program and reads memory: the stack and the region of the waiting process.  So the
 * predicate can only be evaluated with that memory restored.  Either an image of the memory was kept and is put in
 * place while the predicate runs.  Or the world goes back to the event and then returns.
 *
 * These are questions: afterwards the world is as it was, and so are its run and its list of open choices.  After the
 * world has gone back and returned, events before this one can no longer be undone one by one (rh_world_load). */
#ifndef RH_WORLD_PREDICATE_H
#define RH_WORLD_PREDICATE_H

#include "world/run_record.h"

/* The receive in which an actor waits, and the memory that its predicate may read: stack and region. */
struct rh__predicate {
    const struct rh_filter *filter;
    char *at[2];
    uint32_t size[2];
};

/* For an actor that waits now.  False if an image of its memory is impossible: larger than `most` bytes, or not
 * copyable. */
bool rh__predicate_of(const struct rh_world *w, uint32_t actor, uint32_t most, struct rh__predicate *p);
/* Return the size of an image, and make an image. */
uint32_t rh__predicate_bytes(const struct rh__predicate *p);
void rh__predicate_copy(const struct rh__predicate *p, char *image);

/* Evaluates the predicate with the image in place.  The message belongs to the run; `scratch` has room for another
 * image. */
bool rh__predicate_ask(const struct rh_world *w, const struct rh__predicate *p, const char *image, char *scratch,
                       uint32_t message);
/* Evaluates the predicate of the receive in which the actor waited before `event`: the world goes back and returns.
 * The message need not have been sent at that point. */
bool rh__predicate_ask_before(const struct rh_world *w, uint32_t event, uint32_t actor, uint32_t message);

#endif
