/* Sending: what arrives, from whom, in which order. */
#include "helper.h"

RH_MESSAGE(number, int value; rh_ref from;);
RH_MESSAGE(long_one, char text[3000]; int last;);
RH_MESSAGE(aligned_one, long double value;);
RH_MESSAGE(query, int value;);
RH_MESSAGE(answer, int value;);
RH_MESSAGE(finish_now);

static _Atomic(int) results[64];
static char bytes_seen[64];
static rh_ref ref_seen;

/* ---- fields and tail ---- */
RH_ACTOR(reader);
RH_HANDLER(reader, long_one)
{
    results[0] = msg->last;
    results[1] = msg->text[2999];
}
RH_HANDLER(reader, aligned_one)
{
    results[2] = (uintptr_t)msg % _Alignof(long double) == 0 && msg->value == 1.5L;
}
RH_HANDLER(reader, number)
{
    size_t size;
    const char *tail = rh_tail(&size);
    results[3] = msg->value;
    results[4] = (int)size;
    if (tail && size < sizeof bytes_seen)
        memcpy(bytes_seen, tail, size);
    if (tail && size > 1000000)
        results[5] = tail[0] + tail[size - 1];
}
RH_HANDLER(reader, finish_now)
{
    size_t size = 7;
    results[6] = rh_tail(&size) == NULL && size == 0;
    rh_stop();
}
RH_BEHAVIOUR(reader, open, long_one, aligned_one, number, finish_now);

static void fields_arrive_as_they_were_sent(void **unused)
{
    (void)unused;
    START(0);
    rh_ref r = rh_spawn(reader);
    struct long_one big = { .last = 77 };
    big.text[2999] = 'z';
    rh_send_(r, &rh_message_long_one, &big, NULL, 0, RH_HERE);
    big.last = 0; /* the message is a copy */
    rh_send(r, aligned_one, .value = 1.5L);
    rh_send(r, finish_now);
    finish();
    assert_int_equal(results[0], 77);
    assert_int_equal(results[1], 'z');
    assert_int_equal(results[2], 1);
}

static void bytes_behind_a_message_arrive(void **unused)
{
    (void)unused;
    START(0);
    rh_ref r = rh_spawn(reader);
    char text[] = "behind";
    rh_send_with(r, text, sizeof text, number, .value = 5);
    memset(text, 'x', sizeof text);
    rh_runtime_wait_quiet();
    assert_int_equal(results[3], 5);
    assert_int_equal(results[4], sizeof text);
    assert_string_equal(bytes_seen, "behind");
    size_t size = 1 << 20;
    char *large = malloc(size);
    memset(large, 3, size);
    rh_send_with(r, large, size - 64, number, .value = 6);
    free(large);
    rh_send(r, finish_now);
    finish();
    assert_int_equal(results[5], 6);
    assert_int_equal(results[6], 1);
    assert_int_equal(told.count, 0);
}

/* ---- order ---- */
enum { SENDERS = 4, EACH = 5000 };

RH_MESSAGE(numbered, int sender; int value;);
RH_ACTOR(orderly, int next[SENDERS]; int seen;);
RH_HANDLER(orderly, numbered)
{
    if (state->next[msg->sender]++ != msg->value)
        results[10]++;
    if (++state->seen == SENDERS * EACH)
        rh_stop();
}
RH_BEHAVIOUR(orderly, open, numbered);

RH_PROCESS(burst, rh_ref to; int number;);
RH_BODY(burst)
{
    for (int i = 0; i < EACH; i++)
        rh_send(state->to, numbered, .sender = state->number, .value = i);
}

static void messages_of_one_sender_stay_in_order(void **unused)
{
    (void)unused;
    START(.threads = 3);
    rh_ref to = rh_spawn(orderly);
    for (int i = 0; i < SENDERS; i++)
        rh_spawn(burst, .to = to, .number = i);
    struct rh_runtime_counts counts = finish();
    assert_int_equal(results[10], 0);
    assert_int_equal(counts.messages_handled, SENDERS * EACH);
}

static void *foreign_burst(void *arg)
{
    rh_ref to = rh_whereis("orderly");
    for (int i = 0; i < EACH; i++)
        rh_send(to, numbered, .sender = (int)(intptr_t)arg, .value = i);
    return NULL;
}

