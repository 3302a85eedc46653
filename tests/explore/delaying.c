/* Delaying explorers: ses visits the states of brute force; strata are what the definition says; ss has its
 * distribution; an explorer that is not sound is found out. */
#include "explore/support/states.h"

#include <math.h>
#include <rehearse/delaying.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

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

enum { MOST_ENDS = 5000, MOST_ORDERS = 1 << 15 };
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

static const char *tested = "notes";

static uint32_t different_orders(const char *explorer, uint64_t most)
{
    char text[128];
    uint32_t n = 0;
    struct rh_world *w = world_of(tested, NULL, NULL, 0);
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

/* Walks with two delays.  The first run, 123, has three steps.  Delays have two places in it, because before the third
 * step there is one choice.  Then:
 *
 *     first before 1 (213), then before 1 (two choices are left to give) or before 2:   312, 231
 *     first before 2 (132): no place is left
 *
 * Each place of a run has the same probability. */
static void samples_have_their_distribution(void **unused)
{
    (void)unused;
    static const struct {
        uint32_t first, second; /* 0: none */
        double probability;
    } walks[] = { { 213, 312, 0.25 }, { 213, 231, 0.25 }, { 132, 0, 0.5 } };
    enum { SAMPLES = 9000, WALKS = sizeof walks / sizeof *walks };
    /* One run without delays; one sample with 1 delay; then 9000 walks of one run or two. */
    different_orders("delay(rtc, ss, repeats, c1=0.0001, c2=9486.83298, delays=2)", 0);
    uint32_t seen[WALKS] = { 0 }, all = 0;
    for (uint32_t i = 2; i < orders->count; all++)
        for (uint32_t k = 0; k <= WALKS; k++) {
            assert_true(k < WALKS);
            if (orders->order[i] == walks[k].first && (!walks[k].second || orders->order[i + 1] == walks[k].second)) {
                seen[k]++;
                i += walks[k].second ? 2 : 1;
                break;
            }
        }
    assert_int_equal(all, SAMPLES);
    double chi = 0;
    for (uint32_t k = 0; k < WALKS; k++) {
        double mean = SAMPLES * walks[k].probability;
        chi += (seen[k] - mean) * (seen[k] - mean) / mean;
        print_message("%u, %u: %u, expected %.0f\n", walks[k].first, walks[k].second, seen[k], mean);
    }
    assert_true(chi < 18.4); /* exceeded with a probability of 0.0001, with 2 degrees of freedom */
}

/* With L steps at most, a sample with d delays ends in a given run with d delays with a probability of at least
 * 1 / L^d.  Of four senders, an order with i inversions needs i delays, and there are 1, 3, 5, 6, 5, 3, 1 orders for
 * i = 0 to 6.  L is 4.  A run is drawn fewer times than the mean minus four deviations with a probability of
 * 0.00003. */
RH_TEST(four_notes)
{
    static const char *const names[] = { "a", "b", "c", "d" };
    rh_ref r = rh_spawn(recorder);
    for (uint32_t i = 0; i < 4; i++)
        rh_send_from(rh_external(names[i]), r, note, .from = i);
}

static uint32_t inversions(uint32_t order)
{
    uint32_t n = 0, digits[4] = { order / 1000, order / 100 % 10, order / 10 % 10, order % 10 };
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t k = i + 1; k < 4; k++)
            n += digits[i] > digits[k];
    return n;
}

