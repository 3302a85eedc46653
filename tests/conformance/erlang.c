/* Erlang's rules for exits, links, monitors, names and kill, case by case, in both worlds.  Each case cites the
 * sentence of Erlang's documentation (OTP 25: reference manual, Processes; module erlang) that it checks.
 * tests/third_party/erlang.sh runs the same cases in a real Erlang, where one is installed, and compares the outcomes:
 * it reads the names and outcomes below, and erlang.escript has the programs.
 *
 *     here                        Erlang
 *     rh_kill(who, reason)        exit(Pid, Reason)
 *     rh_exit(reason)             exit(Reason)
 *     rh_trap_exits(true)         process_flag(trap_exit, true)
 *     rh_exited, rh_down          {'EXIT', Pid, Reason}, {'DOWN', Ref, process, Pid, Reason}
 *     rh_register returns false   register raises badarg
 *
 * Where we differ on purpose, the case is marked OURS, and the comment says why. */
#include "conformance/support/harness.h"

RH_MESSAGE(die, char reason[16];);
RH_MESSAGE(join, rh_ref who; bool off;);
RH_MESSAGE(trap, bool yes;);
RH_MESSAGE(ping);
RH_MESSAGE(pong);
RH_MESSAGE(told, char reason[16];);

/* Does as it is told, and tells its creator of exit signals that became messages. */
RH_PROCESS(victim, rh_ref creator; bool traps;);
RH_BODY(victim)
{
    rh_trap_exits(state->traps);
    for (;;) {
        const struct rh_envelope *e = rh_receive_any(.types = RH_TYPES(die, join, trap, ping, rh_exited), .idle = true);
        if (rh_as(e, die))
            rh_exit(rh_as(e, die)->reason);
        if (rh_as(e, join) && !rh_as(e, join)->off)
            rh_link(rh_as(e, join)->who);
        if (rh_as(e, join) && rh_as(e, join)->off)
            rh_unlink(rh_as(e, join)->who);
        if (rh_as(e, trap))
            rh_trap_exits(rh_as(e, trap)->yes);
        if (rh_as(e, rh_exited)) {
            struct told t = { 0 };
            snprintf(t.reason, sizeof t.reason, "%.15s", rh_as(e, rh_exited)->reason);
            rh_send_value(state->creator, told, &t);
        } else {
            rh_reply(pong);
        }
    }
}

static rh_ref start(bool traps)
{
    rh_ref v = rh_spawn_monitor(victim, .creator = rh_self(), .traps = traps);
    rh_ask(v, ping, pong); /* it has set its flag */
    return v;
}

static void say_end(void)
{
    const struct rh_envelope *e = rh_receive_any(.types = RH_TYPES(rh_down, told));
    if (rh_as(e, rh_down))
        say("down %s", rh_as(e, rh_down)->reason);
    else
        say("told %s", rh_as(e, told)->reason);
}

static void let_die(rh_ref who, const char *reason)
{
    struct die order = { 0 };
    snprintf(order.reason, sizeof order.reason, "%s", reason);
    rh_send_value(who, die, &order);
}

static void say_alive(rh_ref who)
{
    say(rh_ask(who, ping, pong) ? "alive" : "no answer");
}

/* Ends what a case has started, so that the runtime comes to rest. */
static void sweep(rh_ref who)
{
    rh_demonitor(who);
    rh_kill(who, "kill");
}

