/* What a send does when the mailbox is full. */
#include "helper.h"

#ifdef RH_TEST_FEW
enum { ROUNDS = 4 };
#else
enum { ROUNDS = 20 };
#endif
enum { LIMIT = 10, MANY = 1000 };

RH_MESSAGE(begin);
RH_MESSAGE(item, int value;);
RH_MESSAGE(end_now);
RH_MESSAGE(question);
RH_MESSAGE(answer);

static _Atomic(int) results[8];
static char reason[RH_REASON_SIZE];

static int clear(void **unused)
{
    (void)unused;
    for (int i = 0; i < 8; i++)
        results[i] = 0;
    return 0;
}

/* Takes nothing until it is told to begin. */
RH_ACTOR(slow, int next;);
RH_HANDLER(slow, rh_start)
{
    results[7] = 1;
    rh_receive(begin);
}
RH_HANDLER(slow, item)
{
    results[0]++;
    if (msg->value != state->next++)
        results[1]++;
}
RH_HANDLER(slow, end_now)
{
    rh_stop();
}
RH_BEHAVIOUR(slow, open, rh_start, item, end_now);

RH_PROCESS(flood, rh_ref to; int count; rh_ref then;);
RH_BODY(flood)
{
    for (int i = 0; i < state->count; i++) {
        rh_send(state->to, item, .value = i);
        results[2]++;
    }
    if (!rh_is_nobody(state->then))
        rh_send(state->then, begin);
    rh_send(state->to, end_now);
}

static void dropped_messages_are_counted(void **unused)
{
    (void)unused;
    START(.overflow = RH_OVERFLOW_DROP, .mailbox_limit = LIMIT);
    rh_ref s = rh_spawn(slow);
    rh_runtime_wait_quiet();
    for (int i = 0; i < MANY; i++)
        rh_send(s, item, .value = i);
    assert_int_equal(rh_runtime_count().messages_dropped, MANY - LIMIT);
    /* begin does not fit either: the mailbox is full */
    rh_send(s, begin);
    assert_int_equal(rh_runtime_count().messages_dropped, MANY - LIMIT + 1);
    rh_runtime_stop();
    assert_int_equal(told.count, 0);
}

RH_ACTOR(steady);
RH_HANDLER(steady, item)
{
    if (msg->value != results[0]++)
        results[1]++;
}
RH_HANDLER(steady, end_now)
{
    rh_stop();
}
RH_BEHAVIOUR(steady, open, item, end_now);

static void a_sender_waits_until_there_is_room(void **unused)
{
    (void)unused;
    START(.overflow = RH_OVERFLOW_WAIT, .mailbox_limit = LIMIT);
    rh_spawn(flood, .to = rh_spawn(steady), .count = MANY);
    struct rh_runtime_counts counts = finish();
    assert_int_equal(results[0], MANY);
    assert_int_equal(results[1], 0);
    assert_int_equal(counts.messages_dropped, 0);
}

static void a_full_mailbox_holds_the_sender_and_not_its_thread(void **unused)
{
    (void)unused;
    START(.threads = 1, .overflow = RH_OVERFLOW_WAIT, .mailbox_limit = LIMIT);
    rh_ref s = rh_spawn(slow);
    rh_ref f = rh_spawn(flood, .to = s, .count = MANY);
    rh_runtime_wait_quiet(); /* the sender waits, the thread is free */
    assert_int_equal(results[2], LIMIT);
    rh_send(rh_spawn(steady), end_now);
    rh_runtime_wait_quiet();
    assert_true(rh_alive(f));
    rh_runtime_stop(); /* with the sender still waiting */
}

static void *foreign_flood(void *arg)
{
    rh_ref to = *(rh_ref *)arg;
    for (int i = 0; i < MANY; i++)
        rh_send(to, item, .value = i);
    return NULL;
}

static void a_foreign_thread_waits_too(void **unused)
{
    (void)unused;
    pthread_t thread;
    START(.overflow = RH_OVERFLOW_WAIT, .mailbox_limit = LIMIT);
    rh_ref to = rh_spawn(steady);
    pthread_create(&thread, NULL, foreign_flood, &to);
    pthread_join(thread, NULL);
    rh_send(to, end_now);
    finish();
    assert_int_equal(results[0], MANY);
    assert_int_equal(results[1], 0);
}

