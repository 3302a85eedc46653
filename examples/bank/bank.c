/* See bank.h.  The client turns a withdrawal down when its own balance does not cover it, and passes everything else
 * on; so the server takes for granted that a withdrawal is covered.
 *
 * Where messages may overtake each other (model bag) that holds only if the client has one request under way at a
 * time: it puts off what comes in before the server's confirmation.  A client that is hasty (Figure 1 as it stands)
 * passes requests on at once, and the withdrawal may be there before the deposit that covers it. */
#include "bank.h"

/* ---- client --------------------------------------------------------------------------------------------------------- */
static void expect_confirmation(const struct client *state)
{
    if (!state->hasty)
        rh_become(client, waiting);
}

RH_HANDLER(client, deposit)
{
    state->balance += msg->amount;
    rh_announce(promised, .amount = msg->amount);
    rh_send(state->server, deposit, .amount = msg->amount);
    expect_confirmation(state);
}
RH_HANDLER(client, withdraw)
{
    if (state->balance < msg->amount) {
        rh_log("%d turned down: the balance is %d", msg->amount, state->balance);
        return;
    }
    state->balance -= msg->amount;
    rh_announce(promised, .amount = -msg->amount);
    rh_send(state->server, withdraw, .amount = msg->amount);
    expect_confirmation(state);
}
RH_HANDLER(client, confirmed)
{
    rh_become(client, ready);
}
RH_BEHAVIOUR(client, ready, deposit, withdraw, RH_IGNORE(confirmed));
RH_BEHAVIOUR(client, waiting, confirmed, RH_DEFER(deposit), RH_DEFER(withdraw));

/* ---- server --------------------------------------------------------------------------------------------------------- */
RH_HANDLER(server, deposit)
{
    state->balance += msg->amount;
    rh_announce(booked, .amount = msg->amount);
    rh_reply(confirmed);
}
RH_HANDLER(server, withdraw)
{
    rh_assert(state->balance >= msg->amount, "%d cannot be taken from %d", msg->amount, state->balance);
    state->balance -= msg->amount;
    rh_announce(booked, .amount = -msg->amount);
    rh_reply(confirmed);
}
RH_BEHAVIOUR(server, open, deposit, withdraw);
