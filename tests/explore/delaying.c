/* Delaying explorers: ses visits the states of brute force; strata are what the definition says; ss has its
 * distribution; an explorer that is not sound is found out. */
#include "explore/support/states.h"

#include <rehearse/delaying.h>

#include "base/random.h"

static void ses_visits_the_states_of_brute_force(void **unused)
{
    (void)unused;
    static const char *const explorers[] = { "delay(rtc, ses)", "delay(rr, ses, check)", "delay(prr, ses)" };
    compare_with_brute_force(explorers, 3);
}

/* ---- strata ------------------------------------------------------------------------------------------------------ */

/* Three senders to one receiver that remembers the order: every sequence is a state of its own at the end. */
RH_MESSAGE(note, uint32_t from;);
RH_ACTOR(recorder, uint64_t order;);
RH_HANDLER(recorder, note)
{
    state->order = state->order * 10 + msg->from + 1;
}
RH_BEHAVIOUR(recorder, open, note);
RH_TEST(notes)
{
    static const char *const names[] = { "a", "b", "c" };
    rh_ref r = rh_spawn(recorder);
    for (uint32_t i = 0; i < 3; i++)
        rh_send_from(rh_external(names[i]), r, note, .from = i);
}

enum { MOST_ENDS = 1000, MOST_ORDERS = 1 << 15 };
static uint64_t counted_ends[MOST_ENDS];

/* orders_of(EXPLORER): which orders were seen. */
struct orders {
    uint32_t count;
    uint32_t order[MOST_ORDERS];
};
static struct orders *orders; /* shared memory */
static void orders_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    for (uint32_t i = 0; i < rh_world_actor_count(w) && !run->pruned; i++)
        if (rh_world_actor_type(w, i) == &rh_actor_recorder)
            orders->order[orders->count++ % MOST_ORDERS] =
                (uint32_t)((const struct recorder *)rh_world_actor_state(w, i))->order;
    rh_inner_end(state, w, run);
}
SPY(orders_of, "counts orders", orders_end)

static uint32_t different_orders(const char *explorer, uint64_t most)
{
    char text[128];
    uint32_t n = 0;
    struct rh_world *w = world_of("notes", NULL, NULL, 0);
    struct orders *unused = orders;
    orders = unused ? memset(unused, 0, sizeof *unused) : rh_shared_new(sizeof *orders);
    memset(counted_ends, 0, sizeof counted_ends);
    snprintf(text, sizeof text, "orders_of(%s)", explorer);
    rh__exploration_free(explored(w, text, 1, most));
    for (uint32_t i = 0; i < orders->count; i++)
        counted_ends[orders->order[i] % MOST_ENDS]++;
    for (uint32_t i = 0; i < MOST_ENDS; i++)
        n += counted_ends[i] > 0;
    rh_world_free(w);
    return n;
}

/* The receiver has three choices, then two, then one.  Taking number k of the open choices needs k delays, and a step
 * takes the delays back.  So an order with i inversions of the order of sends needs i delays: 1, 2, 2, 1 orders need
 * 0, 1, 2, 3 delays. */
static void strata_are_those_of_the_definition(void **unused)
{
    (void)unused;
    static const uint32_t within[] = { 1, 3, 5, 6, 6 };
    static const char *const names[] = { "rtc", "rr", "prr" };
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t d = 0; d < 5; d++) {
            char text[64];
            snprintf(text, sizeof text, "delay(%s, ses, delays=%u)", names[i], d);
            assert_int_equal(different_orders(text, 0), within[d]);
        }
    assert_int_equal(counted_ends[321], 1);
}

/* ---- sampling ---------------------------------------------------------------------------------------------------- */

/* Walks with two delays.  The first run has 3 steps: a delay comes before one of them.  Before the third there is one
 * choice, so it changes nothing.  Then a second delay, before one of the steps from the first delay on:
 *
 *     first before 1 (213), then before 1, 2, 3 of 3:   312, 231, 213
 *     first before 2 (132), then before 2, 3 of 2:      123 (both passed over), 132
 *     first before 3 (123), then before 3 of 1:         123
 *
 * Each of the first choices has a probability of 1/3, each of the second ones 1/3, 1/2, 1. */
