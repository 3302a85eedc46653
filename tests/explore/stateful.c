/* stateful against every sequence of choices, over generated programs: the same set of states, the same outcomes, the
 * same findings; with sets of any size. */
#include "explore/support/states.h"

static void the_states_are_those_of_brute_force(void **unused)
{
    (void)unused;
    static const char *const explorers[] = { "stateful", "stateful(check)", "stateful(plain)" };
    compare_with_brute_force(explorers, 3);
}

/* ---- a set of any size, and cycles ------------------------------------------------------------------------------- */

RH_MESSAGE(roll, uint32_t seat;);
RH_ACTOR(wheel, rh_ref next; uint32_t at, size;);
RH_HANDLER(wheel, roll)
{
    state->at = (state->at + msg->seat) % state->size;
    if (!rh_is_nobody(state->next))
        rh_send(state->next, roll, .seat = msg->seat);
    else
        rh_send(self, roll, .seat = msg->seat);
}
RH_BEHAVIOUR(wheel, turning, roll);
/* Each wheel turns for ever, on its own.  The states are all positions, and the first ones, where it is the test that
 * has sent the message. */
RH_TEST(wheels)
{
    for (uint32_t i = 0; i < (uint32_t)rh_param("wheels", 3); i++)
        rh_send(rh_spawn(wheel, .size = (uint32_t)rh_param("size", 24)), roll, .seat = 1);
}

static void a_cycle_ends_the_search(void **unused)
{
    (void)unused;
    struct totals t = explore("wheels", NULL, "stateful", 0);
    assert_int_equal(t.collected->states, 25 * 25 * 25);
    assert_int_equal(counted_states(&t), 25 * 25 * 25);
    assert_non_null(strstr(t.notes, "into a cycle"));
    assert_int_equal(t.verdict, RH_VERDICT_EXHAUSTIVE);
    assert_int_equal(t.cut, 0);
    release(&t);
}

/* Steps of three walkers on a line: 17 by 17 by 17 states are more than the smallest set holds.  What was dropped is
 * visited again. */
RH_ACTOR(walker, uint32_t at, end;);
RH_HANDLER(walker, roll)
{
    state->at++;
    if (state->at < state->end)
        rh_send(self, roll, .seat = 1);
}
RH_BEHAVIOUR(walker, walking, roll);
RH_TEST(walkers)
{
    for (int i = 0; i < 3; i++)
        rh_send(rh_spawn(walker, .end = 16), roll, .seat = 1);
}

static void a_full_set_costs_time_only(void **unused)
{
    (void)unused;
    struct totals large = explore("walkers", NULL, "stateful", 0);
    struct totals small = explore("walkers", NULL, "stateful(kb=64)", 0);
    assert_int_equal(large.collected->states, 17 * 17 * 17);
    assert_non_null(strstr(small.notes, "dropped for lack of memory"));
    assert_true(same_states(large.collected, small.collected));
    assert_int_equal(small.verdict, RH_VERDICT_EXHAUSTIVE);
    assert_true(small.collected->choices > large.collected->choices);
    print_message("%llu steps instead of %llu\n", (unsigned long long)small.collected->choices,
                  (unsigned long long)large.collected->choices);
    release(&large);
    release(&small);
}

static void fewer_bits_promise_less(void **unused)
{
    (void)unused;
    static const char *const explorers[] = { "stateful(bits=64)", "stateful(bitstate)", "stateful(kb=64, bitstate)" };
    for (size_t i = 0; i < sizeof explorers / sizeof *explorers; i++) {
        struct totals t = explore("wheels", NULL, explorers[i], 0);
        assert_int_equal(t.verdict, RH_VERDICT_SAMPLED);
        assert_non_null(strstr(t.notes, "can be exhaustive"));
        if (i < 2)
            assert_int_equal(t.collected->states, 25 * 25 * 25);
        release(&t);
    }
}

/* A run that is cut may hide states behind it. */
static void a_bound_is_no_promise(void **unused)
{
    (void)unused;
    struct totals t = explore("wheels", &(struct rh_semantics){ .max_steps = 10 }, "stateful", 0);
    assert_true(t.cut > 0);
    assert_int_equal(t.verdict, RH_VERDICT_SAMPLED);
    release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(the_states_are_those_of_brute_force),
        EXPLORE_TEST(a_cycle_ends_the_search),
        EXPLORE_TEST(a_full_set_costs_time_only),
        EXPLORE_TEST(fewer_bits_promise_less),
        EXPLORE_TEST(a_bound_is_no_promise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
