/* Pairs that are called impossible, or forced so far, after a few random runs, against all runs of the same program.
 *
 * Impossible is a fact: the identity of one receive is computed from that of the other.  None may be called so wrongly.
 *
 * Forced so far rests on must-happen-before (Definitions 5 to 7): all that an actor received before it sent a message
 * is taken to be a reason for it, and what one actor sent to another to be in the order in which it did.  A run in
 * which that actor receives in another order can show that it was no reason.  So few are called forced that are not,
 * and no more than these. */
#include "coverage/support/watching.h"

#include "coverage/support/plain.h"
#include "explore/support/oracle_make.h"

#ifdef RH_TEST_FEW
enum { SEEDS = 24, MOST_RUNS_OF_DFS = 200 };
#else
enum { SEEDS = 160, MOST_RUNS_OF_DFS = 1000 };
#endif

static struct {
    uint64_t programs;
    struct {
        uint64_t pairs, wrong;
    } impossible[RH__CRITERION_COUNT], forced[RH__CRITERION_COUNT];
} total;

static void compare_pairs(const struct rh__coverage *some, const struct rh__coverage *all)
{
    for (uint32_t a = 0; a < some->receive_count; a++)
        for (uint32_t b = a + 1; b < some->receive_count; b++) {
            const struct rh__covered_receive *x = rh__covered_receive(some, a), *y = rh__covered_receive(some, b);
            if (x->actor != y->actor)
                continue;
            uint32_t p = rh__coverage_find(all, x->id), q = rh__coverage_find(all, y->id);
            for (uint32_t k = 0; k < RH__CRITERION_COUNT; k++) {
                bool wrong = rh__achieved(all, k, p, q) && rh__achieved(all, k, q, p);
                enum rh__pair pair = rh__pair_of(some, k, a, b);
                total.impossible[k].pairs += pair == RH__PAIR_IMPOSSIBLE;
                total.impossible[k].wrong += pair == RH__PAIR_IMPOSSIBLE && wrong;
                total.forced[k].pairs += pair == RH__PAIR_FORCED;
                total.forced[k].wrong += pair == RH__PAIR_FORCED && wrong;
            }
        }
}

static void look_at(const char *test, const struct rh_semantics *semantics, uint64_t seed)
{
    struct rh_exploration *x = measured(world_of(test, semantics, NULL, 0), "dfs", seed, MOST_RUNS_OF_DFS);
    bool exhausted = x->end.exhausted;
    struct rh__coverage *all = keep_coverage(x);
    for (uint64_t runs = 1; exhausted && runs <= 16; runs *= 4) {
        x = measured(world_of(test, semantics, NULL, 0), "random", seed, runs);
        compare_pairs(x->results->coverage, all);
        done_with(x);
    }
    total.programs += exhausted;
    rh__coverage_free(all);
}

static void tell(double most)
{
    print_message("%llu programs\n", (unsigned long long)total.programs);
    for (uint32_t k = 0; k < RH__CRITERION_COUNT; k++) {
        print_message("%s: %llu pairs called impossible, %llu of them wrongly; %llu forced, %llu of them wrongly\n",
                      rh__criterion_name(k), (unsigned long long)total.impossible[k].pairs,
                      (unsigned long long)total.impossible[k].wrong, (unsigned long long)total.forced[k].pairs,
                      (unsigned long long)total.forced[k].wrong);
        assert_int_equal(total.impossible[k].wrong, 0);
        if ((double)total.forced[k].wrong > most * (double)total.forced[k].pairs)
            fail_msg("too many are called forced wrongly");
    }
    assert_int_not_equal(total.impossible[RH__PR].pairs, 0);
    assert_int_not_equal(total.programs, 0);
    memset(&total, 0, sizeof total);
}

static void of_handlers(void **unused)
{
    (void)unused;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct rh_semantics s = {
            .model = (enum rh_model)(seed % 4), .max_actors = 16, .max_bytes_per_actor = 65536, .max_steps = 100
        };
        plain_make(seed, 1 + seed % 2);
        plain_program.by_state = true;
        look_at("plain", &s, seed);
    }
    tell(0.02);
}

static void of_programs_with_everything(void **unused)
{
    (void)unused;
    for (uint64_t seed = 0; seed < SEEDS * 2; seed++) {
        features_make(&program, seed);
        while (features_shrink(&program) && seed % 3) /* two of three as small as they get */
            ;
        struct rh_semantics s = features_semantics(&program);
        s.granularity = seed / 4 % 2 ? RH_GRAIN_OBJECT : RH_GRAIN_HANDLER;
        look_at("features", &s, seed);
    }
    tell(0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = { EXPLORE_TEST(of_handlers), EXPLORE_TEST(of_programs_with_everything) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
