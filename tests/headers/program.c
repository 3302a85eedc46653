/* Compiled as strict C11 with all warnings: what a program and its test write must not trip over the public macros. */
#include <rehearse.h>
#include <rehearse/test.h>

RH_MESSAGE(ping);
RH_MESSAGE(pong, int count; char text[8];);
RH_MESSAGE_DEFERRED(later, rh_ref who;);
RH_MESSAGE_IGNORED(noise);

RH_ACTOR(echo, rh_ref peer; int seen;);
RH_HANDLER(echo, ping)
{
    state->seen++;
    rh_reply(pong, .count = state->seen, .text = "hello");
    rh_become(echo, closed);
}
RH_HANDLER_AS(echo, pong, quietly)
{
    rh_assert(msg->count >= 0);
    rh_assert(msg->count < 10, "count is %d", msg->count);
    rh_timer("tick", 5, ping);
    rh_stop();
}
RH_BEHAVIOUR(echo, open, ping, RH_ON(pong, quietly), RH_DEFER(later));
RH_BEHAVIOUR(echo, closed, RH_IGNORE(ping), RH_ON(pong, quietly));
RH_BEHAVIOUR(echo, voting, RH_SETS_OF(ping, seen), RH_ON(pong, quietly));

RH_PROCESS(caller, rh_ref callee;);
RH_BODY(caller)
{
    const struct pong *answer = rh_ask(state->callee, ping, pong);
    rh_log("%d", answer->count);
    answer = rh_receive(pong, .from = state->callee, .timeout_ms = 10);
    const struct rh_envelope *any = rh_receive_any(.types = RH_TYPES(ping, pong), .timeout_ms = RH_POLL);
    const struct rh_envelope *set = rh_receive_set(2, pong, .from = state->callee, .timeout_ms = 10);
    set = rh_receive_set_any(2, .types = RH_TYPES(ping, pong));
    set = rh_receive_set_next(2);
    rh_turn_to(&set[1]);
    set = rh_receive_set(2, pong);
    rh_always("typed", !any || rh_as(any, ping) || rh_as(any, pong));
    rh_cover("the end");
    if (!answer)
        rh_exit("late");
}

RH_MONITOR(auditor);
RH_HANDLER(auditor, pong)
{
}
RH_BEHAVIOUR(auditor, watching, pong);
RH_PROCESS(overseer, rh_ref callee;);
RH_BODY(overseer)
{
    struct pong value = { .count = 1 };
    rh_spawn_link(caller, .callee = state->callee);
    rh_ref c = rh_spawn_monitor(caller);
    const struct rh_down *end = rh_join_within(10, c);
    const struct pong *result = rh_result(end ? end : rh_join(c), pong);
    rh_announce_value(pong, &value);
    rh_abstract("answers", value.count);
    if (!result && rh_send_to_name("echo", ping) && rh_send_to_name("echo", later, .who = self))
        rh_return(pong, .count = 2);
    rh_return_value(pong, &value);
}

RH_TABLE(seats);
RH_TABLE_ORDERED(members);
RH_PROCESS(clerk);
RH_BODY(clerk)
{
    int64_t count = rh_table_add(seats, "sold", 1);
    char key[RH_TABLE_KEY_SIZE] = "";
    rh_table_put(seats, "a", &count, sizeof count);
    rh_table_swap(seats, "a", &count, sizeof count, NULL, 0);
    while (rh_table_next(members, key, key, sizeof key))
        count -= rh_table_remove(members, key);
    rh_assert(rh_table_count(members) == 0 && rh_table_get(seats, "a", &count, sizeof count) < 0);
    rh_assert(rh_table_insert_new(seats, "b", "", 0));
}

RH_TEST(it_compiles)
{
    rh_ref e = rh_spawn(echo);
    rh_send(rh_spawn(echo, .peer = e, .seen = 1), later, .who = e);
    rh_send_from(rh_external("user"), e, noise);
}
RH_TEST(it_compiles_with_options, .model = RH_BAG, .losses = 1, .crashes = 1, .may_crash = RH_ACTORS(echo, caller),
        .may_lose = RH_ACTORS(echo))
{
    rh_assume(rh_choose(2) == 0);
    rh_spawn(caller, .callee = rh_spawn(echo));
}
RH_MAIN()

RH_STATE_HASH(caller)
{
    rh_state_add(hash, &state->callee, sizeof state->callee);
    rh_state_add_any(hash, "x", 1);
}

struct pair_of_numbers {
    int left, right;
};
RH_DESCRIBE(pair_of_numbers, "%d and %d", it->left, it->right);
RH_DESCRIBE(caller, "calls %s", rh_name(it->callee));
RH_DESCRIBE(ping, "a ping");

RH_SCENARIO(scenarios_compile, .time = RH_TIME_ORDERED)
{
    rh_ref e = rh_spawn(echo);
    rh_send(e, ping);
    rh_expect(ping);
    const struct pong *p = rh_allow(pong, .from = e, .to = e);
    rh_disallow(pong, .to = e);
    rh_advance_time(p ? p->count : 10);
    rh_assert(rh_state_of(echo, e) != NULL);
}
