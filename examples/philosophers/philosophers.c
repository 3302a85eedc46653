/* See philosophers.h.  A philosopher takes one fork, then the other, eats, and puts both back.  A fork that is held
 * defers other requests: they stay in its mailbox. */
#include "philosophers.h"

/* ---- fork -------------------------------------------------------------------------------------------------------- */
RH_HANDLER(fork, take)
{
    state->holder = rh_sender();
    rh_reply(taken);
    rh_become(fork, held);
}
RH_HANDLER(fork, put_back)
{
    rh_assert(rh_same(state->holder, rh_sender()), "%s puts back a fork that it does not hold", rh_name(rh_sender()));
    state->holder = rh_nobody();
    rh_become(fork, free);
}
RH_BEHAVIOUR(fork, free, take);
RH_BEHAVIOUR(fork, held, put_back, RH_DEFER(take));

/* ---- philosopher ------------------------------------------------------------------------------------------------- */
RH_BODY(philosopher)
{
    rh_ask(state->first, take, taken);
    rh_ask(state->second, take, taken);
    rh_log("eats");
    rh_send(state->first, put_back);
    rh_send(state->second, put_back);
    rh_send(state->table, done, .who = state->number);
}
