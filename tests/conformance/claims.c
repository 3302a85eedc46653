/* What must hold, and what is said about it: assertions, properties, announcements, logs, misuse. */
#include "conformance/support/harness.h"

RH_MESSAGE(go);
RH_MESSAGE(number, int value;);
RH_MESSAGE(paid, int amount;);

/* ---- assertions -------------------------------------------------------------------------------------------------- */
RH_ACTOR(teller, int count;);
enum { ASSERTION_LINE = __LINE__ + 4 };
RH_HANDLER(teller, number)
{
    rh_assert(msg->value >= 0);
    rh_assert(state->count + msg->value < 10, "count is %d", state->count);
    state->count += msg->value;
    say("%d", state->count);
}
RH_BEHAVIOUR(teller, open, number);
PROGRAM(assertions_that_hold_are_harmless, .allowed = { "teller#1: 3 9" })
{
    rh_ref t = rh_spawn(teller);
    rh_send(t, number, .value = 3);
    rh_send(t, number, .value = 6);
}
PROGRAM(a_failed_assertion_is_told_with_its_place_and_text, .failure_line = ASSERTION_LINE,
        .failure_text = { "count is 3", "state->count + msg->value < 10" },
        .allowed = { "teller#1: 3 ! assertion teller#1" })
{
    rh_ref t = rh_spawn(teller);
    rh_send(t, number, .value = 3);
    rh_send(t, number, .value = 7);
    rh_send(t, number, .value = 1); /* it has ended */
}
PROGRAM(a_failed_assertion_may_have_no_text, .failure_line = ASSERTION_LINE - 1, .failure_text = { "msg->value >= 0" },
        .allowed = { "! assertion teller#1" })
{
    rh_send(rh_spawn(teller), number, .value = -1);
}

/* ---- properties -------------------------------------------------------------------------------------------------- */
RH_PROCESS(claimant, bool fails;);
enum { PROPERTY_LINE = __LINE__ + 9 };
RH_BODY(claimant)
{
    rh_always("small", true);
    rh_sometimes("lucky", false);
    rh_eventually("late", false);
    rh_eventually("late", true);
    rh_cover("here");
    say("holds");
    rh_always("small", !state->fails);
    say("goes on");
}
PROGRAM(properties_that_hold_are_harmless, .allowed = { "claimant#1: holds goes on" })
{
    rh_spawn(claimant);
}
PROGRAM(an_always_property_that_fails_is_told, .failure_line = PROPERTY_LINE, .failure_text = { "small" },
        .allowed = { "claimant#1: holds ! assertion claimant#1" })
{
    rh_spawn(claimant, .fails = true);
}

/* ---- assumptions ------------------------------------------------------------------------------------------------- */
RH_PROCESS(assuming, bool holds;);
RH_BODY(assuming)
{
    say("before");
    rh_assume(state->holds);
    say("behind");
}
PROGRAM(an_assumption_that_holds_changes_nothing, .allowed = { "assuming#1: before behind" })
{
    rh_spawn(assuming, .holds = true);
}
/* Under test there is no such run; in production the assumption is nobody's business. */
RH_PROCESS(guessing);
RH_BODY(guessing)
{
    uint32_t n = rh_choose(2);
    rh_assume(n == 1);
    say("behind");
}
enum { ASSUMED_LINE = __LINE__ - 3 };
PROGRAM(an_assumption_ends_a_run_under_test_only, .failure_line = ASSUMED_LINE, .failure_text = { "assumption" },
        .allowed = { "guessing#1: behind", "! assumed away guessing#1" }, .production = { "guessing#1: behind" })
{
    rh_spawn(guessing);
}

