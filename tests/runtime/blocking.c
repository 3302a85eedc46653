/* Receive, ask and sleep, in processes and in handlers. */
#include "helper.h"

#include <sys/resource.h>
#include <unistd.h>

RH_MESSAGE(a, int value;);
RH_MESSAGE(b, int value;);
RH_MESSAGE(c, int value;);
RH_MESSAGE(question, int value;);
RH_MESSAGE(reply_to_it, int value;);
RH_MESSAGE(begin);
RH_MESSAGE(end_now);

static _Atomic(int) results[16];
static char record[512];

static int clear(void **unused)
{
    (void)unused;
    for (int i = 0; i < 16; i++)
        results[i] = 0;
    record[0] = '\0';
    return 0;
}

static void note(const char *format, int value)
{
    char text[32];
    snprintf(text, sizeof text, format, value);
    strcat(record, text);
}

/* ---- selective receive ---- */
static bool is_even(const struct rh_envelope *m, const void *arg)
{
    return m->type == &rh_message_a && ((const struct a *)m->value)->value % *(const int *)arg == 0;
}

RH_PROCESS(selector, rh_ref friend;);
RH_BODY(selector)
{
    static const int two = 2;
    note("b%d ", rh_receive(b)->value);
    note("even%d ", rh_receive(a, .match = is_even, .arg = &two)->value);
    note("c%d ", rh_receive(c, .from = rh_receive(begin) ? rh_sender() : rh_nobody())->value);
    const struct rh_envelope *m = rh_receive_any(.types = RH_TYPES(b, c));
    note(rh_as(m, c) ? "c%d " : "b%d ", rh_as(m, c) ? rh_as(m, c)->value : rh_as(m, b)->value);
    while ((m = rh_receive_any(.timeout_ms = RH_POLL)))
        note("rest%d ", *(const int *)m->value);
    note(rh_receive(a, .timeout_ms = 5) ? "?%d " : "late%d ", 0);
}

RH_PROCESS(sender_of_c, rh_ref to; int value;);
RH_BODY(sender_of_c)
{
    if (state->value == 100)
        rh_send(state->to, begin);
    rh_send(state->to, c, .value = state->value);
}

static void receive_takes_what_fits_and_leaves_the_rest_in_order(void **unused)
{
    (void)unused;
    START(0);
    rh_ref s = rh_spawn(selector);
    rh_send(s, a, .value = 1);
    rh_send(s, a, .value = 2);
    rh_send(s, a, .value = 3);
    rh_send(s, b, .value = 4);
    rh_send(s, c, .value = 5);
    rh_runtime_wait_quiet();
    rh_spawn(sender_of_c, .to = s, .value = 100);
    finish();
    assert_string_equal(record, "b4 even2 c100 c5 rest1 rest3 late0 ");
}

/* ---- a parked actor takes nothing else ---- */
RH_ACTOR(waiting);
RH_HANDLER(waiting, begin)
{
    note("begin%d ", 0);
    const struct b *got = rh_receive(b);
    note("b%d ", got->value);
    got = rh_receive(b);
    note("b%d ", got->value);
    note("begin%d ", 1);
}
RH_HANDLER(waiting, a)
{
    note("a%d ", msg->value);
}
RH_HANDLER(waiting, end_now)
{
    rh_stop();
}
RH_BEHAVIOUR(waiting, open, begin, a, end_now);

static void a_handler_that_waits_holds_back_the_other_messages(void **unused)
{
    (void)unused;
    START(0);
    rh_ref w = rh_spawn(waiting);
    rh_send(w, begin);
    rh_send(w, a, .value = 1);
    rh_send(w, a, .value = 2);
    rh_runtime_wait_quiet();
    assert_string_equal(record, "begin0 ");
    rh_send(w, b, .value = 3);
    rh_runtime_wait_quiet();
    rh_send(w, a, .value = 4);
    rh_send(w, b, .value = 5);
    rh_send(w, end_now);
    finish();
    assert_string_equal(record, "begin0 b3 b5 begin1 a1 a2 a4 ");
}

/* ---- ask ---- */
RH_ACTOR(oracle, int silent;);
RH_HANDLER(oracle, question)
{
    if (state->silent == 0)
        rh_reply(reply_to_it, .value = msg->value + 1);
    else if (state->silent == 1)
        rh_reply(a, .value = 0);
}
RH_HANDLER(oracle, end_now)
{
    rh_stop();
}
RH_BEHAVIOUR(oracle, open, question, end_now);

RH_ACTOR(front, rh_ref oracle;);
RH_HANDLER(front, question)
{
    const struct reply_to_it *r = rh_ask(state->oracle, question, reply_to_it, .value = msg->value * 10);
    /* The message being handled is still this one. */
    rh_reply(reply_to_it, .value = r->value + msg->value);
}
RH_HANDLER(front, end_now)
{
    rh_send(state->oracle, end_now);
    rh_stop();
}
RH_BEHAVIOUR(front, open, question, end_now);