static void stopping_frees_a_foreign_thread_that_waits(void **unused)
{
    (void)unused;
    pthread_t thread;
    START(.overflow = RH_OVERFLOW_WAIT, .mailbox_limit = LIMIT);
    rh_ref to = rh_spawn(slow);
    pthread_create(&thread, NULL, foreign_flood, &to);
    while (rh_runtime_count().messages_sent < LIMIT)
        sched_yield();
    rh_runtime_stop();
    pthread_join(thread, NULL);
}

RH_PROCESS(guard, rh_ref who; int with;);
RH_BODY(guard)
{
    rh_monitor(state->who);
    if (state->with)
        rh_kill(state->who, "enough");
    snprintf(reason, sizeof reason, "%s", rh_receive(rh_down)->reason);
}

static void killing_the_receiver_frees_those_who_wait(void **unused)
{
    (void)unused;
    START(.overflow = RH_OVERFLOW_WAIT, .mailbox_limit = LIMIT);
    rh_ref to = rh_spawn(slow);
    for (int i = 0; i < 5; i++)
        rh_spawn(flood, .to = to, .count = MANY);
    rh_runtime_wait_quiet();
    rh_spawn(guard, .who = to, .with = 1);
    finish();
    assert_int_equal(results[2], 5 * MANY);
}

static void with_fail_the_sender_ends(void **unused)
{
    (void)unused;
    START(.overflow = RH_OVERFLOW_FAIL, .mailbox_limit = LIMIT);
    rh_ref to = rh_spawn(slow);
    rh_runtime_wait_quiet();
    rh_ref f = rh_spawn(flood, .to = to, .count = MANY);
    rh_spawn(guard, .who = f);
    rh_runtime_wait_quiet();
    rh_spawn(guard, .who = to, .with = 1);
    finish();
    assert_int_equal(results[2], LIMIT);
}

static void with_fail_each_end_is_told(void **unused)
{
    (void)unused;
    enum { SENDERS = 20 };
    START(.overflow = RH_OVERFLOW_FAIL, .mailbox_limit = LIMIT);
    rh_ref to = rh_spawn(slow);
    rh_runtime_wait_quiet();
    for (int i = 0; i < SENDERS; i++)
        rh_spawn(flood, .to = to, .count = MANY);
    rh_runtime_wait_quiet();
    rh_spawn(guard, .who = to, .with = 1);
    finish();
    expect_told(SENDERS, "overflow", "mailbox_limit");
    assert_true(strncmp(told.actor, "flood#", 6) == 0);
    assert_non_null(strstr(told.place, "overflow.c:"));
}

RH_ACTOR(selfish, int left;);
RH_HANDLER(selfish, begin)
{
    for (int i = 0; i < MANY; i++)
        rh_send(self, item, .value = i);
}
RH_HANDLER(selfish, item)
{
    if (++state->left == MANY)
        rh_stop();
}
RH_BEHAVIOUR(selfish, open, begin, item);

static void a_message_to_oneself_never_waits(void **unused)
{
    (void)unused;
    START(.overflow = RH_OVERFLOW_WAIT, .mailbox_limit = LIMIT);
    rh_send(rh_spawn(selfish), begin);
    struct rh_runtime_counts counts = finish();
    assert_int_equal(counts.messages_handled, MANY + 1);
}

/* Holds `held` in its first message until it is told to begin; before that it may kill somebody. */
static rh_ref victim;
RH_PROCESS(gate, bool kills;);
RH_BODY(gate)
{
    rh_receive(question);
    struct rh_request asked = rh_keep_request();
    rh_receive(begin);
    if (state->kills)
        rh_kill(victim, "enough");
    rh_reply_to(asked, answer);
}

RH_ACTOR(held, rh_ref gate;);
RH_HANDLER(held, item)
{
    if (results[0]++ == 0)
        rh_ask(state->gate, question, answer);
}
RH_HANDLER(held, end_now)
{
    rh_stop();
}
RH_BEHAVIOUR(held, open, item, end_now);

RH_PROCESS(once, rh_ref to;);
RH_BODY(once)
{
    rh_receive(begin);
    rh_send(state->to, item);
    results[2]++;
}

