/* Goals of receives that come as a set (rh_receive_set). */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "coverage/goals.h"

static void name_of(void *arg, uint32_t step, bool receive, char *buffer, size_t size)
{
    (void)arg;
    snprintf(buffer, size, "%s %u", receive ? "step" : "actor", step);
}

/* Actor 0 begins; actor 1 receives a, then b and c as a set, then d and e as a set.  The first of a set is flagged. */
static struct rh__coverage *one_run(bool becomes)
{
    static const uint64_t actors[] = { 100, 101 };
    struct rh__coverage_step list[] = {
        { .id = 1, .actor = 0 },
        { .id = 2, .actor = 1, .flags = RH__STEP_RECEIVE },
        { .id = 3, .actor = 1, .flags = RH__STEP_RECEIVE | RH__STEP_MORE },
        { .id = 4, .actor = 1, .flags = RH__STEP_RECEIVE | (becomes ? RH__STEP_BECOMES : 0) },
        { .id = 5, .actor = 1, .flags = RH__STEP_RECEIVE | RH__STEP_MORE },
        { .id = 6, .actor = 1, .flags = RH__STEP_RECEIVE },
    };
    for (uint32_t i = 0; i < 6; i++) {
        list[i].born = list[i].after = list[i].earlier = list[i].elder = RH_NONE;
        list[i].cause = i ? 0 : RH_NONE;
        list[i].before = i > 1 ? i - 1 : RH_NONE;
        list[i].arrival = i;
    }
    struct rh__steps s = { .list = list, .count = 6, .actors = 2 };
    struct rh__coverage *c = rh__coverage_new(7, "sets");
    assert_non_null(c);
    rh__coverage_add(c, &s, actors, name_of, NULL);
    return c;
}

/* Receives are numbered from 0 in the order of the run. */
static void check(const struct rh__coverage *c, uint32_t matrix, const char *wanted)
{
    char got[256];
    size_t n = 0;
    got[0] = 0;
    for (uint32_t i = 0; i < 5; i++)
        for (uint32_t k = 0; k < 5; k++)
            if (i != k && rh__achieved(c, matrix, i, k))
                n += (size_t)snprintf(got + n, sizeof got - n, "%s%c%c", n ? " " : "", 'a' + (char)i, 'a' + (char)k);
    assert_string_equal(got, wanted);
}

static void there_is_no_goal_between_receives_of_a_set(void **unused)
{
    (void)unused;
    struct rh__coverage *c = one_run(false);
    check(c, RH__PR, "ab ac ad ae bd be cd ce");
    check(c, RH__FREE, "ab ac ad ae bd be cd ce");
    assert_int_equal(rh__pair_of(c, RH__PR, 1, 2), RH__PAIR_APART);
    assert_int_equal(rh__pair_of(c, RH__PR, 1, 3), RH__PAIR_OPEN);
    rh__coverage_free(c);
}

static void each_receive_of_a_set_is_next_to_those_before_and_after_it(void **unused)
{
    (void)unused;
    struct rh__coverage *c = one_run(false);
    check(c, RH__PCR, "ab ac bd be cd ce");
    rh__coverage_free(c);
}

static void a_set_changes_handlers_as_a_whole(void **unused)
{
    (void)unused;
    struct rh__coverage *c = one_run(true);
    check(c, RH__PMR, "ab ac bd be cd ce");
    rh__coverage_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_is_no_goal_between_receives_of_a_set),
        cmocka_unit_test(each_receive_of_a_set_is_next_to_those_before_and_after_it),
        cmocka_unit_test(a_set_changes_handlers_as_a_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
