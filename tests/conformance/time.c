/* Timers, sleep, the clock; choices and random values. */
#include "conformance/support/harness.h"

RH_MESSAGE(go);
RH_MESSAGE(cancel);
RH_MESSAGE(tick, int value;);
RH_MESSAGE(question);
RH_MESSAGE(answer, uint32_t value;);

/* ---- timers ------------------------------------------------------------------------------------------------------ */
RH_ACTOR(clock, int left;);
RH_HANDLER(clock, go)
{
    rh_timer("t", 1, tick, .value = 1);
    say("set");
}
RH_HANDLER(clock, tick)
{
    say("%d %s", msg->value, rh_same(rh_sender(), self) ? "own" : "another's");
    if (state->left-- > 0)
        rh_timer("t", 1, tick, .value = msg->value + 1);
}
RH_BEHAVIOUR(clock, open, go, tick);
PROGRAM(a_timer_sends_its_message_from_the_actor_itself, .production_runs = 5, .allowed = { "clock#1: set 1 own" })
{
    rh_send(rh_spawn(clock), go);
}
PROGRAM(a_timer_can_be_set_again_each_time, .production_runs = 5, .allowed = { "clock#1: set 1 own 2 own 3 own" })
{
    rh_send(rh_spawn(clock, .left = 2), go);
}
PROGRAM(timers_are_each_actors_own, .production_runs = 5, .allowed = { "clock#1: set 1 own | clock#2: set 1 own" })
{
    rh_ref a = rh_spawn(clock), b = rh_spawn(clock);
    rh_send(a, go);
    rh_send(b, go);
}

/* A handler that waits for its own timer, and for another one that it finds when the time is over. */
RH_ACTOR(patient);
RH_HANDLER(patient, go)
{
    rh_timer("t", 1, tick, .value = 1);
    say("%d", rh_receive(tick)->value);
    rh_timer("t", 1, tick, .value = 2);
    const struct tick *t = rh_receive(tick, .timeout_ms = 10000);
    say("%d", t ? t->value : 0);
}
RH_HANDLER(patient, tick)
{
    say("late");
}
RH_BEHAVIOUR(patient, open, go, tick);
PROGRAM(a_handler_can_wait_for_its_timer, .production_runs = 5, .allowed = { "patient#1: 1 2", "patient#1: 1 0 late" },
        .production = { "patient#1: 1 2" })
{
    rh_send(rh_spawn(patient), go);
}
PROGRAM(a_handler_can_wait_for_its_timer_in_order, .production_runs = 5, .semantics.time = RH_TIME_ORDERED,
        .allowed = { "patient#1: 1 2" })
{
    rh_send(rh_spawn(patient), go);
}
PROGRAM(a_handler_can_wait_for_its_timer_by_the_clock, .production_runs = 5, .semantics.time = RH_TIME_ORDERED,
        .semantics.granularity = RH_GRAIN_OBJECT, .allowed = { "patient#1: 1 2" })
{
    rh_send(rh_spawn(patient), go);
}

RH_ACTOR(setter, int64_t first; int64_t second; bool same_name;);
RH_HANDLER(setter, go)
{
    rh_timer("one", state->first, tick, .value = 1);
    rh_timer(state->same_name ? "one" : "two", state->second, tick, .value = 2);
}
RH_HANDLER(setter, tick)
{
    say("%d", msg->value);
}
RH_BEHAVIOUR(setter, open, go, tick);
PROGRAM(a_timer_of_the_same_name_is_replaced, .production_runs = 5, .allowed = { "setter#1: 2" })
{
    rh_send(rh_spawn(setter, .first = 1, .second = 3, .same_name = true), go);
}
PROGRAM(a_timer_is_replaced_by_a_shorter_one, .production_runs = 5, .allowed = { "setter#1: 2" })
{
    rh_send(rh_spawn(setter, .first = 3, .second = 0, .same_name = true), go);
}
PROGRAM(timers_fire_in_any_order_when_time_is_free, .allowed = { "setter#1: 1 2", "setter#1: 2 1" })
{
    rh_send(rh_spawn(setter, .first = 0, .second = 0), go);
}
PROGRAM(timers_fire_in_the_order_of_their_delays, .production_runs = 5, .semantics.time = RH_TIME_ORDERED,
        .allowed = { "setter#1: 1 2" })
{
    rh_send(rh_spawn(setter, .first = 1, .second = 10), go);
}
PROGRAM(a_shorter_timer_fires_first_though_set_later, .production_runs = 3, .semantics.time = RH_TIME_ORDERED,
        .allowed = { "setter#1: 2 1" })
{
    rh_send(rh_spawn(setter, .first = 50, .second = 1), go);
}

