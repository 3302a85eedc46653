/* See threadring.h.  The coordinator tells every passer its neighbour, and then gives the token to the first passer.
 * Its messages to one passer arrive in order, but the token, on its way round, may be faster than its message to the
 * next.
 *
 * A passer defers the token until it knows its neighbour.  A careless passer sends the token on at once (Figure 12); a
 * careless passer that checks for nobody, the fix that the paper suggests, drops the token instead. */
#include "threadring.h"

/* ---- passer ------------------------------------------------------------------------------------------------------ */
static void pass(rh_ref next, const struct token *t)
{
    if (t->hops == 0)
        rh_send(t->home, came_home);
    else
        rh_send(next, token, .hops = t->hops - 1, .home = t->home);
}

RH_HANDLER(passer, neighbour)
{
    state->next = msg->next;
    rh_become(passer, in_the_ring);
}
RH_HANDLER(passer, token)
{
    pass(state->next, msg);
}
RH_BEHAVIOUR(passer, alone, neighbour, RH_DEFER(token));
RH_BEHAVIOUR(passer, in_the_ring, token);

/* ---- careless passer --------------------------------------------------------------------------------------------- */
RH_HANDLER(careless_passer, neighbour)
{
    state->next = msg->next;
}
RH_HANDLER(careless_passer, token)
{
    if (!state->checks || !rh_is_nobody(state->next))
        pass(state->next, msg);
}
RH_BEHAVIOUR(careless_passer, passing, neighbour, token);

/* ---- coordinator ------------------------------------------------------------------------------------------------- */
RH_BODY(coordinator)
{
    rh_ref ring[MOST_PASSERS];
    int n = state->passers;
    rh_assert(n >= 1 && n <= MOST_PASSERS, "1 to %d passers, not %d", MOST_PASSERS, n);
    for (int i = 0; i < n; i++)
        ring[i] = state->careless ? rh_spawn(careless_passer, .checks = state->checks) : rh_spawn(passer);
    for (int i = 0; i < n; i++)
        rh_send(ring[i], neighbour, .next = ring[(i + 1) % n]);
    rh_send(ring[0], token, .hops = state->hops, .home = self);
    rh_receive(came_home);
}
