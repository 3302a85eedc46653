/* base/fail.h: internal errors end the process with status 3 and a sentence; allocations fail on request; the hostile
 * build checks more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/fail.h"

static void fails_an_assertion(void)
{
    int left = -1;

    RH__ASSERT(left >= 0, "%d left", left);
}

static void fails_an_assertion_in_a_replayable_run(void)
{
    rh__bug_set_replay("rehearse replay run.sched");
    fails_an_assertion();
}

static void says_far_too_much(void)
{
    rh__bug("here", "%5000d", 1);
}

/* Runs it in a child; returns the child's exit status and what it said on standard error. */
static int in_child(void (*run)(void), char *said, size_t room)
{
    int ends[2], status;
    size_t length = 0;
    ssize_t n;

    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        run();
        _exit(0);
    }
    close(ends[1]);
    while ((n = read(ends[0], said + length, room - 1 - length)) > 0)
        length += (size_t)n;
    said[length] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void a_failed_assertion_exits_with_3_and_says_where(void **state)
{
    char said[4096];

    (void)state;
    assert_int_equal(in_child(fails_an_assertion, said, sizeof said), RH__BUG_EXIT);
    assert_ptr_equal(strstr(said, "rehearse: internal error at "), said);
    assert_non_null(strstr(said, "fail.c:"));
    assert_non_null(strstr(said, "(left >= 0): -1 left\n"));
    assert_null(strstr(said, "replay"));
}

static void a_failed_assertion_names_the_replay_command(void **state)
{
    char said[4096];

    (void)state;
    assert_int_equal(in_child(fails_an_assertion_in_a_replayable_run, said, sizeof said), 3);
    assert_non_null(strstr(said, "\nrehearse: replay it with: rehearse replay run.sched\n"));
}

static void a_long_message_is_cut_and_still_ends_its_line(void **state)
{
    char said[8192];

    (void)state;
    assert_int_equal(in_child(says_far_too_much, said, sizeof said), 3);
    assert_true(strlen(said) < 4096);
    assert_string_equal(said + strlen(said) - 4, "...\n");
}

static void the_kth_allocation_fails_once(void **state)
{
    (void)state;
    for (long k = 1; k <= 5; k++) {
        rh__alloc_fail_after(k);
        for (long i = 1; i <= 6; i++) {
            void *p = rh__alloc(10);
            assert_int_equal(p == NULL, i == k);
            assert_int_equal(rh__alloc_has_failed(), i >= k);
            rh__free(p);
        }
    }
    rh__alloc_fail_after(0);
    for (int i = 0; i < 10; i++) {
        void *p = rh__alloc(0);
        assert_non_null(p);
        rh__free(p);
    }
    assert_false(rh__alloc_has_failed());
}

static void a_failed_realloc_leaves_the_block(void **state)
{
    char *p = rh__alloc(8), *q;

    (void)state;
    assert_non_null(p);
    strcpy(p, "content");
    rh__alloc_fail_after(1);
    q = rh__realloc(p, 100);
    assert_null(q);
    assert_string_equal(p, "content");
    q = rh__realloc(p, 1000);
    assert_non_null(q);
    assert_string_equal(q, "content");
    rh__free(q);
    rh__alloc_fail_after(0);
}

static void arrays_are_zero_and_overflow_is_refused(void **state)
{
    int *p = rh__alloc_array(100, sizeof *p);
    volatile size_t huge = SIZE_MAX / 2;

    (void)state;
    assert_non_null(p);
    for (int i = 0; i < 100; i++)
        assert_int_equal(p[i], 0);
    rh__free(p);
    assert_null(rh__alloc_array(huge, 4));
}

static void live_blocks_are_counted(void **state)
{
    long before = rh__alloc_live();
    void *a = rh__alloc(1), *b = rh__alloc_array(2, 3), *c = rh__realloc(NULL, 4);

    (void)state;
    assert_int_equal(rh__alloc_live(), before + 3);
    a = rh__realloc(a, 50);
    assert_int_equal(rh__alloc_live(), before + 3);
    rh__free(a);
    rh__free(b);
    rh__free(c);
    rh__free(NULL);
    assert_int_equal(rh__alloc_live(), before);
}

static int evaluated;

static bool is_never_true(void)
{
    evaluated++;
    return false;
}

static void fails_a_check(void)
{
    RH__CHECK(is_never_true(), "%d", 5);
}

static void frees_twice(void)
{
    char *volatile p = rh__alloc(40);

    rh__free(p);
    rh__free(p);
}

static void frees_what_is_not_ours(void)
{
    static uint64_t block[8];

    rh__free(block + 4);
}

static void writes_past_the_end(void)
{
    char *volatile p = rh__alloc(40);

    p[40] = 1;
    rh__free(p);
}

static void writes_before_the_start(void)
{
    char *volatile p = rh__alloc(40);

    p[-1] = 1;
    p = rh__realloc(p, 50);
}

static void checks_are_for_the_hostile_build(void **state)
{
    char said[4096];

    (void)state;
    if (!RH__IS_HOSTILE) {
        fails_a_check();
        assert_int_equal(evaluated, 0);
        return;
    }
    assert_int_equal(in_child(fails_a_check, said, sizeof said), RH__BUG_EXIT);
    assert_non_null(strstr(said, "(is_never_true()): 5\n"));
}

static void hostile_memory_finds_misuse(void **state)
{
    static void (*const misuses[])(void) = { frees_twice, frees_what_is_not_ours, writes_past_the_end,
                                             writes_before_the_start };
    char said[4096];

    (void)state;
    if (!RH__IS_HOSTILE)
        skip();
    for (size_t i = 0; i < sizeof misuses / sizeof *misuses; i++) {
        assert_int_equal(in_child(misuses[i], said, sizeof said), RH__BUG_EXIT);
        assert_non_null(strstr(said, i == 2 ? "the bytes after the 40 bytes at " : "is freed twice, or not ours"));
    }
}

static void hostile_memory_is_junk_when_new_and_moves_when_it_grows(void **state)
{
    unsigned char *p = rh__alloc(100), *q;

    (void)state;
    if (!RH__IS_HOSTILE) {
        rh__free(p);
        skip();
    }
    for (int i = 0; i < 100; i++)
        assert_int_equal(p[i], 0xa5);
    p[99] = 7;
    const uintptr_t before = (uintptr_t)p;
    q = rh__realloc(p, 101);
    assert_true((uintptr_t)q != before);
    assert_int_equal(q[99], 7);
    assert_int_equal(q[100], 0xa5);
    rh__free(q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failed_assertion_exits_with_3_and_says_where),
        cmocka_unit_test(a_failed_assertion_names_the_replay_command),
        cmocka_unit_test(a_long_message_is_cut_and_still_ends_its_line),
        cmocka_unit_test(the_kth_allocation_fails_once),
        cmocka_unit_test(a_failed_realloc_leaves_the_block),
        cmocka_unit_test(arrays_are_zero_and_overflow_is_refused),
        cmocka_unit_test(live_blocks_are_counted),
        cmocka_unit_test(checks_are_for_the_hostile_build),
        cmocka_unit_test(hostile_memory_finds_misuse),
        cmocka_unit_test(hostile_memory_is_junk_when_new_and_moves_when_it_grows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