static void no_run_is_rarer_than_promised(void **unused)
{
    (void)unused;
    enum { SAMPLES = 4000 };
    static const uint32_t of[] = { 1, 3, 5, 6 };
    tested = "four_notes";
    for (uint32_t d = 1; d < 4; d++) {
        char text[128];
        /* c1 * c2^d samples with d delays; those with fewer end in other runs */
        snprintf(text, sizeof text, "delay(rtc, ss, repeats, c1=0.01, c2=%.6f, delays=%u)", pow(SAMPLES * 100, 1.0 / d),
                 d);
        different_orders(text, 0);
        uint32_t least = SAMPLES, runs = 0;
        for (uint32_t order = 1234; order <= 4321; order++) {
            uint32_t drawn = 0;
            for (uint32_t i = 0; i < orders->count; i++)
                drawn += orders->order[i] == order;
            if (!drawn || inversions(order) != d)
                continue;
            runs++;
            least = drawn < least ? drawn : least;
        }
        double p = pow(4, -(double)d), promised = SAMPLES * p - 4 * sqrt(SAMPLES * p * (1 - p));
        print_message("%u delays: %u runs, the rarest %u times, promised %.0f\n", d, runs, least, promised);
        assert_int_equal(runs, of[d]);
        assert_true(least >= promised);
    }
    tested = "notes";
}

/* A run that was made is not made again: a sampler of six runs makes six. */
static void samples_make_no_run_twice(void **unused)
{
    (void)unused;
    assert_int_equal(different_orders("delay(rtc, ss, c1=60, c2=3, delays=3)", 0), 6);
    assert_in_range(orders->count, 6, 8); /* orders with several ways to delay */
}

/* Runs are told apart by their delays, so a small test has as many as there are sequences of choices: when they were
 * made, sampling ends by itself. */
static void sampling_ends_with_the_last_run(void **unused)
{
    (void)unused;
    static const char *const explorers[] = { "delay(rtc, ss)", "delay(rr, ss, c1=1, c2=2)", "delay(prr, ss)" };
    uint64_t all = explore("four_notes", NULL, "dfs", 0).runs;
    assert_true(all >= 24);
    for (size_t i = 0; i < 3; i++) {
        struct totals t = explore("four_notes", NULL, explorers[i], 0);
        print_message("%s: %s\n", explorers[i], t.notes);
        assert_int_equal(t.runs, all);
        assert_non_null(strstr(t.notes, "every run was made"));
        assert_int_equal(t.verdict, RH_VERDICT_SAMPLED);
    }
    struct totals first = explore("four_notes", NULL, "delay(rtc, ss, delays=1)", 0);
    assert_non_null(strstr(first.notes, "every run with at most 1 delay was made"));
}

/* ---- what an order is told --------------------------------------------------------------------------------------- */

RH_MESSAGE(begin_work);
RH_MESSAGE(told_question);
RH_MESSAGE(told_answer);
RH_MESSAGE(told_leave);
RH_ACTOR(helper, int unused;);
RH_HANDLER(helper, told_question)
{
    rh_reply(told_answer);
}
RH_HANDLER(helper, told_leave)
{
}
RH_BEHAVIOUR(helper, ready, told_question, told_leave);
RH_ACTOR(asker, rh_ref helper;);
RH_HANDLER(asker, begin_work)
{
    rh_log("asks");
    rh_ask(state->helper, told_question, told_answer);
    rh_become(asker, leaving);
}
RH_HANDLER(asker, told_leave)
{
    rh_send(state->helper, told_leave);
    rh_stop();
}
RH_BEHAVIOUR(asker, working, begin_work);
RH_BEHAVIOUR(asker, leaving, told_leave);
RH_TEST(told_steps)
{
    rh_ref a = rh_spawn(asker, .helper = rh_spawn(helper));
    rh_send(a, begin_work);
    rh_send(a, told_leave);
}

