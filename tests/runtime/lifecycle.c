/* Start, wait, stop, and again: at any moment, with anything under way. */
#include "helper.h"

RH_MESSAGE(go, int value; rh_ref back;);
RH_MESSAGE(end_now);

static _Atomic(long) handled;
static char folder[64];

RH_ACTOR(busy, rh_ref peers[8]; int mode;);
RH_HANDLER(busy, go)
{
    handled++;
    switch (rh_choose(9)) {
    case 0:
        rh_timer("again", 1, go);
        break;
    case 1:
        rh_receive(end_now, .timeout_ms = 1);
        break;
    case 2:
        rh_spawn(busy, .peers = { self });
        break;
    case 3:
        rh_store_open(rh_name(self));
        rh_store_put("handled", &msg->value, sizeof msg->value);
        break;
    case 4:
        rh_sleep(1);
        break;
    case 5:
        rh_send_with(state->peers[0], state, sizeof *state, go, .value = msg->value + 1);
        return;
    case 6:
        rh_link(state->peers[rh_choose(8)]);
        break;
    }
    rh_send(state->peers[rh_choose(8)], go, .value = msg->value + 1);
}
RH_HANDLER(busy, end_now)
{
    rh_stop();
}
RH_HANDLER(busy, rh_start)
{
    for (int i = 0; i < 8; i++)
        if (rh_is_nobody(state->peers[i]))
            state->peers[i] = self;
    rh_send(self, go);
}
RH_BEHAVIOUR(busy, open, rh_start, go, end_now);

static void *meddle(void *arg)
{
    rh_ref *who = arg;
    for (int i = 0; i < 200; i++) {
        rh_send(who[i % 8], go);
        rh_name(who[i % 8]);
        rh_register("somebody", who[i % 8]);
        rh_whereis("somebody");
        if (i % 50 == 0)
            rh_spawn(busy);
    }
    return NULL;
}

static void stopping_at_any_moment_is_clean(void **unused)
{
    (void)unused;
    for (int round = 0; round < 30; round++) {
        rh_ref who[8] = { { 0 } };
        pthread_t thread;
        int looks = 0;
        START(.threads = 1 + (uint32_t)round % 4, .seed = (uint64_t)round + 1, .store_folder = folder,
              .overflow = (enum rh_overflow)(round % 4), .mailbox_limit = 20);
        handled = 0;
        for (int i = 0; i < 8; i++)
            who[i] = rh_spawn(busy, .peers = { who[0], who[i / 2] });
        pthread_create(&thread, NULL, meddle, who);
        while (handled < round * 10 && looks++ < 100000) /* all may have ended of overflow */
            sched_yield();
        rh_runtime_stop();
        pthread_join(thread, NULL);
    }
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

static void a_runtime_without_work_starts_and_stops(void **unused)
{
    (void)unused;
    for (int i = 0; i < 50; i++) {
        START(.threads = 1 + (uint32_t)i % 5);
        if (i % 2)
            rh_runtime_wait_quiet();
        rh_runtime_wait();
        rh_runtime_stop();
    }
    assert_true(rh_runtime_start(NULL));
    rh_runtime_stop();
}

RH_PROCESS(waits_for_ever);
RH_BODY(waits_for_ever)
{
    rh_receive(go);
}

RH_ACTOR(defers_for_ever);
RH_HANDLER(defers_for_ever, end_now)
{
    rh_receive(rh_down);
}
RH_BEHAVIOUR(defers_for_ever, open, end_now, RH_DEFER(go));

static void what_waits_is_abandoned_without_leaks(void **unused)
{
    (void)unused;
    START(0);
    for (int i = 0; i < 20; i++) {
        rh_ref p = rh_spawn(waits_for_ever), d = rh_spawn(defers_for_ever);
        rh_send(p, end_now);
        rh_send_with(d, folder, sizeof folder, go);
        rh_send(d, end_now);
        rh_send(d, go);
    }
    rh_runtime_wait_quiet();
    assert_int_equal(rh_runtime_count().actors_ended, 0);
    rh_runtime_stop();
    assert_int_equal(rh_runtime_count().actors_spawned, 40);
}

static _Atomic(int) released;
static void *wait_outside(void *arg)
{
    (void)arg;
    rh_runtime_wait();
    released++;
    return NULL;
}

static void stopping_frees_those_who_wait(void **unused)
{
    (void)unused;
    pthread_t threads[3];
    START(0);
    released = 0;
    rh_spawn(waits_for_ever);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, wait_outside, NULL);
    rh_runtime_stop();
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(released, 3);
}

RH_ACTOR(counted);
RH_HANDLER(counted, go)
{
    if (msg->value)
        rh_send(self, go, .value = msg->value - 1);
    else
        rh_stop();
}
RH_BEHAVIOUR(counted, open, go);

static void counts_add_up(void **unused)
{
    (void)unused;
    START(0);
    for (int i = 0; i < 10; i++)
        rh_send(rh_spawn(counted), go, .value = 9);
    struct rh_runtime_counts counts = finish();
    assert_int_equal(counts.actors_spawned, 10);
    assert_int_equal(counts.messages_sent, 100);
    assert_int_equal(counts.messages_handled, 100);
    assert_int_equal(counts.messages_dropped, 0);
}

static void a_reference_from_the_last_runtime_names_nobody(void **unused)
{
    (void)unused;
    START(0);
    rh_ref old = rh_spawn(waits_for_ever);
    rh_runtime_stop();
    START(0);
    rh_ref new = rh_spawn(counted);
    assert_false(rh_alive(old));
    assert_false(rh_same(old, new));
    rh_send(old, go);
    rh_send(new, go);
    assert_int_equal(finish().messages_dropped, 1);
}

/* More often than a slot was once thought to be used: each ends and leaves its slot to the next but one. */
enum { REUSES = 70000 };
static rh_ref used[REUSES];

RH_PROCESS(passes_on, int at;);
RH_BODY(passes_on)
{
    used[state->at] = self;
    if (state->at + 1 < REUSES)
        rh_spawn(passes_on, .at = state->at + 1);
}

static void many_references_from_the_last_runtime_name_nobody(void **unused)
{
    (void)unused;
    START(.threads = 1);
    rh_spawn(passes_on);
    finish();
    START(.threads = 1);
    rh_ref new[] = { rh_spawn(waits_for_ever), rh_spawn(waits_for_ever), rh_spawn(waits_for_ever) };
    for (int i = 0; i < REUSES; i++)
        if (rh_alive(used[i]))
            fail_msg("number %d is one of the next runtime's", i);
    for (int i = 0; i < 3; i++) {
        assert_true(rh_alive(new[i]));
        rh_send(new[i], go);
    }
    finish();
}

static int make_folder(void **unused)
{
    (void)unused;
    strcpy(folder, "/tmp/rehearse-lifecycle-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(stopping_at_any_moment_is_clean, make_folder),
        cmocka_unit_test(a_runtime_without_work_starts_and_stops),
        cmocka_unit_test(what_waits_is_abandoned_without_leaks),
        cmocka_unit_test(stopping_frees_those_who_wait),
        cmocka_unit_test(counts_add_up),
        cmocka_unit_test(a_reference_from_the_last_runtime_names_nobody),
        cmocka_unit_test(many_references_from_the_last_runtime_name_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
