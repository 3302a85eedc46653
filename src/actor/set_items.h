/* RH_SETS: items of a behaviour by which an actor takes messages of a type in sets; the same in both worlds. */
#ifndef RH_ACTOR_SET_ITEMS_H
#define RH_ACTOR_SET_ITEMS_H

#include <rehearse.h>

static inline bool rh__is_set_entry(const struct rh_entry *e)
{
    return e->action == RH_ACTION_GATHER;
}

/* The item of the behaviour; NULL if there is none. */
const struct rh_entry *rh__set_entry(const struct rh_behaviour *b);
/* The number of messages that are taken at once, in this state of the actor. */
uint32_t rh__set_number(const struct rh_entry *e, const void *state);
/* What is wrong with the items of the behaviour; NULL if nothing is. */
const char *rh__set_misuse(const struct rh_behaviour *b);

/* The messages of a set, and the handler that runs for each of them. */
struct rh__set_call {
    const struct rh_envelope *envelopes;
    uint32_t count;
    bool backwards;
    rh_handler_fn *call;
    void (*before)(void); /* called before each message; NULL: nothing is */
};
/* A handler: the message is a struct rh__set_call. */
void rh__handle_set(rh_ref self, void *state, const void *msg);

#endif