/* The order `listens` is that of open choices; it writes what it is told. */
struct listens {
    uint32_t passed;
};
static char *told; /* shared memory */
enum { TOLD = 4096 };
static void tell(const char *text, uint32_t number)
{
    size_t used = strlen(told);
    snprintf(told + used, TOLD - used, text, number);
}
static uint32_t listens_next(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    (void)w, (void)open;
    return ((struct listens *)state)->passed % count;
}
static void listens_delay(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    (void)w, (void)open, (void)count;
    ((struct listens *)state)->passed++;
}
static void listens_step(void *state, const struct rh_world *w, const struct rh_step *did)
{
    (void)w;
    ((struct listens *)state)->passed = 0;
    tell("%u", did->choice.actor);
    tell(" sent %u", did->sent);
    tell(did->received ? " received" : "", 0);
    tell(did->blocked ? " blocked" : "", 0);
    tell(did->became ? " became" : "", 0);
    tell(did->ended ? " ended" : "", 0);
    tell(did->said ? " said " : "", 0);
    tell(did->said ? did->said : "", 0);
    tell("\n", 0);
}
static void listens_start(void *state, const struct rh_world *w, uint32_t actor, uint64_t random)
{
    (void)state, (void)w, (void)random;
    tell("start %u\n", actor);
}
static void listens_finish(void *state, uint32_t actor)
{
    (void)state;
    tell("finish %u\n", actor);
}
static const struct rh_delaying listens = { .name = "listens",
                                            .state_size = sizeof(struct listens),
                                            .next = listens_next,
                                            .delay = listens_delay,
                                            .step = listens_step,
                                            .start = listens_start,
                                            .finish = listens_finish };
RH_DELAYING(listens)

/* Actor 0 is the test, 1 the helper, 2 the asker.  A step is told before the next choice, so nobody hears of the
 * last one. */
static void an_order_is_told_what_a_step_did(void **unused)
{
    (void)unused;
    told = rh_shared_new(TOLD);
    struct totals t = explore("told_steps", NULL, "delay(listens, ss, delays=0)", 0);
    print_message("%s", told);
    assert_string_equal(told, "start 0\nstart 1\nstart 2\n"
                              "2 sent 1 received blocked said asks\n"
                              "1 sent 1 received\n"
                              "2 sent 0 became\n"
                              "finish 2\n2 sent 1 received ended\n");
    release(&t);
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
RH_ACTOR(runner, uint32_t at;);
RH_HANDLER(runner, walk)
{
    (void)msg;
    state->at = (state->at + 1) % 17;
    rh_send(self, walk);
}
RH_BEHAVIOUR(runner, running, walk);
RH_TEST(for_ever) /* round and round */
{
    for (int i = 0; i < 3; i++)
        rh_send(rh_spawn(runner), walk);
}
RH_TEST(grid)
{
    for (int i = 0; i < 4; i++)
        rh_send(rh_spawn(walker, .end = 24), walk);
}
RH_TEST(walkers)
{
    for (int i = 0; i < 3; i++)
        rh_send(rh_spawn(walker, .end = 16), walk);
}

/* More states than the smallest set holds, 4096 at most: states are dropped and visited again, and the promise holds.
 * A walker is at one of 17 places; a runner has begun, or is at one of 17 places. */
static void a_full_set_costs_time_and_no_state(void **unused)
{
    (void)unused;
    static const char *const tests[] = { "walkers", "for_ever" };
    static const uint32_t states[] = { 17 * 17 * 17, 18 * 18 * 18 };
    for (size_t i = 0; i < 2; i++) {
        struct totals large = explore(tests[i], NULL, "delay(rr, ses)", 0);
        struct totals small = explore(tests[i], NULL, "delay(rr, ses, kb=64)", 0);
        assert_int_equal(large.collected->states, states[i]);
        assert_int_equal(large.verdict, RH_VERDICT_EXHAUSTIVE);
        assert_null(strstr(large.notes, "dropped"));
        print_message("%s\n", small.notes);
        assert_true(same_states(large.collected, small.collected));
        assert_int_equal(small.verdict, RH_VERDICT_EXHAUSTIVE);
        assert_non_null(strstr(small.notes, "dropped"));
        assert_true(counted_states(&small) > states[i]);
        release(&large);
        release(&small);
    }
}

/* A frontier in a file is the same frontier: the same runs, in the same order. */
static void a_frontier_in_a_file_changes_nothing(void **unused)
{
    (void)unused;
    struct totals memory = explore("grid", NULL, "delay(prr, ses, delays=3)", 0);
    struct totals file = explore("grid", NULL, "delay(prr, ses, delays=3, frontier=1)", 0);
    print_message("%s\n", memory.notes); /* more than 150,000 items put off: more than the buffers have */
    assert_string_equal(memory.notes, file.notes);
    assert_int_equal(memory.runs, file.runs);
    assert_true(same_states(memory.collected, file.collected));
    release(&memory);
    release(&file);
}

/* No file, and no room in it: the search stops, and says why. */
static void a_full_disk_is_no_promise(void **unused)
{
    (void)unused;
    char before[4096] = "";
    snprintf(before, sizeof before, "%s", getenv("TMPDIR") ? getenv("TMPDIR") : "");
    setenv("TMPDIR", "/nowhere", 1);
    struct totals none = explore("grid", NULL, "delay(rr, ses, frontier=1)", 0);
    setenv("TMPDIR", before, 1);
    assert_int_equal(none.verdict, RH_VERDICT_SAMPLED);
    assert_non_null(strstr(none.notes, "the frontier is full (there is no temporary file)"));
    struct rlimit old, low = { 1 << 20, 1 << 20 };
    getrlimit(RLIMIT_FSIZE, &old);
    low.rlim_max = old.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &low);
    struct totals little = explore("grid", NULL, "delay(rr, ses, frontier=1)", 0);
    setrlimit(RLIMIT_FSIZE, &old);
    signal(SIGXFSZ, SIG_DFL);
    print_message("%s\n", little.notes);
    assert_int_equal(little.verdict, RH_VERDICT_SAMPLED);
    assert_non_null(strstr(little.notes, "the frontier is full (File too large)"));
    release(&none);
    release(&little);
}

