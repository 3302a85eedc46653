/* A line that the server has promised to deliver is read, and a user who is logged on can be talked to. */
#include <rehearse/test.h>

#include "messenger.h"

RH_PARAM(talkers, "1", "how many talk to the one who listens");
RH_PARAM(lines, "2", "how many lines each of them sends");
RH_BUG(hasty, "the listener leaves before it has been logged off");
RH_BUG(by_name, "the end of an old session closes a new one of the same name");

/* A run must not end while a promised line is not read. */
RH_MONITOR(post, int owed;);
RH_HANDLER(post, promised)
{
    state->owed++;
    rh_become(post, owing);
}
RH_HANDLER(post, was_read)
{
    if (--state->owed == 0)
        rh_become(post, even);
}
RH_BEHAVIOUR(post, even, promised);
RH_HOT_BEHAVIOUR(post, owing, promised, was_read);

static const struct name bob = { "bob" };

static rh_ref start(void)
{
    rh_ref s = rh_spawn(server, .by_name = rh_bug("by_name"));
    rh_register("messenger", s);
    rh_observe(post);
    return s;
}

RH_TEST(no_line_is_lost)
{
    static const struct name talkers[] = { { "ann" }, { "cat" }, { "dan" }, { "eve" } };
    int n = (int)rh_param("talkers", 1);
    rh_assert(n >= 0 && n <= 4, "0 to 4 talkers, not %d", n);
    start();
    rh_spawn(listener, .name = bob, .hasty = rh_bug("hasty"));
    for (int i = 0; i < n; i++)
        rh_spawn(talker, .name = talkers[i], .to = bob, .lines = (int)rh_param("lines", 2));
}

/* Bob comes back: the test itself is his second session. */
RH_TEST(who_is_logged_on_can_be_talked_to)
{
    rh_ref s = start();
    rh_ref first = rh_spawn(listener, .name = bob);
    rh_monitor(first);
    rh_receive(rh_down);
    rh_assert(rh_ask(s, logon, answer, .name = bob)->yes, "bob cannot log on again");
    rh_assert(rh_ask(s, say, answer, .to = bob, .line = 1)->yes, "bob is logged on, but the server does not know him");
    rh_announce(was_read, .line = rh_receive(said)->line);
    rh_ask(s, logoff, answer);
}

RH_MAIN()
