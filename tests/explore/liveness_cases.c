/* What fairness is, case by case (explore/fairness.h), the quiet phase, and the temperature. */
#include "explore/support/runs.h"

RH_MESSAGE(go, bool yes;);
RH_MESSAGE(beat);
RH_MESSAGE(heat);
RH_MESSAGE(cool);
RH_MESSAGE(expired);

RH_MONITOR(watch);
RH_HANDLER(watch, heat)
{
    rh_become(watch, hot);
}
RH_HANDLER(watch, cool)
{
    rh_become(watch, cold);
}
RH_HOT_BEHAVIOUR(watch, hot, RH_IGNORE(heat), cool);
RH_BEHAVIOUR(watch, cold, heat, RH_IGNORE(cool));

/* Sends itself messages for ever. */
RH_ACTOR(spinner, bool asks;);
RH_HANDLER(spinner, go)
{
    if (state->asks && rh_choose(2))
        rh_announce(cool);
    rh_send(self, go);
}
RH_BEHAVIOUR(spinner, spinning, go);

/* Cools the monitor when it gets its message. */
RH_ACTOR(cooler, int n;);
RH_HANDLER(cooler, go)
{
    rh_announce(cool);
}
RH_BEHAVIOUR(cooler, ready, go);

/* The spinner goes round, while the message to the cooler can be delivered all the time. */
RH_TEST(a_message_waits)
{
    rh_observe(watch);
    rh_send(rh_spawn(cooler), go);
    rh_send(rh_spawn(spinner), go);
}

/* The same in one channel that has no order: the message is passed over for ever. */
RH_ACTOR(both, int n;);
RH_HANDLER(both, go)
{
    rh_announce(cool);
}
RH_HANDLER(both, beat)
{
    rh_send(self, beat);
}
RH_BEHAVIOUR(both, ready, go, beat);
RH_ACTOR(opener, rh_ref to;);
RH_HANDLER(opener, go)
{
    rh_send(state->to, go);
    rh_send(self, beat);
}
RH_HANDLER(opener, beat)
{
    rh_send(self, beat);
}
RH_BEHAVIOUR(opener, ready, go, beat);
RH_TEST(a_message_waits_in_a_bag, .model = RH_BAG)
{
    rh_observe(watch);
    rh_ref b = rh_spawn(both);
    rh_send(b, beat);
    rh_send(b, go);
}

/* rh_choose may give 0 for ever. */
RH_TEST(a_value_is_not_fair)
{
    rh_observe(watch);
    rh_send(rh_spawn(spinner, .asks = true), go);
}

/* A timer that is set anew by each beat need not fire. */
RH_ACTOR(sleeper, bool resets;);
RH_HANDLER(sleeper, beat)
{
    if (state->resets)
        rh_timer("alarm", 100, expired);
    rh_send(rh_sender(), beat);
}
RH_HANDLER(sleeper, go)
{
    rh_timer("alarm", 100, expired);
}
RH_HANDLER(sleeper, expired)
{
    rh_announce(cool);
    rh_become(sleeper, awake);
}
RH_BEHAVIOUR(sleeper, asleep, go, beat, expired);
RH_BEHAVIOUR(sleeper, awake, RH_IGNORE(go), RH_IGNORE(beat), RH_IGNORE(expired));
RH_ACTOR(heart, rh_ref to;);
RH_HANDLER(heart, go)
{
    rh_send(state->to, beat);
}
RH_HANDLER(heart, beat)
{
    rh_send(state->to, beat);
}
RH_BEHAVIOUR(heart, beating, go, beat);
static void beats(bool resets)
{
    rh_observe(watch);
    rh_ref s = rh_spawn(sleeper, .resets = resets);
    rh_send(s, go);
    rh_send(rh_spawn(heart, .to = s), go);
}
RH_TEST(a_timer_that_is_set_anew)
{
    beats(true);
}
RH_TEST(a_timer_that_stays_set)
{
    beats(false);
}

/* In each step the monitor is cold for a moment, and hot after it. */
RH_ACTOR(blinker, int n;);
RH_HANDLER(blinker, go)
{
    rh_announce(cool);
    rh_announce(heat);
    rh_send(self, go);
}
RH_BEHAVIOUR(blinker, blinking, go);
RH_TEST(cold_for_a_moment)
{
    rh_observe(watch);
    rh_send(rh_spawn(blinker), go);
}

/* The network is split, and heals in the end; the crashed actor restarts in the end. */
RH_TEST(a_partition, .partitions = 1)
{
    rh_observe(watch);
    rh_send(rh_spawn(opener, .to = rh_spawn(cooler)), go);
}
RH_TEST(a_crash, .crashes = 1, .restarts = 1, .may_crash = RH_ACTORS(cooler))
{
    rh_observe(watch);
    rh_send(rh_spawn(opener, .to = rh_spawn(cooler)), go);
}
/* A lost message is lost, and the spinner goes on without it. */
RH_TEST(a_loss, .losses = 1, .may_lose = RH_ACTORS(cooler))
{
    rh_observe(watch);
    rh_send(rh_spawn(opener, .to = rh_spawn(cooler)), go);
}

