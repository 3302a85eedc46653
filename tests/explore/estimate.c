/* How many there are, as explorers tell: dfs, dpor and optimal exactly when they are done, samples without bias and
 * with an interval for what optimal counts, and exactly when they have seen everything.
 *
 * The interval is meant to hold the truth in 95 of 100 cases, over many programs, and also over those that have more
 * runs than samples were made: others are mostly counted exactly.  rh__sample_result was fitted to seeds from 7000 and
 * from 9000 on of oracle_program.h, so others are taken here.
 *
 * Programs come from seeds: those of oracle_program.h and of support/generated.h.  Each is estimated several times,
 * with other seeds.  In the environment:
 *   REHEARSE_TALK=1              tells of each program how often its interval held the truth
 *   REHEARSE_DUMP=1              tells each estimate: name|truth samples seen estimate low high
 *   REHEARSE_FIRST, REHEARSE_PROGRAMS, REHEARSE_SAMPLES   from which seed, how many, how often
 *   REHEARSE_LARGEST             programs with more behaviours are made smaller first
 *   REHEARSE_PROGRAM='seed=...'  just this program */
#include "explore/support/generated_actors.h"
#include "explore/support/oracle_make.h"
#include "explore/support/runs.h"

#include <math.h>

#include "explore/engine/tree_estimate.h"
#include "explore/explorers.h"
#include "explore/optimal/sampler.h"

#ifdef RH_TEST_FEW
enum { PROGRAMS = 40, TIMES = 8, SAMPLES = 100, FEW = 30, LARGEST = 2000, ONLINE = 40 };
#else
enum { PROGRAMS = 80, TIMES = 20, SAMPLES = 200, FEW = 30, LARGEST = 4000, ONLINE = 200 };
#endif

