/* Compiled only: no two declarations come to the same name, whatever they are called. */
#include <rehearse/test.h>

RH_PARAM(first, "1", "as a function");
RH_PARAM(register_x, "1", "as what registers x");
RH_PARAM(entry_x, "1", "as what describes x");
RH_PARAM(x, "1", "plain");
RH_BUG(first, "as a function");
RH_BUG(register_x, "as what registers x");
RH_BUG(x, "plain");
RH_TABLE(first);
RH_TABLE_ORDERED(of_first);

/* The parts of a handler's, behaviour's or body's name are joined in one way only. */
RH_MESSAGE(ping);
RH_MESSAGE(client_ping);
RH_ACTOR(store);
RH_ACTOR(store_client);
RH_HANDLER(store, client_ping)
{
    rh_become(store, client_open);
}
RH_HANDLER(store_client, ping)
{
    rh_become(store_client, open);
}
RH_BEHAVIOUR(store, client_open, client_ping);
RH_BEHAVIOUR(store_client, open, ping);
RH_PROCESS(store_open);
RH_BODY(store_open)
{
}
RH_BEHAVIOUR(store, open, client_ping);
RH_PROCESS(fn);
RH_BODY(fn)
{
}
RH_PROCESS(register_);
RH_BODY(register_)
{
}
RH_PROCESS(add_fn);
RH_BODY(add_fn)
{
}

RH_TEST(first)
{
}
RH_TEST(x)
{
    rh_spawn(fn);
}
RH_TEST(register_x)
{
}
RH_TEST(register_)
{
}
RH_TEST(entry_x)
{
}
RH_TEST(body_x)
{
}
RH_TEST(add_x)
{
}
RH_MAIN()
