#include "tickets.h"

/* ---- the office -------------------------------------------------------------------------------------------------- */

RH_HANDLER(office, rh_start)
{
    rh_store_open("office");
    rh_store_get("owner", &state->owner, sizeof state->owner);
}
RH_HANDLER(office, buy)
{
    if (state->owner == 0) {
        state->owner = msg->customer;
        if (!state->forgets) /* durable before anybody hears of it: the office may crash */
            rh_store_put_sync("owner", &state->owner, sizeof state->owner);
    }
    if (state->owner == msg->customer) /* also if it asks again: the first answer may be lost */
        rh_reply(ticket);
    else
        rh_reply(sold_out);
}
RH_BEHAVIOUR(office, selling, rh_start, buy);

/* ---- a customer -------------------------------------------------------------------------------------------------- */

RH_HANDLER(customer, rh_start)
{
    rh_announce(comes);
    rh_send(state->office, buy, .customer = state->number);
    rh_timer("again", 100, again);
}
RH_HANDLER(customer, again)
{
    rh_send(state->office, buy, .customer = state->number);
    if (++state->tries < 2)
        rh_timer("again", 100, again);
}
RH_HANDLER(customer, ticket)
{
    rh_log("has the seat");
    rh_announce(leaves, .seated = true);
    rh_become(customer, served);
}
RH_HANDLER(customer, sold_out)
{
    rh_log("comes too late");
    rh_announce(leaves, .seated = false);
    rh_become(customer, served);
}
RH_BEHAVIOUR(customer, hoping, rh_start, again, ticket, sold_out);
RH_BEHAVIOUR(customer, served, RH_IGNORE(again), RH_IGNORE(ticket), RH_IGNORE(sold_out));
