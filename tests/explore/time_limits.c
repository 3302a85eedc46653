/* Time limits of waits under free time, as in [Christakis, Gotovos and Sagonas 2013, IV-C]: how long a limit is makes
 * no difference, a limit is as good as a poll, and with a budget of "rh_wait=0" limits are ignored. */
#include "explore/support/runs.h"

RH_MESSAGE(hello, int from;);
RH_PROCESS(greeter, rh_ref to; int number;);
RH_BODY(greeter)
{
    rh_sleep(rh_param("sleep", 1));
    rh_send(state->to, hello, .from = state->number);
}

/* Two waits; what came in time, as digits: 0 for a limit that was over. */
RH_TEST(limited)
{
    int seen = 0;
    for (int i = 1; i <= 2; i++)
        rh_spawn(greeter, .to = self, .number = i);
    for (int i = 0; i < 2; i++) {
        const struct hello *h = rh_receive(hello, .timeout_ms = rh_param("limit", 1));
        seen = 10 * seen + (h ? h->from : 0);
    }
    rh_assert(seen != rh_param("not", -1), "%d", seen);
}

/* Whether some run sees this. */
static bool can_be_seen(int value, const char *limit, const char *sleep, const char *explorer,
                        const struct rh_semantics *s)
{
    char text[16];
    snprintf(text, sizeof text, "%d", value);
    const struct rh_param params[] = { { "limit", limit }, { "sleep", sleep }, { "not", text } };
    struct rh_world *w = world_of("limited", s, params, 3);
    struct rh_exploration *x = explored(w, explorer, 1, 0);
    bool found = false;
    for (uint32_t i = 0; i < x->results->finding_count; i++) {
        assert_int_equal(x->results->findings[i].outcome.kind, RH_OUTCOME_ASSERTION);
        found = true;
    }
    assert_int_equal(rh__exploration_verdict(x), RH_VERDICT_EXHAUSTIVE);
    rh__exploration_free(x);
    rh_world_free(w);
    return found;
}

/* As bits: 00 01 10 02 20 12 21 */
static uint32_t all_seen(const char *limit, const char *sleep, const char *explorer, const struct rh_semantics *s)
{
    static const int values[] = { 0, 1, 10, 2, 20, 12, 21 };
    uint32_t bits = 0;
    for (uint32_t i = 0; i < sizeof values / sizeof *values; i++)
        bits |= (uint32_t)can_be_seen(values[i], limit, sleep, explorer, s) << i;
    return bits;
}

static const struct rh_semantics of_test = { .granularity = RH_GRAIN_OBJECT, .dead_letters = RH_DEAD_LETTER_IGNORE };

static void how_long_a_limit_is_makes_no_difference(void **unused)
{
    (void)unused;
    static const char *const explorers[] = { "dfs", "optimal", "dpor", "stateful", "preempt(1000, dfs)" };
    static const char *const limits[] = { "1", "100", "1000000", "-1" }; /* the last one is RH_POLL */
    for (uint32_t e = 0; e < sizeof explorers / sizeof *explorers; e++)
        for (uint32_t l = 0; l < sizeof limits / sizeof *limits; l++) {
            uint32_t bits = all_seen(limits[l], l % 2 ? "1000" : "0", explorers[e], &of_test);
            if (bits != 0x7f)
                fail_msg("%s, limit %s: seen %x", explorers[e], limits[l], bits);
        }
}

static void limits_can_be_ignored(void **unused)
{
    (void)unused;
    static const char *const explorers[] = { "dfs", "dpor", "stateful" };
    struct rh_semantics s = of_test;
    strcpy(s.timer_budgets, RH_WAIT_TIMER "=0");
    for (uint32_t e = 0; e < sizeof explorers / sizeof *explorers; e++)
        assert_int_equal(all_seen("1", "1", explorers[e], &s), 0x60); /* both come, in both orders */
    strcpy(s.timer_budgets, RH_WAIT_TIMER "=1");                      /* one wait ends by its limit, not both */
    for (uint32_t e = 0; e < sizeof explorers / sizeof *explorers; e++)
        assert_int_equal(all_seen("1", "1", explorers[e], &s), 0x7e);
}

int main(void)
{
    const struct CMUnitTest tests[] = { EXPLORE_TEST(how_long_a_limit_is_makes_no_difference),
                                        EXPLORE_TEST(limits_can_be_ignored) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
