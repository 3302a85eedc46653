/* Every customer is shaved or finds the room full; nobody waits for a barber who sleeps. */
#include <rehearse/test.h>

#include "barber.h"

RH_PARAM(customers, "3", "how many customers come");
RH_PARAM(chairs, "1", "how many of them can wait");
RH_BUG(lost_wakeup, "the room hears too late that the barber sleeps");
RH_BUG(eager, "the room sends a customer to a barber who is at work");

RH_TEST(nobody_is_forgotten)
{
    int64_t chairs = rh_param("chairs", 1);
    rh_assert(chairs >= 0 && chairs <= MOST_CHAIRS, "0 to %d chairs, not %d", MOST_CHAIRS, (int)chairs);
    rh_ref r = rh_spawn(room, .chairs = (int)chairs, .waits_to_hear = rh_bug("lost_wakeup"), .eager = rh_bug("eager"));
    rh_send(r, open_shop, .barber = rh_spawn(barber, .room = r, .says_so = rh_bug("lost_wakeup")));
    for (int64_t i = 0; i < rh_param("customers", 3); i++)
        rh_spawn(customer, .room = r);
}

RH_MAIN()
