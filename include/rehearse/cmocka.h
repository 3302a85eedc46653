/* rehearse/cmocka.h: actor tests in a cmocka suite, beside its other tests.  Include <cmocka.h> first.
 *
 *     RH_TEST(a_write_is_never_lost) { ... }
 *
 *     int main(void)
 *     {
 *         const struct CMUnitTest tests[] = {
 *             cmocka_unit_test(something_else),
 *             rh_cmocka_test(a_write_is_never_lost),
 *             rh_cmocka_test_with(a_write_is_never_lost, "--model bag --crashes 1 --max-seconds 5"),
 *         };
 *         return cmocka_run_group_tests(tests, NULL, NULL);
 *     }
 *
 * The test explores, and fails with the report of the findings.  rehearse/run.h describes the options. */
#ifndef REHEARSE_CMOCKA_H
#define REHEARSE_CMOCKA_H

#include <rehearse/run.h>

#define rh_cmocka_test(test) rh_cmocka_test_with(test, NULL)
#define rh_cmocka_test_with(test, options)                                                                             \
    {                                                                                                                  \
#test, rh_cmocka_run_, NULL, NULL, (void *)&(struct rh_cmocka_entry_)                                          \
        {                                                                                                              \
#test, options                                                                                             \
        }                                                                                                              \
    }

struct rh_cmocka_entry_ {
    const char *test, *options;
};

#ifdef CMOCKA_H_
static inline void rh_cmocka_run_(void **state)
{
    const struct rh_cmocka_entry_ *entry = (const struct rh_cmocka_entry_ *)*state;
    static char report[1 << 16];
    if (rh_explore_test(entry->test, entry->options, report, sizeof report) != 0) {
        /* cmocka truncates long messages, so print line by line. */
        for (char *line = report, *next; line; line = next) {
            char *end = line;
            while (*end && *end != '\n')
                end++;
            next = *end ? end + 1 : NULL;
            *end = 0;
            print_error("%s\n", line);
        }
        fail();
    }
}
#endif

#endif