RH_PROCESS(curious, rh_ref to; int count;);
RH_BODY(curious)
{
    for (int i = 1; i <= state->count; i++) {
        const struct reply_to_it *r = rh_ask(state->to, question, reply_to_it, .value = i);
        if (r && r->value == i * 11 + 1)
            results[0]++;
    }
    rh_send(state->to, end_now);
}

static void ask_gives_the_reply_in_processes_and_handlers(void **unused)
{
    (void)unused;
    START(0);
    rh_spawn(curious, .to = rh_spawn(front, .oracle = rh_spawn(oracle)), .count = 500);
    finish();
    assert_int_equal(results[0], 500);
}

RH_ACTOR(relay, rh_ref to;);
RH_HANDLER(relay, question)
{
    rh_forward(state->to);
}
RH_HANDLER(relay, end_now)
{
    rh_send(state->to, end_now);
    rh_stop();
}
RH_BEHAVIOUR(relay, open, question, end_now);

RH_PROCESS(curious_once, rh_ref to; int timeout;);
RH_BODY(curious_once)
{
    const struct reply_to_it *r =
        state->timeout ? (const struct reply_to_it *)rh_ask_within(state->timeout, state->to, question, reply_to_it)
                       : rh_ask(state->to, question, reply_to_it, .value = 4);
    results[1] = r ? r->value : -1;
    rh_send(state->to, end_now);
}

static void a_forwarded_ask_is_answered_by_whoever_gets_it(void **unused)
{
    (void)unused;
    START(0);
    rh_spawn(curious_once, .to = rh_spawn(relay, .to = rh_spawn(oracle)));
    finish();
    assert_int_equal(results[1], 5);
}

static void an_ask_within_a_time_gives_up(void **unused)
{
    (void)unused;
    START(0);
    rh_spawn(curious_once, .to = rh_spawn(oracle, .silent = 2), .timeout = 5);
    finish();
    assert_int_equal(results[1], -1);
    assert_int_equal(told.count, 0);
}

static void a_reply_of_another_type_is_a_misuse(void **unused)
{
    (void)unused;
    START(0);
    rh_spawn(curious_once, .to = rh_spawn(oracle, .silent = 1));
    finish();
    assert_int_equal(results[1], -1);
    expect_told(1, "misuse", "expected reply_to_it as the reply to question, but got a");
}

RH_ACTOR(late_oracle, rh_ref asker;);
RH_HANDLER(late_oracle, question)
{
    rh_receive(begin); /* until the asker has given up */
    rh_reply(reply_to_it, .value = 1);
    rh_reply(reply_to_it, .value = 2);
    rh_stop();
}
RH_BEHAVIOUR(late_oracle, open, question);

RH_PROCESS(impatient, rh_ref to;);
RH_BODY(impatient)
{
    results[3] = rh_ask_within(1, state->to, question, reply_to_it) == NULL;
    rh_monitor(state->to);
    rh_send(state->to, begin);
    rh_receive(rh_down);
    results[4] = rh_receive_any(.timeout_ms = RH_POLL) == NULL;
}

static void a_late_reply_is_dropped(void **unused)
{
    (void)unused;
    START(0);
    rh_spawn(impatient, .to = rh_spawn(late_oracle));
    struct rh_runtime_counts counts = finish();
    assert_int_equal(results[3], 1);
    assert_int_equal(results[4], 1);
    assert_int_equal(counts.messages_dropped, 2);
}

/* ---- sleep, many parked ---- */
RH_PROCESS(sleeper, int ms;);
RH_BODY(sleeper)
{
    int64_t before = rh_now_ms();
    int asleep = ++results[8];
    if (asleep > results[9])
        results[9] = asleep;
    rh_sleep(state->ms);
    results[8]--;
    if (rh_now_ms() - before >= state->ms - 1)
        results[5]++;
}

static void sleep_blocks_only_the_one_who_sleeps(void **unused)
{
    (void)unused;
    START(.threads = 1);
    for (int i = 0; i < 50; i++)
        rh_spawn(sleeper, .ms = 10);
    finish();
    assert_int_equal(results[5], 50);
    assert_in_range(results[9], 2, 50); /* asleep at once, on one thread */
}

RH_PROCESS(waiter, rh_ref next;);
RH_BODY(waiter)
{
    int value = rh_receive(a)->value;
    if (rh_is_nobody(state->next))
        results[6] = value;
    else
        rh_send(state->next, a, .value = value + 1);
}

