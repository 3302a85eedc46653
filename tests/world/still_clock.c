/* Ordered time with granularity object, without pauses: time stands still while a handler runs (world/timers.c). */
#include "explore/engine/engine.h"
#include "world/support/driver.h"

RH_MESSAGE(go);
RH_MESSAGE(tick, int value;);
RH_MESSAGE(lease, int64_t until;);
RH_MESSAGE(expired);

#define STILL .granularity = RH_GRAIN_OBJECT, .time = RH_TIME_ORDERED

RH_TABLE(board);

static void write_number(const char *key, int number)
{
    rh_table_put(board, key, &number, sizeof number);
}

/* ---- one handler reads one time ---------------------------------------------------------------------------------- */

RH_ACTOR(reader);
RH_HANDLER(reader, go)
{
    int64_t before = rh_now_ms();
    write_number("reader", 1); /* others may act here */
    write_number("reader", 2);
    rh_log("%d %d", (int)before, (int)rh_now_ms());
}
RH_BEHAVIOUR(reader, reads, go);

RH_ACTOR(ticker);
RH_HANDLER(ticker, go)
{
    rh_timer("t", 5, tick, .value = 5);
    rh_timer("u", 9, tick, .value = 9);
}
RH_HANDLER(ticker, tick)
{
    write_number("ticker", msg->value);
}
RH_BEHAVIOUR(ticker, ticks, go, tick);

#define READS(name, ...)                                                                                               \
    RH_TEST(name, __VA_ARGS__)                                                                                         \
    {                                                                                                                  \
        rh_send(rh_spawn(reader), go);                                                                                 \
        rh_send(rh_spawn(ticker), go);                                                                                 \
    }
READS(reads_twice, STILL)
READS(reads_twice_with_pauses, STILL, .pauses = true)

static void note_log(struct rh_world *w, void *arg)
{
    assert_int_equal(rh_world_log_count(w), 1);
    assert_int_equal(rh_world_outcome(w)->kind, RH_OUTCOME_FINISHED);
    tally_add(arg, rh_world_log_line(w, 0).text);
}

static void a_handler_reads_the_same_time_twice(void **unused)
{
    (void)unused;
    struct tally t = { 0 };
    struct rh_world *w = open_test("reads_twice", NULL);
    every_run(w, 1000000, note_log, &t);
    tally_print(&t);
    assert_int_equal(t.count, 3);
    assert_true(tally_of(&t, "0 0") && tally_of(&t, "5 5") && tally_of(&t, "9 9"));
    rh_world_free(w);
}

static void with_pauses_time_passes_inside_a_handler(void **unused)
{
    (void)unused;
    struct tally t = { 0 };
    struct rh_world *w = open_test("reads_twice_with_pauses", NULL);
    every_run(w, 1000000, note_log, &t);
    assert_true(t.count > 3);
    assert_true(tally_of(&t, "0 5") && tally_of(&t, "5 9") && tally_of(&t, "0 9"));
    rh_world_free(w);
}

/* ---- who is due earlier acts earlier ----------------------------------------------------------------------------- */

RH_ACTOR(alarm_, int64_t at;);
RH_HANDLER(alarm_, go)
{
    rh_timer("a", state->at, tick, .value = (int)state->at);
}
RH_HANDLER(alarm_, tick)
{
    write_number("last", msg->value);
    rh_log("%d", msg->value);
}
RH_BEHAVIOUR(alarm_, rings, go, tick);

RH_TEST(three_alarms, STILL)
{
    rh_send(rh_spawn(alarm_, .at = 7), go);
    rh_send(rh_spawn(alarm_, .at = 7), go);
    rh_send(rh_spawn(alarm_, .at = 8), go);
}

struct orders {
    uint32_t late_setters, runs;
};

/* An alarm that was set at time 0 rings before all later ones.  One that was set later may be due later. */
static void note_alarms(struct rh_world *w, void *arg)
{
    struct orders *o = arg;
    o->runs++;
    assert_int_equal(rh_world_log_count(w), 3);
    bool eight_first = strcmp(rh_world_log_line(w, 0).text, "8") == 0;
    o->late_setters += eight_first;
}

