/* The stepper (runner/stepper.h): forward and back over one run gives the same states, by fingerprint; another branch
 * can be chosen anywhere; looking shows actors, messages under way and open choices. */
#include <rehearse/test.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "runner/stepper.h"

RH_MESSAGE(ask, int n;);
RH_MESSAGE(answer, int n;);
RH_ACTOR(server, int sum;);
RH_ACTOR(client, int got; rh_ref server;);
RH_MESSAGE(start, rh_ref server; int n;);

RH_HANDLER(server, ask)
{
    state->sum = state->sum * 10 + msg->n;
    rh_send(rh_sender(), answer, .n = state->sum);
}
RH_BEHAVIOUR(server, serving, ask);
RH_HANDLER(client, start)
{
    rh_send(msg->server, ask, .n = msg->n);
}
RH_HANDLER(client, answer)
{
    state->got = msg->n;
}
RH_BEHAVIOUR(client, running, start, answer);

enum { CLIENTS = 3, EVENTS = 1 + 3 * CLIENTS }; /* the beginning; each client starts, is served, is answered */

RH_TEST(three_clients)
{
    rh_ref s = rh_spawn(server);
    for (int i = 1; i <= CLIENTS; i++)
        rh_send(rh_spawn(client), start, .server = s, .n = i);
}

/* ---- a world and a guide ----------------------------------------------------------------------------------------- */

static struct rh_world *world;
static struct rh__stepper s;
static uint32_t asked; /* how often the guide was */

static uint32_t take_last(void *arg, struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    (void)w, (void)open;
    asked++;
    return arg && asked > *(uint32_t *)arg ? RH_NONE : count - 1;
}

/* In the test itself: cmocka puts signal handlers of its own in place before it, and the world needs SIGSEGV. */
static void make_world(void)
{
    char error[256];
    struct rh_world_options options = { .test = rh_test_first(), .quiet = true };
    world = rh_world_new(&options, error, sizeof error);
    assert_non_null(world);
    rh_world_begin(world);
    asked = 0;
    rh__stepper_init(&s, world, take_last, NULL);
}

static int free_world(void **state)
{
    (void)state;
    rh__stepper_release(&s);
    rh_world_free(world);
    return 0;
}

static uint64_t prints[EVENTS + 1];
static struct rh_choice choices[EVENTS + 1];

/* To the end of the run, noting every state. */
static void walk_to_the_end(void)
{
    uint32_t n;
    do {
        prints[rh__stepper_event(&s)] = rh_world_fingerprint(world);
        const struct rh_event *events = rh_world_events(world, &n);
        choices[n] = events[n - 1].choice;
    } while (rh__stepper_forward(&s));
}

static void at_noted_state(uint32_t event)
{
    uint32_t n;
    const struct rh_event *events = rh_world_events(world, &n);
    assert_int_equal(n, event);
    assert_int_equal(rh_world_fingerprint(world), prints[event]);
    assert_memory_equal(&events[n - 1].choice, &choices[n], sizeof choices[n]);
}

/* ---- forward and back -------------------------------------------------------------------------------------------- */

static void back_and_forward_pass_the_same_states(void **state)
{
    (void)state;
    make_world();
    walk_to_the_end();
    at_noted_state(EVENTS);
    assert_int_equal(asked, EVENTS - 1);
    for (uint32_t event = EVENTS - 1; event >= 1; event--) {
        assert_true(rh__stepper_back(&s));
        at_noted_state(event);
    }
    assert_false(rh__stepper_back(&s));
    at_noted_state(1);
    for (uint32_t event = 2; event <= EVENTS; event++) {
        assert_true(rh__stepper_forward(&s));
        at_noted_state(event);
    }
    assert_false(rh__stepper_forward(&s));
    at_noted_state(EVENTS);
    assert_int_equal(asked, EVENTS - 1); /* what is known is not asked for again */
}

static void any_event_can_be_gone_to(void **state)
{
    (void)state;
    static const uint32_t places[] = { 7, 2, 10, 1, 10, 9, 3, 5 };
    make_world();
    walk_to_the_end();
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        assert_true(rh__stepper_go(&s, places[i]));
        at_noted_state(places[i]);
    }
    assert_false(rh__stepper_go(&s, EVENTS + 1));
    at_noted_state(EVENTS);
    assert_false(rh__stepper_go(&s, 0));
    at_noted_state(1);
}

static void the_guide_may_end_the_run(void **state)
{
    (void)state;
    uint32_t most = 4;
    make_world();
    s.guide_arg = &most;
    assert_false(rh__stepper_go(&s, EVENTS));
    assert_int_equal(rh__stepper_event(&s), 1 + most);
}

