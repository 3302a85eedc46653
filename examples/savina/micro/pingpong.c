/* Ping pong: two actors send a ball to and fro, and each hit changes it.
 *
 * Invariant: after n rounds the ball is what 2 n hits make of it.
 * Bug double_stop: the pinger tells the ponger to stop when the game is over, and again when it stops itself.  The
 * ponger has ended by then: the second message is for nobody (the sixth bug of the TAP paper, section 7.2.2). */
#include "../savina.h"

enum { MOST_ROUNDS = 100000 };

RH_MESSAGE(play, int rounds; uint32_t ball;);
RH_MESSAGE(played, int rounds; uint32_t ball;); /* 0 rounds: the request was refused */
RH_MESSAGE(ping, int number; uint32_t ball;);
RH_MESSAGE(pong, int number; uint32_t ball;);

static uint32_t hit(uint32_t ball)
{
    return ball * 1664525 + 1013904223;
}

/* ---- ponger ------------------------------------------------------------------------------------------------------ */
RH_ACTOR(ponger, int pings;);
RH_HANDLER(ponger, ping)
{
    state->pings++;
    rh_reply(pong, .number = msg->number, .ball = hit(msg->ball));
}
RH_HANDLER(ponger, stop)
{
    rh_stop();
}
RH_BEHAVIOUR(ponger, playing, ping, stop);

/* ---- pinger ------------------------------------------------------------------------------------------------------ */
RH_ACTOR(pinger, rh_ref ponger; struct rh_request client; int rounds; int number; uint32_t expected; bool double_stop;);
RH_HANDLER(pinger, play)
{
    if (msg->rounds < 1 || msg->rounds > MOST_ROUNDS) {
        rh_reply(played, .ball = msg->ball);
        return;
    }
    state->client = rh_keep_request();
    state->rounds = msg->rounds;
    state->number = 1;
    state->expected = hit(hit(msg->ball));
    rh_become(pinger, in_a_game);
    rh_send(state->ponger, ping, .number = 1, .ball = hit(msg->ball));
}
RH_HANDLER(pinger, pong)
{
    rh_assert(msg->number == state->number, "pong %d after ping %d", msg->number, state->number);
    rh_assert(msg->ball == state->expected, "the ball is %u instead of %u", msg->ball, state->expected);
    if (state->number == state->rounds) {
        rh_reply_to(state->client, played, .rounds = state->rounds, .ball = msg->ball);
        rh_become(pinger, ready);
        if (state->double_stop)
            rh_send(state->ponger, stop);
        return;
    }
    state->number++;
    state->expected = hit(hit(msg->ball));
    rh_send(state->ponger, ping, .number = state->number, .ball = hit(msg->ball));
}
RH_HANDLER(pinger, stop)
{
    rh_send(state->ponger, stop);
    rh_stop();
}
RH_BEHAVIOUR(pinger, ready, play, stop);
RH_BEHAVIOUR(pinger, in_a_game, pong, RH_DEFER(play), RH_DEFER(stop));

/* ---- driver ------------------------------------------------------------------------------------------------------ */
RH_PROCESS(driver, int rounds; bool double_stop;);
RH_BODY(driver)
{
    rh_ref p = rh_spawn(pinger, .ponger = rh_spawn(ponger), .double_stop = state->double_stop);
    uint32_t ball = 1;
    for (int i = 0; i < 2 * state->rounds; i++)
        ball = hit(ball);
    const struct played *r = rh_ask(p, play, played, .rounds = state->rounds, .ball = 1);
    rh_assert(r->rounds == state->rounds, "%d rounds instead of %d", r->rounds, state->rounds);
    rh_assert(r->ball == ball, "the ball is %u instead of %u", r->ball, ball);
    rh_log("pingpong: %d rounds, ball %u", r->rounds, r->ball);
    rh_send(p, stop);
}

#ifdef SAVINA_PRODUCTION
SAVINA_PRODUCTION_MAIN(driver, .rounds = 10000)
#else
RH_PARAM(rounds, "3", "how many rounds are played");
RH_BUG(double_stop, "the ponger is told to stop twice (TAP, section 7.2.2)");

RH_TEST(the_ball_comes_back, .dead_letters = RH_DEAD_LETTER_FAIL)
{
    rh_spawn(driver, .rounds = (int)rh_param("rounds", 3), .double_stop = rh_bug("double_stop"));
}

static bool is_a_short_game(const struct play *m)
{
    return m->rounds < 8;
}
RH_TEST(anybody_may_play, .outside = 2, .outside_values = 40, .dead_letters = RH_DEAD_LETTER_FAIL)
{
    rh_ref p = rh_spawn(pinger, .ponger = rh_spawn(ponger), .double_stop = rh_bug("double_stop"));
    rh_open(p, play, .when = is_a_short_game);
}

RH_MAIN()
#endif
