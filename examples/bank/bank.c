/* See bank.h.  The client turns a withdrawal down when its own balance does not cover it, and passes everything else
 * on to the server.  So the server relies on every withdrawal being covered.
 *
 * If messages may overtake each other (model bag), the client must have only one request outstanding: it defers other
 * requests until the server has confirmed.  A hasty client (the paper's Figure 1) passes requests on at once, and a
 * withdrawal may reach the server before the deposit that covers it. */
#include "bank.h"

/* ---- client ------------------------------------------------------------------------------------------------------ */
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

/* ---- server ------------------------------------------------------------------------------------------------------ */
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
