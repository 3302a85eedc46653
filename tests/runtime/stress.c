/* Many actors on several threads: nothing is lost, nothing is handled twice, nobody waits for ever. */
#include "helper.h"

#ifdef RH_TEST_FEW
enum { SCALE = 1 };
#else
enum { SCALE = 4 };
#endif

RH_MESSAGE(go, rh_ref who; int value;);
RH_MESSAGE(end_now);
RH_MESSAGE(got, int value;);

static _Atomic(long) sum;

/* ---- many to one ---- */
RH_ACTOR(sink, long expected; long seen;);
RH_HANDLER(sink, go)
{
    sum += msg->value;
    if (++state->seen == state->expected)
        rh_stop();
}
RH_BEHAVIOUR(sink, open, go);

RH_ACTOR(source, rh_ref to; int left;);
RH_HANDLER(source, rh_start)
{
    rh_send(self, end_now);
}
RH_HANDLER(source, end_now)
{
    for (int i = 0; i < 10 && state->left > 0; i++, state->left--)
        rh_send(state->to, go, .value = state->left);
    if (state->left == 0)
        rh_stop();
    else
        rh_send(self, end_now);
}
RH_BEHAVIOUR(source, open, rh_start, end_now);

static void many_to_one_loses_nothing(void **unused)
{
    (void)unused;
    enum { SOURCES = 50, EACH = 500 * SCALE };
    START(.threads = 4);
    sum = 0;
    rh_ref to = rh_spawn(sink, .expected = SOURCES * EACH);
    for (int i = 0; i < SOURCES; i++)
        rh_spawn(source, .to = to, .left = EACH);
    finish();
    assert_int_equal(sum, (long)SOURCES * EACH * (EACH + 1) / 2);
}

/* ---- rings ---- */
RH_ACTOR(node, rh_ref next; int tokens;);
RH_HANDLER(node, go)
{
    if (rh_is_nobody(state->next))
        state->next = msg->who;
    else if (msg->value > 0)
        rh_send(state->next, go, .value = msg->value - 1);
    else
        sum++;
}
RH_HANDLER(node, end_now)
{
    rh_stop();
}
RH_BEHAVIOUR(node, open, go, end_now);

static void tokens_go_round(void **unused)
{
    (void)unused;
    enum { NODES = 100, TOKENS = 20 };
    rh_ref nodes[NODES];
    START(.threads = 4);
    sum = 0;
    for (int i = 0; i < NODES; i++)
        nodes[i] = rh_spawn(node);
    for (int i = 0; i < NODES; i++)
        rh_send(nodes[i], go, .who = nodes[(i + 1) % NODES]);
    for (int i = 0; i < TOKENS; i++)
        rh_send(nodes[i * 5], go, .value = 1000 * SCALE);
    rh_runtime_wait_quiet();
    assert_int_equal(sum, TOKENS);
    for (int i = 0; i < NODES; i++)
        rh_send(nodes[i], end_now);
    finish();
}

/* ---- spawn and stop ---- */
RH_ACTOR(breeder, int depth;);
RH_HANDLER(breeder, rh_start)
{
    for (int i = 0; i < 3 && state->depth > 0; i++) {
        rh_ref child = rh_spawn(breeder, .depth = state->depth - 1);
        rh_send(child, go, .who = self);
        rh_send(child, end_now); /* ended by one of the two */
        rh_kill(child, "enough");
    }
    sum++;
}
RH_HANDLER(breeder, go)
{
    rh_send(msg->who, got);
}
RH_HANDLER(breeder, got)
{
}
RH_HANDLER(breeder, end_now)
{
    rh_stop();
}
RH_BEHAVIOUR(breeder, open, rh_start, go, got, end_now);

static void spawning_and_ending_in_a_storm(void **unused)
{
    (void)unused;
    START(.threads = 4);
    sum = 0;
    for (int i = 0; i < 4 * SCALE; i++)
        rh_send(rh_spawn(breeder, .depth = 6), end_now);
    struct rh_runtime_counts counts = finish();
    assert_int_equal(counts.actors_spawned, sum);
    assert_int_equal(sum, 4 * SCALE * 1093); /* 1 + 3 + ... + 3^6 */
}

/* ---- links that die at the same time ---- */
RH_ACTOR(linked, rh_ref peers[4];);
RH_HANDLER(linked, rh_start)
{
    for (int i = 0; i < 4; i++)
        if (!rh_is_nobody(state->peers[i])) {
            rh_link(state->peers[i]);
            rh_monitor(state->peers[i]);
        }
}
RH_HANDLER(linked, rh_down)
{
    sum++;
}
RH_HANDLER(linked, end_now)
{
    rh_exit("boom");
}
RH_BEHAVIOUR(linked, open, rh_start, rh_down, end_now);

