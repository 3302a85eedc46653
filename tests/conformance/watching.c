/* Lives: to monitor and to link twice, again, at birth; to join; results. */
#include "conformance/support/harness.h"

RH_MESSAGE(go);
RH_MESSAGE(done);
RH_MESSAGE(never);
RH_MESSAGE(again);
RH_MESSAGE(total, int sum; int of[3];);

static void say_down(const struct rh_down *d)
{
    say("%s", d ? d->reason : "none");
}

/* Ends as soon as it is told. */
RH_ACTOR(mortal);
RH_HANDLER(mortal, go)
{
    rh_exit("shutdown");
}
RH_BEHAVIOUR(mortal, open, go);

/* Says when another has ended. */
RH_PROCESS(usher, rh_ref of; rh_ref to;);
RH_BODY(usher)
{
    rh_join(state->of);
    rh_send(state->to, again);
}

/* ---- monitors ---------------------------------------------------------------------------------------------------- */
RH_PROCESS(eager, bool late;);
RH_BODY(eager)
{
    rh_ref m = rh_spawn_monitor(mortal);
    if (state->late) {
        rh_send(m, go);
        say_down(rh_receive(rh_down));
    }
    rh_monitor(m);
    rh_monitor(m);
    if (!state->late)
        rh_send(m, go);
    say_down(rh_receive(rh_down));
    say_down(rh_receive(rh_down, .timeout_ms = 1));
}
PROGRAM(one_that_monitors_twice_is_told_once, .semantics.time = RH_TIME_ORDERED, .production_runs = 10,
        .allowed = { "eager#1: shutdown none" })
{
    rh_spawn(eager);
}
PROGRAM(one_that_monitors_an_ended_one_twice_is_told_once, .semantics.time = RH_TIME_ORDERED, .production_runs = 10,
        .allowed = { "eager#1: shutdown noproc none" })
{
    rh_spawn(eager, .late = true);
}

/* The first rh_down is under way when it monitors again. */
RH_PROCESS(forgetful, bool links;);
RH_BODY(forgetful)
{
    rh_ref m = rh_spawn(mortal);
    rh_trap_exits(true);
    if (state->links)
        rh_link(m);
    else
        rh_monitor(m);
    rh_send(m, go);
    rh_spawn(usher, .of = m, .to = self);
    rh_receive(again);
    if (state->links) {
        rh_unlink(m);
        rh_link(m);
        say("%s", rh_receive(rh_exited)->reason);
    } else {
        rh_demonitor(m);
        rh_monitor(m);
        say_down(rh_receive(rh_down));
    }
}
PROGRAM(a_monitor_taken_back_does_not_speak_for_the_next, .allowed = { "forgetful#1: noproc" })
{
    rh_spawn(forgetful);
}
PROGRAM(a_link_taken_back_does_not_speak_for_the_next, .allowed = { "forgetful#1: noproc" })
{
    rh_spawn(forgetful, .links = true);
}

/* Kill, monitor and alive in one handler: the end comes before, between or behind them, and all three agree on it. */
RH_ACTOR(killer, rh_ref victim;);
RH_HANDLER(killer, go)
{
    rh_kill(state->victim, "shutdown");
    rh_monitor(state->victim);
    say("%d", rh_alive(state->victim));
}
RH_HANDLER(killer, rh_down)
{
    say("%s", msg->reason);
}
RH_BEHAVIOUR(killer, open, go, rh_down);
RH_PROCESS(victim);
RH_BODY(victim)
{
    rh_send(rh_spawn(killer, .victim = self), go);
    rh_receive(never, .idle = true);
}
PROGRAM(an_end_has_one_place_among_the_operations_on_a_life, .semantics.granularity = RH_GRAIN_OBJECT,
        .allowed = { "victim#1/killer#1: 1 shutdown", "victim#1/killer#1: 0 shutdown", "victim#1/killer#1: 0 noproc" })
{
    rh_spawn(victim);
}

/* ---- spawn and watch --------------------------------------------------------------------------------------------- */
RH_PROCESS(brief, int how;);
RH_BODY(brief)
{
    if (state->how == 1)
        rh_exit("broken");
    if (state->how == 2)
        rh_return(total, .sum = 6, .of = { 1, 2, 3 });
}
RH_PROCESS(parent, int how; bool links;);
RH_BODY(parent)
{
    rh_trap_exits(true);
    if (state->links) {
        rh_ref b = rh_spawn_link(brief, .how = state->how);
        const struct rh_exited *e = rh_receive(rh_exited);
        say("%s %s", rh_same(e->who, b) ? "its" : "another's", e->reason);
    } else {
        rh_spawn_monitor(brief, .how = state->how);
        say_down(rh_receive(rh_down));
    }
}
PROGRAM(one_that_monitors_from_birth_is_told_why, .semantics.granularity = RH_GRAIN_OBJECT,
        .allowed = { "parent#1: broken" })
{
    rh_spawn(parent, .how = 1);
}
PROGRAM(one_that_links_from_birth_is_told_why, .semantics.granularity = RH_GRAIN_OBJECT,
        .allowed = { "parent#1: its broken" })
{
    rh_spawn(parent, .how = 1, .links = true);
}
PROGRAM(a_normal_end_is_told_to_one_that_links_from_birth, .semantics.granularity = RH_GRAIN_OBJECT,
        .allowed = { "parent#1: its normal" })
{
    rh_spawn(parent, .links = true);
}