/* ---- announcements ----------------------------------------------------------------------------------------------- */
RH_MONITOR(auditor, int sum;);
RH_HANDLER(auditor, paid)
{
    state->sum += msg->amount;
    rh_assert(state->sum <= 6, "sum is %d", state->sum);
}
RH_BEHAVIOUR(auditor, open, paid);
RH_ACTOR(payer);
RH_HANDLER(payer, number)
{
    rh_announce(paid, .amount = msg->value);
    rh_announce(go); /* nobody observes it */
    say("pays %d", msg->value);
}
RH_BEHAVIOUR(payer, open, number);
PROGRAM(announcements_disturb_nobody, .allowed = { "payer#1: pays 1 pays 2 pays 3" })
{
    rh_observe(auditor);
    rh_ref p = rh_spawn(payer);
    for (int i = 1; i <= 3; i++)
        rh_send(p, number, .value = i);
}

/* ---- log --------------------------------------------------------------------------------------------------------- */
RH_ACTOR(chatty);
RH_HANDLER(chatty, go)
{
    char text[600];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    rh_log("%d%% of %s", 100, "it");
    rh_log("%s", text);
    rh_log("%s", "");
    rh_log("say %s %d", "this", 1);
    say("that");
}
RH_BEHAVIOUR(chatty, open, go);
PROGRAM(a_log_takes_lines_of_any_length, .allowed = { "chatty#1: this 1 that" })
{
    rh_send(rh_spawn(chatty), go);
}

/* ---- misuse: told with its place, and nothing breaks ------------------------------------------------------------- */
#define MISUSE(name, text, ...)                                                                                        \
    RH_PROCESS(name);                                                                                                  \
    RH_BODY(name)                                                                                                      \
    {                                                                                                                  \
        __VA_ARGS__;                                                                                                   \
    }                                                                                                                  \
    PROGRAM(misuse_of_##name, .failure_line = __LINE__, .failure_text = { text },                                      \
            .allowed = { "! misuse " #name "#1" })                                                                     \
    {                                                                                                                  \
        rh_spawn(name);                                                                                                \
    }

MISUSE(send_to_nobody, "nobody", rh_send(rh_nobody(), go))
MISUSE(stop_of_a_process, "rh_stop", rh_stop())
MISUSE(reply_to_nothing, "rh_reply", rh_reply(go))
MISUSE(forward_of_nothing, "rh_forward", rh_forward(self))
MISUSE(ask_of_oneself, "rh_ask", (void)rh_ask(self, go, number))
MISUSE(monitor_of_nobody, "nobody", rh_monitor(rh_nobody()))
MISUSE(join_of_nobody, "nobody", (void)rh_join(rh_nobody()))
MISUSE(join_of_oneself, "rh_join", (void)rh_join(self))
MISUSE(send_to_no_name, "name", rh_send_to_name(NULL, go))
MISUSE(a_monitor_watched_from_birth, "monitor", rh_spawn_link(auditor))
MISUSE(link_with_nobody, "nobody", rh_link(rh_nobody()))
MISUSE(kill_of_nobody, "nobody", rh_kill(rh_nobody(), "kill"))
MISUSE(timer_in_the_past, "negative", rh_timer("t", -1, go))
MISUSE(choice_of_nothing, "rh_choose", rh_choose(0))
MISUSE(register_without_a_name, "name", rh_register("", self))
MISUSE(foreign_behaviour, "behaviour", rh_become(payer, open))
MISUSE(spawn_of_a_monitor, "monitor", rh_spawn(auditor))
MISUSE(a_reference_out_of_thin_air, "", rh_send(((rh_ref){ 0x7777777777u }), go))

/* The reply is of another type than was asked for. */
RH_ACTOR(obtuse);
RH_HANDLER(obtuse, go)
{
    rh_reply(go);
}
RH_BEHAVIOUR(obtuse, open, go);
RH_PROCESS(asks_for_another);
enum { WRONG_REPLY_LINE = __LINE__ + 3 };
RH_BODY(asks_for_another)
{
    const struct number *n = rh_ask(rh_spawn(obtuse), go, number);
    rh_assert(!n);
}
PROGRAM(misuse_of_a_reply_of_another_type, .failure_line = WRONG_REPLY_LINE, .failure_text = { "number", "go" },
        .allowed = { "! misuse asks_for_another#1" })
{
    rh_spawn(asks_for_another);
}

MAIN()
