/* Links, monitors and exit signals. */
#include "conformance/support/harness.h"

RH_MESSAGE(go);
RH_MESSAGE(die, char reason[16];);
RH_MESSAGE(join, rh_ref who;);
RH_MESSAGE(part, rh_ref who;);
RH_MESSAGE(joined);

/* Ends as it is told, links as it is told, and answers when it has. */
RH_ACTOR(member, bool traps;);
RH_HANDLER(member, die)
{
    rh_exit(msg->reason);
}
RH_HANDLER(member, join)
{
    rh_trap_exits(state->traps);
    rh_link(msg->who);
    rh_reply(joined);
}
RH_HANDLER(member, part)
{
    rh_unlink(msg->who);
    rh_reply(joined);
}
RH_HANDLER(member, rh_exited)
{
    say("%s ended: %s", rh_name(msg->who), msg->reason);
}
RH_HANDLER(member, go)
{
    say("goes on");
    rh_reply(joined);
}
RH_BEHAVIOUR(member, open, die, join, part, rh_exited, go);

static void say_down(const struct rh_down *d, rh_ref who)
{
    if (d)
        say("%s %s", rh_same(d->who, who) ? "down" : "another", d->reason);
    else
        say("none");
}

/* ---- links ------------------------------------------------------------------------------------------------------- */
RH_PROCESS(witness, bool reverse; char reason[16];);
RH_BODY(witness)
{
    rh_ref a = rh_spawn(member), b = rh_spawn(member);
    rh_monitor(a);
    rh_monitor(b);
    rh_ask(a, join, joined, .who = b);
    struct die order;
    memcpy(order.reason, state->reason, sizeof order.reason);
    rh_send_(state->reverse ? a : b, &rh_message_die, &order, NULL, 0, RH_HERE);
    say_down(rh_receive(rh_down, .from = a), a);
    say_down(rh_receive(rh_down, .from = b), b);
}
PROGRAM(when_one_ends_abnormally_so_does_the_one_that_linked, .allowed = { "witness#1: down broken down broken" })
{
    rh_spawn(witness, .reason = "broken");
}
PROGRAM(when_one_ends_abnormally_so_does_the_one_that_was_linked_to,
        .allowed = { "witness#1: down broken down broken" })
{
    rh_spawn(witness, .reason = "broken", .reverse = true);
}

RH_PROCESS(gentle, bool unlinked; char reason[16];);
RH_BODY(gentle)
{
    rh_ref a = rh_spawn(member), b = rh_spawn(member);
    rh_monitor(b);
    rh_ask(a, join, joined, .who = b);
    if (state->unlinked)
        rh_ask(a, part, joined, .who = b);
    struct die order;
    memcpy(order.reason, state->reason, sizeof order.reason);
    rh_send_(b, &rh_message_die, &order, NULL, 0, RH_HERE);
    say_down(rh_receive(rh_down), b);
    rh_sleep(1);
    rh_ask(a, go, joined);
}
PROGRAM(a_normal_end_does_not_end_others, .production_runs = 10,
        .allowed = { "gentle#1: down normal | gentle#1/member#1: goes on" })
{
    rh_spawn(gentle, .reason = "normal");
}
PROGRAM(an_unlinked_one_goes_on, .production_runs = 10,
        .allowed = { "gentle#1: down broken | gentle#1/member#1: goes on" })
{
    rh_spawn(gentle, .reason = "broken", .unlinked = true);
}

/* The other ends while this one is still in its handler: the link is gone before its end is taken. */
RH_ACTOR(fickle, rh_ref partner;);
RH_HANDLER(fickle, join)
{
    state->partner = msg->who;
    rh_link(state->partner);
    rh_send(state->partner, die, .reason = "broken");
    for (volatile int i = 0; i < 100000; i++)
        ;
    rh_unlink(state->partner);
    say("unlinks");
}
RH_HANDLER(fickle, go)
{
    say("goes on");
}
RH_BEHAVIOUR(fickle, open, join, go);
RH_PROCESS(matchmaker);
RH_BODY(matchmaker)
{
    rh_ref f = rh_spawn(fickle), m = rh_spawn(member);
    rh_monitor(m);
    rh_send(f, join, .who = m);
    say_down(rh_receive(rh_down), m);
    rh_send(f, go);
}
PROGRAM(an_end_after_unlink_does_no_harm,
        .allowed = { "matchmaker#1: down broken | matchmaker#1/fickle#1: unlinks goes on" })
{
    rh_spawn(matchmaker);
}

