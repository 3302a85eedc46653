/* Calls that make no sense are told, with the place, and nothing else happens. */
#include "helper.h"

RH_MESSAGE(go);
RH_MESSAGE(huge, char bytes[2 << 20];);

RH_TABLE_ORDERED(things);

static _Atomic(int) done;
static struct huge huge_value;

RH_MONITOR(observer);
RH_HANDLER(observer, go)
{
}
RH_BEHAVIOUR(observer, open, go);

RH_ACTOR(victim, void (*act)(rh_ref self););
RH_HANDLER(victim, go)
{
    state->act(self);
    done++;
    rh_stop();
}
RH_BEHAVIOUR(victim, open, go);

RH_PROCESS(bodyless);
RH_ACTOR(actorless);

/* Lets an actor do it, and expects one misuse with these words; the actor goes on. */
static void inside(void (*act)(rh_ref self), const char *words)
{
    START(0);
    done = 0;
    rh_send(rh_spawn(victim, .act = act), go);
    finish();
    assert_int_equal(done, 1);
    expect_told(1, "misuse", words);
    assert_string_equal(told.actor, "victim#1");
    assert_non_null(strstr(told.place, "misuse.c:"));
}

static void send_to_nobody(rh_ref self)
{
    (void)self;
    rh_send(rh_nobody(), go);
}
static void send_to_no_actor(rh_ref self)
{
    rh_ref wrong = { self.id + 12345 };
    rh_send(wrong, go);
}
static void send_to_a_later_generation(rh_ref self)
{
    rh_ref wrong = { self.id + ((uint64_t)2 << 32) };
    rh_send(wrong, go);
}
static void send_to_an_even_generation(rh_ref self)
{
    rh_ref wrong = { self.id + ((uint64_t)1 << 32) };
    rh_send(wrong, go);
}
static void send_too_much(rh_ref self)
{
    rh_send_(self, &rh_message_huge, &huge_value, NULL, 0, RH_HERE);
}
static void send_too_long_a_tail(rh_ref self)
{
    rh_send_with(self, &huge_value, SIZE_MAX - 4, go);
}
static void send_as_another(rh_ref self)
{
    rh_send_from(self, self, go);
}
static void ask_oneself(rh_ref self)
{
    rh_assert(rh_ask(self, go, go) == NULL);
}
static void ask_nobody(rh_ref self)
{
    (void)self;
    rh_assert(rh_ask(rh_nobody(), go, go) == NULL);
}
static void link_nobody(rh_ref self)
{
    (void)self;
    rh_link(rh_nobody());
}
static void watch_external(rh_ref self)
{
    (void)self;
    rh_monitor(rh_external("user"));
}
static void kill_no_actor(rh_ref self)
{
    rh_kill((rh_ref){ self.id + 999 }, "x");
}
static void register_null(rh_ref self)
{
    rh_register(NULL, self);
}
static void find_null(rh_ref self)
{
    (void)self;
    rh_assert(rh_is_nobody(rh_whereis(NULL)));
}
static void timer_null(rh_ref self)
{
    (void)self;
    rh_timer(NULL, 1, go);
}
static void timer_in_the_past(rh_ref self)
{
    (void)self;
    rh_timer("t", -1, go);
}
static void choose_of_nothing(rh_ref self)
{
    (void)self;
    rh_choose(0);
}
static void spawn_a_monitor(rh_ref self)
{
    (void)self;
    rh_assert(rh_is_nobody(rh_spawn(observer)));
}
static void spawn_without_body(rh_ref self)
{
    (void)self;
    rh_assert(rh_is_nobody(rh_spawn(bodyless)));
}
static void spawn_without_behaviour(rh_ref self)
{
    (void)self;
    rh_assert(rh_is_nobody(rh_spawn(actorless)));
}
static void stop_the_runtime(rh_ref self)
{
    (void)self;
    rh_runtime_stop();
}

static void inside_an_actor_it_is_told_and_the_actor_goes_on(void **unused)
{
    (void)unused;
    inside(send_to_nobody, "go is sent to nobody");
    inside(send_to_no_actor, "never existed");
    inside(send_to_a_later_generation, "never existed");
    inside(send_to_an_even_generation, "never existed");
    inside(send_too_much, "max_message_bytes (1048576)");
    inside(send_too_long_a_tail, "max_message_bytes");
    inside(send_as_another, "rh_send_from");
    inside(ask_oneself, "asks itself (rh_ask)");
    inside(ask_nobody, "go is sent to nobody");
    inside(link_nobody, "rh_link of nobody");
    inside(watch_external, "rh_monitor of an external sender");
    inside(kill_no_actor, "rh_kill of an actor that never existed");
    inside(register_null, "rh_register without a name");
    inside(find_null, "rh_whereis without a name");
    inside(timer_null, "rh_timer without a name");
    inside(timer_in_the_past, "negative delay");
    inside(choose_of_nothing, "rh_choose of nothing");
    inside(spawn_a_monitor, "observer is a monitor");
    inside(spawn_without_body, "bodyless has no body");
    inside(spawn_without_behaviour, "actorless has no behaviour");
}

