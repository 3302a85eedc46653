/* The same election on threads: prints who leads. */
#include <rehearse/runtime.h>

#include <stdio.h>

#include "quorum.h"

RH_PROCESS(announcer);
RH_BODY(announcer)
{
    printf("%s leads\n", rh_name(rh_receive(leads)->who));
}

int main(void)
{
    struct campaign c = { .count = 5 };
    if (!rh_runtime_start(NULL))
        return 1;
    for (uint32_t i = 0; i < c.count; i++)
        c.voters[i] = rh_spawn(voter);
    rh_ref who = rh_spawn(candidate, .quorum = 3, .registrar = rh_spawn(announcer));
    rh_send_value(who, campaign, &c);
    rh_runtime_wait_quiet();
    rh_runtime_stop();
    return 0;
}
