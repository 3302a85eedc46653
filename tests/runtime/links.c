/* Links, monitors, exit signals. */
#include "helper.h"

RH_MESSAGE(go);
RH_MESSAGE(over);
RH_MESSAGE(end_now, char reason[32];);

static _Atomic(int) results[16];
static char reasons[4][RH_REASON_SIZE];
static rh_ref whos[4];

static int clear(void **unused)
{
    (void)unused;
    memset(reasons, 0, sizeof reasons);
    for (int i = 0; i < 16; i++)
        results[i] = 0;
    return 0;
}

static void keep_reason(char *to, const char *reason)
{
    snprintf(to, RH_REASON_SIZE, "%s", reason);
}

/* Ends with the reason that it is told. */
RH_ACTOR(mortal, rh_ref linked;);
RH_HANDLER(mortal, rh_start)
{
    if (!rh_is_nobody(state->linked))
        rh_link(state->linked);
}
RH_HANDLER(mortal, end_now)
{
    rh_exit(msg->reason);
}
RH_HANDLER(mortal, go)
{
}
RH_BEHAVIOUR(mortal, open, rh_start, end_now, go);

RH_PROCESS(watcher, rh_ref who; const char *reason; int slot;);
RH_BODY(watcher)
{
    rh_monitor(state->who);
    struct end_now end = { "" };
    if (state->reason) {
        snprintf(end.reason, sizeof end.reason, "%s", state->reason);
        rh_send_(state->who, &rh_message_end_now, &end, NULL, 0, RH_HERE);
    }
    const struct rh_down *down = rh_receive(rh_down);
    keep_reason(reasons[state->slot], down->reason);
    whos[state->slot] = down->who;
}

static void a_monitor_is_told_who_ended_and_why(void **unused)
{
    (void)unused;
    START(0);
    rh_ref m = rh_spawn(mortal);
    rh_spawn(watcher, .who = m, .reason = "worn out");
    finish();
    assert_string_equal(reasons[0], "worn out");
    assert_true(rh_same(whos[0], m));
}

static void a_monitor_on_one_that_has_ended_is_told_at_once(void **unused)
{
    (void)unused;
    START(0);
    rh_ref m = rh_spawn(mortal);
    rh_send(m, end_now, .reason = "normal");
    rh_runtime_wait();
    rh_spawn(watcher, .who = m);
    finish();
    assert_string_equal(reasons[0], "noproc");
}

static void an_abnormal_end_ends_those_linked_in_a_chain(void **unused)
{
    (void)unused;
    START(0);
    rh_ref chain[5];
    for (int i = 0; i < 5; i++)
        chain[i] = rh_spawn(mortal, .linked = i ? chain[i - 1] : rh_nobody());
    rh_runtime_wait_quiet();
    rh_spawn(watcher, .who = chain[4], .slot = 0);
    rh_runtime_wait_quiet();
    rh_spawn(watcher, .who = chain[1], .reason = "boom", .slot = 1);
    finish();
    assert_string_equal(reasons[0], "boom");
    assert_string_equal(reasons[1], "boom");
}

static void a_normal_end_does_not_end_those_linked(void **unused)
{
    (void)unused;
    START(0);
    rh_ref one = rh_spawn(mortal);
    rh_ref other = rh_spawn(mortal, .linked = one);
    rh_runtime_wait_quiet();
    rh_send(one, end_now, .reason = "normal");
    rh_runtime_wait_quiet();
    assert_false(rh_alive(one));
    assert_true(rh_alive(other));
    rh_send(other, end_now, .reason = "normal");
    finish();
}

RH_PROCESS(linker, rh_ref who; bool traps; bool unlinks; int slot;);
RH_BODY(linker)
{
    rh_trap_exits(state->traps);
    rh_link(state->who);
    if (state->unlinks)
        rh_unlink(state->who);
    rh_receive(go, .timeout_ms = state->traps ? RH_POLL : 0);
    if (state->traps) {
        const struct rh_exited *e = rh_receive(rh_exited);
        keep_reason(reasons[state->slot], e->reason);
        whos[state->slot] = e->who;
    }
    results[state->slot] = 1;
}

