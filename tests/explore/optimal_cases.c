/* Programs written by hand that optimal once got wrong, with all their behaviours counted by hand. */
#include "explore/support.h"

/* Two sends into one mailbox against a wait with a time limit: which is accepted first (2), and whether the wait is over
 * before anything was taken (2).  Once the way was lost, depending on names, because the first message was not in the past of the
 * second. */
RH_MESSAGE(go);
RH_MESSAGE(parcel);
RH_PROCESS(taker, int unused;);
RH_BODY(taker)
{
    rh_receive(parcel, .timeout_ms = 3);
}
RH_ACTOR(source, rh_ref to;);
RH_HANDLER(source, go)
{
    rh_send(state->to, parcel);
}
RH_BEHAVIOUR(source, ready, go);

RH_TEST(two_sends_and_a_timeout, .model = RH_MAILBOX, .granularity = RH_GRAIN_OBJECT)
{
    rh_ref t = rh_spawn(taker);
    for (int i = 0; i < 2; i++)
        rh_send(rh_spawn(source, .to = t), go);
}

/* A monitor that begins to observe, and an announcement: either comes first.  Only one order leaves the monitor hot. */
RH_MESSAGE(happened);
RH_MONITOR(watcher, int unused;);
RH_HANDLER(watcher, happened)
{
    rh_become(watcher, alarmed);
}
RH_BEHAVIOUR(watcher, calm, happened);
RH_HOT_BEHAVIOUR(watcher, alarmed, happened);
RH_ACTOR(installer, int unused;);
RH_HANDLER(installer, go)
{
    rh_observe(watcher);
}
RH_BEHAVIOUR(installer, ready, go);
RH_ACTOR(announcer, int unused;);
RH_HANDLER(announcer, go)
{
    rh_announce(happened);
}
RH_BEHAVIOUR(announcer, ready, go);

RH_TEST(a_monitor_that_comes_late, .granularity = RH_GRAIN_OBJECT)
{
    rh_send(rh_spawn(installer), go);
    rh_send(rh_spawn(announcer), go);
}

static void has(const char *test, uint64_t seed, uint64_t behaviours, uint64_t failed)
{
    struct rh_semantics s = test_named(test)->semantics;
    s.seed = seed; /* the order of identities depends on it */
    struct rh_world *w = world_of(test, &s, NULL, 0);
    struct rh_exploration *x = explored(w, "optimal", 1, 0);
    if (x->runs != behaviours || x->behaviours != behaviours || x->failed != failed || x->cut)
        fail_msg("%s, seed %llu: %llu runs, %llu behaviours, %llu failed", test, (unsigned long long)seed,
                 (unsigned long long)x->runs, (unsigned long long)x->behaviours, (unsigned long long)x->failed);
    assert_int_equal(rh__exploration_verdict(x), RH_VERDICT_EXHAUSTIVE);
    rh__exploration_free(x);
    rh_world_free(w);
}

static void what_an_operation_posts_is_in_the_past_of_the_next(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 40; seed++)
        has("two_sends_and_a_timeout", seed, 4, 0);
}

static void to_observe_is_in_order_with_announcements(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 10; seed++)
        has("a_monitor_that_comes_late", seed, 2, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(what_an_operation_posts_is_in_the_past_of_the_next),
        EXPLORE_TEST(to_observe_is_in_order_with_announcements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