PROGRAM(timers_fire_in_the_order_of_their_delays_by_a_clock_that_all_share, .production_runs = 5,
        .semantics = { .time = RH_TIME_ORDERED, .granularity = RH_GRAIN_OBJECT }, .allowed = { "setter#1: 1 2" })
{
    rh_send(rh_spawn(setter, .first = 1, .second = 10), go);
}
PROGRAM(of_equal_delays_the_first_set_fires_first,
        .semantics = { .time = RH_TIME_ORDERED, .granularity = RH_GRAIN_OBJECT }, .allowed = { "setter#1: 1 2" })
{
    rh_send(rh_spawn(setter, .first = 5, .second = 5), go);
}

/* While the handler sleeps a timer may run out; replaced before it was taken, it is never seen. */
RH_ACTOR(slow_setter);
RH_HANDLER(slow_setter, go)
{
    rh_timer("t", 1, tick, .value = 1);
    rh_sleep(4);
    rh_timer("t", 1, tick, .value = 2);
}
RH_HANDLER(slow_setter, tick)
{
    say("%d", msg->value);
}
RH_BEHAVIOUR(slow_setter, open, go, tick);
PROGRAM(a_timer_that_ran_out_but_was_not_taken_is_replaced, .production_runs = 5, .allowed = { "slow_setter#1: 2" })
{
    rh_send(rh_spawn(slow_setter), go);
}

/* ---- cancelling -------------------------------------------------------------------------------------------------- */
RH_ACTOR(bomb, int64_t ms;);
RH_HANDLER(bomb, go)
{
    say("unset %d", rh_timer_cancel("fuse"));
    rh_timer("fuse", state->ms, tick, .value = 1);
}
RH_HANDLER(bomb, cancel)
{
    say("cancel %d", rh_timer_cancel("fuse"));
    say("cancel %d", rh_timer_cancel("fuse"));
}
RH_HANDLER(bomb, tick)
{
    say("fires");
}
RH_BEHAVIOUR(bomb, open, go, cancel, tick);
RH_PROCESS(sapper, rh_ref bomb; int64_t ms;);
RH_BODY(sapper)
{
    rh_send(state->bomb, go);
    rh_sleep(state->ms);
    rh_send(state->bomb, cancel);
}
PROGRAM(a_timer_fires_or_was_cancelled, .production_runs = 20,
        .allowed = { "bomb#1: unset 0 cancel 1 cancel 0", "bomb#1: unset 0 fires cancel 0 cancel 0" })
{
    rh_spawn(sapper, .bomb = rh_spawn(bomb, .ms = 2), .ms = 2);
}
PROGRAM(a_timer_fires_or_was_cancelled_by_a_clock_that_all_share, .production_runs = 20,
        .semantics = { .time = RH_TIME_ORDERED, .granularity = RH_GRAIN_OBJECT },
        .allowed = { "bomb#1: unset 0 cancel 1 cancel 0", "bomb#1: unset 0 fires cancel 0 cancel 0" })
{
    rh_spawn(sapper, .bomb = rh_spawn(bomb, .ms = 2), .ms = 2);
}
PROGRAM(a_timer_that_is_cancelled_early_does_not_fire, .production_runs = 3,
        .allowed = { "bomb#1: unset 0 cancel 1 cancel 0", "bomb#1: unset 0 fires cancel 0 cancel 0" },
        .production = { "bomb#1: unset 0 cancel 1 cancel 0" })
{
    rh_spawn(sapper, .bomb = rh_spawn(bomb, .ms = 60000), .ms = 1);
}

RH_PROCESS(process_with_timer);
RH_BODY(process_with_timer)
{
    rh_timer("t", 2, tick, .value = 5);
    rh_sleep(2);
    if (rh_timer_cancel("t"))
        say("cancelled");
    else
        say("%d", rh_receive(tick)->value);
    rh_timer("t", 1, tick, .value = 6);
    say("%d", rh_receive(tick)->value);
}
PROGRAM(a_timer_of_a_process_is_cancelled_until_it_is_received, .production_runs = 10,
        .allowed = { "process_with_timer#1: cancelled 6" })
{
    rh_spawn(process_with_timer);
}

