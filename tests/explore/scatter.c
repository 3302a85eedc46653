/* scatter makes every sequence of choices, each once: compared with brute force (support.h) over generated programs of
 * every delivery model and kind of fault, also where runs crash in the middle; and its estimate. */
#include "explore/support/program.h"
#include "explore/support/runs.h"

#ifdef RH_TEST_FEW
enum { LARGEST = 500, PROGRAMS = 60, CRASHING = 12, LARGEST_CRASHING = 60 };
#else
enum { LARGEST = 2000, PROGRAMS = 200, CRASHING = 40, LARGEST_CRASHING = 300 };
#endif

struct totals {
    uint32_t programs, out_of_order;
    uint64_t runs, failed;
};

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void compare(uint64_t seed, uint32_t largest, struct totals *t)
{
    struct rh_semantics s = program_semantics(seed);
    struct record *expected = record_new();
    program_seed = seed;
    struct rh_world *w = world_of("program", &s, NULL, 0);
    if (brute_force(w, expected, largest)) {
        spied = record_new();
        struct rh_exploration *x = explored(w, "spy:scatter", seed, 0);
        uint32_t runs = expected->count;
        if (spied->count != runs)
            fail_msg("seed %llu: scatter makes %u runs, brute force %u", (unsigned long long)seed, spied->count, runs);
        t->out_of_order += memcmp(spied->sequence, expected->sequence, runs * sizeof *spied->sequence) != 0;
        qsort(spied->sequence, runs, sizeof *spied->sequence, by_value);
        qsort(expected->sequence, runs, sizeof *expected->sequence, by_value);
        for (uint32_t i = 0; i < runs; i++)
            if (spied->sequence[i] != expected->sequence[i])
                fail_msg("seed %llu: scatter makes other runs than brute force", (unsigned long long)seed);
        assert_int_equal(spied->failed, expected->failed);
        assert_true(x->end.exhausted);
        assert_int_equal(x->results->count.runs, runs);
        assert_float_equal(rh__exploration_estimate(x), (double)runs, 1e-6 * runs);
        assert_int_equal(rh__exploration_verdict(x),
                         x->results->count.cut ? RH_VERDICT_BOUNDED : RH_VERDICT_EXHAUSTIVE);
        rh__exploration_free(x);
        record_free(spied);
        t->programs++;
        t->runs += runs;
        t->failed += expected->failed;
    }
    rh_world_free(w);
    record_free(expected);
}

static void print_totals(const struct totals *t)
{
    print_message("%u programs, %u in another order than dfs, %llu runs, %llu failed\n", t->programs, t->out_of_order,
                  (unsigned long long)t->runs, (unsigned long long)t->failed);
}

static void scatter_makes_the_sequences_of_brute_force(void **unused)
{
    (void)unused;
    struct totals t = { 0 };
    program_crashes = false;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++)
        compare(seed, LARGEST, &t);
    print_totals(&t);
    assert_in_range(t.programs, PROGRAMS / 4, PROGRAMS);
    assert_in_range(t.out_of_order, t.programs / 2, t.programs);
}

static void scatter_goes_on_over_crashes(void **unused)
{
    (void)unused;
    struct totals t = { 0 };
    program_crashes = true;
    for (uint64_t seed = 1; seed <= CRASHING; seed++)
        compare(seed, LARGEST_CRASHING, &t);
    program_crashes = false;
    print_totals(&t);
    assert_in_range(t.failed, CRASHING, 1u << 30);
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
