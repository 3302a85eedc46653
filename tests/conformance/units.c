/* A suite of ten unit tests of an account server, as one writes it with cmocka: in production each test runs once, and
 * linked with the controlled world it runs in every order (rehearse/unit.h).  The last test is wrong in one order only:
 * main expects it to pass here and to fail there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <rehearse/unit.h>

RH_MESSAGE(deposit, int amount;);
RH_MESSAGE(withdraw, int amount;);
RH_MESSAGE(ask_balance);
RH_MESSAGE(balance, int amount;);
RH_MESSAGE(refused);
RH_MESSAGE(done);
RH_MESSAGE(close_account);

RH_ACTOR(account, int amount;);
RH_HANDLER(account, deposit)
{
    state->amount += msg->amount;
}
RH_HANDLER(account, withdraw)
{
    if (msg->amount > state->amount) {
        rh_reply(refused);
        return;
    }
    state->amount -= msg->amount;
    assert_true(state->amount >= 0);
    rh_reply(done);
}
RH_HANDLER(account, ask_balance)
{
    rh_reply(balance, .amount = state->amount);
}
RH_HANDLER(account, close_account)
{
    rh_stop();
}
RH_BEHAVIOUR(account, open, deposit, withdraw, ask_balance, close_account);

/* Deposits, and says that it has. */
RH_PROCESS(saver, rh_ref account; rh_ref boss; int times;);
RH_BODY(saver)
{
    for (int i = 0; i < state->times; i++)
        rh_send(state->account, deposit, .amount = 1);
    rh_send(state->boss, done);
}

static int balance_of(rh_ref account)
{
    return rh_ask(account, ask_balance, balance)->amount;
}

RH_UNIT(a_new_account_is_empty)
{
    assert_int_equal(balance_of(rh_spawn(account)), 0);
}
RH_UNIT(a_deposit_is_kept)
{
    rh_ref a = rh_spawn(account);
    rh_send(a, deposit, .amount = 5);
    assert_int_equal(balance_of(a), 5);
}
RH_UNIT(deposits_add_up)
{
    rh_ref a = rh_spawn(account);
    for (int i = 1; i <= 3; i++)
        rh_send(a, deposit, .amount = i);
    assert_int_equal(balance_of(a), 6);
}
RH_UNIT(what_is_there_can_be_withdrawn)
{
    rh_ref a = rh_spawn(account, .amount = 5);
    rh_send(a, withdraw, .amount = 3);
    assert_non_null(rh_receive(done));
    assert_int_equal(balance_of(a), 2);
}
RH_UNIT(more_than_there_is_is_refused)
{
    rh_ref a = rh_spawn(account, .amount = 5);
    rh_send(a, withdraw, .amount = 6);
    assert_non_null(rh_receive(refused));
    assert_int_equal(balance_of(a), 5);
}
RH_UNIT(two_savers_lose_nothing)
{
    rh_ref a = rh_spawn(account);
    for (int i = 0; i < 2; i++)
        rh_spawn(saver, .account = a, .boss = self, .times = 2);
    for (int i = 0; i < 2; i++)
        assert_non_null(rh_receive(done));
    int b = balance_of(a);
    assert_in_range(b, 0, 4); /* what a saver has sent may still be under way */
}
RH_UNIT(a_closed_account_has_ended)
{
    rh_ref a = rh_spawn_monitor(account);
    rh_send(a, close_account);
    const struct rh_down *d = rh_join(a);
    assert_string_equal(d->reason, "normal");
    assert_false(rh_alive(a));
}
RH_UNIT(a_name_leads_to_the_account)
{
    rh_ref a = rh_spawn(account, .amount = 7);
    assert_true(rh_register("account of the unit tests", a));
    rh_ref found = rh_whereis("account of the unit tests");
    assert_int_equal(balance_of(found), 7);
    assert_true(rh_unregister("account of the unit tests"));
}
RH_UNIT(a_request_in_time_is_answered)
{
    rh_ref a = rh_spawn(account, .amount = 1);
    const struct balance *b = rh_ask_within(10000, a, ask_balance, balance);
    if (b)
        assert_int_equal(b->amount, 1);
}

/* Only in one order does the balance come before the saver's deposit. */
RH_UNIT(the_saver_is_always_first)
{
    rh_ref a = rh_spawn(account);
    rh_spawn(saver, .account = a, .boss = self, .times = 1);
    rh_receive(done);
    assert_int_equal(balance_of(a), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_account_is_empty),
        cmocka_unit_test(a_deposit_is_kept),
        cmocka_unit_test(deposits_add_up),
        cmocka_unit_test(what_is_there_can_be_withdrawn),
        cmocka_unit_test(more_than_there_is_is_refused),
        cmocka_unit_test(two_savers_lose_nothing),
        cmocka_unit_test(a_closed_account_has_ended),
        cmocka_unit_test(a_name_leads_to_the_account),
        cmocka_unit_test(a_request_in_time_is_answered),
    };
    const struct CMUnitTest wrong[] = { cmocka_unit_test(the_saver_is_always_first) };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    int found = cmocka_run_group_tests(wrong, NULL, NULL);
#ifdef RH_CONFORMANCE_RT
    (void)found; /* it passes, nearly always */
    return failed != 0;
#else
    return failed != 0 || found != 1;
#endif
}
