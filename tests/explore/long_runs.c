/* Runs with more messages than may be under way at once (max_messages, 65,536): every explorer makes them. */
#include "explore/support/runs.h"

#include "explore/explorers.h"

RH_MESSAGE(ball, rh_ref from;);
RH_MESSAGE(tick);
RH_ACTOR(player, int unused;);
RH_HANDLER(player, ball)
{
    (void)state;
    rh_send(msg->from, ball, .from = self);
}
RH_BEHAVIOUR(player, playing, ball);
RH_ACTOR(umpire, int unused;);
RH_HANDLER(umpire, rh_start)
{
    (void)state;
    rh_timer("tick", 5, tick);
}
RH_HANDLER(umpire, tick)
{
    (void)state;
    rh_timer("tick", 5, tick);
}
RH_BEHAVIOUR(umpire, looking_on, rh_start, tick);
RH_TEST(endless_game)
{
    rh_spawn(umpire);
    for (int games = 0; games < 2; games++) {
        rh_ref one = rh_spawn(player), two = rh_spawn(player);
        rh_send(one, ball, .from = two);
    }
}

enum { EVENTS = 70000 };

/* Not cover: what it plans from one run takes time that is quadratic in the run's length. */
static const char *const explorers[] = {
    "bound(69000, dfs)",
    "portfolio(dfs, pctcp)",
    "sample",
    "optimal",
    "dpor",
    "dfs",
    "delayed",
    "random",
    "roundrobin",
    "symmetry(dfs)",
    "weighted",
    "swarm",
    "pos",
    "pct",
    "pctcp",
    "stateful",
    "delay(rtc, ses)",
    "delay(rr, ss)",
    "phases",
    "grow(random)",
    "preempt(1, dfs)",
    "auto",
    "auto(grow)",
    "feedback",
    "urw",
    "surw",
    "onward(swarm)",
    "whole(swarm)",
};

static void every_explorer_makes_runs_with_many_messages(void **unused)
{
    (void)unused;
    uint32_t long_ones = 0;
    for (size_t i = 0; i < sizeof explorers / sizeof *explorers; i++) {
        bool object = rh__explorer_needs_object_granularity(explorers[i]);
        struct rh_semantics s = { .max_steps = EVENTS, .granularity = object ? RH_GRAIN_OBJECT : RH_GRAIN_HANDLER };
        struct rh_world *w = world_of("endless_game", &s, NULL, 0);
        struct rh_exploration *x = explored(w, explorers[i], 1, 4);
        print_message("%s: %llu runs, %llu steps\n", explorers[i], (unsigned long long)x->results->count.runs,
                      (unsigned long long)x->results->count.steps);
        long_ones += x->results->count.steps >= EVENTS;
        rh__exploration_free(x);
        rh_world_free(w);
    }
    assert_true(long_ones > 20); /* stateful and grow have shorter ones */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(every_explorer_makes_runs_with_many_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
