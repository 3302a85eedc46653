/* The same actors in production: four clients want different values, and one is chosen; a second start still knows it.
 *
 *     protocols-paxos-production FOLDER     the stores are in FOLDER */
#include <rehearse/runtime.h>
#include <stdatomic.h>
#include <stdio.h>

#include "../record.h"
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

static bool vote(const char *folder, const char *record, int first_value)
{
    struct rh_runtime_options options = { .store_folder = folder, .record = record };
    if (!rh_runtime_start(&options))
        return false;
    struct acceptors acceptors = { .count = ACCEPTORS };
    for (int i = 0; i < ACCEPTORS; i++)
        acceptors.at[i] = rh_spawn(acceptor, .number = i);
    for (int i = 0; i < PROPOSERS; i++) {
        rh_ref p = rh_spawn(proposer, .number = i, .proposers = PROPOSERS, .acceptors = acceptors, .timeout_ms = 20,
                            .most_rounds = 1000000);
        rh_spawn(voter, .proposer = p, .value = first_value + i);
    }
    rh_runtime_wait_quiet();
    rh_runtime_stop();
    return true;
}

int main(int argc, char **argv)
{
    const char *record = take_record(&argc, argv);
    if (argc != 2 || !vote(argv[1], record, 1) || !vote(argv[1], NULL, 101)) {
        fprintf(stderr, "usage: %s FOLDER [--record FILE]\n", argv[0]);
        return 1;
    }
    printf("%d voters have learnt one value\n", 2 * PROPOSERS);
    return 0;
}
