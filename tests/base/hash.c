/* base/hash.h: the hash is XXH3 and stays so (stored fingerprints depend on it); mix separates what it combines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/hash.h"
#include "base/random.h"

static void hash_of_nothing_is_the_published_value(void **state)
{
    (void)state;
    /* The XXH3_64bits of no bytes under seed 0, as in xxHash's own sanity tests. */
    assert_int_equal(rh__hash(NULL, 0, 0), 0x2d06800538d394c2u);
}

static void hash_is_xxh3_for_short_and_long_input(void **state)
{
    static unsigned char bytes[20020];
    static const size_t lengths[] = { 1, 3, 8, 16, 17, 128, 129, 240, 241, 1024, 4096, 4097, 8192, 19999 };
    uint64_t random = 1;

    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)rh__random_next(&random);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        for (uint64_t seed = 0; seed < 3; seed++)
            assert_int_equal(rh__hash(bytes + i, lengths[i], seed), XXH3_64bits_withSeed(bytes + i, lengths[i], seed));
    }
}

static int by_value(const void *left, const void *right)
{
    uint64_t l = *(const uint64_t *)left, r = *(const uint64_t *)right;

    return l < r ? -1 : l > r;
}

static void mix_has_no_collision_among_small_numbers_in_either_order(void **state)
{
    enum { side = 500 };
    static uint64_t values[side * side];
    size_t count = 0;

    (void)state;
    for (uint64_t a = 0; a < side; a++) {
        for (uint64_t b = 0; b < side; b++)
            values[count++] = rh__mix(a, b);
    }
    qsort(values, count, sizeof *values, by_value);
    for (size_t i = 1; i < count; i++)
        assert_int_not_equal(values[i - 1], values[i]);
}

static void no_value_of_one_side_swallows_the_other(void **state)
{
    (void)state;
    assert_int_not_equal(rh__mix(0xa0761d6478bd642fu, 1), rh__mix(0xa0761d6478bd642fu, 2));
    assert_int_not_equal(rh__mix(1, 0xe7037ed1a0b428dbu), rh__mix(2, 0xe7037ed1a0b428dbu));
}

static void each_input_bit_of_mix_flips_about_half_of_the_output(void **state)
{
    enum { rounds = 4000 };
    uint64_t random = 7;

    (void)state;
    for (int bit = 0; bit < 128; bit++) {
        uint64_t flips = 0;
        for (int i = 0; i < rounds; i++) {
            uint64_t a = rh__random_next(&random), b = rh__random_next(&random);
            uint64_t a2 = bit < 64 ? a ^ 1ull << bit : a, b2 = bit < 64 ? b : b ^ 1ull << (bit - 64);
            flips += (uint64_t)__builtin_popcountll(rh__mix(a, b) ^ rh__mix(a2, b2));
        }
        assert_in_range(flips / rounds, 29, 35);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hash_of_nothing_is_the_published_value),
        cmocka_unit_test(hash_is_xxh3_for_short_and_long_input),
        cmocka_unit_test(mix_has_no_collision_among_small_numbers_in_either_order),
        cmocka_unit_test(no_value_of_one_side_swallows_the_other),
        cmocka_unit_test(each_input_bit_of_mix_flips_about_half_of_the_output),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
