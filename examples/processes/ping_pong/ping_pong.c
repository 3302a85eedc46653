/* See ping_pong.h.  A child that has ended cannot be given a name.  Nothing keeps this child from ending before its
 * parent names it: to start a process and to name it are two operations. */
#include "ping_pong.h"

RH_BODY(child)
{
    rh_send(state->parent, ping);
}

void pong(void)
{
    rh_ref c = rh_spawn(child, .parent = rh_self());
    rh_assert(rh_register("ping_pong", c), "the child cannot get its name");
    rh_receive(ping);
}
