/* Budgets of timers: how often they fire, what then remains, and what explorers see of a timer. */
#include "world/support/driver.h"

#include "trace/schedule.h"

RH_MESSAGE(tick);
RH_MESSAGE(other);

/* Sets its timer again each time. */
RH_ACTOR(ticker, uint32_t ticks, others;);
RH_HANDLER(ticker, rh_start)
{
    rh_timer("tick", 10, tick);
}
RH_HANDLER(ticker, tick)
{
    state->ticks++;
    rh_timer("tick", 10, tick);
}
RH_HANDLER(ticker, other)
{
    state->others++;
}
RH_BEHAVIOUR(ticker, ready, rh_start, tick, other);

RH_TEST(two_tickers, .timer_budgets = "tick=3")
{
    rh_spawn(ticker);
    rh_spawn(ticker);
}

static void note_ticks(struct rh_world *w, void *arg)
{
    char text[64];
    const struct ticker *a = rh_world_actor_state(w, 1), *b = rh_world_actor_state(w, 2);
    assert_int_equal(rh_world_outcome(w)->kind, RH_OUTCOME_FINISHED);
    assert_int_equal(rh_world_timer_fired(w, 1, "tick"), a->ticks);
    assert_int_equal(rh_world_timer_fired(w, 2, "tick"), b->ticks);
    assert_int_equal(rh_world_timer_left(w, "tick"), 0);
    snprintf(text, sizeof text, "%u %u", a->ticks, b->ticks);
    tally_add(arg, text);
}

/* After the two starts each of three times one of the two fires: 8 words over {1, 2}.  The starts interleave with
 * them: a start comes before its ticker's ticks.  Of a word with i ticks of one and 3 - i of the other, the sequences
 * are the shuffles of 1 + i steps with 4 - i: C(5, 1 + i) = 5, 10, 10, 5. */
static void a_budget_is_shared_by_all_timers_of_the_name(void **unused)
{
    (void)unused;
    static struct tally t;
    t.count = 0;
    struct rh_world *w = open_test("two_tickers", NULL);
    assert_int_equal(every_run(w, 1000, note_ticks, &t), 30);
    rh_world_free(w);
    assert_int_equal(tally_of(&t, "0 3"), 5);
    assert_int_equal(tally_of(&t, "1 2"), 10);
    assert_int_equal(tally_of(&t, "2 1"), 10);
    assert_int_equal(tally_of(&t, "3 0"), 5);
}

/* Ordered time: both fire at 10 ms in either order, then the third tick, of either, is at 20 ms; with the budget spent
 * "late", which is at 1,000 ms, is next: the clock passes over the ticks. */
RH_ACTOR(sleeper, int64_t woke;);
RH_HANDLER(sleeper, rh_start)
{
    rh_timer("late", 1000, other);
}
RH_HANDLER(sleeper, other)
{
    state->woke = rh_now_ms();
}
RH_BEHAVIOUR(sleeper, ready, rh_start, other);
RH_TEST(tickers_and_sleeper, .time = RH_TIME_ORDERED, .timer_budgets = "tick=5")
{
    rh_spawn(ticker);
    rh_spawn(sleeper);
}

static void note_woke(struct rh_world *w, void *arg)
{
    uint32_t first = rh_world_actor_type(w, 1) == &rh_actor_ticker ? 1 : 2; /* the clock may be an actor */
    const struct ticker *a = rh_world_actor_state(w, first);
    const struct sleeper *s = rh_world_actor_state(w, first + 1);
    char text[64];
    assert_int_equal(rh_world_timer_fired(w, first, "tick"), a->ticks);
    snprintf(text, sizeof text, "%u %lld", a->ticks, (long long)s->woke);
    tally_add(arg, text);
}

static void time_passes_over_spent_timers(void **unused)
{
    (void)unused;
    static const enum rh_granularity grains[] = { RH_GRAIN_HANDLER, RH_GRAIN_OBJECT };
    for (uint32_t i = 0; i < 2; i++) {
        static struct tally t;
        t.count = 0;
        struct rh_semantics s = find_test("tickers_and_sleeper")->semantics;
        s.granularity = grains[i];
        struct rh_world *w = open_test("tickers_and_sleeper", &s);
        every_run(w, 200000, note_woke, &t);
        rh_world_free(w);
        /* The sleeper's start may come late: then its deadline is later by the ticks so far, each of 10 ms. */
        for (uint32_t k = 0; k < t.count; k++) {
            uint32_t ticks;
            long long woke;
            assert_int_equal(sscanf(t.text[k], "%u %lld", &ticks, &woke), 2);
            assert_int_equal(ticks, 5);
            assert_true(woke >= 1000 && woke <= 1050 && woke % 10 == 0);
        }
        assert_true(tally_of(&t, "5 1000") > 0);
    }
}

/* ---- what a run without timers is judged by ---------------------------------------------------------------------- */

RH_PROCESS(waiter);
RH_BODY(waiter)
{
    rh_receive(other);
}
RH_TEST(waits_for_ever)
{
    rh_spawn(waiter);
    rh_spawn(ticker);
}

