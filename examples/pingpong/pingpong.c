/* See pingpong.h.  The pinger works in small steps: with each ping it sends itself `sent`, and `sent` makes it send
 * itself `next`.  It defers `next` until the acknowledgement has arrived.  An impatient pinger does not defer it. */
#include "pingpong.h"

/* ---- pinger ------------------------------------------------------------------------------------------------------ */
RH_HANDLER(pinger, next)
{
    rh_assert(state->acknowledged == state->sent, "ping %d goes out while ping %d is not acknowledged", state->sent + 1,
              state->sent);
    if (state->sent == state->pings) {
        rh_send(state->ponger, bye);
        rh_become(pinger, leaving);
    } else {
        rh_send(state->ponger, ping, .number = ++state->sent);
        if (!state->impatient)
            rh_become(pinger, waiting);
    }
    rh_send(self, sent);
}
RH_HANDLER(pinger, sent)
{
    rh_send(self, next);
}
RH_HANDLER(pinger, ack)
{
    rh_assert(msg->number == state->acknowledged + 1, "ack %d after ack %d", msg->number, state->acknowledged);
    state->acknowledged = msg->number;
    rh_become(pinger, ready);
}
RH_HANDLER_AS(pinger, sent, left)
{
    rh_stop();
}
RH_BEHAVIOUR(pinger, ready, next, sent, ack);
RH_BEHAVIOUR(pinger, waiting, ack, sent, RH_DEFER(next));
RH_BEHAVIOUR(pinger, leaving, RH_ON(sent, left));

/* ---- ponger ------------------------------------------------------------------------------------------------------ */
RH_HANDLER(ponger, ping)
{
    rh_assert(msg->number == state->pings + 1, "ping %d after ping %d", msg->number, state->pings);
    state->pings = msg->number;
    rh_reply(ack, .number = msg->number);
}
RH_HANDLER(ponger, bye)
{
    rh_stop();
}
RH_BEHAVIOUR(ponger, listening, ping, bye);
