/* External senders: a user, a device, another system.  In a program of their own, so that in production it is the first
 * runtime of the process that meets them. */
#include "conformance/support/harness.h"

RH_MESSAGE(number, int value;);
RH_MESSAGE(answer, int value;);
RH_MESSAGE(go);

RH_ACTOR(door);
RH_HANDLER(door, number)
{
    say("%d from %s", msg->value, rh_name(rh_sender()));
    rh_reply(answer, .value = 1); /* what the environment is told is of no consequence */
}
RH_BEHAVIOUR(door, open, number);
PROGRAM(external_senders_have_names_and_no_common_order,
        .allowed = { "door#1: 1 from ann 2 from ann 3 from ben", "door#1: 1 from ann 3 from ben 2 from ann",
                     "door#1: 3 from ben 1 from ann 2 from ann" })
{
    rh_ref d = rh_spawn(door);
    rh_send_from(rh_external("ann"), d, number, .value = 1);
    rh_send_from(rh_external("ann"), d, number, .value = 2);
    rh_send_from(rh_external("ben"), d, number, .value = 3);
}

RH_ACTOR(porter);
RH_HANDLER(porter, go)
{
    rh_ref ann = rh_external("ann"), ben = rh_external("ben");
    say("%d %d %d", rh_same(rh_sender(), ann), rh_same(rh_sender(), ben), rh_same(ann, rh_external("ann")));
    rh_send(ann, number, .value = 1);
    rh_send(ben, number, .value = 2);
    say("%s", rh_name(ben));
}
RH_BEHAVIOUR(porter, open, go);
PROGRAM(the_same_name_is_the_same_sender_and_may_be_sent_to, .allowed = { "porter#1: 1 0 1 ben" })
{
    rh_send_from(rh_external("ann"), rh_spawn(porter), go);
}

/* An actor may act for one as well. */
RH_ACTOR(gateway, rh_ref to;);
RH_HANDLER(gateway, number)
{
    rh_send_from(rh_external(msg->value ? "left" : "right"), state->to, number, .value = msg->value);
}
RH_BEHAVIOUR(gateway, open, number);
PROGRAM(an_actor_sends_for_external_senders,
        .allowed = { "door#1: 0 from right 1 from left", "door#1: 1 from left 0 from right" })
{
    rh_ref g = rh_spawn(gateway, .to = rh_spawn(door));
    rh_send(g, number, .value = 1);
    rh_send(g, number, .value = 0);
}

MAIN()