#define CASE(name, ...)                                                                                                \
    RH_PROCESS(name);                                                                                                  \
    PROGRAM(name##_, .allowed = { #name "#1: " __VA_ARGS__ })                                                          \
    {                                                                                                                  \
        rh_spawn(name);                                                                                                \
    }                                                                                                                  \
    RH_BODY(name)

/* ---- exit signals: exit/2 ---------------------------------------------------------------------------------------- */

/* "If Pid is not trapping exits, Pid itself exits with exit reason Reason." */
CASE(a_signal_ends_one_that_does_not_trap, "down boom")
{
    rh_kill(start(false), "boom");
    say_end();
}

/* "If Pid is trapping exits, the exit signal is transformed into a message {'EXIT', From, Reason}." */
CASE(a_signal_is_a_message_to_one_that_traps, "told boom alive")
{
    rh_ref v = start(true);
    rh_kill(v, "boom");
    say_end();
    say_alive(v);
    sweep(v);
}

/* "If Reason is the atom normal, Pid does not exit." */
CASE(a_normal_signal_does_nothing, "alive")
{
    rh_ref v = start(false);
    rh_kill(v, "normal");
    say_alive(v);
    sweep(v);
}

/* "If Pid is trapping exits, the exit signal is transformed into a message": also with reason normal. */
CASE(a_normal_signal_is_a_message_to_one_that_traps, "told normal alive")
{
    rh_ref v = start(true);
    rh_kill(v, "normal");
    say_end();
    say_alive(v);
    sweep(v);
}

/* "If Reason is the atom kill, ... an untrappable exit signal is sent to the process, which unconditionally exits with
 * exit reason killed." */
CASE(a_kill_ends_with_killed, "down killed")
{
    rh_kill(start(false), "kill");
    say_end();
}
CASE(a_kill_ends_one_that_traps, "down killed")
{
    rh_kill(start(true), "kill");
    say_end();
}

/* "The exit reason is changed from kill to killed to hint to linked processes that the killed process got killed." */
CASE(one_that_is_linked_to_a_killed_one_ends_with_killed, "down killed down killed")
{
    rh_ref v = start(false), other = start(false);
    rh_ask(other, join, pong, .who = v);
    rh_kill(v, "kill");
    say_end();
    say_end();
}
CASE(one_that_traps_is_told_of_a_killed_one, "told killed alive")
{
    rh_ref v = start(false), other = start(true);
    rh_ask(other, join, pong, .who = v);
    rh_demonitor(v);
    rh_kill(v, "kill");
    say_end();
    say_alive(other);
    sweep(other);
}

/* A link signal with reason kill, of one that has called exit(kill), is an ordinary one: "kill" is special to exit/2
 * alone. */
CASE(an_exit_with_reason_kill_is_trapped_by_those_linked, "told kill alive")
{
    rh_ref v = start(false), other = start(true);
    rh_ask(other, join, pong, .who = v);
    rh_demonitor(v);
    let_die(v, "kill");
    say_end();
    say_alive(other);
    sweep(other);
}
CASE(an_exit_with_reason_kill_ends_those_linked_with_kill, "down kill")
{
    rh_ref v = start(false), other = start(false);
    rh_ask(other, join, pong, .who = v);
    rh_demonitor(v);
    let_die(v, "kill");
    say_end();
}

/* ---- links ------------------------------------------------------------------------------------------------------- */

/* "If a process P1 is linked to P2 and P1 terminates with reason other than normal, P2 terminates, too." */
CASE(an_abnormal_end_ends_those_linked, "down broken")
{
    rh_ref v = start(false), other = start(false);
    rh_ask(other, join, pong, .who = v);
    rh_demonitor(v);
    let_die(v, "broken");
    say_end();
}

/* "Links are bidirectional": it does not matter who has linked. */
CASE(a_link_works_both_ways, "down broken")
{
    rh_ref v = start(false), other = start(false);
    rh_ask(v, join, pong, .who = other);
    rh_demonitor(v);
    let_die(v, "broken");
    say_end();
}

/* "The default behaviour ... is ignored if the exit reason is normal." */
CASE(a_normal_end_does_not_end_those_linked, "down normal alive")
{
    rh_ref v = start(false), other = start(false);
    rh_ask(other, join, pong, .who = v);
    let_die(v, "normal");
    say_end();
    say_alive(other);
    sweep(other);
}
CASE(one_that_traps_is_told_of_a_normal_end, "told normal")
{
    rh_ref v = start(false), other = start(true);
    rh_ask(other, join, pong, .who = v);
    rh_demonitor(v);
    let_die(v, "normal");
    say_end();
    sweep(other);
}

/* "shutdown" is a reason like any other to a link. */
CASE(a_shutdown_ends_those_linked, "down shutdown")
{
    rh_ref v = start(false), other = start(false);
    rh_ask(other, join, pong, .who = v);
    rh_demonitor(v);
    let_die(v, "shutdown");
    say_end();
}

/* "unlink(Id): once it has returned, ... no exit signal from the link will arrive." */
CASE(an_unlinked_one_goes_on, "down broken alive")
{
    rh_ref v = start(false), other = start(false);
    rh_ask(other, join, pong, .who = v);
    rh_ask(other, join, pong, .who = v, .off = true);
    let_die(v, "broken");
    say_end();
    say_alive(other);
    sweep(other);
}

/* "If the link already exists, there is one link only": one unlink takes it away. */
CASE(linking_twice_is_one_link, "down broken alive")
{
    rh_ref v = start(false), other = start(false);
    rh_ask(other, join, pong, .who = v);
    rh_ask(other, join, pong, .who = v);
    rh_ask(other, join, pong, .who = v, .off = true);
    let_die(v, "broken");
    say_end();
    say_alive(other);
    sweep(other);
}

/* "If the process does not exist, ... an exit signal with reason noproc." */
CASE(linking_to_one_that_has_ended_gives_noproc, "down gone told noproc")
{
    rh_ref v = start(false), other = start(true);
    let_die(v, "gone");
    say_end();
    rh_send(other, join, .who = v);
    say_end();
    sweep(other);
}
CASE(linking_to_one_that_has_ended_ends_one_that_does_not_trap, "down gone down noproc")
{
    rh_ref v = start(false), other = start(false);
    let_die(v, "gone");
    say_end();
    rh_send(other, join, .who = v);
    say_end();
}

/* ---- monitors ---------------------------------------------------------------------------------------------------- */

/* "A 'DOWN' message is sent to the monitoring process if the monitored item dies." */
CASE(a_monitor_is_told_the_reason, "down why")
{
    let_die(start(false), "why");
    say_end();
}

/* "If the monitored process does not exist, the 'DOWN' message is sent immediately", with noproc. */
CASE(monitoring_one_that_has_ended_gives_noproc, "down why down noproc")
{
    rh_ref v = start(false);
    let_die(v, "why");
    say_end();
    rh_monitor(v);
    say_end();
}

/* "demonitor(Ref, [flush])": no 'DOWN' message arrives afterwards. */
CASE(after_demonitor_nothing_arrives, "nothing")
{
    rh_ref v = start(false);
    rh_demonitor(v);
    let_die(v, "normal");
    rh_ref w = start(false); /* by now the first one has ended, or will */
    sweep(w);
    say(rh_receive_any(.types = RH_TYPES(rh_down), .timeout_ms = RH_POLL) ? "down" : "nothing");
}

/* Monitors do not end anybody. */
CASE(one_that_monitors_goes_on, "down boom alive")
{
    rh_ref v = start(false), other = start(false);
    rh_kill(v, "boom");
    say_end();
    say_alive(other);
    sweep(other);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* "register: failure badarg if PidOrPort is not an existing ... process." */
CASE(one_that_has_ended_gets_no_name, "down gone refused")
{
    rh_ref v = start(false);
    let_die(v, "gone");
    say_end();
    say(rh_register("erlang rules 1", v) ? "registered" : "refused");
}

/* "... if RegName is already in use." */
CASE(a_name_that_is_taken_is_refused, "registered refused")
{
    rh_ref v = start(false), other = start(false);
    say(rh_register("erlang rules 2", v) ? "registered" : "refused");
    say(rh_register("erlang rules 2", other) ? "registered" : "refused");
    sweep(v);
    sweep(other);
}

/* "The registered name is unregistered automatically when the process terminates." */
CASE(the_name_of_one_that_ends_is_free, "registered down gone nobody registered")
{
    rh_ref v = start(false), other = start(false);
    say(rh_register("erlang rules 3", v) ? "registered" : "refused");
    let_die(v, "gone");
    say_end();
    say(rh_is_nobody(rh_whereis("erlang rules 3")) ? "nobody" : "somebody");
    say(rh_register("erlang rules 3", other) ? "registered" : "refused");
    sweep(other);
}

/* "unregister: failure badarg if RegName is not a registered name." */
CASE(an_unknown_name_cannot_be_removed, "refused")
{
    say(rh_unregister("erlang rules 4") ? "removed" : "refused");
}

/* "RegName ! Msg: badarg if the name is not registered." */
CASE(a_send_to_an_unknown_name_is_refused, "refused")
{
    say(rh_send_to_name("erlang rules 5", ping) ? "sent" : "refused");
}

/* "A message sent to a pid that does not exist is lost"; the sender goes on. */
CASE(a_message_to_one_that_has_ended_is_lost, "down gone on")
{
    rh_ref v = start(false);
    let_die(v, "gone");
    say_end();
    rh_send(v, ping);
    say("on");
}

MAIN()
