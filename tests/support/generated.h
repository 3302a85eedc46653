/* Small actor programs made from a seed, and all their behaviours by brute force.
 *
 * A program has 2 to 4 actors and 1 to 4 first messages from outside.  What an actor sends depends on all that it has
 * received: generated_handle is the whole program, a pure function.  Whoever runs it (as real actors, in a reduction,
 * here) keeps one number per actor as its state.
 *
 * The oracle is independent of the world: it knows messages, not channels.  It makes every sequence of choices, one by
 * one, so it also says how many there are.  A behaviour is, for each actor, which messages it took in which order. */
#ifndef RH_TESTS_SUPPORT_GENERATED_H
#define RH_TESTS_SUPPORT_GENERATED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    GENERATED_ACTORS = 4,
    GENERATED_STARTS = 4,
    GENERATED_FAN = 2,
    GENERATED_MESSAGES = 40, /* of one run; a program with more is too large */
    GENERATED_OUTSIDE = 100, /* senders from here on are outside */
};

/* Who sent it: `sender`, in the handler of its `receive`-th message, as the `ordinal`-th. */
struct generated_id {
    uint8_t sender, receive, ordinal;
};

struct generated_message {
    struct generated_id id;
    uint8_t to;
    int8_t ttl;
    uint16_t value;
};

struct generated_program {
    uint64_t seed;
    uint32_t actors, starts, fan;
    bool one_sender; /* all first messages come from the same sender */
    struct generated_message start[GENERATED_STARTS];
};

void generated_make(struct generated_program *p, uint64_t seed);

/* Actor `actor` in `state` takes m as its `receive`-th message: gives its next state and what it sends. */
uint64_t generated_handle(const struct generated_program *p, uint8_t actor, uint64_t state, uint8_t receive,
                          const struct generated_message *m, struct generated_message sends[GENERATED_FAN],
                          uint32_t *count);

enum generated_model {
    GENERATED_FIFO,
    GENERATED_BAG,
    GENERATED_CAUSAL,
    GENERATED_MAILBOX,
    GENERATED_ACCEPT, /* mailbox, in which each send is accepted by itself before its actor goes on */
};

/* For each actor how many it took and which: bytes that can be compared. */
struct generated_behaviour {
    uint8_t bytes[GENERATED_ACTORS + 3 * GENERATED_MESSAGES];
};

struct generated_behaviours {
    struct generated_behaviour *list; /* sorted, each once, after generated_behaviours_settle */
    size_t count, capacity;
};
void generated_behaviours_add(struct generated_behaviours *set, const struct generated_behaviour *b);
void generated_behaviours_settle(struct generated_behaviours *set);
void generated_behaviours_free(struct generated_behaviours *set);
/* How many of `left` are not in `right`; both are settled. */
size_t generated_behaviours_missing(const struct generated_behaviours *left, const struct generated_behaviours *right);

/* The behaviour in which actor a took orders[a][0 .. counts[a]). */
void generated_behaviour_from(struct generated_behaviour *b, const struct generated_program *p,
                              const struct generated_id orders[][GENERATED_MESSAGES], const uint32_t counts[]);

/* Every sequence of choices.  Gives their number and (settled) their behaviours; 0 where there are more than `limit`
 * sequences or some run is too long. */
uint64_t generated_oracle(const struct generated_program *p, enum generated_model model, uint64_t limit,
                          struct generated_behaviours *found);

/* The random numbers used here: the state is one word. */
uint64_t generated_random(uint64_t *state);
uint32_t generated_below(uint64_t *state, uint32_t n);

#endif
