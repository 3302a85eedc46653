/* Compiled as C++17 and C++20: the same headers from C++, fields in order or, from C++20 on, by name. */
#include <rehearse.h>
#include <rehearse/test.h>

#if __cplusplus >= 202002L
#define FIELD(name) .name =
#else
#define FIELD(name)
#endif

RH_MESSAGE(ping);
RH_MESSAGE(pong, int count;);

RH_ACTOR(echo, rh_ref peer; int seen;);
RH_HANDLER(echo, ping)
{
    state->seen++;
    rh_reply(pong, FIELD(count) state->seen);
}
RH_HANDLER(echo, pong)
{
    rh_assert(msg->count < 10, "count is %d", msg->count);
    rh_stop();
}
RH_BEHAVIOUR(echo, open, ping, pong);

RH_PROCESS(caller, rh_ref callee;);
RH_BODY(caller)
{
    const struct pong *answer = rh_ask(state->callee, ping, pong);
    rh_log("%d", answer->count);
}

RH_PROCESS(overseer, rh_ref callee;);
RH_BODY(overseer)
{
    struct pong value = { 1 };
    rh_spawn_link(caller, FIELD(callee) state->callee);
    rh_ref c = rh_spawn_monitor(caller);
    const struct rh_down *end = rh_join_within(10, c);
    const struct pong *result = rh_result(end ? end : rh_join(c), pong);
    rh_announce_value(pong, &value);
    rh_abstract("answers", value.count);
    if (!result && rh_send_to_name("echo", ping) && rh_send_to_name("echo", pong, FIELD(count) 1))
        rh_return(pong, FIELD(count) 2);
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
    rh_table_swap(seats, "a", &count, sizeof count, nullptr, 0);
    while (rh_table_next(members, key, key, sizeof key))
        count -= rh_table_remove(members, key);
    rh_assert(rh_table_count(members) == 0 && rh_table_get(seats, "a", &count, sizeof count) < 0);
    rh_assert(rh_table_insert_new(seats, "b", "", 0));
}

#if __cplusplus >= 202002L
RH_TEST(it_compiles_with_options, .crashes = 1, .may_crash = RH_ACTORS(echo, caller), .may_lose = RH_ACTORS(echo))
{
    rh_assume(rh_choose(2) == 0);
}
#endif

RH_TEST(it_compiles)
{
    rh_ref e = rh_spawn(echo);
    rh_send(rh_spawn(echo, FIELD(peer) e, FIELD(seen) 1), ping);
    rh_spawn(caller, FIELD(callee) e);
}
RH_MAIN()

RH_DESCRIBE(caller, "calls %s", rh_name(it->callee));
RH_DESCRIBE(ping, "a ping");

RH_SCENARIO(scenarios_compile)
{
    rh_ref e = rh_spawn(echo);
    rh_expect(ping);
    const struct pong *p = rh_allow(pong, FIELD(from) e, FIELD(to) e);
    rh_disallow(pong, FIELD(from) e, FIELD(to) e);
    rh_advance_time(p ? p->count : 10);
    rh_assert(rh_state_of(echo, e) != nullptr);
}
