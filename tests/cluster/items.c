/* Work that goes from one explorer to another (rehearse/explorer.h, pack and unpack): whoever goes on, and wherever it
 * is cut, all runs are made and each once; hostile bytes are refused. */
#include "explore/support/program.h"
#include "explore/support/runs.h"

#include "cluster/mover.h"

#ifdef RH_TEST_FEW
enum { LARGEST = 300, PROGRAMS = 60 };
#else
enum { LARGEST = 2000, PROGRAMS = 300 };
#endif
static bool compare(uint64_t seed, const char *explorer, uint64_t *moves, uint64_t *splits)
{
    struct rh_semantics s = program_semantics(seed);
    program_seed = seed;
    struct rh_world *w = world_of("program", &s, NULL, 0);
    struct record *expected = record_new();
    bool small = brute_force(w, expected, LARGEST);
    if (small) {
        spied = record_new();
        struct rh_exploration *x = explored(w, explorer, seed, 0);
        uint32_t runs = expected->count;
        if (spied->count != runs)
            fail_msg("seed %llu: %u runs, brute force %u", (unsigned long long)seed, spied->count, runs);
        assert_int_equal(distinct(spied->sequence, runs), distinct(expected->sequence, runs));
        assert_memory_equal(spied->sequence, expected->sequence, runs * sizeof *spied->sequence);
        assert_int_equal(distinct(spied->behaviour, runs), distinct(expected->behaviour, runs));
        assert_int_equal(x->results->distinct.count, distinct(expected->behaviour, runs));
        assert_int_equal(spied->failed, expected->failed);
        assert_true(x->end.exhausted);
        if (moving->share < 1 - 1e-9 || moving->share > 1 + 1e-9)
            fail_msg("seed %llu: the shares of all items sum up to %.17g", (unsigned long long)seed, moving->share);
        *moves += moving->moves;
        *splits += moving->splits;
        rh__exploration_free(x);
        record_free(spied);
    }
    rh_world_free(w);
    record_free(expected);
    return small;
}

static void work_that_is_moved_is_done_once(void **unused)
{
    (void)unused;
    uint64_t moves = 0, splits = 0;
    uint32_t programs = 0;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++)
        programs += compare(seed, "spy:mover:dfs", &moves, &splits);
    print_message("%u programs, %llu moves, %llu splits\n", programs, (unsigned long long)moves,
                  (unsigned long long)splits);
    assert_in_range(moves, PROGRAMS, 1u << 30);
    assert_in_range(splits, PROGRAMS, 1u << 30);
}

/* ---- what cannot be ---------------------------------------------------------------------------------------------- */

/* Explores a few runs of a program, then gives the item of what is left. */
static size_t item_of(const char *explorer, uint64_t seed, uint64_t runs, unsigned char *item,
                      struct rh_exploration **x)
{
    struct rh_semantics s = program_semantics(seed);
    program_seed = seed;
    struct rh_world *w = world_of("program", &s, NULL, 0);
    *x = explored(w, explorer, 1, runs);
    return rh_inner_pack(&(*x)->explorer, item, ROOM, false);
}

static void release(struct rh_exploration *x)
{
    struct rh_world *w = x->world;
    rh__exploration_free(x);
    rh_world_free(w);
}

static void an_item_that_does_not_fit_the_program_explores_nothing(void **unused)
{
    (void)unused;
    unsigned char item[ROOM];
    struct rh_exploration *x;
    size_t size = item_of("dfs", 3, 7, item, &x);
    assert_in_range(size, 10, 400);
    const struct rh_inner *e = &x->explorer;
    uint64_t before = x->results->count.runs;
    item[size - 1] ^= 1; /* the hash of the choices that lead there: as if another program had made it */
    assert_true(rh_inner_unpack(e, x->world, item, size));
    x->end.stopped = false;
    x->limits.max_runs = 0;
    assert_true(rh__explore(x));
    assert_true(x->results->diverged);
    assert_int_equal(x->results->count.runs, before);
    assert_int_equal(rh__exploration_verdict(x), RH_VERDICT_SAMPLED);
    release(x);
}

static void hostile(const char *explorer)
{
    unsigned char item[ROOM], out[ROOM];
    struct rh_exploration *x;
    uint64_t random = 7, good = 0, tries = 0;
    size_t size = item_of(explorer, 5, 9, item, &x);
    const struct rh_inner *e = &x->explorer;
    assert_in_range(size, 1, 400);
    while (tries < 20000) {
        size_t length = rh__random_below(&random, 4) ? size : rh__random_below(&random, (uint32_t)size + 1);
        unsigned char *bytes = malloc(length ? length : 1); /* just so long: a sanitizer sees a byte read past it */
        assert_non_null(bytes);
        memcpy(bytes, item, length);
        for (uint32_t n = rh__random_below(&random, 4); n && length; n--)
            bytes[rh__random_below(&random, (uint32_t)length)] = (unsigned char)rh__random_next(&random);
        if (rh_inner_unpack(e, x->world, bytes, length)) {
            good++;
            rh_inner_pack(e, out, rh__random_below(&random, 500), true);
            rh_inner_pack(e, out, rh__random_below(&random, 500), false);
        }
        free(bytes);
        tries++;
    }
    print_message("%s: %llu items, %llu of them possible\n", explorer, (unsigned long long)tries,
                  (unsigned long long)good);
    assert_in_range(good, tries / 100, tries * 9 / 10);
    release(x);
}

static void hostile_items_are_refused(void **unused)
{
    (void)unused;
    hostile("dfs");
    hostile("portfolio:random+dfs");
    hostile("bound:8,dfs");
    hostile("delayed:10");
}

/* What an explorer does with an item it was given: the whole item again, if nothing was run. */
static void an_item_can_be_passed_on_unopened(void **unused)
{
    (void)unused;
    static const char *const explorers[] = { "dfs", "random", "delayed:5", "portfolio:random+dfs", "bound:9,dfs" };
    for (size_t i = 0; i < sizeof explorers / sizeof *explorers; i++) {
        unsigned char item[ROOM], again[ROOM];
        struct rh_exploration *x;
        size_t size = item_of(explorers[i], 6, 5, item, &x);
        const struct rh_inner *e = &x->explorer;
        assert_in_range(size, 1, 1000);
        assert_int_equal(rh_inner_pack(e, again, ROOM, false), 0); /* it is given away */
        assert_int_equal(rh_inner_begin(e, x->world), 0);
        assert_true(rh_inner_unpack(e, x->world, item, size));
        assert_int_equal(rh_inner_pack(e, again, 4, false), 0); /* no room */
        assert_int_equal(rh_inner_pack(e, again, ROOM, false), size);
        assert_memory_equal(item, again, size);
        release(x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(work_that_is_moved_is_done_once),
        EXPLORE_TEST(an_item_that_does_not_fit_the_program_explores_nothing),
        EXPLORE_TEST(hostile_items_are_refused),
        EXPLORE_TEST(an_item_can_be_passed_on_unopened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