static enum rh_outcome_kind outcome_with(const char *budgets)
{
    struct rh_semantics s = { .max_steps = 40 };
    snprintf(s.timer_budgets, sizeof s.timer_budgets, "%s", budgets);
    struct rh_world *w = open_test("waits_for_ever", &s);
    uint32_t n;
    for (const struct rh_choice *open = rh_world_enabled(w, &n); n; open = rh_world_enabled(w, &n))
        assert_true(rh_world_step(w, &open[0]));
    enum rh_outcome_kind kind = rh_world_outcome(w)->kind;
    rh_world_free(w);
    return kind;
}

static void a_run_that_could_go_on_is_not_stuck(void **unused)
{
    (void)unused;
    assert_int_equal(outcome_with(""), RH_OUTCOME_CUT);
    assert_int_equal(outcome_with("tick=4"), RH_OUTCOME_FINISHED);
    assert_int_equal(outcome_with("tick=0"), RH_OUTCOME_FINISHED);
    assert_int_equal(outcome_with("tock=4"), RH_OUTCOME_CUT);
}

/* ---- looking at timers, going back, fingerprints ----------------------------------------------------------------- */

static void explorers_see_timers(void **unused)
{
    (void)unused;
    struct rh_world *w = open_test("two_tickers", NULL);
    step_by_text(w, "ticker#2 takes rh_start from test");
    uint32_t n;
    const struct rh_choice *open = rh_world_enabled(w, &n);
    struct rh_timer_info t = { 0 };
    for (uint32_t i = 0; i < n; i++)
        if (open[i].kind == RH_CHOICE_TIMER)
            t = rh_world_timer(w, open[i].what);
    assert_string_equal(t.name, "tick");
    assert_ptr_equal(t.type, &rh_message_tick);
    assert_int_equal(t.deadline_ns, 10000000);
    assert_int_equal(t.actor, 2);
    assert_int_equal(t.event, 1);
    assert_int_equal(rh_world_timer_left(w, "tick"), 3);
    assert_int_equal(rh_world_timer_left(w, "tock"), RH_NONE);
    uint64_t before = rh_world_fingerprint(w);
    step_by_text(w, "ticker#2's timer \"tick\" fires");
    assert_int_equal(rh_world_timer_left(w, "tick"), 2);
    assert_int_equal(rh_world_timer_fired(w, 2, "tick"), 1);
    assert_int_equal(rh_world_timer_fired(w, 1, "tick"), 0);
    rh_world_undo(w);
    assert_int_equal(rh_world_timer_left(w, "tick"), 3);
    assert_int_equal(rh_world_timer_fired(w, 2, "tick"), 0);
    assert_true(rh_world_fingerprint(w) == before);
    rh_world_free(w);
}

/* A ticker that forgets: its states before and after a tick differ in the budget alone. */
RH_ACTOR(forgetful);
RH_HANDLER(forgetful, rh_start)
{
    rh_timer("tick", 10, tick);
}
RH_HANDLER(forgetful, tick)
{
    rh_timer("tick", 10, tick);
}
RH_BEHAVIOUR(forgetful, ready, rh_start, tick);
RH_TEST(forgets)
{
    rh_spawn(forgetful);
}

static bool tick_changes_fingerprint(const char *budgets)
{
    struct rh_semantics s = { .model = RH_FIFO };
    snprintf(s.timer_budgets, sizeof s.timer_budgets, "%s", budgets);
    struct rh_world *w = open_test("forgets", &s);
    step_by_text(w, "forgetful#1 takes rh_start from test");
    uint64_t before = rh_world_fingerprint(w);
    step_by_text(w, "forgetful#1's timer \"tick\" fires");
    bool changed = rh_world_fingerprint(w) != before;
    rh_world_free(w);
    return changed;
}

static void what_is_left_is_part_of_the_state(void **unused)
{
    (void)unused;
    assert_false(tick_changes_fingerprint(""));
    assert_true(tick_changes_fingerprint("tick=2"));
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

static void budgets_are_added_and_refused(void **unused)
{
    (void)unused;
    char error[256];
    struct rh_semantics s = { .timer_budgets = "a=1, b=2" };
    assert_true(rh__semantics_set(&s, "timer_budgets", "b=7", error, sizeof error));
    assert_string_equal(s.timer_budgets, "a=1,b=7");
    assert_true(rh__semantics_set(&s, "timer_budgets", "c=0,a=3", error, sizeof error));
    assert_string_equal(s.timer_budgets, "a=3,b=7,c=0");
    static const char *const wrong[] = { "a", "a=", "=3", "a=x", "a=3x", "a=-1", "a=4294967295", "a=1=2" };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        if (rh__semantics_set(&s, "timer_budgets", wrong[i], error, sizeof error))
            fail_msg("%s was taken", wrong[i]);
        struct rh_semantics x = { .model = RH_FIFO };
        snprintf(x.timer_budgets, sizeof x.timer_budgets, "%s", wrong[i]);
        struct rh_world_options o = { .test = find_test("forgets"), .semantics = &x };
        assert_null(rh_world_new(&o, error, sizeof error));
        assert_non_null(strstr(error, "timer_budgets"));
    }
    assert_string_equal(s.timer_budgets, "a=3,b=7,c=0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(a_budget_is_shared_by_all_timers_of_the_name),
        WORLD_TEST(time_passes_over_spent_timers),
        WORLD_TEST(a_run_that_could_go_on_is_not_stuck),
        WORLD_TEST(explorers_see_timers),
        WORLD_TEST(what_is_left_is_part_of_the_state),
        WORLD_TEST(budgets_are_added_and_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
