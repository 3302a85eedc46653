/* After rh_unlink and rh_demonitor nothing of it arrives, not even what was under way. */
#include "conformance/support/harness.h"

RH_MESSAGE(go);
RH_MESSAGE(part);

RH_ACTOR(victim);
RH_HANDLER(victim, go)
{
    rh_exit("shutdown");
}
RH_BEHAVIOUR(victim, living, go);

enum how { TRAPS, LINKS, MONITORS };
RH_ACTOR(other, rh_ref victim; enum how how; bool parted;);
RH_HANDLER(other, go)
{
    rh_trap_exits(state->how == TRAPS);
    if (state->how == MONITORS)
        rh_monitor(state->victim);
    else
        rh_link(state->victim);
    rh_send(state->victim, go);
}
RH_HANDLER(other, part)
{
    if (state->how == MONITORS)
        rh_demonitor(state->victim);
    else
        rh_unlink(state->victim);
    say("parted");
    rh_timer("later", 10, go);
    rh_become(other, parted);
}
RH_HANDLER(other, rh_exited)
{
    say("exited");
}
RH_HANDLER(other, rh_down)
{
    say("down");
}
RH_HANDLER_AS(other, go, later)
{
    say("goes on");
}
RH_BEHAVIOUR(other, together, go, part, rh_exited, rh_down);
RH_BEHAVIOUR(other, parted, RH_ON(go, later), rh_exited, rh_down);

static void part_from_victim(enum how how)
{
    rh_ref o = rh_spawn(other, .victim = rh_spawn(victim), .how = how);
    rh_send(o, go);
    rh_send(o, part);
}

#define PARTING(name, how, told, ...)                                                                                  \
    PROGRAM(name, .semantics = { __VA_ARGS__ }, .allowed = { "other#1: parted goes on", told })                        \
    {                                                                                                                  \
        part_from_victim(how);                                                                                         \
    }
PARTING(no_rh_exited_after_unlink, TRAPS, "other#1: exited parted goes on", .model = RH_FIFO)
PARTING(no_rh_exited_after_unlink_under_causal, TRAPS, "other#1: exited parted goes on", .model = RH_CAUSAL)
PARTING(no_rh_exited_after_unlink_under_mailbox, TRAPS, NULL, .model = RH_MAILBOX)
PARTING(no_rh_exited_after_unlink_with_granularity_send, TRAPS, "other#1: exited parted goes on", .model = RH_MAILBOX,
        .granularity = RH_GRAIN_SEND)
PARTING(no_signal_after_unlink, LINKS, "", .model = RH_FIFO)
PARTING(no_signal_after_unlink_under_causal, LINKS, "", .model = RH_CAUSAL)
PARTING(no_signal_after_unlink_under_mailbox, LINKS, "", .model = RH_MAILBOX) /* a signal waits in no mailbox */
PARTING(no_signal_after_unlink_with_granularity_send, LINKS, "", .model = RH_MAILBOX, .granularity = RH_GRAIN_SEND)
PARTING(no_rh_down_after_demonitor, MONITORS, "other#1: down parted goes on", .model = RH_FIFO)
PARTING(no_rh_down_after_demonitor_under_causal, MONITORS, "other#1: down parted goes on", .model = RH_CAUSAL)
PARTING(no_rh_down_after_demonitor_under_mailbox, MONITORS, NULL, .model = RH_MAILBOX)
PARTING(no_rh_down_after_demonitor_with_granularity_send, MONITORS, "other#1: down parted goes on", .model = RH_MAILBOX,
        .granularity = RH_GRAIN_SEND)

MAIN()
