/* The two tests with which [Concuerror 2013, VII] measures: attach_noping_test and attach_test. */
#include <rehearse/test.h>

#include "reg_server.h"

RH_MESSAGE(done);
RH_PROCESS(other, bool pings; int first; rh_ref test;);

RH_BODY(other)
{
    int second = ask_server(ATTACH);
    if (!state->pings)
        return;
    rh_assert(ask_server(PING) == second, "attached, but not known");
    rh_assert(state->first != second, "both have %d", second);
    rh_send(state->test, done);
}

/* Whoever comes to a server that has stopped is told so: every outcome is right. */
RH_TEST(attach_noping)
{
    start_server();
    ask_server(ATTACH);
    rh_spawn(other);
    rh_assert(ask_server(STOP) == DONE, "there is no server");
}

RH_TEST(attach)
{
    start_server();
    int first = ask_server(ATTACH);
    rh_spawn(other, .pings = true, .first = first, .test = self);
    rh_assert(ask_server(PING) == first, "attached, but not known");
    rh_receive(done);
    rh_assert(ask_server(STOP) == DONE, "there is no server");
}

RH_MAIN()
