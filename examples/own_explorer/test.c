/* Few sales are made at the old price. */
#include <rehearse/test.h>

#include "own_explorer.h"

RH_PARAM(sales, "9", "how many sales the shop makes");
RH_PARAM(stale, "8", "how many of them may be at the old price");
RH_BUG(no_wait, "the editor opens the shop before the prices are changed");

RH_TEST(few_sales_at_the_old_price)
{
    rh_ref p = rh_spawn(prices, .most_stale = (int)rh_param("stale", 8));
    rh_ref s = rh_spawn(shop, .prices = p, .sales = (int)rh_param("sales", 9));
    rh_spawn(editor, .prices = p, .shop = s, .waits = !rh_bug("no_wait"));
}

RH_MAIN()
