#include <rehearse/test.h>

#include "tickets.h"

RH_PARAM(customers, "2", "how many customers come");
RH_BUG(forgets, "the office does not write down who has the seat");

/* What must hold: at most one customer has the seat, and nobody waits for ever.  A run that ends in a hot behaviour is a
 * finding. */
RH_MONITOR(hall, int waiting; int seated;);
RH_HANDLER(hall, comes)
{
    state->waiting++;
    rh_become(hall, busy);
}
RH_HANDLER(hall, leaves)
{
    state->seated += msg->seated;
    rh_assert(state->seated <= 1, "%d customers for one seat", state->seated);
    if (--state->waiting == 0) {
        rh_assert(state->seated == 1, "all have left, and the seat is empty");
        rh_become(hall, quiet);
    }
}
RH_BEHAVIOUR(hall, quiet, comes);
RH_HOT_BEHAVIOUR(hall, busy, comes, leaves);

/* Whatever the order of messages, if one message is lost and the office crashes once. */
RH_TEST(the_seat_is_sold_once, .losses = 1, .crashes = 1, .restarts = 1, .may_crash = RH_ACTORS(office))
{
    rh_observe(hall);
    rh_ref o = rh_spawn(office, .forgets = rh_bug("forgets"));
    for (int i = 1; i <= rh_param("customers", 2); i++)
        rh_spawn(customer, .office = o, .number = i);
}
RH_MAIN()
