/* Two clients that are too polite.
 *
 * Each client needs both of two forks.  A client that has one fork and cannot get the other one lays its fork down,
 * and tries again.  With bug `crossed` the clients begin with different forks: both take one, both lay it down, and
 * so on, although every message arrives.  If both begin with the same fork, one of them gets both.  The other one
 * still tries in vain for a while; that it does so for ever is not fair, because the first one can always go on. */
#include <rehearse/test.h>

RH_BUG(crossed, "retry: the clients begin with different forks");

RH_MESSAGE(take);
RH_MESSAGE(answer, bool yes;);
RH_MESSAGE(lay_down);
RH_MESSAGE(begins);
RH_MESSAGE(has_both);

RH_ACTOR(fork, bool taken;);
RH_HANDLER(fork, take)
{
    rh_reply(answer, .yes = !state->taken);
    state->taken = true;
}
RH_HANDLER(fork, lay_down)
{
    state->taken = false;
}
RH_BEHAVIOUR(fork, lying, take, lay_down);

RH_ACTOR(eater, rh_ref forks[2]; int has;);
RH_HANDLER(eater, rh_start)
{
    rh_announce(begins);
    rh_send(state->forks[0], take);
}
RH_HANDLER(eater, answer)
{
    if (msg->yes && ++state->has == 2) {
        rh_announce(has_both);
        return;
    }
    if (!msg->yes && state->has) {
        rh_send(state->forks[0], lay_down);
        state->has = 0;
    }
    rh_send(state->forks[state->has], take);
}
RH_BEHAVIOUR(eater, hungry, rh_start, answer);

RH_MONITOR(somebody_eats);
RH_HANDLER(somebody_eats, begins)
{
    rh_become(somebody_eats, all_hungry);
}
RH_HANDLER(somebody_eats, has_both)
{
    rh_become(somebody_eats, content);
}
RH_BEHAVIOUR(somebody_eats, before, begins);
RH_HOT_BEHAVIOUR(somebody_eats, all_hungry, RH_IGNORE(begins), has_both);
RH_BEHAVIOUR(somebody_eats, content, RH_IGNORE(begins), RH_IGNORE(has_both));

RH_TEST(retry)
{
    rh_observe(somebody_eats);
    rh_ref a = rh_spawn(fork), b = rh_spawn(fork);
    bool crossed = rh_bug("crossed");
    rh_spawn(eater, .forks = { a, b });
    rh_spawn(eater, .forks = { crossed ? b : a, crossed ? a : b });
}