static void one_that_traps_exits_gets_a_message(void **unused)
{
    (void)unused;
    START(0);
    rh_ref m = rh_spawn(mortal), n = rh_spawn(mortal);
    rh_spawn(linker, .who = m, .traps = true, .slot = 0);
    rh_spawn(linker, .who = n, .traps = true, .slot = 1);
    rh_runtime_wait_quiet();
    rh_send(m, end_now, .reason = "boom");
    rh_send(n, end_now, .reason = "normal");
    finish();
    assert_string_equal(reasons[0], "boom");
    assert_string_equal(reasons[1], "normal");
    assert_true(rh_same(whos[0], m));
}

static void a_link_to_one_that_has_ended_gives_noproc(void **unused)
{
    (void)unused;
    START(0);
    rh_ref m = rh_spawn(mortal);
    rh_send(m, end_now, .reason = "normal");
    rh_runtime_wait();
    rh_spawn(linker, .who = m, .traps = true, .slot = 0);
    rh_runtime_wait();
    assert_string_equal(reasons[0], "noproc");
    rh_spawn(linker, .who = m, .slot = 1); /* ends of it */
    finish();
    assert_int_equal(results[1], 0);
}

static void unlinked_ones_do_not_hear_of_each_other(void **unused)
{
    (void)unused;
    START(0);
    rh_ref m = rh_spawn(mortal);
    rh_ref l = rh_spawn(linker, .who = m, .unlinks = true, .slot = 0);
    rh_runtime_wait_quiet();
    rh_send(m, end_now, .reason = "boom");
    rh_runtime_wait_quiet();
    assert_true(rh_alive(l));
    rh_send(l, go);
    finish();
    assert_int_equal(results[0], 1);
}

RH_PROCESS(stubborn);
RH_BODY(stubborn)
{
    rh_trap_exits(true);
    const struct rh_exited *e = rh_receive(rh_exited);
    keep_reason(reasons[2], e->reason);
    rh_receive(go);
    results[2] = 1;
}

RH_PROCESS(killer, rh_ref who;);
RH_BODY(killer)
{
    rh_monitor(state->who);
    rh_kill(state->who, "please");
    rh_kill(state->who, "normal");
    rh_kill(state->who, "kill");
    const struct rh_down *down = rh_receive(rh_down);
    keep_reason(reasons[0], down->reason);
}

static void kill_cannot_be_trapped_and_is_seen_as_killed(void **unused)
{
    (void)unused;
    START(0);
    rh_ref s = rh_spawn(stubborn);
    rh_runtime_wait_quiet();
    rh_spawn(killer, .who = s);
    finish();
    assert_string_equal(reasons[2], "please");
    assert_string_equal(reasons[0], "killed");
    assert_int_equal(results[2], 0);
}

RH_PROCESS(forgetful, rh_ref who;);
RH_BODY(forgetful)
{
    rh_monitor(state->who);
    rh_receive(go);
    rh_demonitor(state->who); /* its end is in the mailbox already */
    results[3] = rh_receive(rh_down, .timeout_ms = RH_POLL) == NULL;
}

static void after_demonitor_no_end_is_told(void **unused)
{
    (void)unused;
    START(0);
    rh_ref m = rh_spawn(mortal);
    rh_ref f = rh_spawn(forgetful, .who = m);
    rh_runtime_wait_quiet();
    rh_send(m, end_now, .reason = "boom");
    rh_runtime_wait_quiet();
    rh_send(f, go);
    finish();
    assert_int_equal(results[3], 1);
}

