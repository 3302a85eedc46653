/* dfs makes every sequence of choices, each once: compared with brute force (support/brute.h) over generated programs
 * of every delivery model and kind of fault, also where runs crash in the middle. */
#include "explore/support/brute.h"
#include "explore/support/runs.h"

#ifdef RH_TEST_FEW
enum { LARGEST = 500, PROGRAMS = 100, CRASHING = 12, LARGEST_CRASHING = 60 };
#else
enum { LARGEST = 2000, PROGRAMS = 400, CRASHING = 60, LARGEST_CRASHING = 500 };
#endif

static void dfs_makes_the_sequences_of_brute_force(void **unused)
{
    (void)unused;
    struct compared c = compare_with_brute_force("dfs", PROGRAMS, LARGEST, false);
    assert_int_equal(c.out_of_order, 0); /* both go first choice first */
    for (int i = 0; i < 4; i++)
        assert_in_range(c.per_model[i], PROGRAMS / 20, PROGRAMS);
    assert_in_range(c.with_faults, PROGRAMS / 20, PROGRAMS);
}

static void dfs_goes_on_over_crashes(void **unused)
{
    (void)unused;
    struct compared c = compare_with_brute_force("dfs", CRASHING, LARGEST_CRASHING, true);
    assert_int_equal(c.out_of_order, 0);
    assert_in_range(c.failed, CRASHING, 1u << 30);
}

/* Two actors that each start a child: whoever is first, everybody takes the same. */
RH_MESSAGE(start);
RH_ACTOR(child);
RH_HANDLER(child, start)
{
}
RH_BEHAVIOUR(child, on, start);
RH_ACTOR(parent);
RH_HANDLER(parent, start)
{
    rh_send(rh_spawn(child), start);
    rh_timer("a name of more than eight letters", 1, start);
    rh_become(parent, second);
}
RH_HANDLER_AS(parent, start, again)
{
    bool first_parent = strcmp(rh_name(self), "parent#1") == 0;
    rh_send_from(rh_external(first_parent ? "one" : "two"), rh_spawn(child), start);
}
RH_BEHAVIOUR(parent, first, start);
RH_BEHAVIOUR(parent, second, RH_ON(start, again));

RH_TEST(two_parents)
{
    for (int i = 0; i < 2; i++)
        rh_send(rh_spawn(parent), start);
}

static void behaviours_do_not_depend_on_who_is_first(void **unused)
{
    (void)unused;
    struct rh_world *w = world_of("two_parents", NULL, NULL, 0);
    struct rh_exploration *x = explored(w, "dfs", 1, 0);
    assert_int_equal(x->results->count.failed, 0);
    assert_in_range(x->results->count.runs, 100, 1 << 20);
    assert_int_equal(x->results->distinct.count, 1);
    rh__exploration_free(x);
    rh_world_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(dfs_makes_the_sequences_of_brute_force),
        EXPLORE_TEST(dfs_goes_on_over_crashes),
        EXPLORE_TEST(behaviours_do_not_depend_on_who_is_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
