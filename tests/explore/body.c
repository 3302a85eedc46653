/* The body of a test is a process like any other: what races with it is explored, under every model and by every
 * explorer that says `exhaustive`; and it makes no difference whether a program is prepared by the test's body or by a
 * process. */
#include "explore/support/histories.h"

RH_MESSAGE(hello);
RH_MESSAGE_IGNORED(never);

/* ---- races by hand ----------------------------------------------------------------------------------------------- */

/* Each is a body that spawns one who looks, and then does something; what was seen is told by covering and failing: the
 * look must find both. */
RH_TABLE(board);

RH_PROCESS(looker, int what; rh_ref test;);
RH_BODY(looker)
{
    char c;
    bool seen = false;
    switch (state->what) {
    case 0:
        seen = !rh_is_nobody(rh_whereis("body"));
        break;
    case 1:
        seen = rh_table_get(board, "k", &c, 1) >= 0;
        break;
    case 2:
        seen = !rh_alive(state->test);
        break;
    case 3:
        rh_monitor(state->test);
        seen = strcmp(rh_receive(rh_down)->reason, "noproc") == 0;
        break;
    default:
        seen = rh_receive(hello, .timeout_ms = RH_POLL) != NULL;
    }
    rh_assert(!seen, "seen");
}

static void look(rh_ref self, int what)
{
    rh_ref who = rh_spawn(looker, .what = what, .test = self);
    switch (what) {
    case 0:
        rh_register("body", self);
        rh_receive(never, .idle = true);
        break;
    case 1:
        rh_table_put(board, "k", "1", 1);
        break;
    case 4:
        rh_send(who, hello);
        break;
    default:
        break;
    }
}
RH_TEST(a_name)
{
    look(self, 0);
}
RH_TEST(a_key_of_a_table)
{
    look(self, 1);
}
RH_TEST(its_end)
{
    look(self, 2);
}
RH_TEST(news_of_its_end)
{
    look(self, 3);
}
RH_TEST(a_message)
{
    look(self, 4);
}

/* The other way round: the body looks at what the one it spawned does. */
RH_PROCESS(doer, rh_ref test;);
RH_BODY(doer)
{
    rh_table_put(board, "k", "1", 1);
    rh_send(state->test, hello);
}
RH_TEST(what_others_do)
{
    char c;
    rh_spawn(doer, .test = self);
    rh_assert(rh_table_get(board, "k", &c, 1) < 0, "seen");
}
RH_TEST(a_poll)
{
    rh_spawn(doer, .test = self);
    rh_assert(!rh_receive(hello, .timeout_ms = RH_POLL), "seen");
}
RH_TEST(a_clock, .time = RH_TIME_ORDERED, .pauses = true)
{
    rh_timer("t", 5, hello);
    rh_assert(rh_now_ms() == 0, "seen");
}

/* Who looks while the body still waits: its end comes later, and only another order shows it. */
RH_PROCESS(short_lived);
RH_BODY(short_lived)
{
}
RH_MESSAGE(why, bool normal;);
RH_PROCESS(early, rh_ref who;);
RH_BODY(early)
{
    bool alive = rh_alive(state->who);
    bool normal = rh_receive(why)->normal;
    rh_assert(alive || !normal, "seen");
}
RH_TEST(its_end_later)
{
    rh_ref who = rh_spawn(early, .who = self), one = rh_spawn(short_lived);
    rh_send(who, why, .normal = strcmp(rh_join(one)->reason, "normal") == 0);
}

static void both_are_found(const char *test, enum rh_model model, const char *explorer)
{
    struct rh_semantics s = test_named(test)->semantics;
    s.model = model;
    s.granularity = RH_GRAIN_OBJECT;
    struct rh_world *w = world_of(test, &s, NULL, 0);
    struct rh_exploration *x = explored(w, explorer, 1, 0);
    if (!x->results->count.failed || x->results->count.failed == x->results->count.runs ||
        rh__exploration_verdict(x) != RH_VERDICT_EXHAUSTIVE)
        fail_msg("%s, model %d, %s: %llu runs, %llu of them failed", test, model, explorer,
                 (unsigned long long)x->results->count.runs, (unsigned long long)x->results->count.failed);
    if (strcmp(explorer, "optimal") == 0) /* reason and look: each of two */
        assert_int_equal(x->results->count.runs, strcmp(test, "its_end_later") == 0 ? 4 : 2);
    rh__exploration_free(x);
    rh_world_free(w);
}

