/* base/text.h: text never overflows, is always terminated, and shows a cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"

static void appends_what_printf_would(void **state)
{
    char buffer[64];
    struct rh__text text;

    (void)state;
    rh__text_init(&text, buffer, sizeof buffer);
    assert_string_equal(text.at, "");
    rh__text_add(&text, "%s#%d", "writer", 1);
    rh__text_put(&text, " got it", 4);
    rh__text_add(&text, "%c", '!');
    assert_string_equal(text.at, "writer#1 got!");
    assert_int_equal(text.len, strlen(text.at));
    assert_false(text.cut);
}

static void an_exact_fit_is_not_cut_and_one_more_is(void **state)
{
    char buffer[8];
    struct rh__text text;

    (void)state;
    rh__text_init(&text, buffer, sizeof buffer);
    rh__text_add(&text, "%s", "1234567");
    assert_string_equal(text.at, "1234567");
    assert_false(text.cut);
    rh__text_add(&text, "%s", "");
    assert_false(text.cut);
    rh__text_add(&text, "8");
    assert_string_equal(text.at, "1234...");
    assert_true(text.cut);

    rh__text_clear(&text);
    rh__text_put(&text, "1234567", 7);
    assert_false(text.cut);
    rh__text_put(&text, "8", 1);
    assert_string_equal(text.at, "1234...");
    assert_true(text.cut);
}

/* %s and %u alone are not left to vsnprintf. */
static void plain_formats_give_what_printf_gives_in_any_room(void **state)
{
    static const unsigned numbers[] = { 0, 7, 10, 4294967295u };
    (void)state;
    for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++)
        for (size_t cap = 1; cap < 48; cap++) {
            char whole[64], buffer[48], expected[48];
            struct rh__text text, same;
            snprintf(whole, sizeof whole, "%s#%u/%s got %u and %d", "a", numbers[n], "writer", numbers[n] / 3, 5);
            rh__text_init(&same, expected, cap);
            rh__text_put(&same, whole, strlen(whole));
            rh__text_init(&text, buffer, cap);
            rh__text_add(&text, "%s#%u/%s got %u", "a", numbers[n], "writer", numbers[n] / 3);
            rh__text_add(&text, " and %d", 5);
            assert_string_equal(text.at, same.at);
            assert_int_equal(text.len, same.len);
            assert_int_equal(text.cut, same.cut);
        }
}

static void nothing_follows_a_cut_until_it_is_cleared(void **state)
{
    char buffer[8];
    struct rh__text text;

    (void)state;
    rh__text_init(&text, buffer, sizeof buffer);
    rh__text_add(&text, "%s", "123456789");
    rh__text_add(&text, "x");
    rh__text_put(&text, "y", 1);
    assert_string_equal(text.at, "1234...");
    assert_int_equal(text.len, 7);
    rh__text_clear(&text);
    assert_string_equal(text.at, "");
    rh__text_add(&text, "x");
    assert_string_equal(text.at, "x");
    assert_false(text.cut);
}

static void a_cut_leaves_no_half_of_a_character(void **state)
{
    char buffer[8];
    struct rh__text text;

    (void)state;
    rh__text_init(&text, buffer, sizeof buffer);
    rh__text_add(&text, "%s", "123\xc3\xa9...."); /* the dots would start in the middle of the fourth character */
    assert_string_equal(text.at, "123...");
    assert_int_equal(text.len, 6);
    assert_true(text.cut);
}

static void no_size_of_buffer_overflows(void **state)
{
    char buffer[20];

    (void)state;
    for (size_t cap = 1; cap <= 12; cap++) {
        for (int put = 0; put < 2; put++) {
            struct rh__text text;
            memset(buffer, '~', sizeof buffer);
            rh__text_init(&text, buffer, cap);
            for (int i = 0; i < 10; i++) {
                if (put)
                    rh__text_put(&text, "abc", 3);
                else
                    rh__text_add(&text, "%s", "abc");
                assert_true(text.len < cap);
                assert_int_equal(buffer[text.len], '\0');
            }
            assert_true(text.cut);
            for (size_t i = cap; i < sizeof buffer; i++)
                assert_int_equal(buffer[i], '~');
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(appends_what_printf_would),
        cmocka_unit_test(an_exact_fit_is_not_cut_and_one_more_is),
        cmocka_unit_test(plain_formats_give_what_printf_gives_in_any_room),
        cmocka_unit_test(nothing_follows_a_cut_until_it_is_cleared),
        cmocka_unit_test(a_cut_leaves_no_half_of_a_character),
        cmocka_unit_test(no_size_of_buffer_overflows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
