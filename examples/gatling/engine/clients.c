/* Users, their connections and the server; see engine.h.  A user connects, makes its requests one after the other, and
 * sends each response to a recorder.  When the last response is recorded, the user reports that it has ended.
 *
 * A hasty user (bug ga1) does not wait until its responses are recorded: the last one may be on its way to the recorder
 * while the engine closes all connections and tells the recorders to flush. */
#include "engine.h"

/* ---- user -------------------------------------------------------------------------------------------------------- */
static void go_on(struct user *state)
{
    if (state->sent < state->scenario.requests)
        rh_send(state->connection, request, .number = ++state->sent);
    else
        rh_send(state->scenario.terminator, user_ended, .user = state->number);
}

RH_HANDLER(user, go)
{
    if (state->speaks)
        rh_send(state->scenario.terminator, user_started, .user = state->number);
    rh_send(state->connection, open_connection);
}
RH_HANDLER(user, connected)
{
    rh_send(state->injector, running);
    go_on(state);
}
RH_HANDLER(user, response)
{
    const struct recorders *r = &state->scenario.recorders;
    bool last = state->sent == state->scenario.requests;
    bool waits = last && !state->scenario.hasty;
    rh_assert(msg->number == state->sent, "response %d to request %d", msg->number, state->sent);
    rh_send(r->at[state->number % r->count], record, .user = state->number, .request = msg->number, .confirm = waits);
    if (!waits)
        go_on(state);
}
RH_HANDLER(user, recorded)
{
    go_on(state);
}
RH_BEHAVIOUR(user, ready, go, connected, response, recorded);

/* ---- connection -------------------------------------------------------------------------------------------------- */
RH_HANDLER(connection, open_connection)
{
    state->user = rh_sender();
    rh_send(state->server, hello);
}
RH_HANDLER(connection, welcome)
{
    rh_send(state->user, connected);
    rh_become(connection, open);
}
RH_HANDLER(connection, request)
{
    rh_send(state->server, request, .number = msg->number);
}
RH_HANDLER(connection, response)
{
    rh_send(state->user, response, .number = msg->number);
}
RH_HANDLER(connection, close_connection)
{
    rh_reply(connection_closed);
    rh_stop();
}
RH_BEHAVIOUR(connection, opening, open_connection, welcome);
RH_BEHAVIOUR(connection, open, request, response, close_connection);

/* ---- server ------------------------------------------------------------------------------------------------------ */
RH_HANDLER(server, hello)
{
    rh_reply(welcome);
}
RH_HANDLER(server, request)
{
    state->served++;
    rh_reply(response, .number = msg->number);
}
RH_BEHAVIOUR(server, serving, hello, request);
