/* Graphs of the explorer optimal as items of work (src/explore/optimal/graph_encode.c): wherever the search is cut,
 * every behaviour is reached, and each once; hostile bytes are refused. */
#include "cluster/mixed.h"
#include "cluster/moved.h"
#include "explore/support/program.h"

#ifdef RH_TEST_FEW
enum { PROGRAMS = 60 };
#else
enum { PROGRAMS = 400 };
#endif

/* What optimal can do of what a program takes for granted. */
static struct rh_semantics semantics_of(uint64_t seed)
{
    struct rh_semantics s = program_semantics(seed);
    s.granularity = RH_GRAIN_OBJECT;
    s.time = (enum rh_time)(seed % 3);
    s.partitions = 0;
    *s.timer_budgets = 0;
    s.pauses = true;
    return s;
}

static struct record *behaviours_of(const char *explorer, uint64_t seed)
{
    struct rh_semantics s = semantics_of(seed);
    program_seed = seed;
    return behaviours_in(world_of("program", &s, NULL, 0), explorer, seed, MOST_RUNS);
}

static void graphs_that_are_moved_are_gone_on_with_once(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        struct record *expected = behaviours_of("spy:optimal", seed);
        if (expected->count < MOST_RUNS) {
            struct record *got = behaviours_of("spy:mover:optimal", seed);
            same_behaviours(expected, got, "seed", seed);
            if (share < 1 - 1e-9 || share > 1 + 1e-9)
                fail_msg("seed %llu: the shares of all items sum up to %.17g, %u runs", (unsigned long long)seed, share,
                         got->count);
            record_free(got);
        }
        record_free(expected);
    }
    print_message("%llu moves, %llu splits\n", (unsigned long long)moves, (unsigned long long)splits);
    assert_in_range(moves, PROGRAMS, 1u << 30);
    assert_in_range(splits, PROGRAMS / 4, 1u << 30);
}

/* After every run, also those that go on without a step that fails and are given up.  In such a graph the nodes are not
 * in the order in which another process fills them in. */
static void a_search_may_be_cut_between_any_two_runs(void **unused)
{
    (void)unused;
    static const struct rh_param params[] = { { "n", "4" }, { "fails", "1" } };
    struct rh_semantics s = { .granularity = RH_GRAIN_OBJECT };
    struct record *expected = behaviours_in(world_of("mixed", &s, params, 2), "spy:optimal", 1, MOST_RUNS);
    assert_in_range(expected->failed, 10, expected->count);
    for (longest_stay = 1; longest_stay <= 3; longest_stay++) {
        struct record *got =
            behaviours_in(world_of("mixed", &s, params, 2), "spy:mover:optimal", longest_stay, MOST_RUNS);
        same_behaviours(expected, got, "stays", longest_stay);
        record_free(got);
    }
    record_free(expected);
}

/* The steps that lead to an item may be as long as a bound allows, or as the program runs: nothing is open there. */
static void the_way_to_a_graph_may_end_at_a_bound(void **unused)
{
    (void)unused;
    static const struct rh_param params[] = { { "n", "3" }, { "fails", "1" } };
    struct rh_semantics s = { .granularity = RH_GRAIN_OBJECT };
    uint32_t most = 0;
    may_cut = true;
    longest_stay = 1;
    for (uint32_t depth = 1; depth <= 16; depth++) {
        static const char *const texts[] = { "spy(bound(%u, optimal))", "spy(bound(%u, mover(optimal)))",
                                             "spy(mover(bound(%u, optimal)))",
                                             "spy(portfolio(mover(bound(%u, optimal))))" };
        struct record *records[4];
        for (int i = 0; i < 4; i++) {
            char text[64];
            snprintf(text, sizeof text, texts[i], depth);
            records[i] = behaviours_in(world_of("mixed", &s, params, 2), text, 1, MOST_RUNS);
            same_behaviours(records[0], records[i], text, depth);
        }
        assert_true(records[0]->count >= most);
        most = records[0]->count;
        for (int i = 0; i < 4; i++)
            record_free(records[i]);
    }
    may_cut = false;
    print_message("%u runs at most\n", most);
    assert_in_range(most, 10, MOST_RUNS - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(graphs_that_are_moved_are_gone_on_with_once),
        EXPLORE_TEST(a_search_may_be_cut_between_any_two_runs),
        EXPLORE_TEST(the_way_to_a_graph_may_end_at_a_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
