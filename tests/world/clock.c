/* Ordered time with granularity object: one clock, an object like others (world/timers.c).  What it does, by hand. */
#include "world/support/driver.h"

#include <time.h>

RH_MESSAGE(go);
RH_MESSAGE(tick, int value;);
RH_MESSAGE(question);
RH_MESSAGE(answer);

#define CLOCK .granularity = RH_GRAIN_OBJECT, .time = RH_TIME_ORDERED, .pauses = true

/* What actors have logged, in the order of the run. */
static void logged(const struct rh_world *w, char text[96])
{
    size_t at = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < rh_world_log_count(w) && at < 96; i++)
        at += (size_t)snprintf(text + at, 96 - at, "%s%s", i ? " " : "", rh_world_log_line(w, i).text);
}

static void said(const struct rh_world *w, const char *wanted)
{
    char text[96];
    logged(w, text);
    assert_string_equal(text, wanted);
}

static void note_outcome(struct rh_world *w, void *arg)
{
    char text[96];
    logged(w, text);
    assert_int_equal(rh_world_outcome(w)->kind, RH_OUTCOME_FINISHED);
    tally_add(arg, text);
}

/* Over all runs these texts came and no others. */
static void came(struct rh_world *w, const char *const *wanted)
{
    struct tally t = { 0 };
    uint32_t n = 0;
    every_run(w, 100000, note_outcome, &t);
    for (; wanted[n]; n++)
        if (!tally_of(&t, wanted[n])) {
            tally_print(&t);
            fail_msg("\"%s\" never came", wanted[n]);
        }
    if (t.count != n)
        tally_print(&t);
    assert_int_equal(t.count, n);
}
#define CAME(w, ...) came(w, (const char *const[]){ __VA_ARGS__, NULL })

/* ---- deadlines --------------------------------------------------------------------------------------------------- */

RH_ACTOR(setter, int64_t first; int64_t second; bool cancels;);
RH_HANDLER(setter, go)
{
    rh_timer("one", state->first, tick, .value = 1);
    rh_timer("two", state->second, tick, .value = 2);
    if (state->cancels)
        rh_log(rh_timer_cancel("one") ? "cancelled" : "too late");
}
RH_HANDLER(setter, tick)
{
    rh_log("%d at %d%s", msg->value, (int)rh_now_ms(), rh_same(rh_sender(), self) ? "" : "?");
}
RH_BEHAVIOUR(setter, open, go, tick);

RH_TEST(later_first, CLOCK)
{
    rh_send(rh_spawn(setter, .first = 20, .second = 10), go);
}
RH_TEST(equal, CLOCK)
{
    rh_send(rh_spawn(setter, .first = 10, .second = 10), go);
}
RH_TEST(cancels, CLOCK)
{
    rh_send(rh_spawn(setter, .first = 10, .second = 20, .cancels = true), go);
}

static void the_earliest_deadline_is_reached_first_and_taken_first(void **unused)
{
    (void)unused;
    struct rh_world *w = open_test("later_first", NULL);
    /* Time may go on before the second timer is set, and while a message waits to be taken. */
    CAME(w, "2 at 10 1 at 20", "2 at 20 1 at 20", "1 at 20 2 at 30", "1 at 30 2 at 30");
    rh_world_free(w);
}

static void of_equal_deadlines_the_one_set_first_is_next(void **unused)
{
    (void)unused;
    struct rh_world *w = open_test("equal", NULL);
    step_by_text(w, "setter#1 takes go");
    step_by_text(w, "setter#1 goes on"); /* sets one */
    step_by_text(w, "setter#1 goes on"); /* sets two */
    assert_false(is_open(w, "the clock reaches setter#1's timer \"two\""));
    step_by_text(w, "the clock reaches setter#1's timer \"one\"");
    step_by_text(w, "the clock reaches setter#1's timer \"two\"");
    step_by_text(w, "setter#1 takes tick from setter#1");
    step_by_text(w, "setter#1 goes on");
    step_by_text(w, "setter#1 takes tick from setter#1");
    step_by_text(w, "setter#1 goes on");
    said(w, "1 at 10 2 at 10");
    rh_world_free(w);
}

