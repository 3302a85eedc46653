/* No seat is sold twice, and everybody gets a seat as long as there are any. */
#include <rehearse/test.h>
#include <stdio.h>

#include "tickets.h"

enum { MOST_SEATS = 16 };

RH_PARAM(clerks, "2", "how many clerks there are, with one customer each");
RH_PARAM(seats, "2", "how many seats there are");
RH_BUG(check_then_act, "a clerk sells a seat that was free when it looked");

RH_MONITOR(one_each, int sales[MOST_SEATS + 1];);
RH_HANDLER(one_each, sold)
{
    rh_assert(++state->sales[msg->seat] == 1, "seat %d is sold twice", msg->seat);
}
RH_BEHAVIOUR(one_each, watching, sold);

/* Each operation on the table is a step, even inside a handler, as on threads. */
RH_TEST(a_seat_is_sold_once, .granularity = RH_GRAIN_OBJECT)
{
    int seats = (int)rh_param("seats", 2);
    rh_assert(seats >= 0 && seats <= MOST_SEATS, "0 to %d seats, not %d", MOST_SEATS, seats);
    rh_observe(one_each);
    for (int64_t i = 1; i <= rh_param("clerks", 2); i++) {
        char name[32];
        snprintf(name, sizeof name, "customer %d", (int)i);
        rh_ref c = rh_spawn(clerk, .seats = seats, .checks_first = rh_bug("check_then_act"));
        rh_send_from(rh_external(name), c, buy);
    }
}

RH_MAIN()
