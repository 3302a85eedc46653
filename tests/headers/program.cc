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

RH_TEST(it_compiles)
{
    rh_ref e = rh_spawn(echo);
    rh_send(rh_spawn(echo, FIELD(peer) e, FIELD(seen) 1), ping);
    rh_spawn(caller, FIELD(callee) e);
}
RH_MAIN()
