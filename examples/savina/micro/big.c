/* Big: many actors, each of which pings others, one after the other, and answers the pings of others.
 *
 * Invariant: every ping is answered with its own number, each actor pings as often as asked, and as many pings are
 * answered as are sent.
 * Bug early_exit: an actor ends when its own pings are answered, although others may still ping it. */
#include "../savina.h"

enum { MOST_NODES = 32, MOST_PINGS = 10000 };

RH_MESSAGE(begin, int nodes; int pings; uint32_t seed;);
RH_MESSAGE(ended, int answered; bool refused;);
RH_MESSAGE(others, int count; rh_ref at[MOST_NODES];);
RH_MESSAGE(ping, int number;);
RH_MESSAGE(pong, int number;);
RH_MESSAGE(node_done);
RH_MESSAGE(node_answered, int count;);

/* ---- node -------------------------------------------------------------------------------------------------------- */
RH_ACTOR(node, rh_ref sink; int index; uint32_t random; int pings; int number; int answered; int count;
         rh_ref at[MOST_NODES]; bool early_exit;);

static void ping_another(struct node *state)
{
    state->random = state->random * 1664525 + 1013904223;
    int other = state->count == 1 ? 0 : (int)((state->random >> 8) % (uint32_t)(state->count - 1));
    if (state->count > 1 && other >= state->index)
        other++; /* not itself */
    rh_send(state->at[other], ping, .number = state->number);
}
RH_HANDLER(node, others)
{
    state->count = msg->count;
    for (int i = 0; i < msg->count; i++)
        state->at[i] = msg->at[i];
    ping_another(state);
}
RH_HANDLER(node, ping)
{
    state->answered++;
    rh_reply(pong, .number = msg->number);
}
RH_HANDLER(node, pong)
{
    rh_assert(msg->number == state->number, "pong %d for ping %d", msg->number, state->number);
    if (++state->number < state->pings) {
        ping_another(state);
        return;
    }
    rh_send(state->sink, node_done);
    if (state->early_exit) {
        rh_send(state->sink, node_answered, .count = state->answered);
        rh_stop();
    }
}
RH_HANDLER(node, stop)
{
    rh_send(state->sink, node_answered, .count = state->answered);
    rh_stop();
}
RH_BEHAVIOUR(node, busy, others, ping, pong, stop);

/* ---- sink -------------------------------------------------------------------------------------------------------- */
RH_ACTOR(sink, struct rh_request client; int nodes; int pings; int done; int heard; int answered; rh_ref at[MOST_NODES];
         bool early_exit;);
RH_HANDLER(sink, begin)
{
    if (msg->nodes < 1 || msg->nodes > MOST_NODES || msg->pings < 1 || msg->pings > MOST_PINGS) {
        rh_reply(ended, .refused = true);
        return;
    }
    *state = (struct sink){ .nodes = msg->nodes, .pings = msg->pings, .early_exit = state->early_exit };
    state->client = rh_keep_request();
    struct others all = { .count = msg->nodes };
    for (int i = 0; i < msg->nodes; i++)
        state->at[i] = all.at[i] = rh_spawn(node, .sink = self, .index = i, .random = msg->seed + (uint32_t)i,
                                            .pings = msg->pings, .early_exit = state->early_exit);
    for (int i = 0; i < msg->nodes; i++)
        rh_send_value(state->at[i], others, &all);
    rh_become(sink, waiting);
}
RH_HANDLER(sink, node_done)
{
    if (++state->done == state->nodes && !state->early_exit)
        for (int i = 0; i < state->nodes; i++)
            rh_send(state->at[i], stop);
}
RH_HANDLER(sink, node_answered)
{
    state->answered += msg->count;
    if (++state->heard < state->nodes)
        return;
    rh_assert(state->answered == state->nodes * state->pings, "%d pings are answered, %d were sent", state->answered,
              state->nodes * state->pings);
    rh_reply_to(state->client, ended, .answered = state->answered);
    rh_become(sink, ready);
}
RH_HANDLER(sink, stop)
{
    rh_stop();
}
RH_BEHAVIOUR(sink, ready, begin, stop);
RH_BEHAVIOUR(sink, waiting, node_done, node_answered, RH_DEFER(begin), RH_DEFER(stop));

/* ---- driver ------------------------------------------------------------------------------------------------------ */
RH_PROCESS(driver, int nodes; int pings; bool early_exit;);
RH_BODY(driver)
{
    rh_ref s = rh_spawn(sink, .early_exit = state->early_exit);
    const struct ended *r = rh_ask(s, begin, ended, .nodes = state->nodes, .pings = state->pings, .seed = 1);
    rh_assert(!r->refused && r->answered == state->nodes * state->pings);
    rh_log("big: %d pings answered", r->answered);
    rh_send(s, stop);
}

#ifdef SAVINA_PRODUCTION
SAVINA_PRODUCTION_MAIN(driver, .nodes = MOST_NODES, .pings = 500)
#else
RH_PARAM(nodes, "3", "how many actors there are");
RH_PARAM(pings, "1", "how often each of them pings another one");
RH_BUG(early_exit, "an actor ends although others may still ping it");

RH_TEST(every_ping_is_answered)
{
    rh_spawn(driver, .nodes = (int)rh_param("nodes", 3), .pings = (int)rh_param("pings", 1),
             .early_exit = rh_bug("early_exit"));
}

static bool is_small(const struct begin *m)
{
    return m->nodes <= 3 && m->pings <= 3;
}
RH_TEST(anybody_may_begin, .outside = 2, .outside_values = 40)
{
    rh_open(rh_spawn(sink, .early_exit = rh_bug("early_exit")), begin, .when = is_small);
}

RH_MAIN()
#endif
