/* No line is lost, whatever the order in which messages arrive. */
#include <rehearse/test.h>

#include "gatling.h"

RH_PARAM(actions, "2", "how many actions write at the same time");
RH_BUG(ga1, "an action reports done before its line is written (Bita, Listing 1)");

RH_TEST(a_write_is_never_lost)
{
    int actions = (int)rh_param("actions", 2);
    rh_ref w = rh_spawn(writer);
    rh_ref t = rh_spawn(terminator, .writer = w, .actions = actions);
    for (int i = 0; i < actions; i++)
        rh_send(rh_spawn(action, .writer = w, .terminator = t, .hasty = rh_bug("ga1")), execute);
}

RH_MAIN()
