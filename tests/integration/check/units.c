/* The suite of tests/conformance/units.c as one writes it with Check: in production each test runs once, and linked
 * with librehearse it runs in every order.  The last test is wrong in one order only. */
#include <check.h>

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
    ck_assert(state->amount >= 0);
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
    ck_assert_int_eq(balance_of(rh_spawn(account)), 0);
}
RH_UNIT(a_deposit_is_kept)
{
    rh_ref a = rh_spawn(account);
    rh_send(a, deposit, .amount = 5);
    ck_assert_int_eq(balance_of(a), 5);
}
RH_UNIT(deposits_add_up)
{
    rh_ref a = rh_spawn(account);
    for (int i = 1; i <= 3; i++)
        rh_send(a, deposit, .amount = i);
    ck_assert_int_eq(balance_of(a), 6);
}
RH_UNIT(what_is_there_can_be_withdrawn)
{
    rh_ref a = rh_spawn(account, .amount = 5);
    rh_send(a, withdraw, .amount = 3);
    ck_assert_ptr_nonnull(rh_receive(done));
    ck_assert_int_eq(balance_of(a), 2);
}
RH_UNIT(more_than_there_is_is_refused)
{
    rh_ref a = rh_spawn(account, .amount = 5);
    rh_send(a, withdraw, .amount = 6);
    ck_assert_ptr_nonnull(rh_receive(refused));
    ck_assert_int_eq(balance_of(a), 5);
}
RH_UNIT(two_savers_lose_nothing)
{
    rh_ref a = rh_spawn(account);
    for (int i = 0; i < 2; i++)
        rh_spawn(saver, .account = a, .boss = self, .times = 2);
    for (int i = 0; i < 2; i++)
        ck_assert_ptr_nonnull(rh_receive(done));
    int b = balance_of(a);
    ck_assert_int_ge(b, 0);
    ck_assert_int_le(b, 4); /* what a saver has sent may still be under way */
}
RH_UNIT(a_closed_account_has_ended)
{
    rh_ref a = rh_spawn_monitor(account);
    rh_send(a, close_account);
    const struct rh_down *d = rh_join(a);
    ck_assert_str_eq(d->reason, "normal");
    ck_assert(!rh_alive(a));
}
RH_UNIT(a_name_leads_to_the_account)
{
    rh_ref a = rh_spawn(account, .amount = 7);
    ck_assert(rh_register("account of the unit tests", a));
    rh_ref found = rh_whereis("account of the unit tests");
    ck_assert_int_eq(balance_of(found), 7);
    ck_assert(rh_unregister("account of the unit tests"));
}
RH_UNIT(a_request_in_time_is_answered)
{
    rh_ref a = rh_spawn(account, .amount = 1);
    const struct balance *b = rh_ask_within(10000, a, ask_balance, balance);
    if (b)
        ck_assert_int_eq(b->amount, 1);
}

/* Only in one order does the balance come before the saver's deposit. */
RH_UNIT(the_saver_is_always_first)
{
    rh_ref a = rh_spawn(account);
    rh_spawn(saver, .account = a, .boss = self, .times = 1);
    rh_receive(done);
    ck_assert_int_eq(balance_of(a), 1);
}

int main(void)
{
    Suite *suite = suite_create("account");
    TCase *core = tcase_create("core");
    tcase_add_test(core, a_new_account_is_empty);
    tcase_add_test(core, a_deposit_is_kept);
    tcase_add_test(core, deposits_add_up);
    tcase_add_test(core, what_is_there_can_be_withdrawn);
    tcase_add_test(core, more_than_there_is_is_refused);
    tcase_add_test(core, two_savers_lose_nothing);
    tcase_add_test(core, a_closed_account_has_ended);
    tcase_add_test(core, a_name_leads_to_the_account);
    tcase_add_test(core, a_request_in_time_is_answered);
    tcase_add_test(core, the_saver_is_always_first);
    tcase_set_timeout(core, 0);
    suite_add_tcase(suite, core);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_VERBOSE);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed;
}
