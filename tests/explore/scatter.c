/* scatter makes every sequence of choices, each once: compared with brute force (support/brute.h) over generated
 * programs of every delivery model and kind of fault, also where runs crash in the middle; and its estimate. */
#include "explore/support/brute.h"
#include "explore/support/runs.h"

#ifdef RH_TEST_FEW
enum { LARGEST = 500, PROGRAMS = 60, CRASHING = 12, LARGEST_CRASHING = 60 };
#else
enum { LARGEST = 2000, PROGRAMS = 200, CRASHING = 40, LARGEST_CRASHING = 300 };
#endif

static void scatter_makes_the_sequences_of_brute_force(void **unused)
{
    (void)unused;
    struct compared c = compare_with_brute_force("scatter", PROGRAMS, LARGEST, false);
    assert_in_range(c.programs, PROGRAMS / 4, PROGRAMS);
    assert_in_range(c.out_of_order, c.programs / 2, c.programs);
}

static void scatter_goes_on_over_crashes(void **unused)
{
    (void)unused;
    struct compared c = compare_with_brute_force("scatter", CRASHING, LARGEST_CRASHING, true);
    assert_in_range(c.failed, CRASHING, 1u << 30);
}

/* n messages of n senders to one actor: n! runs, and after k events n - k choices, in every state. */
RH_MESSAGE(hello);
RH_ACTOR(receiver);
RH_HANDLER(receiver, hello)
{
}
RH_BEHAVIOUR(receiver, on, hello);
RH_TEST(factorial)
{
    static const char *const names[] = { "a", "b", "c", "d", "e", "f" };
    rh_ref r = rh_spawn(receiver);
    for (int i = 0; i < 6; i++)
        rh_send_from(rh_external(names[i]), r, hello);
}

static double estimate_after(const char *explorer, uint64_t seed, uint64_t runs, uint64_t *made)
{
    struct rh_world *w = world_of("factorial", NULL, NULL, 0);
    struct rh_exploration *x = explored(w, explorer, seed, runs);
    double estimate = rh__exploration_estimate(x);
    *made = x->results->count.runs;
    rh__exploration_free(x);
    rh_world_free(w);
    return estimate;
}

static void a_balanced_tree_is_known_after_one_run(void **unused)
{
    (void)unused;
    uint64_t made;
    for (uint64_t seed = 1; seed <= 20; seed++)
        for (uint64_t runs = 1; runs <= 700; runs += 77) {
            assert_float_equal(estimate_after("scatter", seed, runs, &made), 720, 1e-6);
            assert_int_equal(made, runs);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(scatter_makes_the_sequences_of_brute_force),
        EXPLORE_TEST(scatter_goes_on_over_crashes),
        EXPLORE_TEST(a_balanced_tree_is_known_after_one_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