static void a_thousand_processes_wait_at_once(void **unused)
{
    (void)unused;
    START(.stack_bytes = 32 << 10);
    rh_ref next = rh_nobody();
    for (int i = 0; i < 1000; i++)
        next = rh_spawn(waiter, .next = next);
    rh_runtime_wait_quiet();
    rh_send(next, a, .value = 1);
    finish();
    assert_int_equal(results[6], 1000);
}

/* ---- exits while blocked ---- */
RH_ACTOR(blocked);
RH_HANDLER(blocked, begin)
{
    rh_receive(b);
    rh_exit("normal"); /* on a fiber that was parked */
}
RH_BEHAVIOUR(blocked, open, begin);

RH_PROCESS(killer, rh_ref who;);
RH_BODY(killer)
{
    rh_monitor(state->who);
    rh_kill(state->who, "enough");
    const struct rh_down *down = rh_receive(rh_down);
    results[7] = strcmp(down->reason, "enough") == 0;
}

static void a_blocked_actor_can_end(void **unused)
{
    (void)unused;
    START(0);
    rh_ref one = rh_spawn(blocked), other = rh_spawn(blocked);
    rh_send(one, begin);
    rh_send(other, begin);
    rh_runtime_wait_quiet();
    rh_send(one, b);
    rh_spawn(killer, .who = other);
    finish();
    assert_int_equal(results[7], 1);
}

/* ---- where stacks are used up ---- */
RH_PROCESS(stacked, int how;);
RH_BODY(stacked)
{
    results[0]++;
    if (state->how == 0 ? !rh_receive(begin) : state->how == 1 ? !rh_receive(begin, .timeout_ms = 100000) : false)
        results[1]++; /* never: the time is not over */
    if (state->how == 2)
        rh_sleep(100000);
    results[2]++;
}

static size_t address_space(void)
{
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%lu", &pages), 1);
    fclose(f);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void an_actor_without_a_stack_ends_and_says_so(void **unused)
{
    (void)unused;
    struct rlimit before, less;
    START(.threads = 1, .stack_bytes = 256 << 20);
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    less = before;
    less.rlim_cur = address_space() + (1u << 30);
    assert_int_equal(setrlimit(RLIMIT_AS, &less), 0);
    rh_ref waiting[6];
    for (int i = 0; i < 6; i++)
        waiting[i] = rh_spawn(stacked);
    rh_runtime_wait_quiet();
    rh_spawn(stacked, .how = 1);
    rh_spawn(stacked, .how = 2);
    rh_runtime_wait_quiet();
    setrlimit(RLIMIT_AS, &before);
    int ended = (int)rh_runtime_count().actors_ended;
    assert_int_equal(results[0], 8);
    assert_in_range(ended, 4, 7);
    expect_told(ended, "limit", "vm.max_map_count");
    assert_non_null(strstr(told.text, "stack_bytes"));
    for (int i = 0; i < 6; i++)
        rh_send(waiting[i], begin);
    finish();
    assert_int_equal(results[1], 0);
    assert_int_equal(results[2], 8 - ended); /* the others go on */
}

#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
/* Where guards cost mappings some of them end of it, but none goes on without its message. */
static void forty_thousand_processes_wait_at_once(void **unused)
{
    (void)unused;
    enum { MANY = 40000 };
    static rh_ref waiting[MANY];
    START(.stack_bytes = 16 << 10);
    for (int i = 0; i < MANY; i++)
        waiting[i] = rh_spawn(stacked);
    rh_runtime_wait_quiet();
    for (int i = 0; i < MANY; i += 2)
        rh_send(waiting[i], begin);
    rh_runtime_wait_quiet();
    for (int i = 1; i < MANY; i += 2)
        rh_send(waiting[i], begin);
    finish();
    assert_int_equal(results[0], MANY);
    assert_int_equal(results[1], 0);
    assert_int_equal(results[2] + told.count, MANY);
    if (told.count > 0)
        assert_string_equal(told.kind, "limit");
}
#endif

#define TEST(name) cmocka_unit_test_setup(name, clear)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(receive_takes_what_fits_and_leaves_the_rest_in_order),
        TEST(a_handler_that_waits_holds_back_the_other_messages),
        TEST(ask_gives_the_reply_in_processes_and_handlers),
        TEST(a_forwarded_ask_is_answered_by_whoever_gets_it),
        TEST(an_ask_within_a_time_gives_up),
        TEST(a_reply_of_another_type_is_a_misuse),
        TEST(a_late_reply_is_dropped),
        TEST(sleep_blocks_only_the_one_who_sleeps),
        TEST(a_thousand_processes_wait_at_once),
        TEST(a_blocked_actor_can_end),
        TEST(an_actor_without_a_stack_ends_and_says_so),
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
        TEST(forty_thousand_processes_wait_at_once),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
