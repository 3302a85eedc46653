/* Behaviours: what is handled, deferred, ignored; how an actor begins and ends. */
#include "helper.h"

RH_MESSAGE(job, int value;);
RH_MESSAGE(open_now);
RH_MESSAGE(close_now);
RH_MESSAGE(end_now);
RH_MESSAGE_DEFERRED(patient, int value;);
RH_MESSAGE_IGNORED(noise);

static char record[256];
static void note(const char *text)
{
    strcat(record, text);
}
static void note_number(int value)
{
    char text[16];
    snprintf(text, sizeof text, "%d ", value);
    note(text);
}

static int clear(void **unused)
{
    (void)unused;
    record[0] = '\0';
    return 0;
}

/* ---- become, defer, ignore ---- */
RH_ACTOR(door);
RH_HANDLER(door, open_now)
{
    note("open ");
    rh_become(door, opened);
}
RH_HANDLER(door, close_now)
{
    note("close ");
    rh_become(door, closed);
}
RH_HANDLER(door, job)
{
    note_number(msg->value);
}
RH_HANDLER_AS(door, job, refuse)
{
    note("refused ");
}
RH_HANDLER(door, patient)
{
    note_number(msg->value);
}
RH_HANDLER(door, end_now)
{
    rh_stop();
}
RH_BEHAVIOUR(door, closed, open_now, RH_DEFER(job), end_now);
RH_BEHAVIOUR(door, opened, close_now, job, patient, end_now);
RH_BEHAVIOUR(door, locked, RH_ON(job, refuse), RH_IGNORE(patient), end_now);

static void deferred_messages_wait_in_order(void **unused)
{
    (void)unused;
    START(0);
    rh_ref d = rh_spawn(door);
    rh_send(d, job, .value = 1);
    rh_send(d, patient, .value = 2);
    rh_send(d, job, .value = 3);
    rh_send(d, open_now);
    rh_send(d, job, .value = 4);
    rh_send(d, close_now);
    rh_send(d, patient, .value = 5);
    rh_send(d, open_now);
    rh_send(d, end_now);
    finish();
    assert_string_equal(record, "open 1 2 3 4 close open 5 ");
}

static void what_is_ignored_is_dropped(void **unused)
{
    (void)unused;
    START(0);
    rh_ref d = rh_spawn(door);
    rh_send(d, noise);
    rh_send(d, open_now);
    rh_send(d, noise);
    rh_send(d, job, .value = 1);
    rh_send(d, end_now);
    finish();
    assert_string_equal(record, "open 1 ");
    assert_int_equal(told.count, 0);
}

static void deferred_messages_of_one_that_ends_are_dropped(void **unused)
{
    (void)unused;
    START(0);
    rh_ref d = rh_spawn(door);
    for (int i = 0; i < 10; i++)
        rh_send(d, job, .value = i);
    rh_send(d, end_now);
    struct rh_runtime_counts counts = finish();
    assert_int_equal(counts.messages_dropped, 10);
    assert_string_equal(record, "");
}

static void an_unhandled_message_is_a_failure_and_ends_the_actor(void **unused)
{
    (void)unused;
    START(0);
    rh_ref d = rh_spawn(door);
    rh_send(d, close_now);
    rh_send(d, end_now);
    finish();
    expect_told(1, "unhandled", "close_now in behaviour closed");
    assert_string_equal(told.actor, "door#1");
}

RH_ACTOR(stranger);
RH_HANDLER(stranger, open_now)
{
    rh_become(door, opened);
    rh_stop();
}
RH_BEHAVIOUR(stranger, only, open_now);

static void a_foreign_behaviour_is_a_misuse(void **unused)
{
    (void)unused;
    START(0);
    rh_send(rh_spawn(stranger), open_now);
    finish();
    expect_told(1, "misuse", "opened is of door, not of stranger");
    assert_non_null(strstr(told.place, "behaviours.c:"));
}

/* ---- begin and end ---- */
RH_ACTOR(starter, rh_ref other;);
RH_HANDLER(starter, rh_start)
{
    note(msg->restarts == 0 ? "start " : "again ");
}
RH_HANDLER(starter, job)
{
    note_number(msg->value);
    rh_stop();
    note("still ");
}
RH_BEHAVIOUR(starter, only, job, rh_start);

static void rh_start_comes_before_all_others(void **unused)
{
    (void)unused;
    START(0);
    rh_ref s = rh_spawn(starter);
    rh_send(s, job, .value = 1);
    rh_send(s, job, .value = 2);
    finish();
    assert_string_equal(record, "start 1 still ");
}

/* A depth below 0 is never given; it lets the compiler see an end. */
static void deep(int depth, const char *reason)
{
    if (depth < 0)
        return;
    volatile char frame[256];
    frame[0] = (char)depth;
    if (depth == 0)
        rh_exit(reason);
    else
        deep(depth - 1, reason);
    note("never ");
    frame[1] = frame[0];
}

RH_ACTOR(quitter);
RH_HANDLER(quitter, job)
{
    note("deep ");
    deep(20, "normal");
}
RH_BEHAVIOUR(quitter, only, job);

static void rh_exit_ends_at_once_from_any_depth(void **unused)
{
    (void)unused;
    START(.threads = 1);
    for (int i = 0; i < 20; i++) {
        rh_ref q = rh_spawn(quitter);
        rh_send(q, job, .value = 1);
        rh_send(q, job, .value = 2);
    }
    struct rh_runtime_counts counts = finish();
    assert_null(strstr(record, "never"));
    assert_int_equal(counts.messages_handled, 20);
    assert_int_equal(counts.messages_dropped, 20);
    assert_int_equal(told.count, 0);
}

