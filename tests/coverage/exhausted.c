/* Small programs of which all runs are made: what is achieved in them is all that there is.
 *
 *   dfs and optimal measure the same goals, those that the slow implementation sees in the runs of dfs;
 *   cover reaches no other goals, and most of these. */
#include "coverage/support/watching.h"

#include "coverage/support/plain.h"

#ifdef RH_TEST_FEW
enum { SEEDS = 24, MOST_RUNS_OF_DFS = 200 };
#else
enum { SEEDS = 120, MOST_RUNS_OF_DFS = 1000 };
#endif
enum { RUNS_OF_COVER = 30 };

static struct rh_semantics semantics_of(uint64_t seed, enum rh_granularity granularity)
{
    return (struct rh_semantics){ .model = (enum rh_model)(seed % 4),
                                  .granularity = granularity,
                                  .max_actors = 16,
                                  .max_bytes_per_actor = 65536,
                                  .max_steps = 100 };
}

static struct {
    uint64_t programs, runs, goals[RH__CRITERION_COUNT], reached[RH__CRITERION_COUNT], schedules;
} total;

static void no_more_than(const struct rh__coverage *of, const struct rh__coverage *all, uint64_t seed, const char *who)
{
    for (uint32_t k = 0; k < RH__CRITERION_COUNT; k++)
        if (goals_missing(of, all, k))
            fail_msg("program %llu: %s has goals by %s that no run of dfs has", (unsigned long long)seed, who,
                     rh__criterion_name(k));
}

/* NULL where there are too many runs. */
static struct rh_exploration *every_run(uint64_t seed, enum rh_granularity granularity, struct slow *s)
{
    struct rh_semantics semantics = semantics_of(seed, granularity);
    struct rh_world *w = world_of("plain", &semantics, NULL, 0);
    watching = s;
    struct rh_exploration *x = measured(w, s ? "watch:dfs" : "dfs", seed, MOST_RUNS_OF_DFS);
    if (x->end.exhausted && s)
        compare_coverage(s, x->results->coverage, false, seed);
    return x;
}

static void optimal_has_the_same(const struct rh__coverage *all, uint64_t seed)
{
    struct rh_semantics semantics = semantics_of(seed, RH_GRAIN_OBJECT);
    struct rh_exploration *x =
        measured(world_of("plain", &semantics, NULL, 0), "optimal:private-globals", seed, 1 << 20);
    assert_true(x->end.exhausted);
    no_more_than(x->results->coverage, all, seed, "optimal");
    for (uint32_t k = 0; k < RH__CRITERION_COUNT; k++)
        assert_int_equal(x->results->coverage->counts[k].goals, all->counts[k].goals);
    done_with(x);
}

static void goals_are_those_of_all_runs(void **unused)
{
    (void)unused;
    uint32_t compared_with = 0;
    memset(&total, 0, sizeof total);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct slow *s = slow_new();
        plain_make(seed, 1 + seed % 2);
        plain_program.by_state = true;
        struct rh_exploration *x = every_run(seed, RH_GRAIN_OBJECT, s);
        if (x->end.exhausted) {
            total.runs += x->results->count.runs;
            struct rh__coverage *all = keep_coverage(x);
            optimal_has_the_same(all, seed);
            rh__coverage_free(all);
            compared_with++;
        } else {
            done_with(x);
        }
        slow_free(s);
    }
    print_message("%u programs, %llu runs of dfs\n", compared_with, (unsigned long long)total.runs);
    tell_compared();
    assert_in_range(compared_with, SEEDS / 4, SEEDS);
}

/* ---- what cover reaches ------------------------------------------------------------------------------------------ */

static void cover_reaches(const char *explorer, const struct rh__coverage *all, uint64_t seed, uint32_t criteria)
{
    struct rh_semantics semantics = semantics_of(seed, RH_GRAIN_HANDLER);
    struct rh_exploration *x = measured(world_of("plain", &semantics, NULL, 0), explorer, seed, RUNS_OF_COVER);
    no_more_than(x->results->coverage, all, seed, explorer);
    for (uint32_t k = 0; k < RH__CRITERION_COUNT; k++)
        if (criteria >> k & 1) {
            total.goals[k] += all->counts[k].goals;
            total.reached[k] += x->results->coverage->counts[k].goals;
        }
    total.schedules += x->results->count.runs;
    done_with(x);
}

static double reached(const char *explorer, uint32_t criteria)
{
    memset(&total, 0, sizeof total);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        plain_make(seed, 1 + seed % 2);
        plain_program.by_state = true;
        struct rh_exploration *x = every_run(seed, RH_GRAIN_HANDLER, NULL);
        if (!x->end.exhausted) {
            done_with(x);
            continue;
        }
        total.runs += x->results->count.runs;
        struct rh__coverage *all = keep_coverage(x);
        cover_reaches(explorer, all, seed, criteria);
        rh__coverage_free(all);
        total.programs++;
    }
    uint64_t goals = 0, got = 0;
    for (uint32_t k = 0; k < RH__CRITERION_COUNT; k++) {
        goals += total.goals[k];
        got += total.reached[k];
    }
    print_message("%s: %llu of %llu goals, in %llu runs of %llu (%llu programs)\n", explorer, (unsigned long long)got,
                  (unsigned long long)goals, (unsigned long long)total.schedules, (unsigned long long)total.runs,
                  (unsigned long long)total.programs);
    return (double)got / (double)goals;
}

static void cover_reaches_most_goals(void **unused)
{
    (void)unused;
    static const struct {
        const char *explorer;
        uint32_t criteria;
        double least;
    } all[] = { { "cover:pr", 1u << RH__PR, 0.65 },
                { "cover:pcr", 1u << RH__PCR, 0.8 },
                { "cover:pmr", 1u << RH__PMR, 0.5 },
                { "cover:all", ALL_CRITERIA, 0.75 },
                { "cover:pr,paper", 1u << RH__PR, 0.55 } };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (reached(all[i].explorer, all[i].criteria) < all[i].least)
            fail_msg("%s reaches too little", all[i].explorer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(goals_are_those_of_all_runs),
        EXPLORE_TEST(cover_reaches_most_goals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
