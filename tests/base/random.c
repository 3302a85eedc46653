/* base/random.h: the generator is the published one, and a number below n is fair. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"

static void next_gives_the_published_sequence(void **state)
{
    /* splitmix64 from 1234567, as in Vigna's splitmix64.c and on Rosetta Code. */
    static const uint64_t published[] = { 6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                          4593380528125082431u, 16408922859458223821u };
    uint64_t random = 1234567;

    (void)state;
    for (size_t i = 0; i < sizeof published / sizeof *published; i++)
        assert_int_equal(rh__random_next(&random), published[i]);
}

static void below_stays_below_and_is_fair(void **state)
{
    static const uint32_t limits[] = { 1, 2, 3, 5, 6, 7, 10 };
    enum { draws = 60000 };
    uint64_t random = rh__random_seed(1, 0);

    (void)state;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        uint32_t n = limits[i], seen[10] = { 0 };
        for (int k = 0; k < draws; k++) {
            uint32_t value = rh__random_below(&random, n);
            assert_true(value < n);
            seen[value]++;
        }
        /* Chi square with n - 1 <= 9 degrees of freedom is above 28 once in 1000; the seed is fixed. */
        double chi = 0, expected = (double)draws / n;
        for (uint32_t v = 0; v < n; v++)
            chi += ((double)seen[v] - expected) * ((double)seen[v] - expected) / expected;
        assert_true(chi < 28);
    }
}

static void below_is_fair_for_limits_that_do_not_divide_the_range(void **state)
{
    /* Below 3 * 2^30, taking the remainder of 32 bits would make the lowest third twice as likely as the others. */
    const uint32_t n = 3u << 30;
    uint64_t random = rh__random_seed(2, 0);
    int low = 0, draws = 30000;

    (void)state;
    for (int k = 0; k < draws; k++)
        low += rh__random_below(&random, n) < n / 3;
    assert_in_range(low, 9600, 10400); /* 10000 expected, 5 sigma are 408; unfair would be 15000 */
}

static void below_zero_and_one_give_zero(void **state)
{
    uint64_t random = 3;

    (void)state;
    assert_int_equal(rh__random_below(&random, 0), 0);
    assert_int_equal(rh__random_below(&random, 1), 0);
    assert_true(rh__random_below(&random, UINT32_MAX) < UINT32_MAX);
}

static void streams_of_one_seed_differ(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 30; seed++) {
        for (uint64_t stream = 1; stream < 30; stream++) {
            assert_int_not_equal(rh__random_seed(seed, 0), rh__random_seed(seed, stream));
            assert_int_not_equal(rh__random_seed(seed, stream), rh__random_seed(seed + 1, stream));
            assert_int_not_equal(rh__random_seed(seed, seed + stream), rh__random_seed(seed + stream, seed));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(next_gives_the_published_sequence),
        cmocka_unit_test(below_stays_below_and_is_fair),
        cmocka_unit_test(below_is_fair_for_limits_that_do_not_divide_the_range),
        cmocka_unit_test(below_zero_and_one_give_zero),
        cmocka_unit_test(streams_of_one_seed_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
