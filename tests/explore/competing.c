/* Actors that compete for restarts, dead letters that fail, and exits that are trapped, with optimal: the distinct runs
 * are counted by hand. */
#include "explore/support/runs.h"

RH_MESSAGE(hi);

/* ---- fewer restarts than crashes --------------------------------------------------------------------------------- */

RH_ACTOR(node);
RH_HANDLER(node, rh_start)
{
    rh_log("%u", msg->restarts);
}
RH_BEHAVIOUR(node, up, rh_start);
RH_TEST(two_nodes)
{
    rh_spawn(node);
    rh_spawn(node);
}

struct counted {
    uint64_t runs, failed;
    enum rh_verdict verdict;
    struct rh_outcome outcome; /* of the first finding */
};

static struct counted count(const char *test, const char *explorer, struct rh_semantics s)
{
    s.granularity = RH_GRAIN_OBJECT;
    struct rh_world *w = world_of(test, &s, NULL, 0);
    struct rh_exploration *x = explored(w, explorer, 1, 0);
    struct counted c = { x->results->count.runs, x->results->count.failed, rh__exploration_verdict(x), { 0 } };
    if (!strcmp(explorer, "optimal"))
        assert_int_equal(x->results->distinct.count, c.runs);
    if (x->results->finding_count)
        c.outcome = x->results->findings[0].outcome;
    rh__exploration_free(x);
    rh_world_free(w);
    return c;
}

static void expect_runs(struct rh_semantics s, uint64_t runs)
{
    for (s.model = 0; s.model < RH_ROWS(RH_MODELS); s.model++) {
        struct counted c = count("two_nodes", "optimal", s);
        if (c.runs != runs || c.verdict != RH_VERDICT_EXHAUSTIVE)
            fail_msg("%u crashes, %u restarts, %u kept, model %d: %llu runs, not %llu", s.crashes, s.restarts,
                     s.kept_restarts, s.model, (unsigned long long)c.runs, (unsigned long long)runs);
    }
}

/* A node may crash before its start or after it.  With a restart it starts again, and if crashes are left may crash
 * before that start or after it. */
static void who_restarts_is_explored(void **unused)
{
    (void)unused;
    expect_runs((struct rh_semantics){ .crashes = 1 }, 1 + 2 * 2);
    expect_runs((struct rh_semantics){ .crashes = 1, .restarts = 1 }, 1 + 2 * 2);
    expect_runs((struct rh_semantics){ .crashes = 2 }, 1 + 2 * 2 + 2 * 2);
    /* No crash 1; one crash 4; both crash 2 * 2, and one of two restarts; one crashes twice: 2 * 2 * 2. */
    expect_runs((struct rh_semantics){ .crashes = 2, .restarts = 1 }, 1 + 4 + 2 * 2 * 2 + 2 * 2 * 2);
    /* The restart is of one of two kinds where there is one crash, and else the other kind is left for the other. */
    expect_runs((struct rh_semantics){ .crashes = 2, .restarts = 1, .kept_restarts = 1 },
                1 + 2 * 4 + 2 * 2 * (2 * 2) + 2 * (2 * 2) * 2);
}

/* ---- dead letters ------------------------------------------------------------------------------------------------ */

RH_PROCESS(listener);
RH_BODY(listener)
{
    rh_receive(hi);
}
RH_PROCESS(speaker, rh_ref to;);
RH_BODY(speaker)
{
    rh_send(state->to, hi);
}
RH_TEST(two_speak_to_one_that_takes_one)
{
    rh_ref to = rh_spawn(listener);
    rh_spawn(speaker, .to = to);
    rh_spawn(speaker, .to = to);
}
RH_TEST(one_speaks_to_one_that_takes_one)
{
    rh_spawn(speaker, .to = rh_spawn(listener));
}
/* The body is over before anybody speaks. */
RH_TEST(one_speaks_to_the_test)
{
    rh_spawn(speaker, .to = self);
}

static void a_letter_that_nobody_takes_fails(void **unused)
{
    (void)unused;
    static const char *const explorers[] = { "dfs", "dpor", "optimal" };
    for (int model = 0; model < (int)RH_ROWS(RH_MODELS); model++)
        for (size_t i = 0; i < sizeof explorers / sizeof *explorers; i++) {
            struct rh_semantics s = { .model = (enum rh_model)model, .dead_letters = RH_DEAD_LETTER_FAIL };
            struct counted c = count("two_speak_to_one_that_takes_one", explorers[i], s);
            assert_int_equal(c.failed, c.runs);
            assert_int_equal(c.outcome.kind, RH_OUTCOME_DEAD_LETTER);
            assert_non_null(strstr(c.outcome.text, "to listener#1 was never taken: listener#1 has ended"));
            assert_non_null(strstr(c.outcome.place, "competing.c:"));
            assert_int_equal(c.verdict, RH_VERDICT_EXHAUSTIVE);
            if (i == 2)
                assert_int_equal(c.runs, 2); /* which of the two is taken, not when the other one is sent */
            c = count("one_speaks_to_one_that_takes_one", explorers[i], s);
            assert_int_equal(c.failed, 0);
            c = count("one_speaks_to_the_test", explorers[i], s);
            assert_int_equal(c.failed, c.runs);
            s.losses = 1; /* one that is lost is no dead letter */
            c = count("two_speak_to_one_that_takes_one", explorers[i], s);
            assert_in_range(c.failed, 1, c.runs - 1);
        }
}

/* ---- exits that are trapped -------------------------------------------------------------------------------------- */

enum { CHILDREN = 4 };
RH_PROCESS(child);
RH_BODY(child)
{
}

RH_PROCESS(parent, bool in_order;);
RH_BODY(parent)
{
    rh_ref children[CHILDREN];
    rh_trap_exits(true);
    for (int i = 0; i < CHILDREN; i++)
        children[i] = rh_spawn_link(child);
    for (int i = 0; i < CHILDREN; i++)
        if (state->in_order)
            rh_assert(rh_same(rh_receive(rh_exited, .from = children[i])->who, children[i]));
        else
            rh_receive(rh_exited);
}
RH_TEST(in_order)
{
    rh_spawn(parent, .in_order = true);
}
RH_TEST(in_any_order)
{
    rh_spawn(parent);
}

RH_ACTOR(supervisor, uint32_t ended;);
RH_HANDLER(supervisor, rh_start)
{
    rh_trap_exits(true);
    for (int i = 0; i < CHILDREN; i++)
        rh_spawn_link(child);
}
RH_HANDLER(supervisor, rh_exited)
{
    rh_assert(!strcmp(msg->reason, "normal") && ++state->ended <= CHILDREN);
}
RH_BEHAVIOUR(supervisor, supervising, rh_start, rh_exited);
RH_TEST(supervised)
{
    rh_spawn(supervisor);
}

static void an_exit_is_one_message(void **unused)
{
    (void)unused;
    for (int model = 0; model < (int)RH_ROWS(RH_MODELS); model++) {
        struct rh_semantics s = { .model = (enum rh_model)model };
        assert_int_equal(count("in_order", "optimal", s).runs, 1);
        assert_int_equal(count("in_any_order", "optimal", s).runs, 24);
        assert_int_equal(count("supervised", "optimal", s).runs, 24);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(who_restarts_is_explored),
        EXPLORE_TEST(a_letter_that_nobody_takes_fails),
        EXPLORE_TEST(an_exit_is_one_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
