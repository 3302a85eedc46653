/* At most one value is chosen, and it was proposed, whatever crashes, is lost or comes twice. */
#include <rehearse/test.h>

#include "paxos.h"

RH_PARAM(acceptors, "3", "how many acceptors there are");
RH_PARAM(proposers, "3", "how many proposers there are, each with a client");
RH_PARAM(rounds, "2", "how many ballots a proposer begins at most");
RH_BUG(early_promise, "an acceptor promises before the promise is durable");
RH_BUG(any_value, "a proposer takes a value that was accepted, not the latest one");
RH_BUG(counts_promises, "two promises of one acceptor count as those of two");

/* ---- the specification ------------------------------------------------------------------------------------------- */

/* A value is chosen when a majority of acceptors has voted for it in one ballot; the proposers need not know. */
enum { MOST_BALLOTS = 64 };
RH_MONITOR(agreement, int acceptors; uint32_t votes[MOST_BALLOTS]; int values[MOST_BALLOTS]; int chosen;
           uint32_t proposed;);
RH_HANDLER(agreement, px_proposed)
{
    state->proposed |= 1u << msg->value;
}
RH_HANDLER(agreement, px_voted)
{
    rh_assert(state->proposed >> msg->value & 1, "nobody has proposed %d", msg->value);
    rh_assert(msg->ballot < MOST_BALLOTS, "ballot %u is too high for the specification", msg->ballot);
    rh_assert(!state->votes[msg->ballot] || state->values[msg->ballot] == msg->value, "ballot %u is for %d and for %d",
              msg->ballot, state->values[msg->ballot], msg->value);
    state->values[msg->ballot] = msg->value;
    state->votes[msg->ballot] |= 1u << msg->acceptor;
    if (2 * __builtin_popcount(state->votes[msg->ballot]) <= state->acceptors)
        return;
    rh_assert(!state->chosen || state->chosen == msg->value, "%d was chosen, and %d is chosen in ballot %u",
              state->chosen, msg->value, msg->ballot);
    state->chosen = msg->value;
}
RH_HANDLER(agreement, px_learned)
{
    rh_assert(state->chosen == msg->value, "%d is learnt, and %d is chosen", msg->value, state->chosen);
}
RH_BEHAVIOUR(agreement, watching, px_proposed, px_voted, px_learned);

/* ---- tests ------------------------------------------------------------------------------------------------------- */
static int within(const char *name, int otherwise, int least, int most)
{
    int64_t value = rh_param(name, otherwise);
    rh_assert(value >= least && value <= most, "%d to %d %s, not %d", least, most, name, (int)value);
    return (int)value;
}

static void start_election(void)
{
    struct px_flaws flaws = { .early_promise = rh_bug("early_promise"),
                              .any_value = rh_bug("any_value"),
                              .counts_promises = rh_bug("counts_promises") };
    struct acceptors acceptors = { .count = within("acceptors", 3, 1, MOST_ACCEPTORS) };
    int proposers = within("proposers", 3, 1, MOST_PROPOSERS), rounds = within("rounds", 2, 1, 8);
    rh_observe(agreement, .acceptors = acceptors.count);
    for (int i = 0; i < acceptors.count; i++)
        acceptors.at[i] = rh_spawn(acceptor, .number = i, .flaws = flaws);
    for (int i = 0; i < proposers; i++) {
        rh_ref p = rh_spawn(proposer, .number = i, .proposers = proposers, .acceptors = acceptors, .timeout_ms = 50,
                            .most_rounds = rounds, .flaws = flaws);
        rh_spawn(px_client, .proposer = p, .value = i + 1, .timeout_ms = 1000);
    }
}

RH_TEST(an_acceptor_fails, .model = RH_BAG, .crashes = 1, .restarts = 1, .may_crash = RH_ACTORS(acceptor))
{
    start_election();
}
RH_TEST(the_network_fails, .model = RH_BAG, .losses = 1, .duplicates = 1, .may_lose = RH_ACTORS(acceptor, proposer))
{
    start_election();
}

RH_MAIN()
