/* Two neighbours may fail: the value is not lost. */
#include <rehearse/test.h>

#include "own_delaying.h"

RH_BUG(careless, "a server gives its neighbour what it has, also if it has nothing");

RH_TEST(two_failures_lose_nothing)
{
    rh_ref k = rh_spawn(keeper), s[SERVERS];
    for (int i = 0; i < SERVERS; i++)
        s[i] = rh_spawn(server, .keeper = k, .careful = !rh_bug("careless"));
    for (int i = 0; i < 2; i++)
        rh_send(rh_spawn(fault, .victim = s[i]), strike);
    rh_send(k, begin, .server = { s[0], s[1], s[2], s[3] });
}

RH_MAIN()
