/* Chameneos: creatures come to a mall to meet.  The mall lets two of them meet, and both take the colour that the two
 * colours make together.  After a number of meetings the mall is closed, and each creature says how often it has met.
 *
 * Invariant: the creatures' counts add up to twice the number of meetings; two that meet have the same colour after
 * it.
 * Bug forgotten: when the mall closes it does not tell the creature that waits for another one. */
#include "../savina.h"

enum { MOST_CREATURES = 32, MOST_MEETINGS = 100000, COLOURS = 3 };

RH_MESSAGE(open_mall, int meetings; int creatures;);
RH_MESSAGE(mall_closed, int meetings; bool refused;);
RH_MESSAGE(arrive, int colour;);
RH_MESSAGE(meet, int colour; rh_ref other;);
RH_MESSAGE(closed);
RH_MESSAGE(report, int meetings; int colour;);

/* Equal colours stay; two different ones give the third. */
static int complement(int a, int b)
{
    return a == b ? a : COLOURS - a - b;
}

/* ---- creature ---------------------------------------------------------------------------------------------------- */
RH_ACTOR(creature, rh_ref mall; int colour; int meetings;);
RH_HANDLER(creature, rh_start)
{
    rh_send(state->mall, arrive, .colour = state->colour);
}
RH_HANDLER(creature, meet)
{
    rh_assert(!rh_same(msg->other, self), "a creature meets itself");
    state->colour = complement(state->colour, msg->colour);
    rh_assert(state->colour >= 0 && state->colour < COLOURS, "colour %d", state->colour);
    state->meetings++;
    rh_send(state->mall, arrive, .colour = state->colour);
}
RH_HANDLER(creature, closed)
{
    rh_send(state->mall, report, .meetings = state->meetings, .colour = state->colour);
    rh_stop();
}
RH_BEHAVIOUR(creature, walking, rh_start, meet, closed);

/* ---- mall -------------------------------------------------------------------------------------------------------- */
RH_ACTOR(mall, struct rh_request client; int meetings; int left; int creatures; int sum; rh_ref first; int first_colour;
         bool forgotten;);
RH_HANDLER(mall, open_mall)
{
    if (msg->creatures < 2 || msg->creatures > MOST_CREATURES || msg->meetings < 1 || msg->meetings > MOST_MEETINGS) {
        rh_reply(mall_closed, .refused = true);
        return;
    }
    *state = (struct mall){
        .meetings = msg->meetings, .left = msg->meetings, .creatures = msg->creatures, .forgotten = state->forgotten
    };
    state->client = rh_keep_request();
    for (int i = 0; i < msg->creatures; i++)
        rh_spawn(creature, .mall = self, .colour = i % COLOURS);
    rh_become(mall, open);
}
RH_HANDLER(mall, arrive)
{
    if (rh_is_nobody(state->first)) {
        state->first = rh_sender();
        state->first_colour = msg->colour;
        return;
    }
    rh_send(state->first, meet, .colour = msg->colour, .other = rh_sender());
    rh_reply(meet, .colour = state->first_colour, .other = state->first);
    state->first = rh_nobody();
    if (--state->left == 0)
        rh_become(mall, closing);
}
RH_HANDLER_AS(mall, arrive, too_late)
{
    if (state->forgotten && state->creatures % 2 && rh_is_nobody(state->first))
        state->first = rh_sender(); /* it waits for ever */
    else
        rh_reply(closed);
}
RH_HANDLER(mall, report)
{
    state->sum += msg->meetings;
    if (--state->creatures > 0)
        return;
    rh_assert(state->sum == 2 * state->meetings, "the creatures met %d times instead of %d", state->sum,
              2 * state->meetings);
    rh_reply_to(state->client, mall_closed, .meetings = state->meetings);
    rh_become(mall, ready);
}
RH_HANDLER(mall, stop)
{
    rh_stop();
}
RH_BEHAVIOUR(mall, ready, open_mall, stop);
RH_BEHAVIOUR(mall, open, arrive, RH_DEFER(open_mall), RH_DEFER(stop));
RH_BEHAVIOUR(mall, closing, RH_ON(arrive, too_late), report, RH_DEFER(open_mall), RH_DEFER(stop));

/* ---- driver ------------------------------------------------------------------------------------------------------ */
RH_PROCESS(driver, int creatures; int meetings; bool forgotten;);
RH_BODY(driver)
{
    rh_ref m = rh_spawn(mall, .forgotten = state->forgotten);
    const struct mall_closed *r =
        rh_ask(m, open_mall, mall_closed, .meetings = state->meetings, .creatures = state->creatures);
    rh_assert(!r->refused && r->meetings == state->meetings);
    rh_log("chameneos: %d meetings", r->meetings);
    rh_send(m, stop);
}

#ifdef SAVINA_PRODUCTION
SAVINA_PRODUCTION_MAIN(driver, .creatures = 20, .meetings = 5000)
#else
RH_PARAM(creatures, "3", "how many creatures there are");
RH_PARAM(meetings, "2", "how many meetings there are until the mall closes");
RH_BUG(forgotten, "the mall does not tell a creature that waits that it has closed");

RH_TEST(all_meetings_take_place)
{
    rh_spawn(driver, .creatures = (int)rh_param("creatures", 3), .meetings = (int)rh_param("meetings", 2),
             .forgotten = rh_bug("forgotten"));
}

static bool is_small(const struct open_mall *m)
{
    return m->creatures <= 5 && m->meetings <= 4;
}
RH_TEST(anybody_may_open_the_mall, .outside = 2, .outside_values = 40)
{
    rh_open(rh_spawn(mall, .forgotten = rh_bug("forgotten")), open_mall, .when = is_small);
}

RH_MAIN()
#endif