static void what_is_cancelled_never_comes_even_if_it_was_reached(void **unused)
{
    (void)unused;
    struct rh_world *w = open_test("cancels", NULL);
    CAME(w, "cancelled 2 at 20", "cancelled 2 at 30");
    rh_world_free(w);
}

/* ---- waits ------------------------------------------------------------------------------------------------------- */

RH_ACTOR(server);
RH_HANDLER(server, question)
{
    rh_reply(answer);
}
RH_BEHAVIOUR(server, open, question);

RH_PROCESS(asker, rh_ref server;);
RH_BODY(asker)
{
    rh_log(rh_ask_within(10, state->server, question, answer) ? "answer" : "none");
}
RH_TEST(asks, CLOCK)
{
    rh_spawn(asker, .server = rh_spawn(server));
}

static void a_wait_that_has_ended_is_reached_in_vain(void **unused)
{
    (void)unused;
    struct rh_world *w = open_test("asks", NULL);
    step_by_text(w, "asker#1 takes rh_start");
    assert_true(is_open(w, "server#1 takes question")); /* the request is under way before the wait begins */
    step_by_text(w, "asker#1 goes on");
    step_by_text(w, "server#1 takes question");
    step_by_text(w, "asker#1 takes answer");
    step_by_text(w, "asker#1 goes on"); /* its end */
    step_by_text(w, "the clock reaches the end of asker#1's wait");
    said(w, "answer");
    assert_int_equal(rh_world_outcome(w)->kind, RH_OUTCOME_FINISHED);
    rh_world_reset(w);
    step_by_text(w, "asker#1 takes rh_start");
    step_by_text(w, "asker#1 goes on");
    step_by_text(w, "the clock reaches the end of asker#1's wait");
    step_by_text(w, "server#1 takes question");
    assert_true(is_open(w, "asker#1 takes answer")); /* both have come */
    step_by_text(w, "asker#1 stops waiting");
    said(w, "none");
    rh_world_free(w);
}

RH_PROCESS(poller, bool sends;);
RH_BODY(poller)
{
    if (state->sends)
        rh_send(self, tick, .value = 1);
    rh_log(rh_receive(tick, .timeout_ms = RH_POLL) ? "there" : "not there");
    rh_sleep(0);
    if (state->sends)
        rh_send(self, tick, .value = 2);
    rh_log(rh_receive(tick, .timeout_ms = 5) ? "there" : "not there");
}
RH_TEST(polls, CLOCK)
{
    rh_spawn(poller);
}
RH_TEST(polls_what_it_has, CLOCK)
{
    rh_spawn(poller, .sends = true);
}

static void no_clock_is_needed_to_wait_for_no_time(void **unused)
{
    (void)unused;
    struct rh_world *w = open_test("polls", NULL);
    step_by_text(w, "poller#1 takes rh_start");
    step_by_text(w, "poller#1 stops waiting");
    step_by_text(w, "poller#1 stops waiting");
    step_by_text(w, "poller#1 goes on");
    step_by_text(w, "the clock reaches the end of poller#1's wait");
    step_by_text(w, "poller#1 stops waiting");
    said(w, "not there not there");
    assert_int_equal(rh_world_now_ns(w), 5000000);
    rh_world_free(w);
}

static void a_wait_for_what_is_there_does_not_end_without_it(void **unused)
{
    (void)unused;
    struct rh_world *w = open_test("polls_what_it_has", NULL);
    CAME(w, "there there");
    rh_world_free(w);
}

RH_PROCESS(libc_user, int64_t ms[2];);
static int64_t libc_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}
RH_BODY(libc_user)
{
    state->ms[0] = libc_ms();
    nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
    state->ms[1] = libc_ms();
}
RH_TEST(uses_libc, CLOCK)
{
    rh_spawn(libc_user);
    rh_spawn(poller);
}

