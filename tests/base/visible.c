/* Texts of strangers cannot do anything to a terminal (base/visible.h): over all bytes and pairs of bytes, and by
 * example. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/visible.h"

static const char *shown(const char *text)
{
    static char buffer[4096];
    struct rh__text t;
    rh__text_init(&t, buffer, sizeof buffer);
    rh__text_add_visible(&t, text);
    return buffer;
}

static void plain_text_stays(void **unused)
{
    (void)unused;
    static const char *const texts[] = {
        "", "writer#1", "a b", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x99\x82", "back\\slash", "\xc2\xa0"
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_string_equal(shown(texts[i]), texts[i]);
}

static void what_moves_or_hides_is_made_visible(void **unused)
{
    (void)unused;
    assert_string_equal(shown("\x1b[31m"), "\\x1b[31m");
    assert_string_equal(shown("a\nb\tc\rd"), "a\\nb\\tc\\rd");
    assert_string_equal(shown("\x7f"), "\\x7f");
    assert_string_equal(shown("\xc2\x9b"
                              "2J"),
                        "\\u009b2J"); /* a control sequence in one character */
    assert_string_equal(shown("\xe2\x80\xae"
                              "abc"),
                        "\\u202eabc");
    assert_string_equal(shown("\xe2\x80\x8b\xef\xbb\xbf"), "\\u200b\\ufeff");
    assert_string_equal(shown("\xff\xc3(\xed\xa0\x80"),
                        "\\xff\\xc3(\\xed\\xa0\\x80");    /* no UTF-8, and half of a pair */
    assert_string_equal(shown("\xe2\x82"), "\\xe2\\x82"); /* cut off */
}

/* Whatever the bytes, what is shown has no control character and is UTF-8. */
static void every_pair_of_bytes_is_harmless(void **unused)
{
    (void)unused;
    for (unsigned a = 1; a < 256; a++)
        for (unsigned b = 1; b < 256; b++) {
            char text[] = { 'x', (char)a, (char)b, 0x1b, (char)b, (char)a, 'y', 0 };
            const unsigned char *c = (const unsigned char *)shown(text);
            for (int n; *c; c += n) {
                n = rh__utf8_length(c);
                if (!rh__is_plain(c, n))
                    fail_msg("%02x %02x: %02x is shown", a, b, *c);
            }
        }
}

static char *printed(void (*print)(FILE *f))
{
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    assert_non_null(f);
    print(f);
    fclose(f);
    return text;
}

static void print_lines(FILE *f)
{
    rh__print_lines_visible(f, "one\n\ttwo\x1b\nthree\r\n");
}
static void print_some(FILE *f)
{
    rh__print_visible(f, "abc\ndef", 5);
}
static void print_all(FILE *f)
{
    rh__print_visible(f, "abc\ndef", SIZE_MAX);
}

static void lines_stay_lines_where_they_are_wanted(void **unused)
{
    (void)unused;
    static const struct {
        void (*print)(FILE *f);
        const char *expected;
    } cases[] = { { print_lines, "one\n\ttwo\\x1b\nthree\\r\n" },
                  { print_some, "abc\\nd" },
                  { print_all, "abc\\ndef" } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = printed(cases[i].print);
        assert_string_equal(text, cases[i].expected);
        free(text);
    }
}

static void a_short_buffer_is_not_overrun(void **unused)
{
    (void)unused;
    for (size_t room = 1; room < 20; room++) {
        char *buffer = malloc(room);
        struct rh__text t;
        assert_non_null(buffer);
        rh__text_init(&t, buffer, room);
        rh__text_add_visible(&t, "\x1b\x1b\x1b\xe2\x80\xae");
        assert_in_range(strlen(buffer), 0, room - 1);
        free(buffer);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_text_stays),
        cmocka_unit_test(what_moves_or_hides_is_made_visible),
        cmocka_unit_test(every_pair_of_bytes_is_harmless),
        cmocka_unit_test(lines_stay_lines_where_they_are_wanted),
        cmocka_unit_test(a_short_buffer_is_not_overrun),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