static void samples_have_their_distribution(void **unused)
{
    (void)unused;
    static const struct {
        uint32_t first, second;
        double probability;
    } walks[] = { { 213, 312, 1.0 / 9 }, { 213, 231, 1.0 / 9 }, { 213, 213, 1.0 / 9 },
                  { 132, 123, 1.0 / 6 }, { 132, 132, 1.0 / 6 }, { 123, 123, 1.0 / 3 } };
    enum { SAMPLES = 9000, WALKS = sizeof walks / sizeof *walks };
    /* One run without delays; one sample with 1 delay; then 9000 walks of two runs each. */
    different_orders("delay(rtc, ss, c1=0.0001, c2=9486.83298, delays=2)", 0);
    assert_int_equal(orders->count, 2 + 2 * SAMPLES);
    uint32_t seen[WALKS] = { 0 }, all = 0;
    for (uint32_t i = 2; i < orders->count; i += 2)
        for (uint32_t k = 0; k < WALKS; k++)
            if (orders->order[i] == walks[k].first && orders->order[i + 1] == walks[k].second) {
                seen[k]++;
                all++;
            }
    assert_int_equal(all, SAMPLES);
    double chi = 0;
    for (uint32_t k = 0; k < WALKS; k++) {
        double mean = SAMPLES * walks[k].probability;
        chi += (seen[k] - mean) * (seen[k] - mean) / mean;
        print_message("%u, %u: %u, expected %.0f\n", walks[k].first, walks[k].second, seen[k], mean);
    }
    assert_true(chi < 25.8); /* exceeded with a probability of 0.0001, with 5 degrees of freedom */
}

/* With L steps at most, each run with d delays has a probability of at least 1 / L^d. */
static void no_run_is_rarer_than_promised(void **unused)
{
    (void)unused;
    assert_true(different_orders("delay(rtc, ss, c1=60, c2=3, delays=3)", 0) == 6);
}

/* ---- an explorer that is not sound ------------------------------------------------------------------------------- */

struct stuck {
    uint32_t delays;
};
static uint32_t stuck_next(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    (void)w, (void)open;
    return ((struct stuck *)state)->delays ? count - 1 : 0; /* never one in the middle */
}
static void stuck_delay(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    (void)w, (void)open, (void)count;
    ((struct stuck *)state)->delays++;
}
static void stuck_step(void *state, const struct rh_world *w, const struct rh_step *did)
{
    (void)w, (void)did;
    ((struct stuck *)state)->delays = 0;
}
static void stuck_start(void *state, const struct rh_world *w, uint32_t actor, uint64_t random)
{
    (void)state, (void)w, (void)actor, (void)random;
}
static const struct rh_delaying stuck = { .name = "stuck",
                                          .state_size = sizeof(struct stuck),
                                          .next = stuck_next,
                                          .delay = stuck_delay,
                                          .step = stuck_step,
                                          .start = stuck_start };
RH_DELAYING(stuck)

static void an_unsound_explorer_is_found_out(void **unused)
{
    (void)unused;
    static const char *const explorers[] = { "delay(stuck, ses)", "delay(stuck, ses, check, delays=0)" };
    for (size_t i = 0; i < 2; i++) {
        struct totals t = explore("notes", NULL, explorers[i], 0);
        assert_int_equal(t.verdict, RH_VERDICT_SAMPLED);
        assert_non_null(strstr(t.notes, "stuck is not sound: after 0 events"));
        release(&t);
    }
    struct totals t = explore("notes", NULL, "delay(rtc, ses)", 0);
    assert_int_equal(t.verdict, RH_VERDICT_EXHAUSTIVE);
    release(&t);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

RH_MESSAGE(walk);
RH_ACTOR(walker, uint32_t at, end;);
RH_HANDLER(walker, walk)
{
    (void)msg;
    if (++state->at < state->end)
        rh_send(self, walk);
}
RH_BEHAVIOUR(walker, walking, walk);
RH_TEST(walkers)
{
    for (int i = 0; i < 3; i++)
        rh_send(rh_spawn(walker, .end = 16), walk);
}

/* 17 by 17 by 17 states are more than the smallest set holds: then the search stops, and says so. */
static void a_full_set_is_no_promise(void **unused)
{
    (void)unused;
    struct totals large = explore("walkers", NULL, "delay(rr, ses)", 0);
    struct totals small = explore("walkers", NULL, "delay(rr, ses, kb=64)", 0);
    assert_int_equal(large.collected->states, 17 * 17 * 17);
    assert_int_equal(large.verdict, RH_VERDICT_EXHAUSTIVE);
    assert_int_equal(small.verdict, RH_VERDICT_SAMPLED);
    assert_non_null(strstr(small.notes, "full"));
    release(&large);
    release(&small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(ses_visits_the_states_of_brute_force), EXPLORE_TEST(strata_are_those_of_the_definition),
        EXPLORE_TEST(samples_have_their_distribution),      EXPLORE_TEST(no_run_is_rarer_than_promised),
        EXPLORE_TEST(an_unsound_explorer_is_found_out),     EXPLORE_TEST(a_full_set_is_no_promise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
