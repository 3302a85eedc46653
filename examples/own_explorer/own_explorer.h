/* A table of prices with an editor and a shop: the bug of this program needs one message that is very late. */
#ifndef OWN_EXPLORER_H
#define OWN_EXPLORER_H

#include <rehearse.h>

RH_MESSAGE(change);          /* editor to prices */
RH_MESSAGE(changed);         /* prices to editor */
RH_MESSAGE(open_shop);       /* editor to shop */
RH_MESSAGE(sell, int left;); /* shop to itself */
RH_MESSAGE(price_of);        /* shop to prices */

RH_ACTOR(prices, bool fresh; int stale; int most_stale;);
RH_ACTOR(shop, rh_ref prices; int sales;);
RH_PROCESS(editor, rh_ref prices; rh_ref shop; bool waits;);

#endif
