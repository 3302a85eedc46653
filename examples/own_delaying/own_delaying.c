/* See own_delaying.h.  A careless server gives its neighbour what it has.  That is nothing if both have failed. */
#include "own_delaying.h"

RH_HANDLER(keeper, begin)
{
    for (int i = 0; i < SERVERS; i++)
        rh_send(msg->server[i], copy, .value = VALUE, .neighbour = msg->server[(i + 1) % SERVERS]);
}
RH_HANDLER(keeper, have)
{
    if (++state->up == SERVERS)
        rh_log("settled");
}
RH_HANDLER(keeper, lost)
{
    rh_send(rh_sender(), copy, .value = VALUE);
}
RH_BEHAVIOUR(keeper, keeping, begin, have, lost);

RH_HANDLER(server, copy)
{
    rh_assert(msg->value == VALUE, "the value is lost");
    state->value = msg->value;
    if (!state->up) {
        state->up = true;
        state->neighbour = msg->neighbour;
        rh_send(state->keeper, have);
    }
    if (!rh_is_nobody(state->waiting))
        rh_send(state->waiting, copy, .value = state->value);
    state->waiting = rh_nobody();
}
RH_HANDLER(server, fail)
{
    if (!state->up)
        return; /* it has nothing to lose yet */
    state->value = 0;
    rh_send(state->neighbour, lost);
}
RH_HANDLER(server, lost)
{
    if (!state->up || (state->careful && !state->value))
        state->waiting = rh_sender();
    else
        rh_send(rh_sender(), copy, .value = state->value);
    if (state->up && state->careful && !state->value)
        rh_send(state->keeper, lost);
}
RH_BEHAVIOUR(server, serving, copy, fail, lost);

RH_HANDLER(fault, strike)
{
    rh_send(state->victim, fail);
}
RH_BEHAVIOUR(fault, waiting, strike);