/* `held` is in its first message and has a second one, for which alone there is room; `first` and `second` wait. */
static void fill(rh_ref to, rh_ref first, rh_ref second)
{
    rh_send(to, item);
    rh_runtime_wait_quiet();
    rh_send(to, item);
    rh_runtime_wait_quiet();
    rh_send(first, begin);
    rh_runtime_wait_quiet();
    rh_send(second, begin);
    rh_runtime_wait_quiet();
    assert_int_equal(results[2], 0);
}

static void a_sender_killed_while_it_waits_holds_nobody_up(void **unused)
{
    (void)unused;
    START(.overflow = RH_OVERFLOW_WAIT, .mailbox_limit = 1);
    rh_ref g = rh_spawn(gate), to = rh_spawn(held, .gate = g);
    rh_ref first = rh_spawn(once, .to = to), second = rh_spawn(once, .to = to);
    fill(to, first, second);
    rh_spawn(guard, .who = first, .with = 1);
    rh_runtime_wait_quiet();
    assert_false(rh_alive(first));
    rh_send(g, begin);
    rh_runtime_wait_quiet();
    assert_int_equal(results[0], 3);
    assert_int_equal(results[2], 1);
    rh_send(to, end_now);
    finish();
}

/* On one thread: the signal that ends the sender is in its mailbox before the news that there is room. */
static void a_sender_killed_when_it_has_room_passes_it_on(void **unused)
{
    (void)unused;
    START(.threads = 1, .overflow = RH_OVERFLOW_WAIT, .mailbox_limit = 1);
    rh_ref g = rh_spawn(gate, .kills = true), to = rh_spawn(held, .gate = g);
    rh_ref first = rh_spawn(once, .to = to), second = rh_spawn(once, .to = to);
    victim = first;
    fill(to, first, second);
    rh_send(g, begin);
    rh_runtime_wait_quiet();
    assert_false(rh_alive(first));
    assert_int_equal(results[0], 3);
    assert_int_equal(results[2], 1);
    rh_send(to, end_now);
    finish();
}

RH_PROCESS(reaper, rh_ref who[8];);
RH_BODY(reaper)
{
    for (int i = 0; i < 8; i++) {
        rh_kill(state->who[i], "enough");
        if (rh_choose(2))
            rh_sleep(1);
    }
}

RH_ACTOR(counter);
RH_HANDLER(counter, item)
{
    results[0]++;
}
RH_HANDLER(counter, begin)
{
    rh_stop();
}
RH_BEHAVIOUR(counter, open, item, begin, RH_IGNORE(end_now));

static void senders_that_end_at_any_moment_hold_nobody_up(void **unused)
{
    (void)unused;
    for (int round = 0; round < ROUNDS; round++) {
        rh_ref who[16];
        START(.threads = 1 + (uint32_t)round % 4, .overflow = RH_OVERFLOW_WAIT, .mailbox_limit = 1 + round % 3);
        rh_ref to = rh_spawn(counter);
        for (int i = 0; i < 16; i++)
            who[i] = rh_spawn(flood, .to = to, .count = 200);
        rh_spawn(reaper, .who = { who[0], who[1], who[2], who[3], who[4], who[5], who[6], who[7] });
        rh_runtime_wait_quiet();
        for (int i = 0; i < 16; i++)
            assert_false(rh_alive(who[i]));
        rh_send(to, begin);
        finish();
    }
}

#define TEST(name) cmocka_unit_test_setup(name, clear)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(dropped_messages_are_counted),
        TEST(a_sender_waits_until_there_is_room),
        TEST(a_full_mailbox_holds_the_sender_and_not_its_thread),
        TEST(a_foreign_thread_waits_too),
        TEST(stopping_frees_a_foreign_thread_that_waits),
        TEST(killing_the_receiver_frees_those_who_wait),
        TEST(with_fail_the_sender_ends),
        TEST(with_fail_each_end_is_told),
        TEST(a_message_to_oneself_never_waits),
        TEST(a_sender_killed_while_it_waits_holds_nobody_up),
        TEST(a_sender_killed_when_it_has_room_passes_it_on),
        TEST(senders_that_end_at_any_moment_hold_nobody_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
