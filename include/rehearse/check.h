/* rehearse/check.h: actor tests in a Check (libcheck) suite, beside its other tests.  Include <check.h> first.
 *
 *     RH_TEST(a_write_is_never_lost) { ... }
 *     RH_CHECK_TEST(a_write_is_never_lost)
 *     RH_CHECK_TEST_AS(in_a_bag, a_write_is_never_lost, "--model bag --crashes 1 --max-seconds 3")
 *
 *     tcase_add_test(tcase, rh_check_a_write_is_never_lost);
 *     tcase_add_test(tcase, rh_check_in_a_bag);
 *
 * The test explores, and fails with the report of the findings.  rehearse/run.h describes the options.  Check ends a
 * test after four seconds unless tcase_set_timeout changes that, so RH_CHECK_TEST explores for at most three. */
#ifndef REHEARSE_CHECK_H
#define REHEARSE_CHECK_H

#include <rehearse/run.h>

#define RH_CHECK_TEST(test) RH_CHECK_TEST_AS(test, test, "--max-seconds 3")
#define RH_CHECK_TEST_AS(name, test, options)                                                                          \
    START_TEST(rh_check_##name)                                                                                        \
    {                                                                                                                  \
        static char report[1 << 15];                                                                                   \
        if (rh_explore_test(#test, options, report, sizeof report) != 0)                                               \
            ck_abort_msg("%s", report);                                                                                \
    }                                                                                                                  \
    END_TEST

#endif
