/* A failure detector that never finds out.
 *
 * The detector pings two nodes with each tick.  A node that has not answered at two ticks is down.  With bug
 * `shared_count` there is one count for both nodes, and each answer of the node that is up sets it to 0. */
#include <rehearse/test.h>

RH_BUG(shared_count, "detector: one count of missing answers for all nodes");

RH_MESSAGE(ping);
RH_MESSAGE(pong);
RH_MESSAGE(tick);
RH_MESSAGE(fail);
RH_MESSAGE(failed);
RH_MESSAGE(detected);

RH_ACTOR(node, rh_ref detector; bool announces;);
RH_HANDLER(node, ping)
{
    rh_reply(pong);
}
RH_HANDLER(node, fail)
{
    rh_announce(failed);
    rh_become(node, down);
}
RH_BEHAVIOUR(node, up, ping, fail);
RH_BEHAVIOUR(node, down, RH_IGNORE(ping));

enum { NODES = 2, PATIENCE = 2 };
RH_ACTOR(detector, rh_ref nodes[NODES]; bool waits[NODES], down[NODES]; int missed[NODES]; bool one_count;);

static int *count_of(struct detector *state, int node)
{
    return &state->missed[state->one_count ? 0 : node];
}
RH_HANDLER(detector, tick)
{
    bool any = false;
    for (int i = 0; i < NODES; i++) {
        if (state->down[i])
            continue;
        if (!state->waits[i])
            rh_send(state->nodes[i], ping);
        else if (++*count_of(state, i) >= PATIENCE) {
            state->down[i] = true;
            rh_announce(detected);
        }
        state->waits[i] = true;
        any |= !state->down[i];
    }
    if (any)
        rh_timer("tick", 100, tick);
}
RH_HANDLER(detector, pong)
{
    for (int i = 0; i < NODES; i++)
        if (rh_same(state->nodes[i], rh_sender())) {
            state->waits[i] = false;
            *count_of(state, i) = 0;
        }
}
RH_BEHAVIOUR(detector, watching, tick, pong);

/* One failure, and some detection after it. */
RH_MONITOR(the_failure_is_detected);
RH_HANDLER(the_failure_is_detected, failed)
{
    rh_become(the_failure_is_detected, unknown);
}
RH_HANDLER(the_failure_is_detected, detected)
{
    rh_become(the_failure_is_detected, known);
}
RH_BEHAVIOUR(the_failure_is_detected, none, failed, detected);
RH_HOT_BEHAVIOUR(the_failure_is_detected, unknown, detected);
RH_BEHAVIOUR(the_failure_is_detected, known, RH_IGNORE(failed), RH_IGNORE(detected));

RH_TEST(detector)
{
    rh_observe(the_failure_is_detected);
    rh_ref one = rh_spawn(node), other = rh_spawn(node);
    rh_ref d = rh_spawn(detector, .nodes = { one, other }, .one_count = rh_bug("shared_count"));
    rh_send(d, tick);
    rh_send(other, fail);
}
