/* base/guess.h: the nearest word, or none; against distances that are computed naively. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/guess.h"
#include "base/random.h"

static const char *const words[] = { "dfs", "optimal", "random", "model", "max-runs", "max-seconds", "timer", NULL };

static const char *guess(const char *word)
{
    struct rh__guess g = rh__guess_of(word, strlen(word));
    for (size_t i = 0; words[i]; i++)
        rh__guess_try(&g, words[i]);
    return g.best ? g.best : "";
}

static void the_nearest_word_is_meant(void **state)
{
    (void)state;
    assert_string_equal(guess("optmal"), "optimal");
    assert_string_equal(guess("modle"), "model");
    assert_string_equal(guess("tmier"), "timer");
    assert_string_equal(guess("max_runs"), "max-runs");
    assert_string_equal(guess("Random"), "random");
    assert_string_equal(guess("opt"), "optimal");
    assert_string_equal(guess("max-"), "max-runs");
    assert_string_equal(guess("dfss"), "dfs");
}

static void far_words_are_not(void **state)
{
    (void)state;
    assert_string_equal(guess("xyz"), "");
    assert_string_equal(guess("elephant"), "");
    assert_string_equal(guess(""), "");
    assert_string_equal(guess("op"), "");
    char long_word[200];
    memset(long_word, 'x', sizeof long_word - 1);
    long_word[sizeof long_word - 1] = 0;
    assert_string_equal(guess(long_word), "");
}

/* By its definition, recursively. */
static unsigned naive(const char *a, size_t n, const char *b, size_t m)
{
    if (!n || !m)
        return (unsigned)(n + m);
    unsigned best = naive(a, n - 1, b, m - 1) + (a[n - 1] != b[m - 1]);
    unsigned less = naive(a, n - 1, b, m) + 1, more = naive(a, n, b, m - 1) + 1;
    best = less < best ? less : best;
    best = more < best ? more : best;
    if (n > 1 && m > 1 && a[n - 1] == b[m - 2] && a[n - 2] == b[m - 1]) {
        unsigned swapped = naive(a, n - 2, b, m - 2) + 1;
        best = swapped < best ? swapped : best;
    }
    return best;
}

static void distances_are_those_of_the_definition(void **state)
{
    uint64_t random = 1;
    unsigned near_ones = 0;
    (void)state;
    for (unsigned i = 0; i < 2000; i++) {
        char a[8], b[8];
        size_t n = 1 + rh__random_below(&random, 6), m = 1 + rh__random_below(&random, 6);
        for (size_t k = 0; k < 7; k++) {
            a[k] = (char)('a' + rh__random_below(&random, 3));
            b[k] = (char)('a' + rh__random_below(&random, 3));
        }
        a[n] = b[m] = 0;
        struct rh__guess g = rh__guess_of(a, n);
        unsigned least = g.distance;
        rh__guess_try(&g, b);
        bool begins = n >= 3 && m > n && strncmp(a, b, n) == 0;
        unsigned d = naive(a, n, b, m);
        d = begins && d > 1 ? 1 : d;
        if ((g.best != NULL) != (d < least) || (g.best && g.distance != d))
            fail_msg("%s, %s: distance %u, expected %u of less than %u", a, b, g.distance, d, least);
        near_ones += g.best != NULL;
    }
    assert_in_range(near_ones, 100, 1900);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_word_is_meant),
        cmocka_unit_test(far_words_are_not),
        cmocka_unit_test(distances_are_those_of_the_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