static uint64_t number_from(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

struct sums {
    uint32_t programs, too_large, trivial, lost, estimates, held;
    uint32_t large, large_held; /* of programs with more behaviours than samples */
    double off, variance;       /* of means, as shares of the truth, summed over programs */
};

/* What is explored next. */
static struct {
    const char *test;
    struct rh_semantics semantics;
} subject;

static uint64_t samples = SAMPLES; /* of each estimate */
static uint64_t largest = LARGEST; /* more behaviours than this are too many to count */

static struct rh_exploration *explore(const char *explorer, uint64_t seed, uint64_t max_runs)
{
    return explored(world_of(subject.test, &subject.semantics, NULL, 0), explorer, seed, max_runs);
}

static void done_with(struct rh_exploration *x)
{
    struct rh_world *w = x->world;
    rh__exploration_free(x);
    rh_world_free(w);
}

/* The number of behaviours; 0 where there are too many, or where optimal has lost its way (another test's matter). */
static uint64_t truth(bool *lost)
{
    struct rh_exploration *x = explore("optimal:private-globals", 1, largest);
    bool whole = x->end.exhausted && x->results->count.runs < largest;
    *lost = whole && rh_inner_verdict(&x->explorer) == RH_VERDICT_SAMPLED;
    uint64_t n = whole && !*lost ? rh__exploration_counted(x) : 0; /* without those that rh_assume ended */
    done_with(x);
    return n;
}

static bool same_number(double a, double b)
{
    return fabs(a - b) <= 1e-6 * fabs(b);
}

/* Estimates it several times. */
static void add_program(struct sums *s, const char *name)
{
    bool lost;
    uint64_t n = truth(&lost);
    double sum = 0, squares = 0;
    uint32_t held = 0;
    static uint64_t estimates; /* each has a seed of its own: with equal ones programs would err alike */
    if (n < 2) {
        s->lost += lost;
        s->too_large += !n && !lost;
        s->trivial += n == 1;
        if (lost)
            fail_msg("optimal loses its way: %s", name);
        return;
    }
    for (uint32_t i = 0; i < TIMES; i++) {
        struct rh__size size;
        struct rh_exploration *x = explore("sample", ++estimates, number_from("REHEARSE_SAMPLES", samples));
        double seen = (double)x->results->distinct.count, share;
        rh__sample_result(x->explorer.state, x->results->distinct.count, &size);
        if (!size.samples || size.low < seen || size.high < size.low)
            fail_msg("%s: %g to %g, about %g, %g seen", name, size.low, size.high, size.estimate, seen);
        share = size.estimate / (double)n;
        bool holds = size.low <= (double)n * 1.000001 && size.high >= (double)n * 0.999999;
        held += holds;
        s->large += size.samples < n;
        s->large_held += holds && size.samples < n;
        if (size.exact && !same_number(size.estimate, (double)n))
            fail_msg("%s: exactly %g, but there are %llu", name, size.estimate, (unsigned long long)n);
        sum += share;
        squares += share * share;
        if (getenv("REHEARSE_DUMP"))
            fprintf(stderr, "DUMP %s|%llu %llu %g %.9g %.9g %.9g\n", name, (unsigned long long)n,
                    (unsigned long long)size.samples, seen, size.estimate, size.low, size.high);
        done_with(x);
    }
    double mean = sum / TIMES, variance = (squares - sum * mean) / (TIMES - 1);
    s->programs++;
    s->estimates += TIMES;
    s->held += held;
    s->off += mean - 1;
    s->variance += variance > 0 ? variance / TIMES : 0;
    if (getenv("REHEARSE_TALK"))
        print_message("%s: %llu behaviours, mean %.3f, deviation of an estimate %.3f, held %u of %u\n", name,
                      (unsigned long long)n, mean, sqrt(variance > 0 ? variance : 0), held, (unsigned)TIMES);
}

/* Whether an interval holds the truth is a coin of its own each time: three deviations of the sum are allowed. */
static double least_rate(uint32_t estimates)
{
    return 0.95 - 3 * sqrt(0.95 * 0.05 / estimates);
}

static void print_sums(const struct sums *s)
{
    print_message(
        "%u programs (%u more have one behaviour, %u are too large, %u not counted), %u estimates: %.2f %% hold the "
        "truth (wanted: %.2f %%), of those with fewer samples than behaviours %u of %u; their means are off by %.4f in "
        "sum, standard error %.4f\n",
        s->programs, s->trivial, s->too_large, s->lost, s->estimates, 100.0 * s->held / s->estimates,
        100 * least_rate(s->estimates), s->large_held, s->large, s->off, sqrt(s->variance));
}

static void check_rate(const struct sums *s)
{
    if ((double)s->held / s->estimates < least_rate(s->estimates))
        fail_msg("%u of %u intervals hold the truth", s->held, s->estimates);
    if (s->large && (double)s->large_held / s->large < least_rate(s->large))
        fail_msg("%u of %u intervals hold the truth if there are few samples", s->large_held, s->large);
}

static void check_mean(const struct sums *s)
{
    if (fabs(s->off) > 3 * sqrt(s->variance) + 1e-9)
        fail_msg("off by %g, standard error %g", s->off, sqrt(s->variance));
}

/* As large as can be counted. */
static void add_features(struct sums *s)
{
    char text[1024];
    bool lost;
    subject.test = "features";
    do
        subject.semantics = features_semantics(&program);
    while (!truth(&lost) && !lost && features_shrink(&program));
    features_write(&program, text, sizeof text);
    add_program(s, text);
}

static void add_seeds(struct sums *s, bool faults)
{
    uint64_t first = number_from("REHEARSE_FIRST", 2000);
    for (uint64_t seed = first; seed < first + number_from("REHEARSE_PROGRAMS", PROGRAMS); seed++) {
        features_make(&program, seed);
        if (faults == (program.losses || program.duplicates || program.crashes))
            add_features(s);
    }
    print_sums(s);
}

/* With few samples, and with very few. */
static void check_intervals(bool faults)
{
    struct sums some = { 0 }, few = { 0 };
    add_seeds(&some, faults);
    assert_in_range(some.programs, PROGRAMS / 6, PROGRAMS);
    check_rate(&some);
    samples = FEW;
    add_seeds(&few, faults);
    samples = SAMPLES;
    assert_in_range(few.large, few.estimates / 5, few.estimates);
    check_rate(&few);
}

static void intervals_hold_the_truth_of_programs_without_faults(void **unused)
{
    (void)unused;
    check_intervals(false);
}

/* Each message or event offers a fault as one way of two.  Runs without one are most, but a path that takes either way
 * by even chances comes to them rarely. */
static void intervals_hold_the_truth_of_programs_with_faults(void **unused)
{
    (void)unused;
    check_intervals(true);
}

static void add_generated(struct sums *s)
{
    static const enum rh_model models[] = { RH_FIFO, RH_BAG, RH_CAUSAL, RH_MAILBOX };
    for (uint64_t seed = 0; seed < PROGRAMS; seed++) {
        char text[64];
        generated_make(&generated, seed);
        subject.test = "generated_program";
        subject.semantics = (struct rh_semantics){ .model = models[seed % 4],
                                                   .granularity = RH_GRAIN_OBJECT,
                                                   .max_actors = 16,
                                                   .max_bytes_per_actor = 65536,
                                                   .max_steps = 500 };
        snprintf(text, sizeof text, "generated %llu", (unsigned long long)seed);
        add_program(s, text);
    }
    print_sums(s);
}

static void intervals_hold_the_truth_of_messages_alone(void **unused)
{
    (void)unused;
    struct sums s = { 0 };
    add_generated(&s);
    assert_in_range(s.programs, PROGRAMS / 4, PROGRAMS);
    check_rate(&s);
}

/* Samples that could have seen everything have: the estimate is the number. */
static void small_programs_are_counted_exactly(void **unused)
{
    (void)unused;
    struct sums s = { 0 };
    largest = 40;
    samples = 10 * SAMPLES;
    add_seeds(&s, true);
    add_seeds(&s, false);
    add_generated(&s);
    largest = number_from("REHEARSE_LARGEST", LARGEST);
    samples = SAMPLES;
    assert_in_range(s.programs, PROGRAMS / 2, 2 * PROGRAMS);
    assert_int_equal(s.held, s.estimates);
    if (fabs(s.off) > 1e-6 || s.variance > 1e-6)
        fail_msg("off by %g, standard error %g", s.off, sqrt(s.variance));
}

/* ---- tours ------------------------------------------------------------------------------------------------------- */

/* Ends the exploration after so many tours: three rounds, in which the probabilities are learned and change. */
enum { MOST_TOURS = 48 };

static uint32_t tours_begin(void *state, const struct rh_world *w)
{
    const struct spy *s = state;
    uint32_t keep = rh_inner_begin(&s->inner, w);
    return ((const struct sampler *)s->inner.state)->count < MOST_TOURS ? keep : 0;
}

static const struct rh_explorer tours = {
    .name = "tours",
    .summary = "the first tours of a sampler",
    .state_size = sizeof(struct spy),
    .arguments = rh_only_arguments,
    .decorator = &rh_only_decorator,
    .open = rh_only_open,
    .begin = tours_begin,
};
RH_EXPLORER(tours)

/* The sum of what tours are off, weighted as in the result, has mean 0: each tour is without bias, whatever was learned
 * before.  After a tour that was the whole tree nothing is off any more. */
static double off_by(double truth, uint64_t seed)
{
    struct rh_exploration *x = explore("tours(sample)", seed, 0);
    const struct sampler *s = ((const struct spy *)x->explorer.state)->inner.state;
    if (s->count != MOST_TOURS && !s->exact)
        fail_msg("%llu tours", (unsigned long long)s->count);
    double off = s->weighted / truth - s->weights;
    done_with(x);
    return off;
}

static void tours_have_no_bias(void **unused)
{
    (void)unused;
    double sum = 0, variance = 0;
    uint32_t programs = 0, with_faults = 0;
    static uint64_t estimates = 1000000;
    largest = 400;
    for (uint64_t seed = 3000; seed < 3000 + PROGRAMS; seed++) {
        double own = 0, squares = 0;
        bool lost;
        features_make(&program, seed);
        subject.test = "features";
        do
            subject.semantics = features_semantics(&program);
        while (!truth(&lost) && !lost && features_shrink(&program));
        uint64_t n = truth(&lost);
        if (n < 10)
            continue;
        for (uint32_t i = 0; i < 3 * TIMES; i++) {
            double off = off_by((double)n, ++estimates);
            own += off;
            squares += off * off;
        }
        programs++;
        with_faults += program.losses || program.duplicates || program.crashes;
        sum += own;
        variance += squares;
        if (getenv("REHEARSE_TALK"))
            print_message("seed %llu, %llu behaviours: off by %g, deviation %g\n", (unsigned long long)seed,
                          (unsigned long long)n, own, sqrt(squares));
    }
    largest = number_from("REHEARSE_LARGEST", LARGEST);
    print_message("%u programs, %u with faults: off by %g in sum, standard error %g\n", programs, with_faults, sum,
                  sqrt(variance));
    assert_in_range(with_faults, PROGRAMS / 6, PROGRAMS);
    if (fabs(sum) > 3.5 * sqrt(variance))
        fail_msg("off by %g, standard error %g", sum, sqrt(variance));
}

/* Steps that fail, runs that crash: each is a run, and the search goes on without the step. */
static void add_failing(struct sums *s)
{
    for (uint64_t seed = 4000; seed < 4000 + PROGRAMS; seed++) {
        char text[1024];
        features_make(&program, seed);
        program.fails = 9;
        subject.test = "features";
        subject.semantics = features_semantics(&program);
        features_write(&program, text, sizeof text);
        add_program(s, text);
    }
    print_sums(s);
}

static void programs_that_fail_are_counted(void **unused)
{
    (void)unused;
    struct sums s = { 0 };
    largest = 200;
    samples = 20 * SAMPLES;
    add_failing(&s);
    largest = number_from("REHEARSE_LARGEST", LARGEST);
    samples = SAMPLES;
    assert_in_range(s.programs, PROGRAMS / 6, PROGRAMS);
    assert_int_equal(s.held, s.estimates);
    if (fabs(s.off) > 1e-6)
        fail_msg("off by %g", s.off);
}

RH_MESSAGE(stone, int from;);
RH_PROCESS(glass);
RH_BODY(glass)
{
    static int *volatile nowhere;
    int last = 0;
    for (int i = 0; i < 4; i++) {
        int from = rh_receive(stone)->from;
        if (from < last)
            *nowhere = 1;
        last = from;
    }
}
RH_PROCESS(thrower, rh_ref at; int number;);
RH_BODY(thrower)
{
    rh_send(state->at, stone, .from = state->number);
}
RH_TEST(stones)
{
    rh_ref at = rh_spawn(glass);
    for (int i = 1; i <= 4; i++)
        rh_spawn(thrower, .at = at, .number = i);
}

/* The process of the explorer ends with each crash.  By hand: sequences of different numbers from 1 to 4 that end with
 * the first descent, or with all four.  In length 2: 6.  In length 3: of 4 sets of three numbers each has 2 orders with
 * the only descent at the end.  In length 4: 3 with the only descent at the end, 1 without. */
static void a_crash_in_the_middle_of_a_tour_is_a_run(void **unused)
{
    (void)unused;
    struct sums s = { 0 };
    subject.test = "stones";
    subject.semantics = (struct rh_semantics){ .granularity = RH_GRAIN_OBJECT };
    bool lost;
    assert_int_equal(truth(&lost), 18);
    samples = 100;
    add_program(&s, "stones");
    samples = SAMPLES;
    print_sums(&s);
    assert_int_equal(s.held, s.estimates);
    assert_true(fabs(s.off) < 1e-6);
}

static void equal_seeds_give_equal_estimates(void **unused)
{
    (void)unused;
    uint32_t different = 0;
    for (uint64_t seed = 0; seed < 10; seed++) {
        struct rh__size size[3];
        features_make(&program, 5000 + seed);
        subject.test = "features";
        subject.semantics = features_semantics(&program);
        for (uint32_t i = 0; i < 3; i++) {
            struct rh_exploration *x = explore("sample", i == 2 ? seed + 100 : seed, 40);
            memset(&size[i], 0, sizeof size[i]);
            rh__sample_result(x->explorer.state, x->results->distinct.count, &size[i]);
            done_with(x);
        }
        assert_memory_equal(&size[0], &size[1], sizeof *size);
        different += memcmp(&size[0], &size[2], sizeof *size) != 0;
    }
    assert_in_range(different, 1, 10);
}

/* ---- each sample begins anew ------------------------------------------------------------------------------------ */

RH_MESSAGE(brick);
RH_MESSAGE(walk);
RH_PROCESS(mason);
RH_BODY(mason)
{
    for (int i = 0; i < 4; i++)
        rh_receive(brick);
}
/* Carries a brick when it is told to, and tells the next one. */
RH_PROCESS(carrier, rh_ref to, next, at;);
RH_BODY(carrier)
{
    rh_receive(walk);
    if (!rh_is_nobody(state->at))
        rh_alive(state->at);
    rh_send(state->to, brick);
    if (!rh_is_nobody(state->next))
        rh_send(state->next, walk);
}
RH_TEST(bricks)
{
    rh_ref to = rh_spawn(mason);
    rh_ref last = rh_spawn(carrier, .to = to);
    rh_ref looks = rh_spawn(carrier, .to = to, .next = last, .at = self);
    rh_ref first = rh_spawn(carrier, .to = to, .next = looks);
    rh_send(first, walk);
    rh_send(to, brick);
}

/* When a sample begins, the world is at the end of the sample before.  There the test has ended, so its step, which one
 * carrier observes, was taken for another one: estimates were 16 % too high.  By hand: 4! orders of bricks, and that
 * carrier looks before or after the test ends. */
static void a_sample_knows_nothing_of_the_one_before(void **unused)
{
    (void)unused;
    struct sums s = { 0 };
    subject.test = "bricks";
    subject.semantics = (struct rh_semantics){ .granularity = RH_GRAIN_OBJECT };
    bool lost;
    assert_int_equal(truth(&lost), 48);
    samples = 10 * SAMPLES;
    add_program(&s, "bricks");
    samples = SAMPLES;
    print_sums(&s);
    check_mean(&s);
}

/* ---- online ------------------------------------------------------------------------------------------------------ */

/* True where it came to its end. */
static bool ends_exact(const char *explorer, const char *name)
{
    struct rh_exploration *x = explore(explorer, 1, LARGEST);
    double estimate = rh__exploration_estimate(x);
    bool whole =
        x->end.exhausted && x->results->count.runs < LARGEST && rh_inner_verdict(&x->explorer) != RH_VERDICT_SAMPLED;
    if (whole && fabs(estimate - (double)x->results->count.runs) > 1e-6 * (double)x->results->count.runs)
        fail_msg("%s of %s: %.9g at the end of %llu runs", explorer, name, estimate,
                 (unsigned long long)x->results->count.runs);
    done_with(x);
    return whole;
}

static void estimates_are_exact_at_the_end(void **unused)
{
    (void)unused;
    static const char *const explorers[] = { "dfs", "dpor", "optimal" };
    uint32_t whole[3] = { 0 };
    for (uint64_t seed = 0; seed < ONLINE; seed++) {
        char text[1024];
        features_make(&program, seed);
        program.fails = seed % 3 ? 0 : 15;
        features_write(&program, text, sizeof text);
        subject.test = "features";
        subject.semantics = features_semantics(&program);
        for (int i = 0; i < 3; i++)
            whole[i] += ends_exact(explorers[i], text);
    }
    print_message("dfs %u, dpor %u, optimal %u came to their end\n", whole[0], whole[1], whole[2]);
    for (int i = 0; i < 3; i++)
        assert_in_range(whole[i], ONLINE / 4, ONLINE);
}

static void a_mixed_estimate_begins_with_samples_and_ends_with_runs(void **unused)
{
    (void)unused;
    assert_true(rh__mixed_estimate(1000, 0, 0) == 1000);
    assert_true(rh__mixed_estimate(1000, 700, 1) == 700);
    assert_true(rh__mixed_estimate(1000, 1300, 1) == 1300);
    assert_true(same_number(rh__mixed_estimate(1000, 250, 0.25), 1000)); /* both say the same */
    assert_true(rh__mixed_estimate(2000, 1000, 0.999) < 1010);           /* no jump at the end */
    for (int i = 1; i <= 99; i++) {
        double share = i / 100.0, runs = 1000 * share;
        assert_true(rh__mixed_estimate(300, runs, share) > runs); /* while there is a share left, runs are left */
        /* 100 times as many according to shares: these count little while the share is small */
        assert_true(rh__mixed_estimate(1000, 1000 * share, share / 100) < 1100);
    }
}

/* Programs in which optimal lost its way: it met other steps than it had planned. */
static void optimal_finds_its_way(void **unused)
{
    (void)unused;
    static const char *const known[] = {
        /* A link that came too late looked at the links of its own life, which others undo, without an operation. */
        "seed=30000 actors=2 starts=3 ttl=3 time=2 crashes=1 restarts=1 link",
        /* The list of choices was elsewhere after the world had looked back to ask a predicate. */
        "seed=30043 actors=2 starts=3 ttl=3 model=3 time=1 may=1 timer receive match timeout outside",
    };
    subject.test = "features";
    largest = 60000;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        bool lost;
        assert_true(features_read(&program, known[i]));
        subject.semantics = features_semantics(&program);
        truth(&lost);
        assert_false(lost);
    }
    largest = number_from("REHEARSE_LARGEST", LARGEST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(intervals_hold_the_truth_of_programs_without_faults),
        EXPLORE_TEST(intervals_hold_the_truth_of_programs_with_faults),
        EXPLORE_TEST(intervals_hold_the_truth_of_messages_alone),
        EXPLORE_TEST(small_programs_are_counted_exactly),
        EXPLORE_TEST(tours_have_no_bias),
        EXPLORE_TEST(programs_that_fail_are_counted),
        EXPLORE_TEST(a_crash_in_the_middle_of_a_tour_is_a_run),
        EXPLORE_TEST(equal_seeds_give_equal_estimates),
        EXPLORE_TEST(a_sample_knows_nothing_of_the_one_before),
        EXPLORE_TEST(estimates_are_exact_at_the_end),
        EXPLORE_TEST(a_mixed_estimate_begins_with_samples_and_ends_with_runs),
        EXPLORE_TEST(optimal_finds_its_way),
    };
    largest = number_from("REHEARSE_LARGEST", LARGEST);
    if (getenv("REHEARSE_PROGRAM")) {
        struct sums s = { 0 };
        if (!features_read(&program, getenv("REHEARSE_PROGRAM")))
            return 2;
        add_features(&s);
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
