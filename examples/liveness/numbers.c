/* Requests with numbers, over a network that loses one.
 *
 * The client sends its request again until it is answered.  The server answers the request with the number that it
 * expects.  With bug `runs_ahead` the client gives each attempt a new number: after a loss the server waits for ever
 * for a number that never comes again.  The numbers grow, so no state comes back and there is no loop of states to
 * find.  What finds it is a quiet phase, in which nothing is lost, and a temperature. */
#include <rehearse/test.h>

RH_BUG(runs_ahead, "numbers: a repeated request has a new number");

RH_MESSAGE(request, uint32_t number;);
RH_MESSAGE(reply, uint32_t number;);
RH_MESSAGE(again);
RH_MESSAGE(opened);
RH_MESSAGE(closed);

RH_ACTOR(counter, uint32_t expected;);
RH_HANDLER(counter, request)
{
    if (msg->number == state->expected)
        rh_reply(reply, .number = state->expected++);
    else if (msg->number < state->expected)
        rh_reply(reply, .number = msg->number);
}
RH_BEHAVIOUR(counter, counting, request);

RH_ACTOR(caller, rh_ref counter; uint32_t number, left; bool runs_ahead;);
RH_HANDLER(caller, rh_start)
{
    rh_announce(opened);
    rh_send(state->counter, request, .number = state->number);
    rh_timer("again", 100, again);
}
RH_HANDLER(caller, again)
{
    state->number += state->runs_ahead;
    rh_send(state->counter, request, .number = state->number);
    rh_timer("again", 100, again);
}
RH_HANDLER(caller, reply)
{
    if (msg->number != state->number)
        return;
    rh_announce(closed);
    rh_timer_cancel("again");
    state->number++;
    if (--state->left) {
        rh_announce(opened);
        rh_send(state->counter, request, .number = state->number);
        rh_timer("again", 100, again);
    }
}
RH_BEHAVIOUR(caller, calling, rh_start, again, reply);

RH_MONITOR(each_request_is_answered);
RH_HANDLER(each_request_is_answered, opened)
{
    rh_become(each_request_is_answered, open);
}
RH_HANDLER(each_request_is_answered, closed)
{
    rh_become(each_request_is_answered, idle);
}
RH_BEHAVIOUR(each_request_is_answered, idle, opened);
RH_HOT_BEHAVIOUR(each_request_is_answered, open, closed);

RH_TEST(numbers, .losses = 1, .quiet_after = 20, .temperature = 300, .max_steps = 2000)
{
    rh_observe(each_request_is_answered);
    rh_spawn(caller, .counter = rh_spawn(counter), .left = 3, .runs_ahead = rh_bug("runs_ahead"));
}
