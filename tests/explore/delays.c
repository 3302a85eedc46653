/* Delays as faults: a message or an actor is held back for some events.
 *
 * A delay only takes choices away for a while. So the distinct runs with delays are those without, each with the same
 * outcome: dfs with a budget against dfs without, on generated programs, under every delivery model. */
#include "explore/support/oracle_make.h"
#include "explore/support/runs.h"

enum { LARGEST = 20000 };

static struct {
    uint64_t run[1 << 17];
    uint32_t count, delays, failed;
} * seen; /* shared memory */

static void delayed_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    struct spy *s = state;
    uint32_t n;
    const struct rh_event *events = rh_world_events(w, &n);
    for (uint32_t i = 0; i < n; i++)
        seen->delays += events[i].choice.kind == RH_CHOICE_DELAY || events[i].choice.kind == RH_CHOICE_SLOW;
    if (seen->count < sizeof seen->run / sizeof *seen->run)
        seen->run[seen->count++] = run->distinct * 31 + run->outcome;
    seen->failed += rh_outcome_failed(run->outcome);
    rh_inner_end(&s->inner, w, run);
}
SPY(counting, "notes the distinct runs and outcomes of another explorer", delayed_end)

/* The distinct ones in order; false where there are too many. */
static bool explore(const char *test, const struct rh_semantics *s, const char *explorer, uint64_t most)
{
    struct rh_world *w = world_of(test, s, NULL, 0);
    seen->count = seen->delays = seen->failed = 0;
    struct rh_exploration *x = explored(w, explorer, 1, most);
    bool all = seen->count < most;
    rh__exploration_free(x);
    rh_world_free(w);
    distinct(seen->run, seen->count);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < seen->count; i++)
        if (!kept || seen->run[kept - 1] != seen->run[i])
            seen->run[kept++] = seen->run[i];
    seen->count = kept;
    return all;
}

static void delays_add_no_distinct_run(void **unused)
{
    (void)unused;
    uint32_t compared = 0, delays = 0;
    uint64_t *without = malloc(sizeof seen->run);
    assert_non_null(without);
    for (uint64_t seed = 0; seed < 150; seed++) {
        features_make(&program, seed);
        struct rh_semantics s = features_semantics(&program);
        s.model = (enum rh_model)(seed % RH_ROWS(RH_MODELS));
        s.granularity = seed % 5 == 4 ? RH_GRAIN_OBJECT : RH_GRAIN_HANDLER;
        s.fail_allocation = 0;
        if (!explore("features", &s, "counting:dfs", 300))
            continue;
        uint32_t count = seen->count;
        memcpy(without, seen->run, count * sizeof *without);
        s.delays = 1 + seed % 2;
        s.delay_steps = 1 + seed % 3;
        if (!explore("features", &s, "counting:dfs", LARGEST))
            continue;
        compared++;
        delays += seen->delays;
        if (seen->count != count || memcmp(seen->run, without, count * sizeof *without) != 0)
            fail_msg("seed %llu, model %d: %u distinct runs without delays, %u with", (unsigned long long)seed, s.model,
                     count, seen->count);
    }
    free(without);
    print_message("%u programs compared, %u delays\n", compared, delays);
    assert_true(compared > 20 && delays > 1000);
}

/* ---- a bug that needs one slow message --------------------------------------------------------------------------- */

RH_MESSAGE(go);
RH_MESSAGE(ping, int32_t left;);
RH_MESSAGE(late);

RH_ACTOR(victim, int32_t pings;);
RH_HANDLER(victim, ping)
{
    state->pings++;
    if (msg->left)
        rh_send(rh_sender(), ping, .left = msg->left - 1);
}
RH_HANDLER(victim, late)
{
    rh_assert(state->pings < 8, "it came after %d pings", state->pings);
}
RH_BEHAVIOUR(victim, up, ping, late);
RH_ACTOR(chatter, rh_ref to;);
RH_HANDLER(chatter, go)
{
    rh_send(state->to, ping, .left = 16);
}
RH_HANDLER(chatter, ping)
{
    if (msg->left)
        rh_send(state->to, ping, .left = msg->left - 1);
}
RH_BEHAVIOUR(chatter, on, go, ping);
RH_TEST(one_slow_message, .delay_steps = 20)
{
    rh_ref v = rh_spawn(victim);
    rh_send(rh_spawn(chatter, .to = v), go);
    rh_send_from(rh_external("user"), v, late);
}

static void random_finds_what_needs_one_slow_message(void **unused)
{
    (void)unused;
    struct rh_semantics s = test_named("one_slow_message")->semantics;
    explore("one_slow_message", &s, "counting:random", 2000);
    uint32_t without = seen->failed;
    s.delays = 1;
    explore("one_slow_message", &s, "counting:random", 2000);
    print_message("of 2000 random runs %u fail without delays, %u with\n", without, seen->failed);
    assert_true(seen->failed > 20 * (without + 1));
}

/* Reductions make each distinct run as if there were no budget. */
static void reductions_ignore_delays(void **unused)
{
    (void)unused;
    static const char *const explorers[] = { "counting:dpor", "counting:optimal" };
    for (size_t i = 0; i < 2; i++) {
        struct rh_semantics s = test_named("one_slow_message")->semantics;
        s.granularity = i ? RH_GRAIN_OBJECT : RH_GRAIN_HANDLER;
        explore("one_slow_message", &s, explorers[i], 0);
        uint32_t count = seen->count;
        s.delays = 2;
        explore("one_slow_message", &s, explorers[i], 0);
        assert_int_equal(seen->count, count);
        assert_int_equal(seen->delays, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(delays_add_no_distinct_run),
        EXPLORE_TEST(random_finds_what_needs_one_slow_message),
        EXPLORE_TEST(reductions_ignore_delays),
    };
    seen = rh_shared_new(sizeof *seen);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