static void libc_has_to_do_with_the_same_clock(void **unused)
{
    (void)unused;
    struct rh_world *w = open_test("uses_libc", NULL);
    const struct libc_user *u = rh_world_actor_state(w, 2); /* behind the test and the clock */
    step_by_text(w, "poller#1 takes rh_start");
    step_by_text(w, "poller#1 stops waiting");
    step_by_text(w, "poller#1 stops waiting");
    step_by_text(w, "poller#1 goes on");
    step_by_text(w, "libc_user#1 takes rh_start");
    step_by_text(w, "the clock reaches the end of poller#1's wait");
    step_by_text(w, "libc_user#1 goes on"); /* looks */
    assert_int_equal(u->ms[0], 5);
    step_by_text(w, "libc_user#1 goes on"); /* sleeps */
    step_by_text(w, "the clock reaches the end of libc_user#1's wait");
    step_by_text(w, "libc_user#1 stops waiting");
    step_by_text(w, "libc_user#1 goes on"); /* looks */
    assert_int_equal(u->ms[1], 15);
    rh_world_free(w);
}

/* ---- other lives, monitors --------------------------------------------------------------------------------------- */

RH_ACTOR(phoenix, bool set;);
RH_HANDLER(phoenix, go)
{
    rh_timer("t", 10, tick);
}
RH_HANDLER(phoenix, tick)
{
    rh_log("tick");
}
RH_BEHAVIOUR(phoenix, open, go, tick);
RH_TEST(lives, CLOCK, .crashes = 1, .restarts = 1)
{
    rh_send(rh_spawn(phoenix), go);
}

static void a_crash_takes_timers_along(void **unused)
{
    (void)unused;
    for (int reached_before = 0; reached_before < 3; reached_before++) {
        struct rh_world *w = open_test("lives", NULL);
        step_by_text(w, "phoenix#1 takes go");
        step_by_text(w, "phoenix#1 goes on");
        if (reached_before == 0)
            step_by_text(w, "the clock reaches phoenix#1's timer");
        step_by_text(w, "phoenix#1 crashes");
        step_by_text(w, "phoenix#1 goes on");
        if (reached_before == 1)
            step_by_text(w, "the clock reaches phoenix#1's timer");
        step_by_text(w, "phoenix#1 starts again");
        step_by_text(w, "phoenix#1 goes on");
        if (reached_before == 2)
            step_by_text(w, "the clock reaches phoenix#1's timer");
        said(w, "");
        assert_int_equal(rh_world_outcome(w)->kind, RH_OUTCOME_FINISHED);
        rh_world_free(w);
    }
}

RH_MONITOR(watcher, int unused;);
RH_HANDLER(watcher, tick)
{
    rh_log("told at %d", (int)rh_now_ms());
}
RH_BEHAVIOUR(watcher, watching, tick);
RH_PROCESS(teller);
RH_BODY(teller)
{
    rh_sleep(10);
    rh_announce(tick);
}
RH_PROCESS(sleeper);
RH_BODY(sleeper)
{
    rh_sleep(20);
}
RH_TEST(tells, CLOCK)
{
    rh_observe(watcher);
    rh_spawn(teller);
    rh_spawn(sleeper);
}

static void a_monitor_knows_the_time_of_those_who_tell_it(void **unused)
{
    (void)unused;
    struct rh_world *w = open_test("tells", NULL);
    step_by_text(w, "teller#1 takes rh_start");
    step_by_text(w, "sleeper#1 takes rh_start");
    step_by_text(w, "teller#1 goes on");
    step_by_text(w, "sleeper#1 goes on");
    step_by_text(w, "the clock reaches the end of teller#1's wait");
    step_by_text(w, "teller#1 stops waiting");
    step_by_text(w, "the clock reaches the end of sleeper#1's wait");
    step_by_text(w, "teller#1 goes on");
    said(w, "told at 10");
    rh_world_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(the_earliest_deadline_is_reached_first_and_taken_first, close_world),
        cmocka_unit_test_teardown(of_equal_deadlines_the_one_set_first_is_next, close_world),
        cmocka_unit_test_teardown(what_is_cancelled_never_comes_even_if_it_was_reached, close_world),
        cmocka_unit_test_teardown(a_wait_that_has_ended_is_reached_in_vain, close_world),
        cmocka_unit_test_teardown(no_clock_is_needed_to_wait_for_no_time, close_world),
        cmocka_unit_test_teardown(a_wait_for_what_is_there_does_not_end_without_it, close_world),
        cmocka_unit_test_teardown(libc_has_to_do_with_the_same_clock, close_world),
        cmocka_unit_test_teardown(a_crash_takes_timers_along, close_world),
        cmocka_unit_test_teardown(a_monitor_knows_the_time_of_those_who_tell_it, close_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
