/* The users of the client: callers that write and read, an operator that switches to another server when everything is
 * written, and a subscriber with its publisher.
 *
 * A hasty subscriber (bug fr2) submits SUBSCRIBE without waiting until the dispatcher knows that it listens. */
#include <stdio.h>
#include <string.h>

#include "redis.h"

/* ---- caller ------------------------------------------------------------------------------------------------------ */
RH_BODY(caller)
{
    for (int i = 1; i <= state->rounds; i++) {
        char value[TEXT_SIZE];
        snprintf(value, sizeof value, "caller-%d-%d", state->number, i);
        submit_command(state->pipe, "SET key-%d %s", state->number, value);
        const struct answer *a = rh_receive(answer);
        rh_assert(strcmp(a->text.s, "OK") == 0, "SET is answered by \"%s\"", a->text.s);
        if (i == state->rounds)
            rh_send(state->operator, written);
        submit_command(state->pipe, "GET key-%d", state->number);
        a = rh_receive(answer); /* nil: on a server that has not seen the SET */
        rh_assert(a->type == REDIS_REPLY_NIL || strcmp(a->text.s, value) == 0, "%s is answered by \"%s\"", value,
                  a->text.s);
    }
}

/* ---- failover ---------------------------------------------------------------------------------------------------- */
RH_BODY(operator)
{
    for (int i = 0; i < state->callers; i++)
        rh_receive(written);
    rh_send(state->sentinel, fail_over);
}

/* Sentinels vote one after the other. */
static void ask_next(struct sentinel *state)
{
    if (state->asked < state->others.count)
        rh_send(state->others.at[state->asked++], vote);
    else
        rh_send(state->manager, moved, .server = state->next);
}

RH_HANDLER(sentinel, fail_over)
{
    ask_next(state);
}
RH_HANDLER(sentinel, vote)
{
    rh_reply(voted);
}
RH_HANDLER(sentinel, voted)
{
    ask_next(state);
}
RH_BEHAVIOUR(sentinel, watching, fail_over, vote, voted);

/* ---- subscriptions ----------------------------------------------------------------------------------------------- */
RH_BODY(subscriber)
{
    struct text channel = { "news" };
    submit_command(state->pipe, "PING"); /* is there somebody? */
    rh_receive(answer);
    rh_send(state->dispatcher, listen_to, .channel = channel);
    if (!state->hasty)
        rh_receive(listening);
    submit_command(state->pipe, "SUBSCRIBE %s", channel.s);
    rh_receive(answer);
    rh_send(state->publisher, subscribed);
    if (state->hasty)
        rh_receive(listening);
    for (;;) {
        const struct rh_envelope *e = rh_receive_any(.types = RH_TYPES(news), .idle = true);
        rh_log("reads \"%s\"", rh_as(e, news)->text.s);
    }
}

RH_BODY(publisher)
{
    rh_receive(subscribed);
    for (int i = 1; i <= state->lines; i++) {
        submit_command(state->pipe, "PUBLISH news line-%d", i);
        rh_receive(answer);
    }
}
