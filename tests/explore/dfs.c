/* dfs makes every sequence of choices, each once: compared with brute force (support.h) over generated programs of
 * every delivery model and kind of fault, also where runs crash in the middle; behaviours and the estimate likewise. */
#include "explore/support/program.h"
#include "explore/support/runs.h"

#ifdef RH_TEST_FEW
enum { LARGEST = 500, PROGRAMS = 100, CRASHING = 12, LARGEST_CRASHING = 60 };
#else
enum { LARGEST = 2000, PROGRAMS = 400, CRASHING = 60, LARGEST_CRASHING = 500 };
#endif

struct totals {
    uint32_t programs, too_many;
    uint64_t runs, behaviours, failed;
    uint32_t per_model[4], with_faults;
};

static void compare(uint64_t seed, uint32_t largest, struct totals *t)
{
    struct rh_semantics s = program_semantics(seed);
    struct record *expected = record_new();
    program_seed = seed;
    struct rh_world *w = world_of("program", &s, NULL, 0);
    if (!brute_force(w, expected, largest)) {
        t->too_many++;
    } else {
        spied = record_new();
        struct rh_exploration *x = explored(w, "spy:dfs", 1, 0);
        uint32_t runs = expected->count;
        if (spied->count != runs)
            fail_msg("seed %llu: dfs makes %u runs, brute force %u", (unsigned long long)seed, spied->count, runs);
        for (uint32_t i = 0; i < runs; i++) /* both go first choice first */
            if (spied->sequence[i] != expected->sequence[i])
                fail_msg("seed %llu: run %u of dfs is not run %u of brute force", (unsigned long long)seed, i, i);
        assert_int_equal(spied->failed, expected->failed);
        assert_int_equal(distinct(expected->sequence, runs), runs);
        uint32_t behaviours = distinct(expected->behaviour, runs);
        if (x->results->distinct.count != behaviours)
            fail_msg("seed %llu: the engine counts %llu behaviours, brute force %u in %u runs",
                     (unsigned long long)seed, (unsigned long long)x->results->distinct.count, behaviours, runs);
        assert_true(x->end.exhausted);
        assert_int_equal(x->results->count.runs, runs);
        assert_int_equal(x->results->count.failed, expected->failed);
        assert_true(rh__exploration_estimate(x) == (double)runs);
        assert_int_equal(rh__exploration_verdict(x),
                         x->results->count.cut ? RH_VERDICT_BOUNDED : RH_VERDICT_EXHAUSTIVE);
        rh__exploration_free(x);
        record_free(spied);
        t->programs++;
        t->runs += runs;
        t->behaviours += behaviours;
        t->failed += expected->failed;
        t->per_model[s.model]++;
        t->with_faults += s.losses || s.duplicates || s.crashes || s.partitions;
    }
    rh_world_free(w);
    record_free(expected);
}

static void print_totals(const struct totals *t)
{
    print_message("%u programs (fifo %u, bag %u, causal %u, mailbox %u; %u with faults), %llu runs, %llu behaviours, "
                  "%llu runs failed; %u more programs were too large\n",
                  t->programs, t->per_model[0], t->per_model[1], t->per_model[2], t->per_model[3], t->with_faults,
                  (unsigned long long)t->runs, (unsigned long long)t->behaviours, (unsigned long long)t->failed,
                  t->too_many);
}

static void dfs_makes_the_sequences_of_brute_force(void **unused)
{
    (void)unused;
    struct totals t = { 0 };
    program_crashes = false;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++)
        compare(seed, LARGEST, &t);
    print_totals(&t);
    for (int i = 0; i < 4; i++)
        assert_in_range(t.per_model[i], PROGRAMS / 20, PROGRAMS);
    assert_in_range(t.with_faults, PROGRAMS / 20, PROGRAMS);
}

static void dfs_goes_on_over_crashes(void **unused)
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
