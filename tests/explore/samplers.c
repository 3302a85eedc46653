/* random and delayed: the same seed gives the same runs, another seed others; random takes each open choice as often;
 * delayed delivers what is sent after it is sent and within the longest delay. */
#include "base/hash.h"
#include "base/random.h"
#include "explore/support/runs.h"
#include "explore/support/senders.h"

/* ---- a chain of messages beside a single one --------------------------------------------------------------------- */

RH_MESSAGE(pass, int left;);
RH_MESSAGE(letter);
RH_ACTOR(relay, rh_ref next;);
RH_ACTOR(office, int letters;);
RH_HANDLER(relay, pass)
{
    if (msg->left)
        rh_send(state->next, pass, .left = msg->left - 1);
}
RH_BEHAVIOUR(relay, passing, pass);
RH_HANDLER(office, letter)
{
    state->letters++;
}
RH_BEHAVIOUR(office, reading, letter);

RH_TEST(post, .model = RH_BAG)
{
    rh_ref office_ = rh_spawn(office);
    rh_ref last = rh_spawn(relay, .next = rh_nobody());
    rh_ref r = rh_spawn(relay, .next = last);
    for (int i = 0; i < 3; i++)
        r = rh_spawn(relay, .next = r);
    rh_send(r, pass, .left = 4);
    for (int i = 0; i < 3; i++)
        rh_send(office_, letter);
}

static void runs_of(const char *test, const char *explorer, uint64_t seed, uint64_t runs, struct record *into)
{
    struct rh_world *w = world_of(test, NULL, NULL, 0);
    into->count = 0;
    spied = into;
    rh__exploration_free(explored(w, explorer, seed, runs));
    rh_world_free(w);
}

static void check_reproducible(const char *explorer)
{
    enum { RUNS = 500 };
    struct record *a = record_new(), *b = record_new(), *c = record_new();
    runs_of("post", explorer, 7, RUNS, a);
    runs_of("post", explorer, 7, RUNS, b);
    runs_of("post", explorer, 8, RUNS, c);
    assert_int_equal(a->count, RUNS);
    assert_memory_equal(a->sequence, b->sequence, RUNS * sizeof *a->sequence);
    uint32_t same = 0;
    for (uint32_t i = 0; i < RUNS; i++)
        same += a->sequence[i] == c->sequence[i];
    assert_in_range(same, 0, RUNS / 4);
    record_free(a);
    record_free(b);
    record_free(c);
}

static void random_is_reproducible_by_seed(void **unused)
{
    (void)unused;
    check_reproducible("spy:random");
}

static void delayed_is_reproducible_by_seed(void **unused)
{
    (void)unused;
    check_reproducible("spy:delayed:50");
}

/* 24 orders of 4 messages: 24,000 runs are 1,000 of each, with a standard deviation of 31.  The seeds are fixed, so the
 * bounds (5.5 deviations) hold always or never. */
static void random_takes_each_order_as_often(void **unused)
{
    enum { RUNS = 24000 };
    (void)unused;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct record *r = record_new();
        runs_of("senders", "spy:random", seed, RUNS, r);
        assert_int_equal(distinct(r->sequence, RUNS), 24);
        for (uint32_t i = 0, from = 0; i <= RUNS; i++)
            if (i == RUNS || r->sequence[i] != r->sequence[from]) {
                assert_in_range(i - from, 830, 1170);
                from = i;
            }
        record_free(r);
    }
}

/* The four senders are alike, and no run of these samplers depends on what earlier ones took: so all 24 orders are
 * equally likely, whatever else a sampler draws.  Chi-square with 23 degrees of freedom is above 60 with a probability
 * of 0.00004. */
