/* Server and clients. */
#include "lease.h"

RH_HANDLER(server, acquire)
{
    if (!rh_is_nobody(state->owner)) {
        rh_reply(denied);
        return;
    }
    state->owner = rh_sender();
    rh_timer("lease", LEASE_MS, expired);
    rh_reply(granted);
}
RH_HANDLER(server, expired)
{
    state->owner = rh_nobody();
}
RH_BEHAVIOUR(server, open, acquire, expired);

RH_HANDLER(client, work)
{
    state->asked_ms = rh_now_ms();
    rh_send(state->server, acquire);
}
/* The lease began at the latest when the server answered.  A client that counts from the moment at which the answer
 * arrives holds it for too long. */
RH_HANDLER(client, granted)
{
    int64_t begin = state->counts_from_grant ? rh_now_ms() : state->asked_ms;
    int64_t left = begin + LEASE_MS - rh_now_ms();
    if (left <= 0)
        return; /* too late */
    state->holds = true;
    rh_timer("mine", left, expired);
}
RH_HANDLER(client, denied)
{
}
RH_HANDLER(client, expired)
{
    state->holds = false;
}
RH_BEHAVIOUR(client, open, work, granted, denied, expired);
