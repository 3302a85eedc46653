/* Single-decree Paxos: proposers try to have their client's value chosen by a majority of acceptors, and everybody
 * who learns a value learns the same one.  Acceptors and proposers keep what they must not forget in stores; messages
 * may be lost, doubled and reordered. */
#ifndef PAXOS_H
#define PAXOS_H

#include <rehearse.h>

enum { MOST_ACCEPTORS = 7, MOST_PROPOSERS = 4 };

/* Client and proposer. */
RH_MESSAGE(propose, int value;);
RH_MESSAGE(chosen, int value;); /* also proposer to acceptors: learn it */

/* Ballots are numbered from 1; proposer p of n has the ballots p + 1, p + 1 + n, ... */
RH_MESSAGE(px_prepare, uint32_t ballot;);
/* `accepted` is the ballot of the value that the acceptor has accepted, 0 for none. */
RH_MESSAGE(px_promise, uint32_t ballot; int acceptor; uint32_t accepted; int value;);
RH_MESSAGE(px_accept, uint32_t ballot; int value;);
RH_MESSAGE(px_accepted, uint32_t ballot; int acceptor;);
RH_MESSAGE(px_reject, uint32_t ballot; uint32_t promised;);

/* Timer of a proposer. */
RH_MESSAGE(px_try_again);

/* Announced, for the specification. */
RH_MESSAGE(px_proposed, int value;);
RH_MESSAGE(px_voted, int acceptor; uint32_t ballot; int value;);
RH_MESSAGE(px_learned, int value;);

/* Flaws: the bugs of test.c; see paxos.c. */
struct px_flaws {
    bool early_promise, any_value, counts_promises;
};

/* What an acceptor keeps, as one value. */
struct px_vote {
    uint32_t promised, accepted;
    int value;
    bool is_chosen;
};
RH_ACTOR(acceptor, int number; struct px_flaws flaws; struct px_vote vote;);

struct acceptors {
    int count;
    rh_ref at[MOST_ACCEPTORS];
};
/* `value` is what it will propose: its client's value, or the one that may have been chosen already. */
RH_ACTOR(proposer, int number; int proposers; struct acceptors acceptors; int timeout_ms; int most_rounds;
         struct px_flaws flaws; uint32_t round; bool asked; struct rh_request client; int own; uint32_t ballot;
         uint32_t promised; uint32_t accepted; int promises; uint32_t best; int value;);

/* Proposes a value and checks that what it learns twice is the same. */
RH_PROCESS(px_client, rh_ref proposer; int value; int timeout_ms;);

#endif