/* Timers that run out just when the wait ends otherwise: none ends a later wait. */
RH_PROCESS(close_calls, int rounds;);
RH_BODY(close_calls)
{
    for (int i = 0; i < state->rounds; i++) {
        rh_timer("t", 1, tick);
        if (!rh_receive(tick, .timeout_ms = 1))
            rh_receive(tick);
    }
    say(rh_receive(go, .timeout_ms = 60000) ? "go" : "none");
}
RH_PROCESS(caller, rh_ref to;);
RH_BODY(caller)
{
    rh_sleep(8);
    rh_send(state->to, go);
}
PROGRAM(a_timeout_ends_no_later_wait, .production_runs = 30, .allowed = { "close_calls#1: go", "close_calls#1: none" },
        .production = { "close_calls#1: go" })
{
    rh_spawn(caller, .to = rh_spawn(close_calls, .rounds = 3));
}

RH_ACTOR(leaving);
RH_HANDLER(leaving, go)
{
    rh_timer("t", 600000, tick);
    rh_stop();
}
RH_HANDLER(leaving, tick)
{
    say("ticks");
}
RH_BEHAVIOUR(leaving, open, go, tick);
PROGRAM(timers_end_with_their_actor, .allowed = { "" })
{
    rh_send(rh_spawn(leaving), go);
}

RH_ACTOR(postponing);
RH_HANDLER(postponing, rh_start)
{
    rh_timer("t", 0, tick, .value = 1);
}
RH_HANDLER(postponing, go)
{
    say("goes");
    rh_become(postponing, second);
}
RH_HANDLER(postponing, tick)
{
    say("ticks");
}
RH_BEHAVIOUR(postponing, first, rh_start, go, RH_DEFER(tick));
RH_BEHAVIOUR(postponing, second, tick);
RH_PROCESS(later, rh_ref to;);
RH_BODY(later)
{
    rh_sleep(2);
    rh_send(state->to, go);
}
PROGRAM(a_timer_message_can_be_deferred, .production_runs = 5, .allowed = { "postponing#1: goes ticks" })
{
    rh_spawn(later, .to = rh_spawn(postponing));
}

/* ---- sleep and the clock ----------------------------------------------------------------------------------------- */
RH_ACTOR(sleeper, int64_t ms;);
RH_HANDLER(sleeper, go)
{
    int64_t before = rh_now_ms();
    say("sleeps");
    rh_sleep(state->ms);
    say(rh_now_ms() - before >= state->ms ? "wakes" : "wakes early");
}
RH_HANDLER(sleeper, tick)
{
    say("tick");
}
RH_BEHAVIOUR(sleeper, open, go, tick);
PROGRAM(a_sleeper_takes_nothing_until_it_wakes, .production_runs = 5, .allowed = { "sleeper#1: sleeps wakes tick" })
{
    rh_ref s = rh_spawn(sleeper, .ms = 5);
    rh_send(s, go);
    rh_send(s, tick);
}

RH_PROCESS(owl, rh_ref to; int64_t ms;);
RH_BODY(owl)
{
    rh_sleep(state->ms);
    rh_send(state->to, tick, .value = (int)state->ms);
}
RH_ACTOR(counter);
RH_HANDLER(counter, tick)
{
    say("%d", msg->value);
}
RH_BEHAVIOUR(counter, open, tick);
PROGRAM(a_sleeper_takes_nothing_until_it_wakes_by_a_clock_that_all_share, .production_runs = 5,
        .semantics = { .time = RH_TIME_ORDERED, .granularity = RH_GRAIN_OBJECT },
        .allowed = { "sleeper#1: sleeps wakes tick" })
{
    rh_ref s = rh_spawn(sleeper, .ms = 5);
    rh_send(s, go);
    rh_send(s, tick);
}
PROGRAM(one_sleeper_does_not_hold_up_another, .production_runs = 5, .allowed = { "counter#1: 1 2", "counter#1: 2 1" })
{
    rh_ref c = rh_spawn(counter);
    rh_spawn(owl, .to = c, .ms = 2);
    rh_spawn(owl, .to = c, .ms = 1);
}