/* A link from birth goes both ways. */
RH_PROCESS(lodger, rh_ref witness;);
RH_BODY(lodger)
{
    rh_send_value(state->witness, done, &(struct done){ 0 });
    rh_receive(never);
}
RH_PROCESS(landlord, rh_ref witness;);
RH_BODY(landlord)
{
    rh_spawn_link(lodger, .witness = state->witness);
    rh_receive(go);
    rh_exit("moved");
}
RH_PROCESS(witness);
RH_BODY(witness)
{
    rh_ref l = rh_spawn_monitor(landlord, .witness = self);
    rh_receive(done);
    rh_ref lodging = rh_sender();
    rh_monitor(lodging);
    rh_send(l, go);
    say_down(rh_receive(rh_down, .from = lodging));
    say_down(rh_receive(rh_down, .from = l));
}
PROGRAM(a_link_from_birth_goes_both_ways, .allowed = { "witness#1: moved moved" })
{
    rh_spawn(witness);
}

/* ---- join and results -------------------------------------------------------------------------------------------- */
RH_PROCESS(joiner, int how; bool watches; bool early;);
RH_BODY(joiner)
{
    rh_ref b = state->watches ? rh_spawn_monitor(brief, .how = state->how) : rh_spawn(brief, .how = state->how);
    if (!state->early) {
        rh_spawn(usher, .of = b, .to = self);
        rh_receive(again);
    }
    const struct rh_down *end = rh_join(b);
    const struct total *t = rh_result(end, total);
    if (t)
        say("%s %d %d", end->reason, t->sum, t->of[2]);
    else
        say("%s none", end->reason);
    if (rh_result(end, done))
        say("of the wrong type");
    struct rh_down copy = *end;
    if (rh_result(&copy, total))
        say("of a copy");
}
PROGRAM(a_join_gives_the_result, .semantics.granularity = RH_GRAIN_OBJECT, .allowed = { "joiner#1: normal 6 3" })
{
    rh_spawn(joiner, .how = 2, .watches = true, .early = true);
}
PROGRAM(a_join_long_after_the_end_gives_the_result, .allowed = { "joiner#1: normal 6 3" })
{
    rh_spawn(joiner, .how = 2, .watches = true);
}
PROGRAM(a_join_gives_the_reason, .semantics.granularity = RH_GRAIN_OBJECT, .allowed = { "joiner#1: broken none" })
{
    rh_spawn(joiner, .how = 1, .watches = true, .early = true);
}
PROGRAM(a_join_of_one_not_monitored_may_come_too_late, .semantics.granularity = RH_GRAIN_OBJECT,
        .allowed = { "joiner#1: normal 6 3", "joiner#1: noproc none" })
{
    rh_spawn(joiner, .how = 2, .early = true);
}

RH_PROCESS(slow);
RH_BODY(slow)
{
    rh_receive(go);
    rh_return(total, .sum = 7);
}
RH_PROCESS(impatient);
RH_BODY(impatient)
{
    rh_ref s = rh_spawn_monitor(slow);
    say_down(rh_join_within(1, s));
    say_down(rh_join_within(RH_POLL, s));
    rh_send(s, go);
    say("%d", rh_result(rh_join(s), total)->sum);
}
PROGRAM(one_that_joins_in_vain_may_join_again, .production_runs = 10, .allowed = { "impatient#1: none none 7" })
{
    rh_spawn(impatient);
}

/* An actor leaves a result, too, and one that handles rh_down may read it. */
RH_ACTOR(adder, int sum;);
RH_HANDLER(adder, go)
{
    state->sum += 2;
}
RH_HANDLER(adder, done)
{
    struct total t = { .sum = state->sum };
    rh_return_value(total, &t);
}
RH_BEHAVIOUR(adder, open, go, done);
RH_ACTOR(client);
RH_HANDLER(client, rh_start)
{
    rh_ref a = rh_spawn_monitor(adder);
    rh_send(a, go);
    rh_send(a, go);
    rh_send(a, done);
}
RH_HANDLER(client, rh_down)
{
    say("%d", rh_result(msg, total)->sum);
}
RH_BEHAVIOUR(client, open, rh_start, rh_down);
PROGRAM(an_actor_leaves_a_result_to_a_handler, .allowed = { "client#1: 4" })
{
    rh_spawn(client);
}

/* ---- send by name ------------------------------------------------------------------------------------------------ */
RH_ACTOR(sink);
RH_HANDLER(sink, go)
{
    say("goes");
}
RH_HANDLER(sink, done)
{
    rh_stop();
}
RH_BEHAVIOUR(sink, open, go, done);
RH_PROCESS(caller);
RH_BODY(caller)
{
    say("%d", rh_send_to_name("sink", go));
    rh_ref s = rh_spawn_monitor(sink);
    rh_register("sink", s);
    say("%d", rh_send_to_name("sink", go));
    say("%d", rh_send_to_name("sink", done));
    rh_join(s);
    say("%d", rh_send_to_name("sink", go));
}
PROGRAM(a_send_by_name_says_whether_somebody_has_it, .allowed = { "caller#1: 0 1 1 0 | caller#1/sink#1: goes" })
{
    rh_spawn(caller);
}
PROGRAM(a_send_by_name_may_come_from_outside, .allowed = { "sink#1: goes" })
{
    rh_register("sink", rh_spawn(sink));
    rh_send_to_name("sink", go);
}

/* The name and the send are one step: it is not unregistered in between, to be sent to nobody. */
RH_PROCESS(hasty);
RH_BODY(hasty)
{
    say("%s", rh_send_to_name("sink", go) ? "sent" : "nobody");
}
RH_PROCESS(remover);
RH_BODY(remover)
{
    rh_unregister("sink");
}
PROGRAM(a_send_by_name_is_one_step, .semantics.granularity = RH_GRAIN_OBJECT,
        .allowed = { "hasty#1: sent | sink#1: goes", "hasty#1: nobody" })
{
    rh_register("sink", rh_spawn(sink));
    rh_spawn(hasty);
    rh_spawn(remover);
}

MAIN()
