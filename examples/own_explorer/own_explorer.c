/* See own_explorer.h.  The editor changes the prices and then opens the shop.  An editor that does not wait until the
 * prices are changed relies on the shop being slow: a few sales at the old price are acceptable, but there are more
 * when the change arrives late. */
#include "own_explorer.h"

RH_BODY(editor)
{
    if (state->waits)
        rh_ask(state->prices, change, changed);
    else
        rh_send(state->prices, change);
    rh_send(state->shop, open_shop);
}

RH_HANDLER(shop, open_shop)
{
    rh_send(self, sell, .left = state->sales);
}
RH_HANDLER(shop, sell)
{
    if (msg->left == 0)
        return;
    rh_send(state->prices, price_of);
    rh_send(self, sell, .left = msg->left - 1);
}
RH_BEHAVIOUR(shop, selling, open_shop, sell);

RH_HANDLER(prices, change)
{
    state->fresh = true;
    rh_reply(changed);
}
RH_HANDLER(prices, price_of)
{
    if (!state->fresh)
        state->stale++;
    rh_assert(state->stale <= state->most_stale, "%d sales at the old price", state->stale);
}
RH_BEHAVIOUR(prices, known, change, price_of);
