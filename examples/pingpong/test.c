/* One ping at a time, however messages to the two actors are interleaved. */
#include <rehearse/test.h>

#include "pingpong.h"

RH_PARAM(n, "10", "how many pings are sent");
RH_BUG(impatient, "the pinger goes on before its ping is acknowledged");

RH_TEST(one_ping_at_a_time, .model = RH_MAILBOX)
{
    rh_ref p = rh_spawn(ponger);
    rh_send(rh_spawn(pinger, .ponger = p, .pings = (int)rh_param("n", 10), .impatient = rh_bug("impatient")), next);
}

RH_MAIN()