static void alike_senders_have_all_orders_equally_often(void **unused)
{
    static const char *const samplers[] = { "random",           "weighted", "swarm",    "phases",   "pos",
                                            "pct(1)",           "pct(3)",   "pctcp(1)", "pctcp(3)", "pctcp(2)",
                                            "pctcp(3, racing)", "urw",      "surw",     "delayed",  "onward(swarm)",
                                            "whole(swarm)" };
    enum { RUNS = 12000 };
    (void)unused;
    for (size_t s = 0; s < sizeof samplers / sizeof *samplers; s++) {
        char explorer[64];
        double chi = 0, mean = RUNS / 24.0;
        struct record *r = record_new();
        snprintf(explorer, sizeof explorer, "spy:%s", samplers[s]);
        runs_of("senders", explorer, 7, RUNS, r);
        uint32_t orders = distinct(r->sequence, RUNS); /* sorts them */
        for (uint32_t i = 0, from = 0; i <= RUNS; i++)
            if (i == RUNS || r->sequence[i] != r->sequence[from]) {
                chi += ((i - from) - mean) * ((i - from) - mean) / mean;
                from = i;
            }
        record_free(r);
        print_message("%s: %u orders, chi-square %.1f\n", samplers[s], orders, chi);
        assert_int_equal(orders, 24);
        assert_true(chi < 60);
    }
}

/* ---- delayed, by the clock --------------------------------------------------------------------------------------- */

enum { LONGEST_MS = 50, CLOCKED_SEED = 3 };

static struct clocked_counts {
    uint64_t runs, deliveries, too_early, too_late, backwards, overtaken;
} * counts;

struct clocked {
    struct rh_inner inner;
};

/* The delays are those that simple.c gives: a hash of seed, run and message.  In a bag all that is under way can be
 * delivered, so a run must be in the order of arrival. */
static void clocked_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    double time[64] = { 0 };
    uint32_t n;
    const struct rh_event *events = rh_world_events(w, &n);
    (void)state;
    counts->runs++;
    for (uint32_t i = 1; i < n && i < 64; i++) {
        uint32_t message = events[i].choice.what;
        struct rh_message_info m = rh_world_message(w, message);
        uint64_t bits = rh__random_seed(rh__mix(CLOCKED_SEED, run->number), message) >> 11;
        time[i] = time[m.event] + (double)bits * 0x1p-53 * LONGEST_MS;
        counts->deliveries++;
        counts->too_early += m.event >= i;
        counts->too_late += time[i] > time[m.event] + LONGEST_MS;
        counts->backwards += time[i] < time[i - 1];
        counts->overtaken += message != i - 1;
    }
}
static const struct rh_explorer clocked = {
    .name = "clocked",
    .state_size = sizeof(struct clocked),
    .arguments = rh_only_arguments,
    .decorator = &rh_only_decorator,
    .open = rh_only_open,
    .end = clocked_end,
};
RH_EXPLORER(clocked)

static void delayed_keeps_to_the_clock(void **unused)
{
    (void)unused;
    counts = rh_shared_new(sizeof *counts);
    assert_non_null(counts);
    struct rh_world *w = world_of("post", NULL, NULL, 0);
    rh__exploration_free(explored(w, "clocked:delayed:50", CLOCKED_SEED, 2000));
    rh_world_free(w);
    assert_int_equal(counts->runs, 2000);
    assert_int_equal(counts->deliveries, 2000 * 8);
    assert_int_equal(counts->too_early, 0);
    assert_int_equal(counts->too_late, 0);
    assert_int_equal(counts->backwards, 0);
    assert_in_range(counts->overtaken, 1000, 2000 * 8); /* and it does make other orders than that of sending */
    rh_shared_free(counts, sizeof *counts);
}

static void roundrobin_makes_one_run_always_the_same(void **unused)
{
    (void)unused;
    struct record *a = record_new(), *b = record_new();
    runs_of("post", "spy:roundrobin", 1, 0, a);
    runs_of("post", "spy:roundrobin", 2, 0, b);
    assert_int_equal(a->count, 1);
    assert_int_equal(b->count, 1);
    assert_true(a->sequence[0] == b->sequence[0]);
    record_free(a);
    record_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(random_is_reproducible_by_seed),   EXPLORE_TEST(delayed_is_reproducible_by_seed),
        EXPLORE_TEST(random_takes_each_order_as_often), EXPLORE_TEST(alike_senders_have_all_orders_equally_often),
        EXPLORE_TEST(delayed_keeps_to_the_clock),       EXPLORE_TEST(roundrobin_makes_one_run_always_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
