/* base/copy.h: every length at every misalignment does what memcpy, memset and memcmp do, and no byte more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/copy.h"
#include "base/random.h"

#define EDGE    64
#define LONGEST 600

static unsigned char source[LONGEST + 2 * EDGE], target[LONGEST + 2 * EDGE], expected[LONGEST + 2 * EDGE];

static void fill(unsigned char *bytes, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++)
        bytes[i] = (unsigned char)rh__random_next(&seed);
}

static void copies_every_length_at_every_misalignment(void **state)
{
    (void)state;
    fill(source, sizeof source, 1);
    for (size_t n = 0; n <= LONGEST; n++) {
        for (size_t shift = 0; shift < 17; shift++) {
            fill(target, sizeof target, 2);
            memcpy(expected, target, sizeof target);
            memcpy(expected + EDGE + shift, source + EDGE - shift, n);
            rh__copy(target + EDGE + shift, source + EDGE - shift, n);
            assert_memory_equal(target, expected, sizeof target);
        }
    }
}

static void zeroes_every_length_at_every_misalignment(void **state)
{
    (void)state;
    for (size_t n = 0; n <= LONGEST; n++) {
        for (size_t shift = 0; shift < 17; shift++) {
            fill(target, sizeof target, 3);
            memcpy(expected, target, sizeof target);
            memset(expected + EDGE + shift, 0, n);
            rh__zero(target + EDGE + shift, n);
            assert_memory_equal(target, expected, sizeof target);
        }
    }
}

static void equal_sees_each_byte_inside_and_none_outside(void **state)
{
    (void)state;
    for (size_t n = 0; n <= 300; n++) {
        size_t shift = n % 17;
        unsigned char *left = source + EDGE, *right = target + EDGE + shift;
        fill(source, sizeof source, 4);
        fill(target, sizeof target, 5);
        memcpy(right, left, n);
        right[-1] = (unsigned char)~left[-1];
        right[n] = (unsigned char)~left[n];
        assert_true(rh__equal(left, right, n));
        for (size_t i = 0; i < n; i++) {
            right[i] ^= 0x10;
            assert_false(rh__equal(left, right, n));
            right[i] ^= 0x10;
        }
    }
}

static void touches_nothing_outside_an_exact_block(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 200; n++) { /* AddressSanitizer and valgrind watch the ends of malloc's blocks */
        unsigned char *a = malloc(n), *b = malloc(n);
        assert_non_null(a);
        assert_non_null(b);
        fill(a, n, n);
        rh__copy(b, a, n);
        assert_true(rh__equal(a, b, n));
        rh__zero(a, n);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(a[i], 0);
        free(a);
        free(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_every_length_at_every_misalignment),
        cmocka_unit_test(zeroes_every_length_at_every_misalignment),
        cmocka_unit_test(equal_sees_each_byte_inside_and_none_outside),
        cmocka_unit_test(touches_nothing_outside_an_exact_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