static void what_races_with_the_body_is_found(void **unused)
{
    (void)unused;
    static const char *const tests[] = { "a_name",          "a_key_of_a_table", "its_end",
                                         "news_of_its_end", "a_message",        "what_others_do",
                                         "a_poll",          "a_clock",          "its_end_later" };
    static const char *const explorers[] = { "dfs", "dpor", "optimal" };
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        for (int model = 0; model < 4; model++)
            for (size_t k = 0; k < sizeof explorers / sizeof *explorers; k++)
                both_are_found(tests[i], (enum rh_model)model, explorers[k]);
}

/* ---- who only spawns and sends ----------------------------------------------------------------------------------- */

RH_ACTOR(taker, uint32_t took;);
RH_HANDLER(taker, hello)
{
    state->took++;
}
RH_BEHAVIOUR(taker, ready, hello);

RH_TEST(spawns_and_sends)
{
    for (int i = 0; i < 3; i++) {
        rh_ref t = rh_spawn(taker);
        rh_send(t, hello);
        rh_send(t, hello);
    }
}

/* 6!/(2! 2! 2!) orders of six deliveries, two for each of three; and not one more for the end of the body. */
static void a_body_that_spawns_and_sends_is_one_step(void **unused)
{
    (void)unused;
    for (int model = RH_FIFO; model <= RH_CAUSAL; model++) {
        struct rh_semantics s = { .model = (enum rh_model)model, .granularity = RH_GRAIN_OBJECT };
        struct rh_world *w = world_of("spawns_and_sends", &s, NULL, 0);
        struct rh_exploration *x = explored(w, model == RH_BAG ? "optimal" : "dfs", 1, 0);
        assert_int_equal(x->results->count.runs, model == RH_BAG ? 8 : 90);
        rh__exploration_free(x);
        rh_world_free(w);
    }
}

/* ---- bodies and processes ---------------------------------------------------------------------------------------- */

/* 1: the same, 0: too large; else it is told, and -1. */
static int compare(void)
{
    static struct ends *one, *other;
    struct rh_semantics s = features_semantics(&program);
    if (!one) {
        one = rh_shared_new(sizeof *one);
        other = rh_shared_new(sizeof *other);
    }
    if (!note_ends(one, "features", &s) || !note_ends(other, "features_of_a_process", &s))
        return 0;
    if (same_ends(one, other))
        return 1;
    char text[2048];
    features_write(&program, text, sizeof text);
    fprintf(stderr, "%u ends with a body, %u with a process: REHEARSE_PROGRAM='%s'\n", one->count, other->count, text);
    return -1;
}

static void a_program_is_prepared_by_a_body_or_a_process(void **unused)
{
    (void)unused;
#ifdef RH_TEST_FEW
    enum { SEEDS = 100 };
#else
    enum { SEEDS = 500 };
#endif
    uint32_t compared = 0, different = 0, per_model[4] = { 0 };
    uint64_t first = getenv("REHEARSE_FIRST") ? strtoull(getenv("REHEARSE_FIRST"), NULL, 10) : 0;
    for (uint64_t seed = first; seed < first + SEEDS; seed++) {
        features_make(&program, seed);
        program.has |= (uint64_t)1 << F_BODY;
        program.has &= ~((uint64_t)1 << F_RANDOM);             /* numbers are by who spawned whom */
        program.has &= ~((uint64_t)1 << F_ASSUME);             /* how far the others are then is a matter of order */
        program.has &= ~((uint64_t)1 << F_KILL);               /* to end a body by a signal is a failure */
        program.crashes = program.restarts = program.kept = 0; /* the test does not crash, nor has it a bad disk */
        program.unopened = program.unstored = program.damaged = program.may = 0;
        if (program.time == RH_TIME_LOGICAL)
            program.time = RH_TIME_FREE; /* a process begins with a message, one tick later */
        int how = compare();
        while (how == 0 && features_shrink(&program))
            how = compare();
        compared += how != 0;
        different += how < 0;
        per_model[program.model] += how != 0;
    }
    print_message("%u programs compared, %u differ\n", compared, different);
    assert_int_equal(different, 0);
    for (int i = 0; i < 4; i++)
        assert_in_range(per_model[i], SEEDS / 6, SEEDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(what_races_with_the_body_is_found),
        EXPLORE_TEST(a_body_that_spawns_and_sends_is_one_step),
        EXPLORE_TEST(a_program_is_prepared_by_a_body_or_a_process),
    };
    if (getenv("REHEARSE_PROGRAM"))
        return features_read(&program, getenv("REHEARSE_PROGRAM")) ? compare() != 1 : 2;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
