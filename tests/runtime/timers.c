/* Timers: they fire in order, are replaced, and a cancelled one is never heard of. */
#include "helper.h"

RH_MESSAGE(tick, int value;);
RH_MESSAGE(begin);
RH_MESSAGE(end_now);
RH_MESSAGE(step);

static _Atomic(int) results[8];
static char record[128];

static int clear(void **unused)
{
    (void)unused;
    record[0] = '\0';
    for (int i = 0; i < 8; i++)
        results[i] = 0;
    return 0;
}

/* However slowly this runs, a timer that is set later with the same delay is due later. */
RH_ACTOR(clock_user, int64_t began; int seen;);
RH_HANDLER(clock_user, rh_start)
{
    state->began = rh_now_ms();
    rh_timer("zero", 0, tick, .value = 0);
    rh_timer("one", 4, tick, .value = 1);
    rh_timer("two", 4, tick, .value = 9);
    rh_timer("three", 4, tick, .value = 3);
    rh_timer("two", 4, tick, .value = 2); /* replaces, and is due last */
    rh_timer("never", 1, tick, .value = 8);
    results[0] = rh_timer_cancel("never");
    results[1] = rh_timer_cancel("never");
}
RH_HANDLER(clock_user, tick)
{
    char text[16];
    snprintf(text, sizeof text, "%d ", msg->value);
    strcat(record, text);
    results[2] += rh_same(rh_sender(), self);
    if (msg->value != 0 && rh_now_ms() - state->began < 3)
        results[3]++; /* too early */
    if (++state->seen == 4)
        rh_stop();
}
RH_BEHAVIOUR(clock_user, open, rh_start, tick);

static void timers_fire_in_order_and_are_replaced_by_name(void **unused)
{
    (void)unused;
    START(0);
    rh_spawn(clock_user);
    finish();
    assert_string_equal(record, "0 1 3 2 ");
    assert_int_equal(results[0], 1);
    assert_int_equal(results[1], 0);
    assert_int_equal(results[2], 4);
    assert_int_equal(results[3], 0);
}

/* The timer's message is in the mailbox already when it is cancelled. */
RH_ACTOR(canceller);
RH_HANDLER(canceller, begin)
{
    rh_timer("gone", 0, tick, .value = 1);
    rh_timer("kept", 0, tick, .value = 2);
    rh_receive(end_now, .timeout_ms = 5);
    results[3] = rh_timer_cancel("gone");
}
RH_HANDLER(canceller, tick)
{
    results[4] += msg->value;
    results[5] = rh_timer_cancel("kept"); /* it has fired */
    rh_stop();
}
RH_BEHAVIOUR(canceller, open, begin, tick);

static void a_cancelled_timer_is_not_handled_even_if_it_has_fired(void **unused)
{
    (void)unused;
    START(0);
    rh_send(rh_spawn(canceller), begin);
    struct rh_runtime_counts counts = finish();
    assert_int_equal(results[3], 1);
    assert_int_equal(results[4], 2);
    assert_int_equal(results[5], 0);
    assert_int_equal(counts.messages_dropped, 1);
}

/* Sets and cancels at the moment of firing, many times. */
enum { ROUNDS = 300 };
RH_ACTOR(racer, int round; int armed;);
RH_HANDLER(racer, step)
{
    if (state->armed && rh_timer_cancel("race"))
        state->armed = 0;
    if (state->round++ == ROUNDS) {
        rh_timer_cancel("race");
        rh_stop();
        return;
    }
    state->armed = state->round;
    rh_timer("race", state->round % 2, tick, .value = state->round);
    rh_timer("step", 1, step);
}
RH_HANDLER(racer, tick)
{
    if (state->armed != msg->value)
        results[6]++; /* of a round whose timer was cancelled or replaced */
    state->armed = 0;
}
RH_BEHAVIOUR(racer, open, step, tick);

static void cancelling_while_it_fires_is_never_seen(void **unused)
{
    (void)unused;
    START(.threads = 2);
    for (int i = 0; i < 20; i++)
        rh_send(rh_spawn(racer), step);
    finish();
    assert_int_equal(results[6], 0);
}

RH_ACTOR(leaver);
RH_HANDLER(leaver, begin)
{
    rh_timer("far", 3600 * 1000, tick, .value = 1);
    rh_timer("near", 1, tick, .value = 1);
    rh_stop();
}
RH_HANDLER(leaver, tick)
{
    results[7]++;
}
RH_BEHAVIOUR(leaver, open, begin, tick);

static void the_timers_of_one_that_ends_go_with_it(void **unused)
{
    (void)unused;
    START(0);
    for (int i = 0; i < 100; i++)
        rh_send(rh_spawn(leaver), begin);
    finish();
    assert_int_equal(results[7], 0);
}

#define TEST(name) cmocka_unit_test_setup(name, clear)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(timers_fire_in_order_and_are_replaced_by_name),
        TEST(a_cancelled_timer_is_not_handled_even_if_it_has_fired),
        TEST(cancelling_while_it_fires_is_never_seen),
        TEST(the_timers_of_one_that_ends_go_with_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
