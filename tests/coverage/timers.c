/* A timer that is set anew: it is one receive, known by its actor, its name and how often it has fired; and cover can
 * make it fire before each of the messages whose handlers set it anew. */
#include "coverage/support/watching.h"

RH_MESSAGE(beat, int number;);
RH_MESSAGE(election);
RH_ACTOR(server, int beats; int elections;);
RH_HANDLER(server, beat)
{
    (void)msg;
    state->beats++;
    rh_timer("election", 10, election);
}
RH_HANDLER(server, election)
{
    (void)msg;
    if (state->elections++ == 0)
        rh_timer("election", 10, election);
}
RH_BEHAVIOUR(server, up, beat, election);

enum { BEATS = 4, FIRINGS = 2 };
RH_TEST(beats)
{
    rh_ref s = rh_spawn(server);
    for (int i = 0; i < BEATS; i++)
        rh_send(s, beat, .number = i);
}

static struct rh_exploration *after(const char *explorer, uint64_t runs)
{
    struct rh_semantics s = { .model = RH_FIFO, .max_actors = 4, .max_bytes_per_actor = 65536, .max_steps = 100 };
    return measured(world_of("beats", &s, NULL, 0), explorer, 1, runs);
}

static bool is_timer(const struct rh__coverage *c, uint32_t receive)
{
    return strncmp(rh__coverage_text(c, rh__covered_receive(c, receive)->text), "timer", 5) == 0;
}

/* The timer fires twice or three times in each run: once it fires, and sets itself; a beat may come between. */
static void a_timer_set_anew_is_one_receive(void **unused)
{
    (void)unused;
    struct rh_exploration *x = after("dfs", 0);
    const struct rh__coverage *c = x->results->coverage;
    uint32_t timers = 0;
    assert_true(x->end.exhausted);
    for (uint32_t i = 0; i < c->receive_count; i++)
        timers += is_timer(c, i);
    assert_int_equal(c->receive_count - timers, BEATS);
    assert_in_range(timers, FIRINGS, BEATS + FIRINGS); /* by how often it fired, not by who set it when */
    done_with(x);
}

/* Of each beat but the first, which sets the timer, both orders with the first firing. */
static void cover_moves_the_timer_before_each_message(void **unused)
{
    (void)unused;
    struct rh_exploration *x = after("cover:pr", 12);
    const struct rh__coverage *c = x->results->coverage;
    uint32_t first = RH_NONE, both = 0;
    for (uint32_t i = 0; i < c->receive_count && first == RH_NONE; i++)
        first = is_timer(c, i) ? i : RH_NONE;
    assert_int_not_equal(first, RH_NONE);
    for (uint32_t i = 0; i < c->receive_count; i++)
        both += !is_timer(c, i) && rh__achieved(c, RH__PR, i, first) && rh__achieved(c, RH__PR, first, i);
    assert_int_equal(both, BEATS - 1);
    done_with(x);
}

/* The second firing is behind the first one in every run that there is, and that is known after one run. */
static void firings_of_a_timer_are_a_chain(void **unused)
{
    (void)unused;
    struct rh_exploration *x = after("random", 1);
    const struct rh__coverage *c = x->results->coverage;
    uint32_t pairs = 0;
    for (uint32_t i = 0; i < c->receive_count; i++)
        for (uint32_t k = i + 1; k < c->receive_count; k++)
            if (is_timer(c, i) && is_timer(c, k)) {
                assert_int_equal(rh__pair_of(c, RH__PR, i, k), RH__PAIR_IMPOSSIBLE);
                pairs++;
            }
    assert_int_not_equal(pairs, 0);
    done_with(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(a_timer_set_anew_is_one_receive),
        EXPLORE_TEST(cover_moves_the_timer_before_each_message),
        EXPLORE_TEST(firings_of_a_timer_are_a_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
