/* How many there are, as explorers tell: dfs, dpor and optimal exactly when they are done, descents without bias and with an
 * interval for what optimal counts.
 *
 * The interval is meant to hold the truth in 95 of 100 cases, over many programs; rh__descents_result was fitted to seeds 0 to
 * 249 of oracle_program.h, so others are taken here.
 *
 * Programs come from seeds: those of oracle_program.h and of support/generated.h.  Each is estimated several times, with other
 * seeds.  In the environment:
 *   REHEARSE_TALK=1              tells of each program how often its interval held the truth
 *   REHEARSE_DUMP=1              tells each estimate: name|truth descents seen estimate low high
 *   REHEARSE_FIRST, REHEARSE_PROGRAMS, REHEARSE_DESCENTS   from which seed, how many, how often
 *   REHEARSE_PROGRAM='seed=...'  just this program */
#include "explore/generated_actors.h"
#include "explore/oracle_make.h"
#include "explore/support.h"

#include <math.h>

#include "explore/explorers.h"

#ifdef __SANITIZE_ADDRESS__
enum { PROGRAMS = 40, TIMES = 8, DESCENTS = 100, LARGEST = 2000, ONLINE = 40 };
#else
enum { PROGRAMS = 80, TIMES = 20, DESCENTS = 200, LARGEST = 4000, ONLINE = 200 };
#endif

static uint64_t number_from(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

struct sums {
    uint32_t programs, too_large, trivial, lost, estimates, held;
    double off, variance; /* of means, as shares of the truth, summed over programs */
};

/* What is explored next. */
static struct {
    const char *test;
    struct rh_semantics semantics;
} subject;

static uint64_t descents = DESCENTS; /* of each estimate */
static uint64_t largest = LARGEST;   /* more behaviours than this are too many to count */

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
    bool whole = x->exhausted && x->runs < largest;
    *lost = whole && rh_inner_verdict(&x->explorer) == RH_VERDICT_SAMPLED;
    uint64_t n = whole && !*lost ? x->runs : 0;
    done_with(x);
    return n;
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
        struct rh_exploration *x = explore("descents", ++estimates, number_from("REHEARSE_DESCENTS", descents));
        double seen = (double)x->behaviours, share;
        rh__descents_result(x->explorer.state, x->behaviours, &size);
        if (!size.descents || size.low < seen || size.high < size.low)
            fail_msg("%s: %g to %g, about %g, %g seen", name, size.low, size.high, size.estimate, seen);
        share = size.estimate / (double)n;
        held += size.low <= (double)n * 1.000001 && size.high >= (double)n * 0.999999;
        sum += share;
        squares += share * share;
        if (getenv("REHEARSE_DUMP"))
            fprintf(stderr, "DUMP %s|%llu %llu %g %.9g %.9g %.9g\n", name, (unsigned long long)n,
                    (unsigned long long)size.descents, seen, size.estimate, size.low, size.high);
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
static double least_rate(const struct sums *s)
{
    return 0.95 - 3 * sqrt(0.95 * 0.05 / s->estimates);
}

static void print_sums(const struct sums *s)
{
    print_message(
        "%u programs (%u more have one behaviour, %u are too large, %u not counted), %u estimates: %.2f %% hold the "
        "truth (wanted: %.2f %%); their means are off by %.4f in sum, standard error %.4f\n",
        s->programs, s->trivial, s->too_large, s->lost, s->estimates, 100.0 * s->held / s->estimates,
        100 * least_rate(s), s->off, sqrt(s->variance));
}

static void check_rate(const struct sums *s)
{
    if ((double)s->held / s->estimates < least_rate(s))
        fail_msg("%u of %u intervals hold the truth", s->held, s->estimates);
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

static void intervals_hold_the_truth_of_programs_without_faults(void **unused)
{
    (void)unused;
    struct sums s = { 0 };
    add_seeds(&s, false);
    assert_in_range(s.programs, PROGRAMS / 6, PROGRAMS);
    check_rate(&s);
}

/* Each message or event offers a fault as one way of two, so runs without one, which are most, come by chances of 2^-k and weigh
 * 2^k: the mean of a few descents is mostly too low, and says nothing of bias. */
static void intervals_hold_the_truth_of_programs_with_faults(void **unused)
{
    (void)unused;
    struct sums s = { 0 };
    add_seeds(&s, true);
    assert_in_range(s.programs, PROGRAMS / 6, PROGRAMS);
    check_rate(&s);
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

/* Where there are few behaviours no weight is so large that it is not met.  With more, means of a few descents are mostly too low
 * and seem to be surer than they are: their standard error says nothing. */
static void means_of_small_programs_have_no_bias(void **unused)
{
    (void)unused;
    struct sums with = { 0 }, without = { 0 }, messages = { 0 };
    largest = 40;
    descents = 10 * DESCENTS;
    add_seeds(&with, true);
    add_seeds(&without, false);
    add_generated(&messages);
    largest = LARGEST;
    descents = DESCENTS;
    assert_in_range(with.programs + without.programs + messages.programs, PROGRAMS / 2, 2 * PROGRAMS);
    check_mean(&with);
    check_mean(&without);
    check_mean(&messages);
}

/* ---- online --------------------------------------------------------------------------------------------------------------- */

/* True where it came to its end. */
static bool ends_exact(const char *explorer, const char *name)
{
    struct rh_exploration *x = explore(explorer, 1, LARGEST);
    double estimate = rh__exploration_estimate(x);
    bool whole = x->exhausted && x->runs < LARGEST && rh_inner_verdict(&x->explorer) != RH_VERDICT_SAMPLED;
    if (whole && fabs(estimate - (double)x->runs) > 1e-6 * (double)x->runs)
        fail_msg("%s of %s: %.9g at the end of %llu runs", explorer, name, estimate, (unsigned long long)x->runs);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(intervals_hold_the_truth_of_programs_without_faults),
        EXPLORE_TEST(intervals_hold_the_truth_of_programs_with_faults),
        EXPLORE_TEST(intervals_hold_the_truth_of_messages_alone),
        EXPLORE_TEST(means_of_small_programs_have_no_bias),
        EXPLORE_TEST(estimates_are_exact_at_the_end),
    };
    if (getenv("REHEARSE_PROGRAM")) {
        struct sums s = { 0 };
        if (!features_read(&program, getenv("REHEARSE_PROGRAM")))
            return 2;
        add_features(&s);
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
