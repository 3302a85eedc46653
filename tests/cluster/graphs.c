/* Graphs of the explorer optimal as items of work (src/explore/items.c): wherever the search is cut, every behaviour is reached, and
 * each once; hostile bytes are refused. */
#include "cluster/mover.h"
#include "explore/program.h"

#ifdef __SANITIZE_ADDRESS__
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
    return s;
}

static int in_order(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static double share;
static uint64_t moves, splits;

static struct record *behaviours_of(const char *explorer, uint64_t seed)
{
    struct rh_semantics s = semantics_of(seed);
    program_seed = seed;
    struct rh_world *w = world_of("program", &s, NULL, 0);
    spied = record_new();
    struct rh_exploration *x = explored(w, explorer, seed, MOST_RUNS);
    if (x->diverged || x->cut)
        fail_msg("seed %llu: %s lost its way", (unsigned long long)seed, explorer);
    qsort(spied->engine_behaviour, spied->count, sizeof *spied->engine_behaviour, in_order);
    if (moving) {
        share = moving->share;
        moves += moving->moves;
        splits += moving->splits;
        moving = NULL;
    }
    rh__exploration_free(x);
    rh_world_free(w);
    return spied;
}

static void graphs_that_are_moved_are_gone_on_with_once(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        struct record *expected = behaviours_of("spy:optimal", seed);
        if (expected->count < MOST_RUNS) {
            struct record *got = behaviours_of("spy:mover:optimal", seed);
            if (got->count != expected->count)
                fail_msg("seed %llu: %u runs, %u without moving", (unsigned long long)seed, got->count,
                         expected->count);
            assert_memory_equal(got->engine_behaviour, expected->engine_behaviour,
                                got->count * sizeof *got->engine_behaviour);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(graphs_that_are_moved_are_gone_on_with_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
