/* The token comes home, whatever the order in which passers learn their neighbours. */
#include <rehearse/test.h>

#include "threadring.h"

RH_PARAM(passers, "4", "how many passers there are in the ring");
RH_PARAM(hops, "8", "how often the token is passed on");
RH_BUG(careless, "a passer sends the token on before it knows to whom (TAP, Figure 12)");
RH_BUG(dropped, "a passer that does not know to whom drops the token (TAP's suggested fix)");

RH_TEST(the_token_comes_home)
{
    rh_spawn(coordinator, .passers = (int)rh_param("passers", 4), .hops = (int)rh_param("hops", 8),
             .careless = rh_bug("careless") || rh_bug("dropped"), .checks = rh_bug("dropped"));
}

RH_MAIN()
