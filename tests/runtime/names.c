/* Names of actors, the registry, random numbers, the log. */
#include "helper.h"

RH_MESSAGE(grow, int depth;);
RH_MESSAGE(end_now);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char names[512], logged[256];
static _Atomic(uint64_t) numbers[4];

static void add_name(rh_ref who)
{
    pthread_mutex_lock(&lock);
    strcat(names, rh_name(who));
    strcat(names, " ");
    pthread_mutex_unlock(&lock);
}

RH_ACTOR(leaf);
RH_HANDLER(leaf, rh_start)
{
    rh_stop();
}
RH_BEHAVIOUR(leaf, open, rh_start);

RH_ACTOR(tree);
RH_HANDLER(tree, grow)
{
    add_name(self);
    if (msg->depth > 0) {
        add_name(rh_spawn(leaf));
        add_name(rh_spawn(leaf));
        rh_send(rh_spawn(tree), grow, .depth = msg->depth - 1);
    }
    rh_stop();
}
RH_BEHAVIOUR(tree, open, grow);

static void a_name_is_the_creator_the_type_and_the_how_manieth(void **unused)
{
    (void)unused;
    START(.threads = 1);
    rh_spawn(tree);
    rh_ref second = rh_spawn(tree);
    assert_string_equal(rh_name(second), "tree#2");
    assert_string_equal(rh_name(rh_nobody()), "nobody");
    rh_send(second, grow, .depth = 2);
    rh_runtime_wait_quiet();
    rh_runtime_stop();
    assert_string_equal(names, "tree#2 tree#2/leaf#1 tree#2/leaf#2 tree#2/tree#1 tree#2/tree#1/leaf#1 "
                               "tree#2/tree#1/leaf#2 tree#2/tree#1/tree#1 ");
}

RH_ACTOR(heir, int left;);
RH_HANDLER(heir, rh_start)
{
    if (state->left == 0)
        snprintf(names, sizeof names, "%s", rh_name(self));
    else
        rh_spawn(heir, .left = state->left - 1);
    rh_stop();
}
RH_BEHAVIOUR(heir, open, rh_start);

static void a_long_line_of_descent_keeps_names_short(void **unused)
{
    (void)unused;
    char first[512];
    for (int i = 0; i < 2; i++) {
        START(0);
        rh_spawn(heir, .left = 5000);
        finish();
        assert_in_range(strlen(names), 1, 511);
        assert_int_equal(names[0], '~');
        if (i == 0)
            strcpy(first, names);
    }
    assert_string_equal(first, names);
}

RH_ACTOR(server);
RH_HANDLER(server, end_now)
{
    rh_stop();
}
RH_BEHAVIOUR(server, open, end_now);

static void a_registered_name_is_found_until_its_owner_ends(void **unused)
{
    (void)unused;
    START(0);
    rh_ref one = rh_spawn(server), two = rh_spawn(server);
    assert_true(rh_is_nobody(rh_whereis("service")));
    assert_true(rh_register("service", one));
    assert_false(rh_register("service", two));
    assert_true(rh_same(rh_whereis("service"), one));
    assert_true(rh_unregister("service"));
    assert_false(rh_unregister("service"));
    assert_true(rh_register("service", two));
    assert_true(rh_register("other", two));
    rh_send(two, end_now);
    rh_runtime_wait_quiet();
    assert_true(rh_is_nobody(rh_whereis("service")));
    assert_true(rh_is_nobody(rh_whereis("other")));
    assert_false(rh_register("service", two));
    assert_string_equal(rh_name(two), "server#2"); /* it is still known by name */
    assert_true(rh_register("service", one));
    rh_send(one, end_now);
    finish();
    assert_int_equal(told.count, 0);
}

RH_ACTOR(gambler, int slot;);
RH_HANDLER(gambler, rh_start)
{
    numbers[state->slot] = rh_random();
    for (int i = 0; i < 1000; i++)
        rh_assert(rh_choose(3) < 3);
    rh_assert(rh_choose(1) == 0);
    rh_stop();
}
RH_BEHAVIOUR(gambler, open, rh_start);

static void random_numbers_follow_the_seed_and_the_actor(void **unused)
{
    (void)unused;
    for (int i = 0; i < 2; i++) {
        START(.seed = 7);
        rh_spawn(gambler, .slot = i * 2);
        rh_spawn(gambler, .slot = i * 2 + 1);
        finish();
        assert_int_equal(told.count, 0);
    }
    assert_true(numbers[0] == numbers[2] && numbers[1] == numbers[3]);
    assert_true(numbers[0] != numbers[1]);
}

static void keep_log(const char *actor, const char *text, void *arg)
{
    (void)arg;
    snprintf(logged, sizeof logged, "%s|%s", actor, text);
}

RH_ACTOR(talker);
RH_HANDLER(talker, end_now)
{
    rh_log("%d bottles", 3);
    rh_stop();
}
RH_BEHAVIOUR(talker, open, end_now);

static void log_lines_go_to_the_hook(void **unused)
{
    (void)unused;
    START(.on_log = keep_log);
    rh_send(rh_spawn(talker), end_now);
    rh_runtime_wait();
    assert_string_equal(logged, "talker#1|3 bottles");
    rh_log("outside");
    assert_string_equal(logged, "|outside");
    finish();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_is_the_creator_the_type_and_the_how_manieth),
        cmocka_unit_test(a_long_line_of_descent_keeps_names_short),
        cmocka_unit_test(a_registered_name_is_found_until_its_owner_ends),
        cmocka_unit_test(random_numbers_follow_the_seed_and_the_actor),
        cmocka_unit_test(log_lines_go_to_the_hook),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