static void the_runtime_cannot_be_stopped_from_inside(void **unused)
{
    (void)unused;
    START(0);
    rh_send(rh_spawn(victim, .act = stop_the_runtime), go);
    finish();
    expect_told(1, "misuse", "rh_runtime_stop was called inside an actor");
}

RH_PROCESS(stopper);
RH_BODY(stopper)
{
    rh_stop();
    done++;
}

static void a_process_is_not_stopped(void **unused)
{
    (void)unused;
    START(0);
    done = 0;
    rh_spawn(stopper);
    finish();
    assert_int_equal(done, 1);
    expect_told(1, "misuse", "rh_stop is for actors");
}

static void outside_of_actors_it_is_told_and_gives_nothing(void **unused)
{
    (void)unused;
    START(0);
    rh_ref v = rh_spawn(victim, .act = send_to_nobody);
    assert_null(rh_receive(go));
    expect_told(1, "misuse", "rh_receive was called outside of an actor");
    assert_string_equal(told.actor, "");
    assert_null(rh_ask(v, go, go));
    rh_reply(go);
    rh_forward(v);
    rh_stop();
    rh_sleep(1000000);
    rh_kill(v, "x");
    rh_link(v);
    rh_monitor(v);
    rh_trap_exits(true);
    rh_timer("t", 1, go);
    assert_false(rh_timer_cancel("t"));
    assert_int_equal(rh_choose(5), 0);
    rh_store_open("k");
    assert_int_equal(rh_store_put("k", "v", 1), 0);
    assert_int_equal(rh_store_get("k", NULL, 0), -1);
    rh_store_sync();
    rh_become(victim, open);
    assert_int_equal(told.count, 18);
    assert_true(rh_is_nobody(rh_self()));
    assert_true(rh_is_nobody(rh_sender()));
    assert_null(rh_tail(NULL));
    assert_true(rh_is_nobody(rh_observe(observer)));
    rh_announce(go);
    rh_abstract("nothing", 1);
    rh_sometimes("nothing", false);
    assert_int_equal(rh_param("nothing", 5), 5);
    assert_int_equal(told.count, 18);
    rh_runtime_stop();
}

static void without_a_runtime_calls_give_nothing(void **unused)
{
    (void)unused;
    START(0);
    rh_ref v = rh_spawn(victim, .act = send_to_nobody);
    rh_runtime_stop();
    rh_runtime_stop();
    assert_true(rh_is_nobody(rh_spawn(victim)));
    assert_false(rh_alive(v));
    assert_string_equal(rh_name(v), "nobody");
    assert_false(rh_register("x", v));
    assert_false(rh_table_put(things, "x", "", 0));
    assert_false(rh_table_remove(things, "x"));
    assert_int_equal(rh_table_get(things, "x", NULL, 0), -1);
    assert_int_equal(rh_table_add(things, "x", 1), 0);
    assert_int_equal(rh_table_count(things), 0);
    assert_false(rh_table_next(things, NULL, NULL, 0));
    rh_send(v, go);
    rh_runtime_wait();
    rh_runtime_wait_quiet();
    assert_null(rh_receive(go));
    assert_int_equal(rh_runtime_count().actors_spawned, 1);
}

static void options_that_cannot_be_are_refused(void **unused)
{
    (void)unused;
    assert_false(rh_runtime_start(&(struct rh_runtime_options){ .overflow = (enum rh_overflow)9 }));
    assert_false(rh_runtime_start(&(struct rh_runtime_options){ .store_folder = "/proc/nothing/here" }));
    START(0);
    assert_false(rh_runtime_start(NULL)); /* one at a time */
    rh_runtime_stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inside_an_actor_it_is_told_and_the_actor_goes_on),
        cmocka_unit_test(the_runtime_cannot_be_stopped_from_inside),
        cmocka_unit_test(a_process_is_not_stopped),
        cmocka_unit_test(outside_of_actors_it_is_told_and_gives_nothing),
        cmocka_unit_test(without_a_runtime_calls_give_nothing),
        cmocka_unit_test(options_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