/* ---- aside ------------------------------------------------------------------------------------------------------- */

static void another_branch_can_be_chosen_and_walked(void **state)
{
    (void)state;
    uint32_t count;
    make_world();
    walk_to_the_end();
    assert_true(rh__stepper_go(&s, 4));
    rh__stepper_open(&s, &count);
    assert_true(count > 1);
    uint32_t next = rh__stepper_next(&s);
    assert_int_equal(next, count - 1);

    /* The choice that comes next anyway: the rest of the run stays known. */
    assert_true(rh__stepper_choose(&s, next));
    at_noted_state(5);
    assert_int_not_equal(rh__stepper_next(&s), RH_NONE);
    assert_true(rh__stepper_back(&s));

    /* Another one: the rest is forgotten, and the guide is not asked about a run that it does not know. */
    assert_true(rh__stepper_choose(&s, 0));
    assert_int_equal(rh__stepper_event(&s), 5);
    assert_int_not_equal(rh_world_fingerprint(world), prints[5]);
    assert_int_equal(rh__stepper_next(&s), RH_NONE);
    walk_to_the_end();
    assert_int_equal(rh__stepper_event(&s), EVENTS);
    assert_int_equal(asked, EVENTS - 1);
    for (uint32_t event = EVENTS - 1; event >= 5; event--) {
        assert_true(rh__stepper_back(&s));
        at_noted_state(event);
    }
    assert_true(rh__stepper_go(&s, EVENTS));
    at_noted_state(EVENTS);
}

static void a_choice_that_is_not_open_changes_nothing(void **state)
{
    (void)state;
    uint32_t count;
    make_world();
    walk_to_the_end();
    assert_true(rh__stepper_go(&s, 3));
    rh__stepper_open(&s, &count);
    assert_false(rh__stepper_choose(&s, count));
    assert_false(rh__stepper_choose(&s, RH_NONE));
    at_noted_state(3);
    assert_true(rh__stepper_go(&s, EVENTS));
    at_noted_state(EVENTS);
    assert_false(rh__stepper_choose(&s, 0)); /* the run is over */
}

/* ---- looking ----------------------------------------------------------------------------------------------------- */

static const char *look(void)
{
    static char buffer[1 << 14];
    struct rh__text t;
    rh__text_init(&t, buffer, sizeof buffer);
    rh__stepper_look(&s, &t);
    assert_false(t.cut);
    return buffer;
}

static void looking_shows_actors_messages_and_choices(void **state)
{
    (void)state;
    make_world();
    assert_string_equal(look(), "event 0: the test begins\n"
                                "actors:\n"
                                "    test has ended (normal)\n"
                                "    server#1 is idle in serving\n"
                                "    client#1 is idle in running\n"
                                "        on the way to it: start from test\n"
                                "    client#2 is idle in running\n"
                                "        on the way to it: start from test\n"
                                "    client#3 is idle in running\n"
                                "        on the way to it: start from test\n"
                                "open choices:\n"
                                "    0  client#1 takes start from test\n"
                                "    1  client#2 takes start from test\n"
                                "    2  client#3 takes start from test\n");
    assert_true(rh__stepper_choose(&s, 0));
    assert_true(rh__stepper_choose(&s, 0));
    assert_true(rh__stepper_back(&s));
    assert_string_equal(look(), "event 1: client#1 takes start from test\n"
                                "actors:\n"
                                "    test has ended (normal)\n"
                                "    server#1 is idle in serving\n"
                                "        on the way to it: ask from client#1\n"
                                "    client#1 is idle in running\n"
                                "    client#2 is idle in running\n"
                                "        on the way to it: start from test\n"
                                "    client#3 is idle in running\n"
                                "        on the way to it: start from test\n"
                                "open choices:\n"
                                "  > 0  client#2 takes start from test\n"
                                "    1  client#3 takes start from test\n"
                                "    2  server#1 takes ask from client#1\n");
    assert_true(rh__stepper_go(&s, EVENTS));
    assert_non_null(strstr(look(), "the run is over: finished: nothing is left to do\n"));
    assert_null(strstr(look(), "on the way to it"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(back_and_forward_pass_the_same_states, free_world),
        cmocka_unit_test_teardown(any_event_can_be_gone_to, free_world),
        cmocka_unit_test_teardown(the_guide_may_end_the_run, free_world),
        cmocka_unit_test_teardown(another_branch_can_be_chosen_and_walked, free_world),
        cmocka_unit_test_teardown(a_choice_that_is_not_open_changes_nothing, free_world),
        cmocka_unit_test_teardown(looking_shows_actors_messages_and_choices, free_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
