/* Thread ring: a token goes round a ring of passers and counts down; who gets 0 tells the coordinator.
 *
 * Invariant: the token is passed on as often as asked, and ends at passer (hops mod passers).
 * Bug careless: a passer sends the token on although it may not know its neighbour yet (TAP, Figure 12).  The message
 * with the neighbour comes from the coordinator, the token from another passer: it may be faster.  Without the bug a
 * passer keeps such a token until it knows its neighbour. */
#include "../savina.h"

enum { MOST_PASSERS = 64, MOST_HOPS = 1000000 };

RH_MESSAGE(run_ring, int passers; int hops;);
RH_MESSAGE(ring_done, int last; bool refused;);
RH_MESSAGE(neighbour, rh_ref next;);
RH_MESSAGE(token, int hops; int passed;);
RH_MESSAGE(home, int last; int passed;);

/* ---- passer ------------------------------------------------------------------------------------------------------ */
RH_ACTOR(passer, rh_ref coordinator; rh_ref next; int number; bool careless; bool kept; int hops; int passed;);

static void pass(const struct passer *state, int hops, int passed)
{
    if (hops == 0)
        rh_send(state->coordinator, home, .last = state->number, .passed = passed);
    else
        rh_send(state->next, token, .hops = hops - 1, .passed = passed + 1);
}
RH_HANDLER(passer, neighbour)
{
    state->next = msg->next;
    if (state->kept)
        pass(state, state->hops, state->passed);
    state->kept = false;
}
RH_HANDLER(passer, token)
{
    if (rh_is_nobody(state->next) && !state->careless) {
        state->kept = true;
        state->hops = msg->hops;
        state->passed = msg->passed;
    } else {
        pass(state, msg->hops, msg->passed);
    }
}
RH_HANDLER(passer, stop)
{
    rh_stop();
}
RH_BEHAVIOUR(passer, passing, neighbour, token, stop);

/* ---- coordinator ------------------------------------------------------------------------------------------------- */
RH_ACTOR(coordinator, struct rh_request client; int passers; int hops; rh_ref ring[MOST_PASSERS]; bool careless;);
RH_HANDLER(coordinator, run_ring)
{
    int n = msg->passers;
    if (n < 1 || n > MOST_PASSERS || msg->hops < 0 || msg->hops > MOST_HOPS) {
        rh_reply(ring_done, .refused = true);
        return;
    }
    state->client = rh_keep_request();
    state->passers = n;
    state->hops = msg->hops;
    for (int i = 0; i < n; i++)
        state->ring[i] = rh_spawn(passer, .coordinator = self, .number = i, .careless = state->careless);
    for (int i = 0; i < n; i++)
        rh_send(state->ring[i], neighbour, .next = state->ring[(i + 1) % n]);
    rh_send(state->ring[0], token, .hops = msg->hops);
    rh_become(coordinator, waiting);
}
RH_HANDLER(coordinator, home)
{
    rh_assert(msg->passed == state->hops, "passed on %d times instead of %d", msg->passed, state->hops);
    rh_assert(msg->last == state->hops % state->passers, "the token ends at passer %d", msg->last);
    for (int i = 0; i < state->passers; i++)
        rh_send(state->ring[i], stop);
    rh_reply_to(state->client, ring_done, .last = msg->last);
    rh_become(coordinator, ready);
}
RH_HANDLER(coordinator, stop)
{
    rh_stop();
}
RH_BEHAVIOUR(coordinator, ready, run_ring, stop);
RH_BEHAVIOUR(coordinator, waiting, home, RH_DEFER(run_ring), RH_DEFER(stop));

/* ---- driver ------------------------------------------------------------------------------------------------------ */
RH_PROCESS(driver, int passers; int hops; bool careless;);
RH_BODY(driver)
{
    rh_ref c = rh_spawn(coordinator, .careless = state->careless);
    const struct ring_done *r = rh_ask(c, run_ring, ring_done, .passers = state->passers, .hops = state->hops);
    rh_assert(!r->refused && r->last == state->hops % state->passers);
    rh_log("threadring: %d hops, the last passer is %d", state->hops, r->last);
    rh_send(c, stop);
}

#ifdef SAVINA_PRODUCTION
SAVINA_PRODUCTION_MAIN(driver, .passers = MOST_PASSERS, .hops = 20000)
#else
RH_PARAM(passers, "4", "how many passers are in the ring");
RH_PARAM(hops, "6", "how often the token is passed on");
RH_BUG(careless, "a passer sends the token on before it knows to whom (TAP, Figure 12)");

RH_TEST(the_token_comes_home)
{
    rh_spawn(driver, .passers = (int)rh_param("passers", 4), .hops = (int)rh_param("hops", 6),
             .careless = rh_bug("careless"));
}

static bool is_small(const struct run_ring *m)
{
    return m->passers <= 4 && m->hops <= 10;
}
RH_TEST(anybody_may_start_a_ring, .outside = 2, .outside_values = 40)
{
    rh_open(rh_spawn(coordinator, .careless = rh_bug("careless")), run_ring, .when = is_small);
}

RH_MAIN()
#endif
