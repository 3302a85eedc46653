/* What production.c deploys.  A test whose body deploys the same replays its recordings. */
#ifndef PX_DEPLOYMENT_H
#define PX_DEPLOYMENT_H

#include <stdatomic.h>

#include "paxos.h"

enum { ACCEPTORS = 5, PROPOSERS = 4 };

static atomic_int agreed;

/* Asks a proposer again and again until it knows the value. */
RH_PROCESS(voter, rh_ref proposer; int value;);
RH_BODY(voter)
{
    const struct chosen *c = NULL;
    while (!c)
        c = rh_ask_within(2000, state->proposer, propose, chosen, .value = state->value);
    int none = 0, value = c->value;
    rh_assert(atomic_compare_exchange_strong(&agreed, &none, value) || none == value, "%d is chosen, and %d, too", none,
              value);
}

static inline void deploy(int first_value)
{
    struct acceptors acceptors = { .count = ACCEPTORS };
    for (int i = 0; i < ACCEPTORS; i++)
        acceptors.at[i] = rh_spawn(acceptor, .number = i);
    for (int i = 0; i < PROPOSERS; i++) {
        rh_ref p = rh_spawn(proposer, .number = i, .proposers = PROPOSERS, .acceptors = acceptors, .timeout_ms = 20,
                            .most_rounds = 1000000);
        rh_spawn(voter, .proposer = p, .value = first_value + i);
    }
}

#endif
