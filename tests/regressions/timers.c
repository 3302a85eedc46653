/* Timers and timeouts: what holds back what, what has surely arrived, and what a cancelled timer leaves behind. */
#include "conformance/support/harness.h"

RH_MESSAGE(go);
RH_MESSAGE(open);
RH_MESSAGE(tick, int n;);
RH_MESSAGE(question);
RH_MESSAGE(answer);
RH_MESSAGE(x);
RH_MESSAGE(y);

static int since(int64_t then)
{
    return (int)(rh_now_ms() - then);
}

/* ---- of the timers that can be taken the earliest fires, and those that cannot hold back nobody ------------------ */
RH_ACTOR(silent);
RH_HANDLER(silent, question)
{
}
RH_BEHAVIOUR(silent, silence, question);

RH_ACTOR(asker, rh_ref server; int64_t start;);
RH_HANDLER(asker, rh_start)
{
    state->start = rh_now_ms();
    rh_timer("own", 10, tick);
    const struct answer *a = rh_ask_within(100, state->server, question, answer);
    say("%s %d", a ? "answer" : "none", since(state->start));
}
RH_HANDLER(asker, tick)
{
    say("tick %d", since(state->start));
}
RH_BEHAVIOUR(asker, asking, rh_start, tick);
PROGRAM(an_actors_own_timer_does_not_hold_back_the_end_of_its_ask, .semantics = { .time = RH_TIME_ORDERED },
        .allowed = { "asker#1: none 100 tick 100" })
{
    rh_spawn(asker, .server = rh_spawn(silent));
}

RH_ACTOR(sleeper, int64_t start;);
RH_HANDLER(sleeper, rh_start)
{
    state->start = rh_now_ms();
    rh_timer("own", 10, tick);
    rh_sleep(100);
    say("woke %d", since(state->start));
}
RH_HANDLER(sleeper, tick)
{
    say("tick %d", since(state->start));
}
RH_BEHAVIOUR(sleeper, sleeping, rh_start, tick);
PROGRAM(an_actors_own_timer_does_not_hold_back_the_end_of_its_sleep, .semantics = { .time = RH_TIME_ORDERED },
        .allowed = { "sleeper#1: woke 100 tick 100" })
{
    rh_spawn(sleeper);
}

/* Those of others still fire in the order of their deadlines. */
RH_ACTOR(ticker, int64_t start;);
RH_HANDLER(ticker, rh_start)
{
    state->start = rh_now_ms();
    rh_timer("late", 30, tick, .n = 30);
    rh_timer("early", 20, tick, .n = 20);
    rh_timer("last", 200, tick, .n = 200);
}
RH_HANDLER(ticker, tick)
{
    say("%d at %d", msg->n, since(state->start));
}
RH_BEHAVIOUR(ticker, ticking, rh_start, tick);
PROGRAM(a_blocked_actors_timer_holds_back_nobody, .semantics = { .time = RH_TIME_ORDERED },
        .allowed = { "sleeper#1: woke 100 tick 100 | ticker#1: 20 at 20 30 at 30 200 at 200" })
{
    rh_spawn(sleeper);
    rh_spawn(ticker);
}

RH_ACTOR(gate);
RH_HANDLER(gate, rh_start)
{
    rh_timer("t", 10, tick);
}
RH_HANDLER(gate, open)
{
    say("open");
    rh_become(gate, opened);
}
RH_HANDLER(gate, tick)
{
    say("tick");
}
RH_BEHAVIOUR(gate, closed, rh_start, open, RH_DEFER(tick));
RH_BEHAVIOUR(gate, opened, tick);
RH_ACTOR(opener, rh_ref gate;);
RH_HANDLER(opener, rh_start)
{
    rh_timer("t", 20, tick);
}
RH_HANDLER(opener, tick)
{
    say("tick");
    rh_send(state->gate, open);
}
RH_BEHAVIOUR(opener, opening, rh_start, tick);
PROGRAM(a_deferred_timer_holds_back_nobody, .semantics = { .time = RH_TIME_ORDERED },
        .allowed = { "gate#1: open tick | opener#1: tick" })
{
    rh_spawn(opener, .gate = rh_spawn(gate));
}

/* ---- a receive does not time out where the message has surely arrived -------------------------------------------- */
RH_PROCESS(waiter, int64_t timeout;);
RH_BODY(waiter)
{
    rh_receive(x);
    say("%s", rh_receive(y, .timeout_ms = state->timeout) ? "y" : "none");
}
static void y_then_x(int64_t timeout)
{
    rh_ref p = rh_spawn(waiter, .timeout = timeout);
    rh_send(p, y);
    rh_send(p, x);
}
#define SKIPPED(name, timeout, ...)                                                                                    \
    PROGRAM(name, .semantics = { __VA_ARGS__ }, .allowed = { "waiter#1: y" })                                          \
    {                                                                                                                  \
        y_then_x(timeout);                                                                                             \
    }