/* A monitor that is observed late, by an actor. */
RH_ACTOR(late, int n;);
RH_HANDLER(late, go)
{
    rh_observe(watch);
    rh_send(self, beat);
}
RH_HANDLER(late, beat)
{
    rh_send(self, beat);
}
RH_BEHAVIOUR(late, ready, go, beat);
RH_TEST(a_late_monitor)
{
    rh_send(rh_spawn(spinner), go);
    rh_send(rh_spawn(late), go);
}

/* ---- loops ------------------------------------------------------------------------------------------------------- */

static uint32_t findings_of(const char *test, const struct rh_semantics *s, const char *explorer, uint64_t runs,
                            enum rh_verdict *verdict, struct rh_outcome *outcome)
{
    struct rh_world *w = world_of(test, s, NULL, 0);
    struct rh_exploration *x = explored(w, explorer, 1, runs);
    uint32_t found = 0;
    for (uint32_t i = 0; i < x->results->finding_count; i++)
        if (x->results->findings[i].outcome.kind == RH_OUTCOME_LIVENESS) {
            *outcome = x->results->findings[i].outcome;
            found++;
        }
    *verdict = rh__exploration_verdict(x);
    rh__exploration_free(x);
    rh_world_free(w);
    return found;
}

static void fairness_is_weak(void **unused)
{
    (void)unused;
    static const struct {
        const char *test;
        uint32_t loops;
    } cases[] = {
        { "a_message_waits", 0 },
        { "a_message_waits_in_a_bag", 0 },
        { "a_value_is_not_fair", 1 },
        { "a_timer_that_is_set_anew", 1 },
        { "a_timer_that_stays_set", 0 },
        { "cold_for_a_moment", 0 },
        { "a_partition", 0 },
        { "a_crash", 0 },
        { "a_loss", 1 },
        { "a_late_monitor", 1 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        enum rh_verdict verdict;
        struct rh_outcome o;
        uint32_t loops = findings_of(cases[i].test, NULL, "stateful", 0, &verdict, &o);
        if (loops != cases[i].loops || verdict != RH_VERDICT_EXHAUSTIVE)
            fail_msg("%s: %u loops, not %u; the verdict is %s", cases[i].test, loops, cases[i].loops,
                     rh_verdict_name(verdict));
    }
}

/* A filter hides choices: a loop without them is not fair, and others may be missed. */
static uint32_t hide_last(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count,
                          bool *hidden)
{
    (void)state, (void)w, (void)open;
    return count > 1 ? hidden[count - 1] = true : 0;
}
static const struct rh_inner *filter_inner(const void *state, uint32_t *count, uint32_t *now)
{
    *count = 1;
    *now = 0;
    return state;
}
static const struct rh_explorer_decorator filter = { .inner = filter_inner, .hide = hide_last, .hides_explored = true };
static const struct rh_explorer hides = { .name = "hides",
                                          .summary = "hides the last choice",
                                          .state_size = sizeof(struct rh_inner),
                                          .arguments = rh_only_arguments,
                                          .open = rh_only_open,
                                          .decorator = &filter };
RH_EXPLORER(hides)

static void hidden_choices_are_open(void **unused)
{
    (void)unused;
    enum rh_verdict verdict;
    struct rh_outcome o;
    assert_int_equal(findings_of("a_message_waits", NULL, "hides(stateful)", 0, &verdict, &o), 0);
    assert_int_equal(verdict, RH_VERDICT_SAMPLED);
}

RH_ACTOR(wheel, int at;);
RH_HANDLER(wheel, go)
{
    state->at = (state->at + 1) % 40;
    rh_send(self, go);
}
RH_BEHAVIOUR(wheel, turning, go);
RH_TEST(wheels, .max_steps = 400000)
{
    rh_observe(watch);
    for (int i = 0; i < 3; i++)
        rh_send(rh_spawn(wheel), go);
}

/* 40 * 40 * 40 positions are one component; 16 MiB hold about 40,000 states of it. */
static void too_little_memory_is_said(void **unused)
{
    (void)unused;
    enum rh_verdict verdict;
    struct rh_outcome o;
    assert_int_equal(findings_of("wheels", NULL, "stateful(kb=16384)", 0, &verdict, &o), 0);
    assert_int_equal(verdict, RH_VERDICT_SAMPLED);
    assert_int_equal(findings_of("wheels", NULL, "stateful", 0, &verdict, &o), 1);
    assert_int_equal(verdict, RH_VERDICT_EXHAUSTIVE);
}

/* ---- temperature and the quiet phase ----------------------------------------------------------------------------- */

/* An explorer that never delivers to the cooler proves nothing; one that is fair finds the loop. */
static void a_run_that_keeps_something_waiting_is_not_hot(void **unused)
{
    (void)unused;
    enum rh_verdict verdict;
    struct rh_outcome o;
    struct rh_semantics s = { .temperature = 20, .max_steps = 200 };
    assert_int_equal(findings_of("a_message_waits", &s, "dfs", 50, &verdict, &o), 0);
    assert_int_equal(findings_of("a_timer_that_stays_set", &s, "dfs", 50, &verdict, &o), 0);
    assert_int_equal(findings_of("a_value_is_not_fair", &s, "dfs", 50, &verdict, &o), 1);
    assert_int_equal(findings_of("a_late_monitor", &s, "random", 50, &verdict, &o), 1);
    assert_non_null(strstr(o.text, "has been hot for 20 events"));
}

/* The monitor is hot while the network is split: only the quiet phase counts, and there the network is whole. */
static void the_network_heals_in_the_quiet_phase(void **unused)
{
    (void)unused;
    enum rh_verdict verdict;
    struct rh_outcome o;
    struct rh_semantics s = { .partitions = 1, .quiet_after = 8, .temperature = 60, .max_steps = 300 };
    assert_int_equal(findings_of("a_partition", &s, "random", 300, &verdict, &o), 0);
    s = (struct rh_semantics){ .losses = 1, .quiet_after = 8, .temperature = 60, .max_steps = 300 };
    assert_int_equal(findings_of("a_loss", &s, "random", 300, &verdict, &o), 1);
    assert_non_null(strstr(o.text, "60 events of the quiet phase"));
}

/* No fault is open then, in any run. */
static void faults_stop_when_it_is_quiet(void **unused)
{
    (void)unused;
    struct rh_semantics s = {
        .losses = 2, .duplicates = 1, .crashes = 1, .restarts = 1, .partitions = 1, .quiet_after = 3, .max_steps = 10
    };
    struct rh_world *w = world_of("a_partition", &s, NULL, 0);
    uint64_t state = 7;
    uint32_t faults = 0, restarts = 0;
    for (uint32_t run = 0; run < 2000; run++) {
        if (run == 0)
            rh_world_begin(w);
        else
            rh_world_reset(w);
        uint32_t n, events = 0;
        for (const struct rh_choice *c; (c = rh_world_enabled(w, &n)), n; events++) {
            for (uint32_t i = 0; i < n; i++)
                if (rh_choice_attributes(c[i].kind) & RH_IS_FAULT) {
                    restarts += c[i].kind == RH_CHOICE_RESTART;
                    faults++;
                    if (events >= 3)
                        assert_int_equal(c[i].kind, RH_CHOICE_RESTART);
                }
            state = state * 6364136223846793005u + 1442695040888963407u;
            rh_world_step(w, &c[(state >> 33) % n]);
        }
    }
    assert_true(faults > 1000 && restarts > 100);
    rh_world_free(w);
}

static void reductions_refuse(void **unused)
{
    (void)unused;
    static const char *const explorers[] = { "dpor", "delay(rtc, ses)" };
    struct rh_semantics s = { .temperature = 20 };
    for (size_t i = 0; i < 2; i++) {
        char error[512] = "";
        struct rh_world *w = world_of("a_message_waits", &s, NULL, 0);
        assert_null(rh__exploration_new(w, explorers[i], 1, &(struct rh__limits){ 0 }, error, sizeof error));
        assert_non_null(strstr(error, "temperature"));
        rh_world_free(w);
    }
}

/* stateful looks for loops instead, and says so. */
static void states_have_no_temperature(void **unused)
{
    (void)unused;
    for (uint32_t temperature = 0; temperature <= 20; temperature += 20) {
        char notes[1024];
        struct rh_world *w = world_of("a_message_waits", &(struct rh_semantics){ .temperature = temperature }, NULL, 0);
        struct rh_exploration *x = explored(w, "stateful", 1, 0);
        rh_inner_notes(&x->explorer, notes, sizeof notes);
        assert_int_equal(strstr(notes, "temperature 20 was not used") != NULL, temperature != 0);
        rh__exploration_free(x);
        rh_world_free(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(fairness_is_weak),
        EXPLORE_TEST(hidden_choices_are_open),
        EXPLORE_TEST(too_little_memory_is_said),
        EXPLORE_TEST(a_run_that_keeps_something_waiting_is_not_hot),
        EXPLORE_TEST(the_network_heals_in_the_quiet_phase),
        EXPLORE_TEST(faults_stop_when_it_is_quiet),
        EXPLORE_TEST(reductions_refuse),
        EXPLORE_TEST(states_have_no_temperature),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