RH_ACTOR(divorced);
RH_HANDLER(divorced, join)
{
    rh_link(msg->who);
    rh_unlink(msg->who);
    rh_send(msg->who, die, .reason = "broken");
}
RH_BEHAVIOUR(divorced, open, join);
PROGRAM(an_abnormal_end_after_unlink_is_told_to_nobody, .failure_text = { "broken" }, .allowed = { "! exit member#1" })
{
    rh_send(rh_spawn(divorced), join, .who = rh_spawn(member));
}

RH_PROCESS(chained);
RH_BODY(chained)
{
    rh_ref a = rh_spawn(member), b = rh_spawn(member), c = rh_spawn(member);
    rh_monitor(c);
    rh_ask(a, join, joined, .who = b);
    rh_ask(b, join, joined, .who = c);
    rh_send(a, die, .reason = "fire");
    say_down(rh_receive(rh_down), c);
}
PROGRAM(an_exit_goes_along_a_chain_of_links, .allowed = { "chained#1: down fire" })
{
    rh_spawn(chained);
}

/* ---- trapping ---------------------------------------------------------------------------------------------------- */
RH_PROCESS(guarded, char reason[16];);
RH_BODY(guarded)
{
    rh_ref a = rh_spawn(member);
    rh_trap_exits(true);
    rh_link(a);
    struct die order;
    memcpy(order.reason, state->reason, sizeof order.reason);
    rh_send_(a, &rh_message_die, &order, NULL, 0, RH_HERE);
    const struct rh_exited *e = rh_receive(rh_exited);
    say("%s %s from %s", rh_same(e->who, a) ? "its" : "another's", e->reason,
        rh_same(rh_sender(), a) ? "it" : "another");
    rh_trap_exits(false);
    rh_link(rh_spawn(member));
    say("lives");
}
PROGRAM(one_that_traps_exits_is_told, .allowed = { "guarded#1: its broken from it lives" })
{
    rh_spawn(guarded, .reason = "broken");
}
PROGRAM(one_that_traps_exits_is_told_of_normal_ends_too, .allowed = { "guarded#1: its normal from it lives" })
{
    rh_spawn(guarded, .reason = "normal");
}
PROGRAM(the_reason_kill_is_nothing_special_from_a_link, .allowed = { "guarded#1: its kill from it lives" })
{
    rh_spawn(guarded, .reason = "kill");
}

RH_PROCESS(pair);
RH_BODY(pair)
{
    rh_ref a = rh_spawn(member, .traps = true), b = rh_spawn(member);
    rh_monitor(b);
    rh_ask(a, join, joined, .who = b);
    rh_send(b, die, .reason = "broken");
    say_down(rh_receive(rh_down), b);
}
PROGRAM(a_trapped_exit_is_a_message,
        .allowed = { "pair#1: down broken | pair#1/member#1: pair#1/member#2 ended: broken" })
{
    rh_spawn(pair);
}

/* ---- monitors ---------------------------------------------------------------------------------------------------- */
RH_PROCESS(watcher, char reason[16];);
RH_BODY(watcher)
{
    rh_ref a = rh_spawn(member);
    rh_monitor(a);
    struct die order;
    memcpy(order.reason, state->reason, sizeof order.reason);
    rh_send_(a, &rh_message_die, &order, NULL, 0, RH_HERE);
    say_down(rh_receive(rh_down), a);
    rh_monitor(a);
    say_down(rh_receive(rh_down), a);
    say_down(rh_receive(rh_down, .timeout_ms = RH_POLL), a);
}
PROGRAM(a_monitor_is_told_how_the_other_ended, .allowed = { "watcher#1: down normal down noproc none" })
{
    rh_spawn(watcher, .reason = "normal");
}
PROGRAM(a_monitor_is_told_and_goes_on, .allowed = { "watcher#1: down broken down noproc none" })
{
    rh_spawn(watcher, .reason = "broken");
}

