/* Tests of actors in a cmocka suite: rehearse/cmocka.h and rehearse/run.h. */
#include <rehearse/test.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <rehearse/cmocka.h>

/* ---- a deposit and the closing of an account race ---------------------------------------------------------------- */

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

static void race(bool strict)
{
    rh_ref a = rh_spawn(account, .strict = strict);
    rh_send_from(rh_external("client"), a, deposit, .amount = 5);
    rh_send_from(rh_external("teller"), a, close_account);
}
RH_TEST(late_deposits_are_welcome)
{
    race(false);
}
RH_TEST(no_deposit_is_late)
{
    race(true);
}
RH_TEST(as_asked)
{
    race(rh_param("strict", 0) != 0);
}
RH_TEST(dies)
{
    rh_ref a = rh_spawn(account);
    rh_send(a, deposit);
    abort();
}

/* ---- rh_explore_test --------------------------------------------------------------------------------------------- */

static char report[1 << 16];

static void check(int code, const char *test, const char *options, const char *says)
{
    int got = rh_explore_test(test, options, report, sizeof report);
    if (got != code || !strstr(report, says))
        fail_msg("%s %s: %d, \"%s\" instead of %d, \"%s\"", test, options ? options : "", got, report, code, says);
}

static void a_test_that_passes_gives_its_verdict(void **unused)
{
    (void)unused;
    check(0, "late_deposits_are_welcome", NULL, "passed late_deposits_are_welcome  (fifo, ");
    check(0, "late_deposits_are_welcome", "--explorer dfs", "(fifo, dfs)\n2 runs, 4 steps, 2 distinct runs");
    assert_non_null(
        strstr(report, "\nunder fifo, granularity handler, time free, no faults, seed 1\nexhaustive: every "));
    check(0, "late_deposits_are_welcome", "  --explorer  random --max-runs 3\n", "nothing found in 3 runs of ");
    assert_non_null(strstr(report, "\nsampled: 3 runs of an unknown number, "));
    assert_non_null(strstr(report, " distinct; stopped by --max-runs\nnext: "));
    check(0, "late_deposits_are_welcome", "--explorer dfs -j 2", "2 runs, 4 steps, 2 distinct runs");
    check(0, "late_deposits_are_welcome", "--explorer=bound:1,dfs", "bounded");
    check(5, "late_deposits_are_welcome", "--explorer random --max-runs 3 --require bounded",
          "required: the result is");
    check(0, "late_deposits_are_welcome", "--explorer dfs --require exhaustive", "exhaustive");
    check(0, "late_deposits_are_welcome", "--model all --explorer dfs", "(mailbox, dfs)\n1 run, ");
}

static void a_finding_comes_with_its_run_and_schedule(void **unused)
{
    (void)unused;
    check(1, "no_deposit_is_late", NULL, "assertion: account#1: 5 came after the closing");
    check(1, "no_deposit_is_late", "--explorer dfs --keep-going", "found in run 2 of 2, in 1 of them");
    assert_non_null(strstr(report, "deposit < client"));
    assert_non_null(strstr(report, "its schedule:\nrehearse schedule 1\ntest no_deposit_is_late\nset model=fifo\n"));
    assert_non_null(strstr(report, "account#1 takes close_account from teller\naccount#1 takes deposit from client\n"));
    check(1, "no_deposit_is_late", "-j2 --explorer dfs --keep-going", "in 1 of them");
    assert_non_null(strstr(report, "account#1 takes close_account from teller\naccount#1 takes deposit from client\n"));
    check(1, "no_deposit_is_late", "--model all --explorer dfs", "FAILED no_deposit_is_late  (bag, dfs)");
    check(1, "dies", NULL, "crash: test");
}

static void options_reach_the_test(void **unused)
{
    (void)unused;
    check(0, "as_asked", "-p strict=0", "exhaustive");
    check(1, "as_asked", "-p strict=1", "came after the closing");
    check(1, "as_asked", "-p 'strict=1'", "came after the closing");
    check(1, "as_asked", "-p strict=\"1\" --seed 4", "set seed=4");
}

static void wrong_use_gives_a_sentence(void **unused)
{
    (void)unused;
    check(2, "nothing", NULL, "there is no RH_TEST(nothing) in this program");
    check(2, "dies", "--nothing", "--nothing: there is no such option");
    check(2, "dies", "--explorer clever", "no explorer is called \"clever\"");
    check(2, "dies", "--granularity send", "granularity send requires delivery model mailbox");
    check(2, "dies", "--json file", "options of another kind");
    check(2, "dies", "a_word", "options of another kind");
    check(2, "dies", "-p 'open", "a quote without its end");
    memset(report, 'x', sizeof report - 1);
    report[sizeof report - 1] = 0;
    static char longest[8192];
    memset(longest, ' ', sizeof longest - 1);
    check(2, "dies", longest, "more than 4095 bytes of options");
}

static void a_short_report_is_cut_off(void **unused)
{
    (void)unused;
    char small[16];
    memset(small, 'x', sizeof small);
    assert_int_equal(rh_explore_test("no_deposit_is_late", NULL, small, sizeof small), 1);
    assert_non_null(memchr(small, 0, sizeof small));
    assert_int_equal(rh_explore_test("no_deposit_is_late", NULL, NULL, 0), 1);
}

/* ---- in a suite -------------------------------------------------------------------------------------------------- */

/* A suite of its own, in a child, because it is meant to fail; gives what it printed. */
static int failing_suite(char *text, size_t size)
{
    int pipes[2], status;
    assert_int_equal(pipe(pipes), 0);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(pipes[1], STDOUT_FILENO);
        dup2(pipes[1], STDERR_FILENO);
        close(pipes[0]);
        const struct CMUnitTest tests[] = {
            rh_cmocka_test(late_deposits_are_welcome),
            rh_cmocka_test(no_deposit_is_late),
        };
        int failed = cmocka_run_group_tests_name("inner", tests, NULL, NULL);
        fflush(NULL);
        _exit(failed);
    }
    close(pipes[1]);
    size_t used = 0;
    for (ssize_t n; used < size - 1 && (n = read(pipes[0], text + used, size - 1 - used)) > 0;)
        used += (size_t)n;
    text[used] = 0;
    close(pipes[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void a_suite_fails_with_the_text_of_the_finding(void **unused)
{
    (void)unused;
    static char text[1 << 16];
    assert_int_equal(failing_suite(text, sizeof text), 1);
    static const char *const wanted[] = { "[       OK ] late_deposits_are_welcome", "[  FAILED  ] no_deposit_is_late",
                                          "5 came after the closing", "account#1 takes deposit from client" };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!strstr(text, wanted[i]))
            fail_msg("no \"%s\" in\n%s", wanted[i], text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_test_that_passes_gives_its_verdict),
        cmocka_unit_test(a_finding_comes_with_its_run_and_schedule),
        cmocka_unit_test(options_reach_the_test),
        cmocka_unit_test(wrong_use_gives_a_sentence),
        cmocka_unit_test(a_short_report_is_cut_off),
        cmocka_unit_test(a_suite_fails_with_the_text_of_the_finding),
        rh_cmocka_test(late_deposits_are_welcome),
        rh_cmocka_test_with(late_deposits_are_welcome, "--model all --explorer dfs"),
        rh_cmocka_test_with(as_asked, "-p strict=0 --explorer random --max-runs 100"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