/* Sampling goes on where the memory of the search ends: it visits states that the search has not, and the verdict is
 * sampled.  Without need it does not begin. */
static void samples_follow_when_memory_is_short(void **unused)
{
    (void)unused;
    struct totals enough = explore("walkers", NULL, "delay(rr, ses+ss)", 0);
    assert_int_equal(enough.verdict, RH_VERDICT_EXHAUSTIVE);
    assert_null(strstr(enough.notes, "samples"));
    static const char *const small[] = { "delay(rr, ses+ss, kb=64)", "delay(rr, ses+ss, frontier=1)" };
    for (size_t i = 0; i < 2; i++) {
        struct totals t = explore("walkers", NULL, small[i], 20000);
        uint32_t states = (uint32_t)counted_states(&t); /* of the search */
        print_message("%u states in all; %s\n", t.collected->states, t.notes);
        assert_int_equal(t.verdict, RH_VERDICT_SAMPLED);
        assert_non_null(strstr(t.notes, "more delays, from "));
        assert_true(states < 17 * 17 * 17);
        assert_true(t.collected->states > states);
        for (uint32_t k = 0; k < SLOTS; k++) /* and nothing that is not reachable */
            if (t.collected->set[k].high || t.collected->set[k].low)
                assert_true(is_in(enough.collected, t.collected->set[k]));
        release(&t);
    }
    release(&enough);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(ses_visits_the_states_of_brute_force),
        EXPLORE_TEST(strata_are_those_of_the_definition),
        EXPLORE_TEST(samples_have_their_distribution),
        EXPLORE_TEST(no_run_is_rarer_than_promised),
        EXPLORE_TEST(samples_make_no_run_twice),
        EXPLORE_TEST(sampling_ends_with_the_last_run),
        EXPLORE_TEST(an_order_is_told_what_a_step_did),
        EXPLORE_TEST(an_unsound_explorer_is_found_out),
        EXPLORE_TEST(a_full_set_costs_time_and_no_state),
        EXPLORE_TEST(a_frontier_in_a_file_changes_nothing),
        EXPLORE_TEST(a_full_disk_is_no_promise),
        EXPLORE_TEST(samples_follow_when_memory_is_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