static void links_die_together(void **unused)
{
    (void)unused;
    enum { GROUP = 40 };
    START(.threads = 4);
    for (int round = 0; round < 10 * SCALE; round++) {
        rh_ref all[GROUP];
        for (int i = 0; i < GROUP; i++)
            all[i] = rh_spawn(linked, .peers = { i > 0 ? all[i - 1] : rh_nobody(), i > 3 ? all[i / 2] : rh_nobody() });
        for (int i = 0; i < GROUP; i += 7)
            rh_send(all[i], end_now);
    }
    finish();
}

/* ---- asks ---- */
RH_ACTOR(server, rh_ref behind; int left;);
RH_HANDLER(server, go)
{
    int value = msg->value;
    if (!rh_is_nobody(state->behind))
        value = rh_ask(state->behind, go, got, .value = value)->value;
    rh_reply(got, .value = value + 1);
    if (--state->left == 0)
        rh_stop();
}
RH_BEHAVIOUR(server, open, go);

RH_PROCESS(client, rh_ref servers[3]; int count;);
RH_BODY(client)
{
    for (int i = 0; i < state->count; i++)
        if (rh_ask(state->servers[i % 3], go, got, .value = i)->value != i + 2)
            sum++;
}

static void asks_in_a_storm_are_all_answered(void **unused)
{
    (void)unused;
    enum { CLIENTS = 20, COUNT = 60 * SCALE };
    START(.threads = 4);
    sum = 0;
    rh_ref last = rh_spawn(server, .left = CLIENTS * COUNT), servers[3];
    for (int i = 0; i < 3; i++)
        servers[i] = rh_spawn(server, .behind = last, .left = CLIENTS * COUNT / 3);
    for (int i = 0; i < CLIENTS; i++)
        rh_spawn(client, .servers = { servers[0], servers[1], servers[2] }, .count = COUNT);
    finish();
    assert_int_equal(sum, 0);
}

RH_PROCESS(hasty, rh_ref to; int count;);
RH_BODY(hasty)
{
    for (int i = 0; i < state->count; i++) {
        const struct got *g = rh_ask_within(1, state->to, go, got, .value = i);
        if (g && g->value != i + 1)
            sum++; /* the answer to another question */
    }
    rh_send(state->to, end_now);
}

RH_ACTOR(dawdler, int left;);
RH_HANDLER(dawdler, go)
{
    if (rh_choose(8) == 0)
        rh_sleep(1);
    rh_reply(got, .value = msg->value + 1);
}
RH_HANDLER(dawdler, end_now)
{
    if (--state->left == 0)
        rh_stop();
}
RH_BEHAVIOUR(dawdler, open, go, end_now);

static void an_answer_that_comes_too_late_answers_nothing_else(void **unused)
{
    (void)unused;
    START(.threads = 2);
    sum = 0;
    rh_ref to = rh_spawn(dawdler, .left = 8);
    for (int i = 0; i < 8; i++)
        rh_spawn(hasty, .to = to, .count = 30);
    finish();
    assert_int_equal(sum, 0);
}

/* ---- a long handler does not hold up the others ---- */
static _Atomic(int) arrived;
RH_ACTOR(long_runner, rh_ref other;);
RH_HANDLER(long_runner, go)
{
    rh_send(state->other, got);
    while (!arrived) /* on another thread, or this never ends */
        sched_yield();
    rh_stop();
}
RH_BEHAVIOUR(long_runner, open, go);

RH_ACTOR(quick);
RH_HANDLER(quick, got)
{
    arrived = 1;
    rh_stop();
}
RH_BEHAVIOUR(quick, open, got);

static void a_message_sent_by_a_long_handler_is_handled_meanwhile(void **unused)
{
    (void)unused;
    START(.threads = 2);
    arrived = 0;
    rh_send(rh_spawn(long_runner, .other = rh_spawn(quick)), go);
    finish();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_to_one_loses_nothing),
        cmocka_unit_test(tokens_go_round),
        cmocka_unit_test(spawning_and_ending_in_a_storm),
        cmocka_unit_test(links_die_together),
        cmocka_unit_test(asks_in_a_storm_are_all_answered),
        cmocka_unit_test(an_answer_that_comes_too_late_answers_nothing_else),
        cmocka_unit_test(a_message_sent_by_a_long_handler_is_handled_meanwhile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