RH_PROCESS(indifferent);
RH_BODY(indifferent)
{
    rh_ref a = rh_spawn(member), b = rh_spawn(member);
    rh_monitor(a);
    rh_monitor(b);
    rh_demonitor(a);
    rh_send(a, die, .reason = "normal");
    rh_send(b, die, .reason = "normal");
    say_down(rh_receive(rh_down), b);
    say_down(rh_receive(rh_down, .timeout_ms = 2), b);
}
PROGRAM(one_that_monitors_no_more_is_not_told, .production_runs = 10, .allowed = { "indifferent#1: down normal none" })
{
    rh_spawn(indifferent);
}

RH_PROCESS(other_watcher, rh_ref of; rh_ref then;);
RH_BODY(other_watcher)
{
    rh_monitor(state->of);
    rh_send(state->then, go);
    say_down(rh_receive(rh_down), state->of);
}
RH_PROCESS(watched, int watchers;);
RH_BODY(watched)
{
    rh_spawn(other_watcher, .of = self, .then = self);
    rh_spawn(other_watcher, .of = self, .then = self);
    rh_receive(go);
    rh_receive(go);
}
PROGRAM(all_who_monitor_are_told,
        .allowed = { "watched#1/other_watcher#1: down normal | watched#1/other_watcher#2: down normal" })
{
    rh_spawn(watched);
}

/* ---- those that have ended --------------------------------------------------------------------------------------- */
RH_PROCESS(clinging, bool traps;);
RH_BODY(clinging)
{
    rh_ref a = rh_spawn(member);
    rh_monitor(a);
    rh_send(a, die, .reason = "normal");
    rh_receive(rh_down);
    rh_trap_exits(state->traps);
    rh_link(a);
    const struct rh_exited *e = rh_receive(rh_exited);
    say("%s %s", rh_same(e->who, a) ? "its" : "another's", e->reason);
}
RH_PROCESS(keeper, bool traps;);
RH_BODY(keeper)
{
    rh_ref c = rh_spawn(clinging, .traps = state->traps);
    rh_monitor(c);
    say_down(rh_receive(rh_down), c);
}
/* The monitor may come after the end. */
PROGRAM(a_link_to_one_that_has_ended_ends_with_noproc, .semantics.granularity = RH_GRAIN_OBJECT,
        .allowed = { "keeper#1: down noproc" })
{
    rh_spawn(keeper);
}
PROGRAM(a_trapped_link_to_one_that_has_ended_is_told_noproc, .semantics.granularity = RH_GRAIN_OBJECT,
        .allowed = { "keeper#1: down normal | keeper#1/clinging#1: its noproc",
                     "keeper#1: down noproc | keeper#1/clinging#1: its noproc" })
{
    rh_spawn(keeper, .traps = true);
}

/* ---- kill -------------------------------------------------------------------------------------------------------- */
RH_PROCESS(stubborn, bool traps;);
RH_BODY(stubborn)
{
    rh_trap_exits(state->traps);
    rh_send(rh_receive(join)->who, joined);
    for (;;) {
        const struct rh_exited *e = rh_receive(rh_exited, .idle = true);
        say("shrugs off %s", e->reason);
        rh_send(e->who, joined);
    }
}
RH_PROCESS(killer, bool traps;);
RH_BODY(killer)
{
    rh_ref s = rh_spawn(stubborn, .traps = state->traps);
    rh_monitor(s);
    rh_send(s, join, .who = self);
    rh_receive(joined);
    rh_kill(s, "please");
    if (state->traps)
        rh_receive(joined);
    rh_kill(s, "kill");
    say_down(rh_receive(rh_down), s);
}
PROGRAM(kill_cannot_be_trapped, .allowed = { "killer#1: down killed | killer#1/stubborn#1: shrugs off please" })
{
    rh_spawn(killer, .traps = true);
}
PROGRAM(the_first_of_two_kills_counts, .allowed = { "killer#1: down please" })
{
    rh_spawn(killer);
}

