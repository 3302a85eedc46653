/* What oracle_program.c and oracle_actions.c share: how an actor decides, and what it can do. */
#ifndef RH_TESTS_EXPLORE_SUPPORT_ORACLE_MIND_H
#define RH_TESTS_EXPLORE_SUPPORT_ORACLE_MIND_H

#include "explore/support/oracle_program.h"

extern const bool feature_acts[F_COUNT];

/* By number; written by the test's body before anything else happens. */
extern rh_ref players[MOST_PLAYERS];
extern uint32_t player_count;

/* Whether the program has the feature, and does something with it. */
bool has(enum feature f);
void learn(struct mind *m, uint64_t what);
/* Random bits for what comes next; 0 where it was cut. */
uint64_t decide(struct mind *m);
rh_ref someone(const struct mind *m, uint64_t bits);
uint64_t content_of(const struct rh_envelope *e);
/* Waits as the bits say; gives what is left of the message's time to live. */
int32_t receive(struct mind *m, uint64_t bits);
/* Does one thing. */
void act(struct mind *m, rh_ref self, int32_t ttl);

#define FIELDS .ttl = ttl - 1, .value = (uint32_t)(bits >> 50 & 3), .from = m->me, .friend = m->friend

#define SAY(...)                                                                                                       \
    do {                                                                                                               \
        if (program_talks)                                                                                             \
            rh_log(__VA_ARGS__);                                                                                       \
    } while (0)

#endif