SKIPPED(under_fifo_a_skipped_message_is_there, 100, .model = RH_FIFO)
SKIPPED(under_fifo_a_skipped_message_is_there_for_a_poll, RH_POLL, .model = RH_FIFO)
SKIPPED(under_fifo_with_ordered_time_a_skipped_message_is_there, 100, .model = RH_FIFO, .time = RH_TIME_ORDERED)
SKIPPED(under_fifo_with_ordered_time_a_skipped_message_is_there_for_a_poll, RH_POLL, .time = RH_TIME_ORDERED)
SKIPPED(under_causal_a_skipped_message_is_there, 100, .model = RH_CAUSAL)
SKIPPED(under_causal_a_skipped_message_is_there_for_a_poll, RH_POLL, .model = RH_CAUSAL)
SKIPPED(under_mailbox_a_skipped_message_is_there, 100, .model = RH_MAILBOX)
SKIPPED(under_mailbox_a_skipped_message_is_there_for_a_poll, RH_POLL, .model = RH_MAILBOX)
SKIPPED(with_granularity_send_a_skipped_message_is_there, 100, .model = RH_MAILBOX, .granularity = RH_GRAIN_SEND)
SKIPPED(with_granularity_send_a_skipped_message_is_there_for_a_poll, RH_POLL, .model = RH_MAILBOX,
        .granularity = RH_GRAIN_SEND)

/* Where it may still be under way the receive may time out. */
PROGRAM(under_bag_a_skipped_message_may_be_under_way, .semantics = { .model = RH_BAG },
        .allowed = { "waiter#1: y", "waiter#1: none" })
{
    y_then_x(100);
}
PROGRAM(under_fifo_a_message_of_another_sender_may_be_under_way, .allowed = { "waiter#1: y", "waiter#1: none" })
{
    rh_ref p = rh_spawn(waiter, .timeout = 100);
    rh_send_from(rh_external("a"), p, y);
    rh_send_from(rh_external("b"), p, x);
}
PROGRAM(under_mailbox_a_message_of_another_sender_is_there, .semantics = { .model = RH_MAILBOX },
        .allowed = { "waiter#1: y" })
{
    rh_ref p = rh_spawn(waiter, .timeout = RH_POLL);
    rh_send_from(rh_external("a"), p, y);
    rh_send_from(rh_external("b"), p, x);
}

/* Sent behind what was taken: in the mailbox as well, where sending is putting it there. */
RH_PROCESS(looker, int64_t timeout;);
RH_BODY(looker)
{
    rh_receive(go);
    say("%s", rh_receive(y, .timeout_ms = state->timeout) ? "y" : "none");
}
static void go_and_y(int64_t timeout)
{
    rh_ref p = rh_spawn(looker, .timeout = timeout);
    rh_send(p, go);
    rh_send(p, y);
}
PROGRAM(under_mailbox_what_was_sent_before_is_there, .semantics = { .model = RH_MAILBOX }, .allowed = { "looker#1: y" })
{
    go_and_y(100);
}
PROGRAM(under_mailbox_what_was_sent_before_is_there_for_a_poll, .semantics = { .model = RH_MAILBOX },
        .allowed = { "looker#1: y" })
{
    go_and_y(RH_POLL);
}
PROGRAM(under_fifo_what_was_sent_later_may_be_under_way, .allowed = { "looker#1: y", "looker#1: none" })
{
    go_and_y(RH_POLL);
}

RH_PROCESS(late, int64_t timeout;);
RH_BODY(late)
{
    rh_timer("t", 10, tick);
    rh_sleep(1000);
    say("%s", rh_receive(tick, .timeout_ms = state->timeout) ? "tick" : "none");
}
#define OVERDUE(name, timeout_, ...)                                                                                   \
    PROGRAM(name, .semantics = { .time = RH_TIME_ORDERED, __VA_ARGS__ }, .allowed = { "late#1: tick" })                \
    {                                                                                                                  \
        rh_spawn(late, .timeout = timeout_);                                                                           \
    }
OVERDUE(a_timer_that_is_over_is_there_for_a_poll, RH_POLL, .model = RH_FIFO)
OVERDUE(a_timer_that_is_over_is_there, 50, .model = RH_FIFO)
OVERDUE(under_bag_a_timer_that_is_over_is_there_for_a_poll, RH_POLL, .model = RH_BAG)
OVERDUE(under_causal_a_timer_that_is_over_is_there_for_a_poll, RH_POLL, .model = RH_CAUSAL)
OVERDUE(under_mailbox_a_timer_that_is_over_is_there_for_a_poll, RH_POLL, .model = RH_MAILBOX)