RH_PROCESS(partners);
RH_BODY(partners)
{
    rh_ref a = rh_spawn(member), b = rh_spawn(member);
    rh_monitor(a);
    rh_monitor(b);
    rh_ask(a, join, joined, .who = b);
    rh_kill(b, "kill");
    say_down(rh_receive(rh_down, .from = a), a);
    say_down(rh_receive(rh_down, .from = b), b);
    rh_kill(a, "kill"); /* one that has ended: nothing */
}
PROGRAM(those_linked_to_one_that_was_killed_end_as_killed, .allowed = { "partners#1: down killed down killed" })
{
    rh_spawn(partners);
}

/* Whatever it waits for. */
RH_MESSAGE(way, int number;);
RH_PROCESS(waiter, rh_ref server; int how;);
RH_BODY(waiter)
{
    int how = rh_receive(way)->number;
    rh_reply(joined);
    if (how == 1)
        rh_sleep(600000);
    else if (how == 2)
        rh_ask(state->server, way, joined);
    else if (how == 3)
        rh_receive(go, .timeout_ms = 600000);
    rh_receive(go);
    say("waits no more");
}
RH_ACTOR(napper);
RH_HANDLER(napper, way)
{
    rh_reply(joined);
    rh_sleep(600000);
    rh_receive(go);
    say("wakes");
}
RH_BEHAVIOUR(napper, open, way);
RH_ACTOR(mute);
RH_HANDLER(mute, way)
{
}
RH_BEHAVIOUR(mute, open, way);
RH_PROCESS(reaper);
RH_BODY(reaper)
{
    rh_ref m = rh_spawn(mute);
    for (int i = 0; i < 5; i++) {
        rh_ref w = i < 4 ? rh_spawn(waiter, .server = m) : rh_spawn(napper);
        rh_monitor(w);
        rh_ask(w, way, joined, .number = i);
        rh_kill(w, "enough");
        say_down(rh_receive(rh_down), w);
    }
}
PROGRAM(one_that_waits_can_be_killed,
        .allowed = { "reaper#1: down enough down enough down enough down enough down enough" })
{
    rh_spawn(reaper);
}

RH_PROCESS(dependent, rh_ref on;);
RH_BODY(dependent)
{
    rh_link(state->on);
    rh_send(state->on, die, .reason = "broken");
    rh_ask(state->on, go, joined);
    say("answered");
}
RH_PROCESS(above);
RH_BODY(above)
{
    rh_ref d = rh_spawn(dependent, .on = rh_spawn(member));
    rh_monitor(d);
    say_down(rh_receive(rh_down), d);
}
PROGRAM(one_that_asks_ends_with_a_link_of_its_own, .semantics.granularity = RH_GRAIN_OBJECT,
        .allowed = { "above#1: down broken", "above#1: down noproc" })
{
    rh_spawn(above);
}

/* A kill travels like a message: the one that is killed may still handle what came before. */
RH_ACTOR(target, rh_ref by;);
RH_HANDLER(target, go)
{
    say("goes");
}
RH_BEHAVIOUR(target, open, go);
RH_PROCESS(shooter);
RH_BODY(shooter)
{
    rh_ref t = rh_spawn(target);
    rh_monitor(t);
    rh_send(t, go);
    rh_kill(t, "shot");
    rh_send(t, go); /* is lost, or comes before the signal acts */
    say_down(rh_receive(rh_down), t);
}
PROGRAM(a_kill_travels_like_a_message,
        .allowed = { "shooter#1: down shot", "shooter#1: down shot | shooter#1/target#1: goes",
                     "shooter#1: down shot | shooter#1/target#1: goes goes" })
{
    rh_spawn(shooter);
}

MAIN()
