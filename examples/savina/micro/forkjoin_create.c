/* Fork and join, creation: a manager starts an actor for each number, and the actor's result is the number of steps
 * that the number needs to reach 1 (the Collatz problem).  The manager monitors its actors and reads their results
 * from rh_down.
 *
 * Invariant: each actor ends normally with a result, and the sum is that of a loop.
 * Bug unnumbered: the manager takes the k-th end for that of the k-th actor. */
#include "../savina.h"

enum { MOST_ACTORS = 256, MOST_STEPS = 1000 };

RH_MESSAGE(fork_all, int first; int actors;);
RH_MESSAGE(joined_all, int steps; int longest; bool refused;);
RH_MESSAGE(climb, int from;);
RH_MESSAGE(climbed, int from; int steps;);

static int steps_of(int number)
{
    int64_t n = number;
    int steps = 0;
    for (; n != 1 && steps < MOST_STEPS; steps++)
        n = n % 2 ? 3 * n + 1 : n / 2;
    return steps;
}

/* ---- climber ----------------------------------------------------------------------------------------------------- */
RH_ACTOR(climber);
RH_HANDLER(climber, climb)
{
    rh_return(climbed, .from = msg->from, .steps = steps_of(msg->from));
}
RH_BEHAVIOUR(climber, resting, climb);

/* ---- manager ----------------------------------------------------------------------------------------------------- */
RH_ACTOR(manager, struct rh_request client; int first; int actors; int ended; int steps; int longest; int most;
         bool unnumbered;);
RH_HANDLER(manager, fork_all)
{
    if (msg->first < 1 || msg->first > 1000000 || msg->actors < 1 || msg->actors > MOST_ACTORS) {
        rh_reply(joined_all, .refused = true);
        return;
    }
    *state = (struct manager){ .first = msg->first, .actors = msg->actors, .unnumbered = state->unnumbered };
    state->client = rh_keep_request();
    for (int i = 0; i < msg->actors; i++)
        rh_send(rh_spawn_monitor(climber), climb, .from = msg->first + i);
    rh_become(manager, joining);
}
RH_HANDLER(manager, rh_down)
{
    const struct climbed *c = rh_result(msg, climbed);
    rh_assert(c, "an actor ended without a result: %s", msg->reason);
    int from = state->unnumbered ? state->first + state->ended : c->from;
    rh_assert(steps_of(from) == c->steps, "%d needs %d steps", from, c->steps);
    state->steps += c->steps;
    if (c->steps > state->most || (c->steps == state->most && from < state->longest)) {
        state->most = c->steps;
        state->longest = from;
    }
    if (++state->ended == state->actors) {
        rh_reply_to(state->client, joined_all, .steps = state->steps, .longest = state->longest);
        rh_become(manager, ready);
    }
}
RH_HANDLER(manager, stop)
{
    rh_stop();
}
RH_BEHAVIOUR(manager, ready, fork_all, stop);
RH_BEHAVIOUR(manager, joining, rh_down, RH_DEFER(fork_all), RH_DEFER(stop));

/* ---- driver ------------------------------------------------------------------------------------------------------ */
RH_PROCESS(driver, int actors; bool unnumbered;);
RH_BODY(driver)
{
    int steps = 0;
    for (int i = 1; i <= state->actors; i++)
        steps += steps_of(i);
    rh_ref m = rh_spawn(manager, .unnumbered = state->unnumbered);
    const struct joined_all *r = rh_ask(m, fork_all, joined_all, .first = 1, .actors = state->actors);
    rh_assert(!r->refused && r->steps == steps, "%d steps instead of %d", r->steps, steps);
    rh_log("forkjoin_create: %d steps, most of them from %d", r->steps, r->longest);
    rh_send(m, stop);
}

#ifdef SAVINA_PRODUCTION
SAVINA_PRODUCTION_MAIN(driver, .actors = MOST_ACTORS)
#else
RH_PARAM(actors, "3", "how many actors are started");
RH_BUG(unnumbered, "the manager takes the order of ends for the order of starts");

RH_TEST(all_actors_are_joined)
{
    rh_spawn(driver, .actors = (int)rh_param("actors", 3), .unnumbered = rh_bug("unnumbered"));
}

static bool is_small(const struct fork_all *m)
{
    return m->actors <= 4;
}
RH_TEST(anybody_may_fork, .outside = 2, .outside_values = 40)
{
    rh_open(rh_spawn(manager, .unnumbered = rh_bug("unnumbered")), fork_all, .when = is_small);
}

RH_MAIN()
#endif