static void any_thread_may_send(void **unused)
{
    (void)unused;
    pthread_t threads[SENDERS];
    START(0);
    assert_true(rh_register("orderly", rh_spawn(orderly)));
    for (intptr_t i = 0; i < SENDERS; i++)
        pthread_create(&threads[i], NULL, foreign_burst, (void *)i);
    for (int i = 0; i < SENDERS; i++)
        pthread_join(threads[i], NULL);
    finish();
    assert_int_equal(results[10], 0);
}

/* ---- sender, reply, forward ---- */
RH_ACTOR(answerer);
RH_HANDLER(answerer, query)
{
    ref_seen = rh_sender();
    rh_reply(answer, .value = msg->value * 2);
    rh_stop();
}
RH_BEHAVIOUR(answerer, open, query);

RH_ACTOR(passer, rh_ref to;);
RH_HANDLER(passer, query)
{
    rh_forward(state->to);
    rh_stop();
}
RH_BEHAVIOUR(passer, open, query);

static rh_ref asker_ref;
RH_ACTOR(asker, rh_ref to;);
RH_HANDLER(asker, rh_start)
{
    asker_ref = self;
    rh_send(state->to, query, .value = 21);
}
RH_HANDLER(asker, answer)
{
    results[20] = msg->value;
    results[21] = rh_same(rh_sender(), ref_seen);
    rh_stop();
}
RH_BEHAVIOUR(asker, open, rh_start, answer);

static void a_reply_goes_to_the_sender(void **unused)
{
    (void)unused;
    START(0);
    rh_spawn(asker, .to = rh_spawn(answerer));
    finish();
    assert_int_equal(results[20], 42);
    assert_true(rh_same(ref_seen, asker_ref));
}

static void a_forwarded_message_keeps_its_first_sender(void **unused)
{
    (void)unused;
    START(0);
    results[20] = 0;
    ref_seen = rh_nobody();
    rh_spawn(asker, .to = rh_spawn(passer, .to = rh_spawn(passer, .to = rh_spawn(answerer))));
    finish();
    assert_int_equal(results[20], 42);
    assert_true(rh_same(ref_seen, asker_ref));
}

/* The first in the program: the numbers of these two are also those of slots that nobody has lived in yet. */
static void what_is_sent_to_an_external_sender_goes_nowhere(void **unused)
{
    (void)unused;
    START(0);
    rh_ref one = rh_external("one"), two = rh_external("two");
    rh_send(one, number, .value = 1);
    rh_send(two, number, .value = 2);
    rh_send(rh_spawn(reader), finish_now);
    rh_send(two, number, .value = 3);
    assert_int_equal(finish().messages_dropped, 3);
    assert_int_equal(told.count, 0);
}

static void an_external_sender_only_names(void **unused)
{
    (void)unused;
    START(0);
    rh_ref user = rh_external("user");
    assert_true(rh_same(user, rh_external("user")));
    assert_false(rh_same(user, rh_external("device")));
    assert_string_equal(rh_name(user), "user");
    rh_send_from(user, rh_spawn(answerer), query, .value = 1); /* the reply goes nowhere */
    struct rh_runtime_counts counts = finish();
    assert_true(rh_same(ref_seen, user));
    assert_int_equal(counts.messages_dropped, 1);
    assert_int_equal(told.count, 0);
}

static void a_message_to_one_that_has_ended_is_counted_as_dropped(void **unused)
{
    (void)unused;
    START(0);
    rh_ref gone = rh_spawn(reader);
    rh_send(gone, finish_now);
    rh_runtime_wait();
    assert_false(rh_alive(gone));
    rh_ref other = rh_spawn(reader); /* in the same slot */
    results[3] = 0;
    for (int i = 0; i < 10; i++)
        rh_send(gone, number, .value = 9);
    rh_send(other, finish_now);
    struct rh_runtime_counts counts = finish();
    assert_int_equal(results[3], 0);
    assert_int_equal(counts.messages_dropped, 10);
    assert_int_equal(told.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_sent_to_an_external_sender_goes_nowhere),
        cmocka_unit_test(fields_arrive_as_they_were_sent),
        cmocka_unit_test(bytes_behind_a_message_arrive),
        cmocka_unit_test(messages_of_one_sender_stay_in_order),
        cmocka_unit_test(any_thread_may_send),
        cmocka_unit_test(a_reply_goes_to_the_sender),
        cmocka_unit_test(a_forwarded_message_keeps_its_first_sender),
        cmocka_unit_test(an_external_sender_only_names),
        cmocka_unit_test(a_message_to_one_that_has_ended_is_counted_as_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