RH_PROCESS(straight);
RH_BODY(straight)
{
    note("body ");
}

static void a_process_ends_where_its_body_returns(void **unused)
{
    (void)unused;
    START(0);
    rh_ref p = rh_spawn(straight);
    finish();
    (void)p;
    assert_string_equal(record, "body ");
}

RH_ACTOR(asserter);
RH_HANDLER(asserter, job)
{
    rh_assert(msg->value < 2, "value is %d", msg->value);
    note_number(msg->value);
}
RH_HANDLER(asserter, open_now)
{
    rh_sometimes("not told", false);
    rh_eventually("not told either", false);
    rh_announce(job, .value = 1);
    rh_always("told", 1 + 1 == 3);
    note("never ");
}
RH_BEHAVIOUR(asserter, only, job, open_now);

static void a_failed_assertion_is_told_and_ends_the_actor(void **unused)
{
    (void)unused;
    START(0);
    rh_ref a = rh_spawn(asserter);
    for (int i = 1; i < 5; i++)
        rh_send(a, job, .value = i);
    finish();
    assert_string_equal(record, "1 ");
    expect_told(1, "assertion", "`msg->value < 2` does not hold: value is 2");
    assert_string_equal(told.actor, "asserter#1");
}

static void of_the_properties_only_always_can_fail(void **unused)
{
    (void)unused;
    START(0);
    rh_send(rh_spawn(asserter), open_now);
    finish();
    assert_string_equal(record, "");
    expect_told(1, "assertion", "told");
}

/* ---- many deferred messages ---- */

enum { MANY = 200000 };
RH_MESSAGE(request, uint32_t number;);
RH_MESSAGE(finished);
static uint32_t served, out_of_order;
RH_ACTOR(server);
RH_HANDLER(server, request)
{
    out_of_order += msg->number != served++;
    if (served == MANY)
        rh_stop();
    rh_become(server, busy);
    rh_send(self, finished);
}
RH_HANDLER(server, finished)
{
    rh_become(server, ready);
}
RH_BEHAVIOUR(server, ready, request);
RH_BEHAVIOUR(server, busy, finished, RH_DEFER(request));

/* A server that is busy and ready in turn must not look at all deferred requests for each of them: that would be
 * 2 * 10^10 looks. */
static void a_server_with_many_deferred_requests_keeps_its_pace(void **unused)
{
    (void)unused;
    START(0);
    rh_ref s = rh_spawn(server);
    served = out_of_order = 0;
    for (uint32_t i = 0; i < MANY; i++)
        rh_send(s, request, .number = i);
    finish();
    assert_int_equal(served, MANY);
    assert_int_equal(out_of_order, 0);
}

/* More types than are counted: what can be handled is found, in order. */
#define OTHER(n)                                                                                                       \
    RH_MESSAGE(other##n);                                                                                              \
    RH_HANDLER(chest, other##n)                                                                                        \
    {                                                                                                                  \
        note(#n " ");                                                                                                  \
    }
RH_MESSAGE(unlock);
RH_ACTOR(chest);
OTHER(1)
OTHER(2)
OTHER(3)
OTHER(4)
OTHER(5)
OTHER(6)
RH_HANDLER(chest, unlock)
{
    rh_become(chest, half_open);
}
RH_HANDLER(chest, open_now)
{
    rh_become(chest, open);
}
RH_BEHAVIOUR(chest, closed, unlock, RH_DEFER(open_now), RH_DEFER(other1), RH_DEFER(other2), RH_DEFER(other3),
             RH_DEFER(other4), RH_DEFER(other5), RH_DEFER(other6));
RH_BEHAVIOUR(chest, half_open, open_now, RH_DEFER(other1), RH_DEFER(other2), RH_DEFER(other3), RH_DEFER(other4),
             RH_DEFER(other5), other6);
RH_HANDLER(chest, end_now)
{
    rh_stop();
}
RH_BEHAVIOUR(chest, open, end_now, other1, other2, other3, other4, other5, other6);

static void many_types_are_deferred_in_order(void **unused)
{
    (void)unused;
    START(0);
    rh_ref c = rh_spawn(chest);
    rh_send(c, other3);
    rh_send(c, other1);
    rh_send(c, other5);
    rh_send(c, other6);
    rh_send(c, other2);
    rh_send(c, other4);
    rh_send(c, other6);
    rh_send(c, unlock);
    rh_send(c, open_now);
    rh_runtime_wait_quiet();
    rh_send(c, end_now);
    finish();
    assert_string_equal(record, "6 6 3 1 5 2 4 ");
}

#define TEST(name) cmocka_unit_test_setup(name, clear)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(deferred_messages_wait_in_order),
        TEST(a_server_with_many_deferred_requests_keeps_its_pace),
        TEST(many_types_are_deferred_in_order),
        TEST(what_is_ignored_is_dropped),
        TEST(deferred_messages_of_one_that_ends_are_dropped),
        TEST(an_unhandled_message_is_a_failure_and_ends_the_actor),
        TEST(a_foreign_behaviour_is_a_misuse),
        TEST(rh_start_comes_before_all_others),
        TEST(rh_exit_ends_at_once_from_any_depth),
        TEST(a_process_ends_where_its_body_returns),
        TEST(a_failed_assertion_is_told_and_ends_the_actor),
        TEST(of_the_properties_only_always_can_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