RH_PROCESS(watch);
RH_BODY(watch)
{
    int64_t last = rh_now_ms();
    bool back = false;
    for (int i = 0; i < 5; i++) {
        rh_sleep(i % 2);
        int64_t now = rh_now_ms();
        back |= now < last;
        last = now;
    }
    say(back ? "goes back" : "goes on");
}
PROGRAM(the_clock_never_goes_back, .production_runs = 5, .allowed = { "watch#1: goes on" })
{
    rh_spawn(watch);
}

/* Clocks of the controlled world's own; in production there is but the real one. */
PROGRAM(a_sleeper_takes_its_time_by_logical_clocks_too, .production_runs = 5, .semantics.time = RH_TIME_LOGICAL,
        .allowed = { "sleeper#1: sleeps wakes tick" })
{
    rh_ref s = rh_spawn(sleeper, .ms = 5);
    rh_send(s, go);
    rh_send(s, tick);
}
RH_MESSAGE(letter, int64_t sent_ms;);
RH_ACTOR(reader, int64_t last_ms;);
RH_HANDLER(reader, letter)
{
    int64_t now = rh_now_ms();
    say(now >= msg->sent_ms && now >= state->last_ms ? "later" : "earlier");
    state->last_ms = now;
}
RH_BEHAVIOUR(reader, open, letter);
RH_PROCESS(writer, rh_ref to; int64_t ms;);
RH_BODY(writer)
{
    rh_sleep(state->ms);
    rh_send(state->to, letter, .sent_ms = rh_now_ms());
}
#define LETTERS                                                                                                        \
    rh_ref r = rh_spawn(reader);                                                                                       \
    rh_spawn(writer, .to = r, .ms = 3);                                                                                \
    rh_spawn(writer, .to = r, .ms = 1);
PROGRAM(nothing_is_taken_before_it_is_sent_by_the_clock, .production_runs = 5, .allowed = { "reader#1: later later" }){
    LETTERS
} PROGRAM(nothing_is_taken_before_it_is_sent_by_logical_clocks, .production_runs = 5, .semantics.time = RH_TIME_LOGICAL,
          .allowed = { "reader#1: later later" }){ LETTERS }

PROGRAM(nothing_is_taken_before_it_is_sent_by_a_clock_that_all_share, .production_runs = 5,
        .semantics = { .time = RH_TIME_ORDERED, .granularity = RH_GRAIN_OBJECT },
        .allowed = { "reader#1: later later" }){ LETTERS }

/* ---- chance ------------------------------------------------------------------------------------------------------ */
RH_ACTOR(dice);
RH_HANDLER(dice, question)
{
    uint32_t value = 10 * rh_choose(3);
    value += rh_choose(2);
    rh_reply(answer, .value = value + rh_choose(1));
}
RH_BEHAVIOUR(dice, open, question);
RH_PROCESS(gambler, rh_ref dice;);
RH_BODY(gambler)
{
    say("%u", rh_ask(state->dice, question, answer)->value);
}
PROGRAM(every_value_may_be_chosen, .allowed = { "gambler#1: 0", "gambler#1: 1", "gambler#1: 10", "gambler#1: 11",
                                                "gambler#1: 20", "gambler#1: 21" })
{
    rh_spawn(gambler, .dice = rh_spawn(dice));
}

RH_PROCESS(random_one, rh_ref to;);
RH_BODY(random_one)
{
    uint64_t values[8], ones = 0, zeros = 0;
    bool repeats = false;
    for (int i = 0; i < 8; i++) {
        values[i] = rh_random();
        ones |= values[i];
        zeros |= ~values[i];
        for (int k = 0; k < i; k++)
            repeats |= values[k] == values[i];
    }
    say(repeats ? "repeats" : "varies");
    say((ones >> 32) && (zeros >> 32) && (uint32_t)ones && (uint32_t)zeros ? "wide" : "narrow");
    rh_send(state->to, tick, .value = (int)(values[0] & 0xffff));
}
RH_PROCESS(judge);
RH_BODY(judge)
{
    rh_spawn(random_one, .to = self);
    rh_spawn(random_one, .to = self);
    rh_spawn(random_one, .to = self);
    int a = rh_receive(tick)->value, b = rh_receive(tick)->value, c = rh_receive(tick)->value;
    say(a == b && b == c ? "all alike" : "each its own");
}
PROGRAM(random_values_vary_and_are_each_actors_own,
        .allowed = { "judge#1: each its own | judge#1/random_one#1: varies wide | judge#1/random_one#2: varies wide | "
                     "judge#1/random_one#3: varies wide" })
{
    rh_spawn(judge);
}

MAIN()