/* ---- cancelled, replaced ----------------------------------------------------------------------------------------- */
RH_PROCESS(canceller);
RH_BODY(canceller)
{
    rh_timer("t", 10, tick, .n = 1);
    rh_sleep(20);
    bool was_set = rh_timer_cancel("t");
    say("%s %s", was_set ? "cancelled" : "not set", rh_receive(tick, .timeout_ms = 50) ? "tick" : "none");
    say("%s", rh_timer_cancel("t") ? "again" : "once");
}
PROGRAM(no_message_comes_after_cancel, .allowed = { "canceller#1: cancelled none once" })
{
    rh_spawn(canceller);
}
PROGRAM(no_message_comes_after_cancel_with_ordered_time, .semantics = { .time = RH_TIME_ORDERED },
        .allowed = { "canceller#1: cancelled none once" })
{
    rh_spawn(canceller);
}
PROGRAM(no_message_comes_after_cancel_under_bag, .semantics = { .model = RH_BAG },
        .allowed = { "canceller#1: cancelled none once" })
{
    rh_spawn(canceller);
}
PROGRAM(no_message_comes_after_cancel_under_mailbox, .semantics = { .model = RH_MAILBOX },
        .allowed = { "canceller#1: cancelled none once" })
{
    rh_spawn(canceller);
}

RH_PROCESS(replacer);
RH_BODY(replacer)
{
    rh_timer("t", 10, tick, .n = 1);
    rh_sleep(20);
    rh_timer("t", 10, tick, .n = 2);
    say("%d", rh_receive(tick)->n);
    say("%s", rh_receive(tick, .timeout_ms = 50) ? "tick" : "none");
}
PROGRAM(no_message_of_a_replaced_timer_comes, .allowed = { "replacer#1: 2 none" })
{
    rh_spawn(replacer);
}

/* One that was received is not set any more. */
RH_PROCESS(taker);
RH_BODY(taker)
{
    rh_timer("t", 10, tick);
    rh_receive(tick);
    say("%s", rh_timer_cancel("t") ? "cancelled" : "not set");
}
PROGRAM(a_timer_whose_message_was_taken_is_not_set, .allowed = { "taker#1: not set" })
{
    rh_spawn(taker);
}

/* Only that timer's message goes, not those of other timers, nor what the process sent itself. */
RH_PROCESS(chooser);
RH_BODY(chooser)
{
    rh_timer("a", 10, tick, .n = 1);
    rh_timer("b", 10, tick, .n = 2);
    rh_send(self, tick, .n = 3);
    rh_sleep(20);
    say("%d", rh_timer_cancel("a"));
    int sum = 0;
    for (int i = 0; i < 2; i++)
        sum += rh_receive(tick)->n;
    say("%d %s", sum, rh_receive(tick, .timeout_ms = 50) ? "more" : "none");
}
PROGRAM(cancel_takes_only_that_timers_message, .allowed = { "chooser#1: 1 5 none" })
{
    rh_spawn(chooser);
}

/* ---- faults ------------------------------------------------------------------------------------------------------ */
#define LOSS_AND_DUPLICATE                                                                                             \
    {                                                                                                                  \
        .losses = 1, .duplicates = 1                                                                                   \
    }

RH_PROCESS(to_itself);
RH_BODY(to_itself)
{
    rh_timer("t", 10, tick);
    rh_receive(tick);
    rh_send(self, x);
    rh_receive(x);
    say("%s", rh_receive_any(.timeout_ms = 50) ? "more" : "none");
}
PROGRAM(messages_to_oneself_are_not_lost_nor_doubled, .semantics = LOSS_AND_DUPLICATE,
        .allowed = { "to_itself#1: none" })
{
    rh_spawn(to_itself);
}

RH_PROCESS(mortal);
RH_BODY(mortal)
{
    rh_sleep(10);
    rh_exit("shutdown");
}
RH_ACTOR(watcher, rh_ref who; bool links;);
RH_HANDLER(watcher, rh_start)
{
    if (state->links) {
        rh_trap_exits(true);
        rh_link(state->who);
    } else {
        rh_monitor(state->who);
    }
}
RH_HANDLER(watcher, rh_exited)
{
    say("exited %s", msg->reason);
}
RH_HANDLER(watcher, rh_down)
{
    say("down %s", msg->reason);
}
RH_BEHAVIOUR(watcher, watching, rh_start, rh_exited, rh_down);
PROGRAM(rh_exited_is_not_lost_nor_doubled, .semantics = LOSS_AND_DUPLICATE,
        .allowed = { "watcher#1: exited shutdown", "watcher#1: exited noproc" })
{
    rh_spawn(watcher, .who = rh_spawn(mortal), .links = true);
}
PROGRAM(rh_down_is_not_lost_nor_doubled, .semantics = LOSS_AND_DUPLICATE,
        .allowed = { "watcher#1: down shutdown", "watcher#1: down noproc" })
{
    rh_spawn(watcher, .who = rh_spawn(mortal));
}

MAIN()
