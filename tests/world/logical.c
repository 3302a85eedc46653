/* Logical time: each actor has a clock that goes on with what it takes, and is never behind those who wrote to it. */
#include "world/support/driver.h"

#include <time.h>

RH_MESSAGE(go, rh_ref to;);
RH_MESSAGE(token);
RH_MESSAGE(tick);
RH_MESSAGE(question);
RH_MESSAGE(answer);

RH_MONITOR(watcher, int64_t at;);
RH_HANDLER(watcher, token)
{
    state->at = rh_now_ms();
}
RH_BEHAVIOUR(watcher, watching, token);

RH_ACTOR(node, int64_t at; int64_t libc_ms; rh_ref child;);
static void look(struct node *state)
{
    struct timespec t;
    state->at = rh_now_ms();
    clock_gettime(CLOCK_MONOTONIC, &t);
    state->libc_ms = (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}
RH_HANDLER(node, go)
{
    look(state);
    if (!rh_is_nobody(msg->to))
        rh_send(msg->to, token);
}
RH_HANDLER(node, token)
{
    look(state);
}
RH_HANDLER(node, tick)
{
    look(state);
}
RH_HANDLER(node, question)
{
    look(state);
    rh_reply(answer);
}
RH_BEHAVIOUR(node, open, go, token, tick, question);

static const struct node *node_of(struct rh_world *w, uint32_t nth)
{
    for (uint32_t i = 0; i < rh_world_actor_count(w); i++)
        if (rh_world_actor_type(w, i) == &rh_actor_node && !nth--)
            return rh_world_actor_state(w, i);
    fail_msg("there are fewer nodes");
    return NULL;
}

static void clock_says(struct rh_world *w, uint32_t nth, int64_t ms)
{
    assert_int_equal(node_of(w, nth)->at, ms);
    assert_int_equal(node_of(w, nth)->libc_ms, ms);
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

RH_TEST(messages, .time = RH_TIME_LOGICAL)
{
    rh_ref b = rh_spawn(node), a = rh_spawn(node);
    for (int i = 0; i < 3; i++)
        rh_send_from(rh_external("user"), a, go);
    rh_send(a, go, .to = b);
    rh_send_from(rh_external("user"), b, token);
}

static void a_clock_counts_what_is_taken_and_follows_the_sender(void **unused)
{
    (void)unused;
    struct rh_world *w = open_test("messages", NULL);
    step_by_text(w, "node#2 takes go from user");
    clock_says(w, 1, 1);
    step_by_text(w, "node#2 takes go from user");
    step_by_text(w, "node#2 takes go from user");
    clock_says(w, 1, 3);
    step_by_text(w, "node#2 takes go from test");
    clock_says(w, 1, 4);
    struct rh_snapshot *before = rh_world_save(w);
    step_by_text(w, "node#1 takes token from node#2");
    clock_says(w, 0, 5);
    step_by_text(w, "node#1 takes token from user"); /* who has no clock */
    clock_says(w, 0, 6);
    assert_int_equal(rh_world_now_ns(w), 6000000);
    /* The other order. */
    assert_true(rh_world_undo(w));
    assert_true(rh_world_undo(w));
    step_by_text(w, "node#1 takes token from user");
    clock_says(w, 0, 1);
    step_by_text(w, "node#1 takes token from node#2");
    clock_says(w, 0, 5);
    rh_world_reset(w);
    step_by_text(w, "node#1 takes token from user");
    clock_says(w, 0, 1);
    rh_world_load(w, before);
    rh_snapshot_free(before);
    step_by_text(w, "node#1 takes token from node#2");
    clock_says(w, 0, 5);
    rh_world_free(w);
}

/* Fingerprints know of clocks as soon as somebody has looked at one. */
static void a_clock_is_part_of_the_state(void **unused)
{
    (void)unused;
    struct rh_world *w = open_test("messages", NULL);
    step_by_text(w, "node#2 takes go from test");
    step_by_text(w, "node#2 takes go from user");
    uint64_t early = rh_world_fingerprint(w);
    rh_world_reset(w);
    step_by_text(w, "node#2 takes go from user");
    step_by_text(w, "node#2 takes go from test");
    assert_int_not_equal(rh_world_fingerprint(w), early); /* the same but for when the token was sent */
    rh_world_free(w);
}

/* ---- children, timers, waits ------------------------------------------------------------------------------------- */

RH_PROCESS(parent, int64_t at[6]; rh_ref child;);
RH_BODY(parent)
{
    state->at[0] = rh_now_ms(); /* rh_start was a message */
    rh_sleep(10);
    state->at[1] = rh_now_ms();
    rh_sleep(0);
    state->at[2] = rh_now_ms();
    state->child = rh_spawn(node);
    rh_send_from(rh_external("user"), state->child, token);
    rh_ask(state->child, question, answer);
    state->at[3] = rh_now_ms();
    rh_receive(tick, .timeout_ms = 7);
    state->at[4] = rh_now_ms();
    rh_sleep(INT64_MAX);
    rh_sleep(5);
    state->at[5] = rh_now_ms();
}

RH_TEST(waits, .time = RH_TIME_LOGICAL)
{
    rh_spawn(parent);
}

static void waits_end_at_their_deadline_and_children_go_on_from_there(void **unused)
{
    (void)unused;
    struct rh_world *w = open_test("waits", NULL);
    const struct parent *p = rh_world_actor_state(w, 1);
    step_by_text(w, "parent#1 takes rh_start");
    assert_int_equal(p->at[0], 1);
    step_by_text(w, "parent#1 stops waiting");
    assert_int_equal(p->at[1], 11);
    step_by_text(w, "parent#1 stops waiting");
    assert_int_equal(p->at[2], 12); /* no time, but a tick */
    step_by_text(w, "parent#1/node#1 takes token from user");
    clock_says(w, 0, 13); /* though the user has no clock */
    step_by_text(w, "parent#1/node#1 takes question");
    clock_says(w, 0, 14);
    step_by_text(w, "parent#1 takes answer");
    assert_int_equal(p->at[3], 15);
    step_by_text(w, "parent#1 stops waiting");
    assert_int_equal(p->at[4], 22);
    step_by_text(w, "parent#1 stops waiting");
    step_by_text(w, "parent#1 stops waiting");
    assert_int_equal(p->at[5], INT64_MAX / 1000000); /* time is over */
    rh_world_free(w);
}

RH_MESSAGE(set);
RH_ACTOR(timed, int64_t at;);
RH_HANDLER(timed, set)
{
    rh_timer("short", 3, tick);
    rh_timer("long", 20, token);
}
RH_HANDLER(timed, tick)
{
    state->at = rh_now_ms();
}
RH_HANDLER(timed, token)
{
    state->at = rh_now_ms();
    rh_announce(token);
}
RH_BEHAVIOUR(timed, open, set, tick, token);

RH_TEST(timers, .time = RH_TIME_LOGICAL)
{
    rh_observe(watcher);
    rh_send(rh_spawn(timed), set);
}

static void any_timer_may_fire_and_is_never_early(void **unused)
{
    (void)unused;
    struct rh_world *w = open_test("timers", NULL);
    const struct watcher *m = rh_world_actor_state(w, 1);
    const struct timed *t = rh_world_actor_state(w, 2);
    step_by_text(w, "timed#1 takes set");
    assert_true(is_open(w, "timed#1's timer \"short\" fires"));
    step_by_text(w, "timed#1's timer \"long\" fires");
    assert_int_equal(t->at, 21); /* it was set at 1 */
    assert_int_equal(m->at, 22); /* to see an announcement is a tick, too */
    step_by_text(w, "timed#1's timer \"short\" fires");
    assert_int_equal(t->at, 22);
    rh_world_free(w);
}

/* ---- a second life ----------------------------------------------------------------------------------------------- */

RH_ACTOR(phoenix, int64_t at;);
RH_HANDLER(phoenix, rh_start)
{
    state->at = rh_now_ms();
    (void)msg;
}
RH_BEHAVIOUR(phoenix, open, rh_start);
RH_PROCESS(busy, rh_ref child;);
RH_BODY(busy)
{
    state->child = rh_spawn(phoenix);
    rh_sleep(50);
    rh_receive(tick);
}
RH_TEST(lives, .time = RH_TIME_LOGICAL, .crashes = 1, .restarts = 1)
{
    rh_spawn(busy);
}

/* What its parent has learnt in the meantime is not told to one that starts again: nobody has sent it anything. */
static void a_second_life_goes_on_with_the_clock_of_the_first(void **unused)
{
    (void)unused;
    struct rh_world *w = open_test("lives", NULL);
    step_by_text(w, "busy#1 takes rh_start");
    const struct phoenix *p = rh_world_actor_state(w, 2);
    step_by_text(w, "busy#1/phoenix#1 takes rh_start");
    assert_int_equal(p->at, 2);
    step_by_text(w, "busy#1 stops waiting");
    step_by_text(w, "busy#1/phoenix#1 crashes");
    step_by_text(w, "busy#1/phoenix#1 starts again");
    step_by_text(w, "busy#1/phoenix#1 takes rh_start");
    assert_int_equal(p->at, 3);
    rh_world_free(w);
}

/* ---- every granularity ------------------------------------------------------------------------------------------- */

static void clocks_do_not_depend_on_the_granularity(void **unused)
{
    (void)unused;
    for (int g = RH_GRAIN_HANDLER; g <= RH_GRAIN_OBJECT; g++) {
        struct rh_semantics s = { .time = RH_TIME_LOGICAL, .model = RH_MAILBOX, .granularity = (enum rh_granularity)g };
        struct rh_world *w = open_test("waits", &s);
        const struct rh_choice *open;
        uint32_t n;
        while ((open = rh_world_enabled(w, &n)), n)
            assert_true(rh_world_step(w, &open[0]));
        const struct parent *p = rh_world_actor_state(w, 1);
        assert_int_equal(p->at[2], 12);
        assert_in_range(p->at[3], 15, 16); /* the token came before the question or after it */
        assert_int_equal(rh_world_outcome(w)->kind, RH_OUTCOME_FINISHED);
        rh_world_free(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_clock_counts_what_is_taken_and_follows_the_sender, close_world),
        cmocka_unit_test_teardown(a_clock_is_part_of_the_state, close_world),
        cmocka_unit_test_teardown(waits_end_at_their_deadline_and_children_go_on_from_there, close_world),
        cmocka_unit_test_teardown(any_timer_may_fire_and_is_never_early, close_world),
        cmocka_unit_test_teardown(a_second_life_goes_on_with_the_clock_of_the_first, close_world),
        cmocka_unit_test_teardown(clocks_do_not_depend_on_the_granularity, close_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
