/* After a crash an actor begins a new life, and nothing of the old one reaches it: no reply to a question of then, no
 * second rh_start, no rh_stored of writes it does not know of, no message of timers it had set. */
#include "conformance/support/harness.h"

RH_MESSAGE(go);
RH_MESSAGE(question, uint32_t life;);
RH_MESSAGE(answer, uint32_t life;);
RH_MESSAGE(tick, int life;);

#define BAG_WITH_CRASH                                                                                                 \
    {                                                                                                                  \
        .model = RH_BAG, .crashes = 1, .restarts = 1                                                                   \
    }

/* ---- replies ----------------------------------------------------------------------------------------------------- */
RH_ACTOR(server);
RH_HANDLER(server, question)
{
    rh_reply(answer, .life = msg->life);
}
RH_BEHAVIOUR(server, serving, question);

RH_ACTOR(client, rh_ref server;);
RH_HANDLER(client, rh_start)
{
    const struct answer *a = rh_ask_within(50, state->server, question, answer, .life = msg->restarts);
    if (a)
        say("%u=%u", msg->restarts, a->life);
    else
        say("%u none", msg->restarts);
}
RH_BEHAVIOUR(client, asking, rh_start);
PROGRAM(a_reply_to_an_earlier_life_is_dropped, .semantics = BAG_WITH_CRASH,
        .allowed = { "client#1: 0=0", "client#1: 0 none", "client#1: 1=1", "client#1: 1 none", "client#1: 0=0 1=1",
                     "client#1: 0=0 1 none", "client#1: 0 none 1=1", "client#1: 0 none 1 none" })
{
    rh_spawn(client, .server = rh_spawn(server));
}

/* The same where the second life does not ask: nobody waits for the reply. */
RH_ACTOR(asks_once, rh_ref server;);
RH_HANDLER(asks_once, rh_start)
{
    if (msg->restarts == 0)
        rh_ask_within(50, state->server, question, answer);
    say("%u", msg->restarts);
}
RH_BEHAVIOUR(asks_once, asking, rh_start);
PROGRAM(a_reply_nobody_waits_for_is_dropped, .semantics = BAG_WITH_CRASH,
        .allowed = { "asks_once#1: 0", "asks_once#1: 0 1", "asks_once#1: 1" })
{
    rh_spawn(asks_once, .server = rh_spawn(server));
}

/* ---- rh_start ---------------------------------------------------------------------------------------------------- */
RH_ACTOR(starter, int started;);
RH_HANDLER(starter, rh_start)
{
    rh_assert(++state->started == 1, "rh_start came %d times to one life", state->started);
    say("%u", msg->restarts);
}
RH_BEHAVIOUR(starter, starting, rh_start);
PROGRAM(each_life_starts_once, .semantics = BAG_WITH_CRASH,
        .allowed = { "starter#1: 0", "starter#1: 1", "starter#1: 0 1" })
{
    rh_spawn(starter);
}

/* With the state it had it starts again as well, once. */
RH_ACTOR(keeper, int started;);
RH_HANDLER(keeper, rh_start)
{
    state->started++;
    say("%u", msg->restarts);
}
RH_BEHAVIOUR(keeper, starting, rh_start);
PROGRAM(each_life_with_kept_state_starts_once, .semantics = { .model = RH_BAG, .crashes = 1, .kept_restarts = 1 },
        .allowed = { "keeper#1: 0", "keeper#1: 1", "keeper#1: 0 1" })
{
    rh_spawn(keeper);
}

RH_PROCESS(taker);
RH_BODY(taker)
{
    const struct rh_envelope *e = rh_receive_any(.idle = true);
    say("%s", e->type->name);
}
PROGRAM(a_process_never_receives_its_start, .semantics = BAG_WITH_CRASH, .allowed = { "" })
{
    rh_spawn(taker);
}

/* ---- rh_stored --------------------------------------------------------------------------------------------------- */
RH_ACTOR(writer, uint32_t ticket;);
RH_HANDLER(writer, rh_start)
{
    rh_store_open("writer");
    if (msg->restarts == 0)
        state->ticket = rh_store_put("key", "x", 1);
    say("%u", msg->restarts);
}
RH_HANDLER(writer, rh_stored)
{
    rh_assert(state->ticket == msg->ticket, "rh_stored %u of an earlier life", msg->ticket);
    say("stored");
}
RH_BEHAVIOUR(writer, writing, rh_start, rh_stored);
PROGRAM(a_write_of_an_earlier_life_is_not_told, .semantics = BAG_WITH_CRASH,
        .allowed = { "writer#1: 0 stored", "writer#1: 0 1", "writer#1: 0 stored 1", "writer#1: 1" })
{
    rh_spawn(writer);
}

/* ---- timers ------------------------------------------------------------------------------------------------------ */
#ifndef RH_NO_GLOBALS_TRACKING
static int lives; /* a global is no actor's: a crash leaves it as it is */

RH_PROCESS(timed);
RH_BODY(timed)
{
    int life = ++lives;
    rh_timer("t", 5, tick, .life = life);
    say("%d", life);
    const struct tick *t = rh_receive(tick);
    say("=%d", t->life);
}
PROGRAM(a_timer_of_an_earlier_life_does_not_come, .semantics = BAG_WITH_CRASH,
        .allowed = { "timed#1: 1 =1", "timed#1: 1 2 =2" })
{
    rh_spawn(timed);
}

/* Fired while the process waited for something else: the message was there when it crashed. */
RH_PROCESS(fired);
RH_BODY(fired)
{
    int life = ++lives;
    if (life == 1)
        rh_timer("t", 5, tick);
    rh_sleep(20);
    say("%d %s", life, rh_receive(tick, .timeout_ms = 50) ? "tick" : "none");
}
PROGRAM(a_timer_that_fired_in_an_earlier_life_does_not_come, .semantics = BAG_WITH_CRASH,
        .allowed = { "fired#1: 1 tick", "fired#1: 1 none", "fired#1: 2 none" })
{
    rh_spawn(fired);
}
#endif

MAIN()