/* Lets an end that it traps come in, then unlinks. */
RH_PROCESS(unlinker, rh_ref who;);
RH_BODY(unlinker)
{
    rh_trap_exits(true);
    rh_link(state->who);
    rh_receive(go);
    rh_unlink(state->who); /* its end is in the mailbox already */
    results[4] = rh_receive(rh_exited, .from = state->who, .timeout_ms = RH_POLL) == NULL;
    const struct rh_exited *e = rh_receive(rh_exited, .timeout_ms = RH_POLL); /* of rh_kill, not of the link */
    results[5] = e && strcmp(e->reason, "please") == 0;
    rh_link(state->who); /* another link: its end is its own */
    keep_reason(reasons[3], rh_receive(rh_exited)->reason);
    results[6] = rh_receive(rh_exited, .timeout_ms = RH_POLL) == NULL;
}

RH_PROCESS(asks_to_end, rh_ref who;);
RH_BODY(asks_to_end)
{
    rh_kill(state->who, "please");
}

static void after_unlink_no_end_is_told(void **unused)
{
    (void)unused;
    START(0);
    rh_ref m = rh_spawn(mortal);
    rh_ref u = rh_spawn(unlinker, .who = m);
    rh_runtime_wait_quiet();
    rh_send(m, end_now, .reason = "boom");
    rh_runtime_wait_quiet();
    rh_spawn(asks_to_end, .who = u);
    rh_runtime_wait_quiet();
    rh_send(u, go);
    finish();
    assert_int_equal(results[4], 1);
    assert_int_equal(results[5], 1);
    assert_string_equal(reasons[3], "noproc");
    assert_int_equal(results[6], 1);
}

/* The same where the end waits for a handler, and where it is deferred. */
RH_ACTOR(unlinking, rh_ref who;);
RH_HANDLER(unlinking, rh_start)
{
    rh_trap_exits(true);
    rh_link(state->who);
}
RH_HANDLER(unlinking, go)
{
    rh_receive(end_now);
    rh_unlink(state->who);
}
RH_HANDLER(unlinking, end_now)
{
    rh_unlink(state->who);
    rh_become(unlinking, open);
    rh_timer("end", 1, over);
}
RH_HANDLER(unlinking, rh_exited)
{
    results[7]++;
}
RH_HANDLER(unlinking, over)
{
    rh_stop();
}
RH_BEHAVIOUR(unlinking, closed, rh_start, go, end_now, RH_DEFER(rh_exited));
RH_BEHAVIOUR(unlinking, open, go, over, rh_exited);

static void after_unlink_no_end_is_handled(void **unused)
{
    (void)unused;
    for (int waits = 0; waits < 2; waits++) {
        START(0);
        rh_ref m = rh_spawn(mortal), u = rh_spawn(unlinking, .who = m);
        if (waits)
            rh_send(u, go);
        rh_runtime_wait_quiet();
        rh_send(m, end_now, .reason = "boom");
        rh_runtime_wait_quiet();
        rh_send(u, end_now);
        if (waits)
            rh_send(u, end_now);
        finish();
        assert_int_equal(results[7], 0);
    }
}

static void an_abnormal_exit_that_nobody_sees_is_told(void **unused)
{
    (void)unused;
    START(0);
    rh_send(rh_spawn(mortal), end_now, .reason = "lonely");
    finish();
    expect_told(1, "exit", "lonely");
}

#define TEST(name) cmocka_unit_test_setup(name, clear)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_monitor_is_told_who_ended_and_why),
        TEST(a_monitor_on_one_that_has_ended_is_told_at_once),
        TEST(an_abnormal_end_ends_those_linked_in_a_chain),
        TEST(a_normal_end_does_not_end_those_linked),
        TEST(one_that_traps_exits_gets_a_message),
        TEST(a_link_to_one_that_has_ended_gives_noproc),
        TEST(unlinked_ones_do_not_hear_of_each_other),
        TEST(kill_cannot_be_trapped_and_is_seen_as_killed),
        TEST(after_demonitor_no_end_is_told),
        TEST(after_unlink_no_end_is_told),
        TEST(after_unlink_no_end_is_handled),
        TEST(an_abnormal_exit_that_nobody_sees_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
