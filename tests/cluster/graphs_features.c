/* As graphs.c, with programs that between them use all there is, faults included (explore/oracle_program.h). */
#include "explore/support/oracle_make.h"

#include "cluster/moved.h"

#ifdef RH_TEST_FEW
enum { PROGRAMS = 60, SETS = 30, LARGEST = 300 };
#else
enum { PROGRAMS = 300, SETS = 150, LARGEST = 1000 };
#endif

/* Gives whether it was small enough. */
static bool compare(uint64_t seed, uint32_t stay, uint32_t largest)
{
    struct rh_semantics s = features_semantics(&program);
    struct record *expected =
        behaviours_in(world_of("features", &s, NULL, 0), "spy:optimal:private-globals", seed, largest);
    bool small = expected->count < largest;
    if (small) {
        char text[512];
        features_write(&program, text, sizeof text);
        longest_stay = stay;
        struct record *got =
            behaviours_in(world_of("features", &s, NULL, 0), "spy:mover:optimal:private-globals", seed, 0);
        same_behaviours(expected, got, text, stay);
        record_free(got);
    }
    record_free(expected);
    return small;
}

static void programs_that_once_differed(void **unused)
{
    (void)unused;
    static const char *const once[] = {
        /* A lost message had no node to say that an operation had posted it. */
        "seed=1836 actors=2 starts=3 ttl=2 losses=2 spawn stop user",
        "seed=2023 actors=3 starts=3 ttl=3 model=3 losses=2 receive outside",
        /* It was taken for another one by whoever waits for an answer to it. */
        "seed=1716 actors=2 starts=2 ttl=3 losses=2 within kill",
        /* The past of a step that fails was given up before the step. */
        "seed=2372 actors=3 starts=2 ttl=3 losses=1 fails=15 sleep",
    };
    for (size_t i = 0; i < sizeof once / sizeof *once; i++)
        for (uint32_t stay = 1; stay <= 4; stay++) {
            if (!features_read(&program, once[i]))
                fail_msg("%s is no program", once[i]);
            assert_true(compare(stay, stay, 4000));
        }
}

static void compare_seeds(uint32_t count, uint32_t fails, void (*make)(struct features *p, uint64_t seed))
{
    uint32_t programs = 0;
    moves = splits = 0;
    for (uint64_t seed = 0; seed < count; seed++) {
        make(&program, seed);
        program.fails = fails;
        bool small;
        do
            small = compare(seed, 1 + seed % 6, LARGEST);
        while (!small && features_shrink(&program));
        programs += small;
    }
    print_message("%u programs, %llu moves, %llu splits\n", programs, (unsigned long long)moves,
                  (unsigned long long)splits);
    assert_in_range(programs, count / 2, count);
    assert_in_range(moves, 5 * count, 1u << 30);
    assert_in_range(splits, 2 * count, 1u << 30);
}

static void graphs_with_sets_are_gone_on_with_once(void **unused)
{
    (void)unused;
    uint32_t programs = 0;
    moves = splits = 0;
    for (uint64_t seed = 0; seed < SETS; seed++) {
        features_make(&program, seed);
        features_with_sets(&program);
        program.untimed = program.model == RH_MAILBOX;
        program.fails = seed % 3 ? 0 : 15;
        bool small;
        do
            small = compare(seed, 1 + seed % 6, LARGEST);
        while (!small && features_shrink(&program));
        programs += small;
    }
    print_message("%u programs, %llu moves, %llu splits\n", programs, (unsigned long long)moves,
                  (unsigned long long)splits);
    assert_in_range(programs, SETS / 2, SETS);
    assert_in_range(moves, 2 * SETS, 1u << 30);
}

static void graphs_with_faults_are_gone_on_with_once(void **unused)
{
    (void)unused;
    compare_seeds(PROGRAMS, 0, features_make);
    compare_seeds(PROGRAMS / 5, 0, features_make_scarce);
    compare_seeds(PROGRAMS / 5, 0, features_make_mortal);
}

static void graphs_of_failing_programs_are_gone_on_with_once(void **unused)
{
    (void)unused;
    compare_seeds(PROGRAMS, 15, features_make);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(programs_that_once_differed),
        EXPLORE_TEST(graphs_with_faults_are_gone_on_with_once),
        EXPLORE_TEST(graphs_of_failing_programs_are_gone_on_with_once),
        EXPLORE_TEST(graphs_with_sets_are_gone_on_with_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
