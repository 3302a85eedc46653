/* Tests of actors in a suite of Check: rehearse/check.h.  Built and run by tests/integration/check.sh. */
#include <rehearse/test.h>

#include <check.h>

#include <rehearse/check.h>

RH_MESSAGE(deposit, int amount;);
RH_MESSAGE(close_account);
RH_ACTOR(account, int balance; bool closed; bool strict;);
RH_HANDLER(account, deposit)
{
    rh_assert(!state->closed || !state->strict, "%d came after the closing", msg->amount);
    state->balance += msg->amount;
}
RH_HANDLER(account, close_account)
{
    state->closed = true;
}
RH_BEHAVIOUR(account, open, deposit, close_account);

RH_PARAM(strict, "0", "1: a deposit after the closing is an error");
RH_TEST(no_deposit_is_late)
{
    rh_ref a = rh_spawn(account, .strict = rh_param("strict", 0) != 0);
    rh_send_from(rh_external("client"), a, deposit, .amount = 5);
    rh_send_from(rh_external("teller"), a, close_account);
}
RH_CHECK_TEST(no_deposit_is_late)
RH_CHECK_TEST_AS(in_a_bag, no_deposit_is_late, "--model bag --explorer dfs")
RH_CHECK_TEST_AS(strictly, no_deposit_is_late, "-p strict=1 --explorer dfs")

START_TEST(something_else)
{
    ck_assert_int_eq(1 + 1, 2);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("actors");
    TCase *tcase = tcase_create("core");
    tcase_add_test(tcase, something_else);
    tcase_add_test(tcase, rh_check_no_deposit_is_late);
    tcase_add_test(tcase, rh_check_in_a_bag);
    tcase_add_test(tcase, rh_check_strictly);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_VERBOSE);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed;
}
