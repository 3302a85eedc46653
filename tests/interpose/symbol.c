/* world/symbol.h: from address to place; and world/interpose_start.c, which makes libc allocate before the first
 * run. */
#include "interpose/fake.h"

#include <stdio_ext.h>
#include <stdlib.h>
#include <unistd.h>

static char place[256];

__attribute__((noinline)) static int where_am_i(void)
{
    rh__symbol_call_place(__builtin_return_address(0), place, sizeof place);
    return (int)strlen(place);
}

__attribute__((noinline)) static int caller_with_a_name(int *line)
{
    *line = __LINE__ + 1;
    int n = where_am_i();
    return n + 1; /* not a tail call */
}

static void a_call_has_file_line_and_function(void **state)
{
    char expected[128];
    int line;

    (void)state;
    assert_true(caller_with_a_name(&line) > 1);
    if (!strstr(place, "symbol.c:")) { /* no libdw here */
        assert_non_null(strstr(place, "0x"));
        skip();
    }
    snprintf(expected, sizeof expected, "symbol.c:%d in caller_with_a_name", line);
    const char *found = strstr(place, expected);
    if (!found)
        fail_msg("\"%s\" does not end in \"%s\"", place, expected);
    assert_string_equal(found, expected);
    assert_int_not_equal(place[0], '/');
}

static void a_function_of_a_library_has_a_name(void **state)
{
    (void)state;
    rh__symbol_place((const void *)(uintptr_t)&strtol, place, sizeof place);
    if (!strstr(place, "strto"))
        fail_msg("\"%s\" does not name strtol", place);
}

static void what_is_no_code_is_a_number(void **state)
{
    (void)state;
    rh__symbol_place((const void *)16, place, sizeof place);
    assert_string_equal(place, "0x10");
    rh__symbol_call_place(NULL, place, sizeof place);
    assert_string_equal(place, "0x0");
}

static void a_short_buffer_is_not_overrun(void **state)
{
    char small[8];

    (void)state;
    memset(small, 'x', sizeof small);
    rh__symbol_place((const void *)(uintptr_t)&where_am_i, small, 6);
    assert_int_equal(strnlen(small, sizeof small), 5);
    assert_int_equal(small[6], 'x');
}

static void looking_up_takes_nothing_from_the_region(void **state)
{
    (void)state;
    enter();
    size_t used = fake.used;
    rh__symbol_place((const void *)(uintptr_t)&where_am_i, place, sizeof place);
    leave();
    assert_int_equal(fake.used, used);
    assert_noted(NULL, NULL);
    assert_true(strlen(place) > 3);
}

static void start_gives_the_standard_streams_their_buffers(void **state)
{
    (void)state;
    enter();
    size_t used = fake.used;
    rh__interpose_start();
    rh__interpose_start();
    leave();
    assert_true(__fbufsize(stdin) > 1);
    assert_true(__fbufsize(stdout) > 1);
    assert_int_equal(__flbf(stdout) != 0, isatty(STDOUT_FILENO));
    assert_int_equal(fake.used, used);
    assert_int_equal(pushed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(start_gives_the_standard_streams_their_buffers),
        cmocka_unit_test(looking_up_takes_nothing_from_the_region),
        cmocka_unit_test(a_call_has_file_line_and_function),
        cmocka_unit_test(a_function_of_a_library_has_a_name),
        cmocka_unit_test(what_is_no_code_is_a_number),
        cmocka_unit_test(a_short_buffer_is_not_overrun),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
