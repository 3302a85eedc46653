/* See paxos.h.
 *
 *     client --propose--> proposer --px_prepare--> acceptors --px_promise--> proposer
 *     proposer --px_accept--> acceptors --px_accepted--> proposer --chosen--> client, acceptors
 *     acceptor --px_reject--> proposer, which takes a higher ballot after a while
 *
 * Durable: the proposer's round before its ballot is used, so that no ballot is used for two values; an acceptor's
 * promise and its vote before it answers.
 *
 * Flaws (bugs of test.c):
 *   early_promise    an acceptor promises before the promise is durable
 *   any_value        the proposer takes the value of the last promise that has one, not of the one with the highest
 *                    ballot
 *   counts_promises  promises are counted, also when one acceptor promises twice */
#include "paxos.h"

#include <stdio.h>
#include <string.h>

/* ---- acceptor ---------------------------------------------------------------------------------------------------- */
RH_HANDLER(acceptor, rh_start)
{
    char name[32];
    snprintf(name, sizeof name, "acceptor %d", state->number);
    rh_store_open(name);
    if (rh_store_get("vote", &state->vote, sizeof state->vote) < 0)
        memset(&state->vote, 0, sizeof state->vote);
}
RH_HANDLER(acceptor, px_prepare)
{
    if (state->vote.is_chosen) {
        rh_reply(chosen, .value = state->vote.value);
        return;
    }
    if (msg->ballot < state->vote.promised) {
        rh_reply(px_reject, .ballot = msg->ballot, .promised = state->vote.promised);
        return;
    }
    state->vote.promised = msg->ballot;
    rh_store_put("vote", &state->vote, sizeof state->vote);
    if (!state->flaws.early_promise)
        rh_store_sync();
    rh_reply(px_promise, .ballot = msg->ballot, .acceptor = state->number, .accepted = state->vote.accepted,
             .value = state->vote.value);
}
RH_HANDLER(acceptor, px_accept)
{
    if (msg->ballot < state->vote.promised || state->vote.is_chosen) {
        rh_reply(px_reject, .ballot = msg->ballot, .promised = state->vote.promised);
        return;
    }
    state->vote.promised = state->vote.accepted = msg->ballot;
    state->vote.value = msg->value;
    rh_store_put("vote", &state->vote, sizeof state->vote);
    rh_store_sync();
    rh_announce(px_voted, .acceptor = state->number, .ballot = msg->ballot, .value = msg->value);
    rh_reply(px_accepted, .ballot = msg->ballot, .acceptor = state->number);
}
RH_HANDLER(acceptor, chosen)
{
    rh_assert(!state->vote.is_chosen || state->vote.value == msg->value, "%d is chosen, and %d, too", state->vote.value,
              msg->value);
    state->vote.is_chosen = true;
    state->vote.value = msg->value;
    rh_store_put("vote", &state->vote, sizeof state->vote); /* if a crash takes it back, it is learnt again */
}
RH_BEHAVIOUR(acceptor, voting, rh_start, px_prepare, px_accept, chosen);

/* ---- proposer ---------------------------------------------------------------------------------------------------- */
static uint32_t ballot_of(const struct proposer *state)
{
    return state->round * (uint32_t)state->proposers + (uint32_t)state->number + 1;
}

static bool is_majority(const struct proposer *state, uint32_t set)
{
    return 2 * __builtin_popcount(set) > state->acceptors.count;
}

static void next_ballot(struct proposer *state, uint32_t above)
{
    if (!state->asked || state->round >= (uint32_t)state->most_rounds)
        return;
    do
        state->round++;
    while (ballot_of(state) <= above);
    rh_store_put("round", &state->round, sizeof state->round);
    rh_store_sync();
    state->ballot = ballot_of(state);
    state->promised = state->accepted = state->best = 0;
    state->promises = 0;
    state->value = state->own;
    for (int i = 0; i < state->acceptors.count; i++)
        rh_send(state->acceptors.at[i], px_prepare, .ballot = state->ballot);
    rh_timer("try again", state->timeout_ms * (state->number + 1), px_try_again);
}

static void learn(struct proposer *state, int value)
{
    rh_announce(px_learned, .value = value);
    rh_timer_cancel("try again");
    rh_reply_to(state->client, chosen, .value = value);
    state->asked = false;
    state->ballot = 0;
}

RH_HANDLER(proposer, rh_start)
{
    char name[32];
    snprintf(name, sizeof name, "proposer %d", state->number);
    rh_store_open(name);
    if (rh_store_get("round", &state->round, sizeof state->round) < 0)
        state->round = 0;
}
RH_HANDLER(proposer, propose)
{
    state->client = rh_keep_request();
    state->asked = true;
    state->own = msg->value;
    rh_announce(px_proposed, .value = msg->value);
    next_ballot(state, 0);
}
RH_HANDLER(proposer, px_promise)
{
    if (!state->ballot || msg->ballot != state->ballot || state->accepted)
        return;
    bool had = state->flaws.counts_promises ? 2 * state->promises > state->acceptors.count
                                            : is_majority(state, state->promised);
    if (had)
        return;
    state->promised |= 1u << msg->acceptor;
    state->promises++;
    if (msg->accepted && (msg->accepted > state->best || state->flaws.any_value)) {
        state->best = msg->accepted;
        state->value = msg->value;
    }
    bool has = state->flaws.counts_promises ? 2 * state->promises > state->acceptors.count
                                            : is_majority(state, state->promised);
    for (int i = 0; has && i < state->acceptors.count; i++)
        rh_send(state->acceptors.at[i], px_accept, .ballot = state->ballot, .value = state->value);
}
RH_HANDLER(proposer, px_accepted)
{
    if (!state->ballot || msg->ballot != state->ballot)
        return;
    state->accepted |= 1u << msg->acceptor;
    if (!is_majority(state, state->accepted))
        return;
    for (int i = 0; i < state->acceptors.count; i++)
        rh_send(state->acceptors.at[i], chosen, .value = state->value);
    learn(state, state->value);
}
RH_HANDLER(proposer, px_reject)
{
    if (state->ballot && msg->ballot == state->ballot) {
        state->ballot = 0; /* it is lost; wait a little, so that the other one can finish */
        rh_timer("try again", state->timeout_ms * (state->number + 1), px_try_again);
    }
}
RH_HANDLER(proposer, chosen)
{
    if (state->asked)
        learn(state, msg->value);
}
RH_HANDLER(proposer, px_try_again)
{
    next_ballot(state, state->ballot);
}
RH_BEHAVIOUR(proposer, proposing, rh_start, propose, px_promise, px_accepted, px_reject, chosen, px_try_again);

/* ---- client ------------------------------------------------------------------------------------------------------ */
RH_BODY(px_client)
{
    const struct chosen *first =
        rh_ask_within(state->timeout_ms, state->proposer, propose, chosen, .value = state->value);
    if (!first)
        return;
    rh_log("%s: %d is chosen", rh_name(self), first->value);
}