static void an_earlier_timer_is_handled_before_a_later_one(void **unused)
{
    (void)unused;
    struct orders o = { 0, 0 };
    struct rh_world *w = open_test("three_alarms", NULL);
    /* All are set at once, before the clock moves: then the two of 7 come first, in either order. */
    step_by_text(w, "alarm_#1 takes go from test");
    step_by_text(w, "alarm_#2 takes go from test");
    step_by_text(w, "alarm_#3 takes go from test");
    every_run(w, 1000000, note_alarms, &o);
    print_message("%u runs\n", o.runs);
    assert_int_equal(o.late_setters, 0);
    assert_true(o.runs >= 4);
    rh_world_free(w);
}

/* ---- a lease client that is right --------------------------------------------------------------------------------
 *
 * The server gives a lease until time 10, and at time 10 to the other client.  A client that looks at the clock and
 * then writes to the table is right if handlers take no time. */

RH_ACTOR(client, int number; rh_ref server;);
RH_ACTOR(server, rh_ref first; rh_ref second;);

RH_HANDLER(client, lease)
{
    if (rh_now_ms() >= msg->until)
        return;
    int owner = 0;
    write_number("owner", state->number);
    rh_table_get(board, "owner", &owner, sizeof owner);
    rh_assert(owner == state->number);
}
RH_BEHAVIOUR(client, waits, lease);

RH_HANDLER(server, go)
{
    rh_send(state->first, lease, .until = 10);
    rh_timer("over", 10, expired);
}
RH_HANDLER(server, expired)
{
    rh_send(state->second, lease, .until = 20);
}
RH_BEHAVIOUR(server, serves, go, expired);

#define LEASE(name, ...)                                                                                               \
    RH_TEST(name, __VA_ARGS__)                                                                                         \
    {                                                                                                                  \
        rh_ref first = rh_spawn(client, .number = 1), second = rh_spawn(client, .number = 2);                          \
        rh_send(rh_spawn(server, .first = first, .second = second), go);                                               \
    }
LEASE(a_lease, STILL)
LEASE(a_lease_with_pauses, STILL, .pauses = true)

static uint64_t failures(const char *test, const char *explorer, enum rh_verdict *verdict)
{
    char error[256];
    struct rh_world_options options = { .test = find_test(test), .quiet = true };
    struct rh_world *w = rh_world_new(&options, error, sizeof error); /* runs begin in child processes only */
    struct rh__limits limits = { .max_runs = 20000, .keep_going = true };
    struct rh_exploration *x = rh__exploration_new(w, explorer, 1, &limits, error, sizeof error);
    if (!x)
        fail_msg("%s: %s", explorer, error);
    rh__explore(x);
    uint64_t failed = x->results->count.failed;
    *verdict = rh__exploration_verdict(x);
    rh__exploration_free(x);
    rh_world_free(w);
    return failed;
}

static void a_lease_client_that_is_right_passes_with_every_explorer(void **unused)
{
    (void)unused;
    static const char *const explorers[] = { "auto", "dfs",   "dpor",     "stateful", "random",          "pctcp", "pos",
                                             "pct",  "swarm", "weighted", "phases",   "delay(rtc, ses)", "urw" };
    for (size_t i = 0; i < sizeof explorers / sizeof *explorers; i++) {
        enum rh_verdict verdict;
        assert_int_equal(failures("a_lease", explorers[i], &verdict), 0);
        if (i < 4)
            assert_int_equal(verdict, RH_VERDICT_EXHAUSTIVE);
        if (failures("a_lease_with_pauses", explorers[i], &verdict) == 0)
            fail_msg("%s does not find that pauses break the lease", explorers[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_handler_reads_the_same_time_twice),
        cmocka_unit_test(with_pauses_time_passes_inside_a_handler),
        cmocka_unit_test(an_earlier_timer_is_handled_before_a_later_one),
        cmocka_unit_test(a_lease_client_that_is_right_passes_with_every_explorer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
