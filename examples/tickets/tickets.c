/* See tickets.h.  Checking whether a seat is free and taking it must be one step: rh_table_insert_new takes the seat if
 * it is free, and says whether it was.
 *
 * A clerk that checks first (bug check_then_act) does the same in two steps, and another clerk may sell the seat in
 * between. */
#include "tickets.h"

#include <stdio.h>

static bool take(const struct clerk *state, rh_ref self, int seat)
{
    char key[32];
    snprintf(key, sizeof key, "seat %d", seat);
    if (!state->checks_first)
        return rh_table_insert_new(taken, key, &self, sizeof self);
    if (rh_table_get(taken, key, NULL, 0) >= 0)
        return false;
    rh_table_put(taken, key, &self, sizeof self);
    return true;
}

RH_HANDLER(clerk, buy)
{
    for (int seat = 1; seat <= state->seats; seat++)
        if (take(state, self, seat)) {
            rh_announce(sold, .seat = seat);
            return;
        }
    rh_log("sold out");
}
RH_BEHAVIOUR(clerk, open, buy);
