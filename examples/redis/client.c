/* See redis.h.  A pipe has a hiredis reader, which turns bytes into whole replies, and a queue of commands that wait
 * for their replies.  When the pipe is attached to another server, it creates a new reader and sends all unanswered
 * commands again.
 *
 * Replies of the old server may still be on their way then.  They must not count, because the new server answers the
 * same commands.  A trusting pipe (bug fr1) accepts bytes from every server, and from then on every reply may go to the
 * wrong caller. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "redis.h"

void submit_command(rh_ref pipe, const char *format, ...)
{
    va_list arguments;
    char *command = NULL;
    va_start(arguments, format);
    int size = redisvFormatCommand(&command, format, arguments);
    va_end(arguments);
    rh_assert(size > 0, "no command: %s", format);
    rh_send_with(pipe, command, (size_t)size, submit);
    free(command);
}

/* ---- pipe -------------------------------------------------------------------------------------------------------- */
static struct text text_of(const redisReply *r)
{
    struct text t = { "" };
    if (r->type == REDIS_REPLY_INTEGER)
        snprintf(t.s, sizeof t.s, "%lld", r->integer);
    else if (r->str)
        snprintf(t.s, sizeof t.s, "%s", r->str);
    return t;
}

static void answer_first(struct pipe *state, const redisReply *r)
{
    rh_assert(state->count > 0, "\"%s\" comes from %s, and nobody waits for it", text_of(r).s, rh_name(rh_sender()));
    struct pending p = state->pending[0];
    state->count--;
    memmove(state->pending, state->pending + 1, (size_t)state->count * sizeof *state->pending);
    free(p.bytes);
    rh_send(p.who, answer, .type = r->type, .text = text_of(r));
}

static bool is_published(const redisReply *r)
{
    return r->type == REDIS_REPLY_ARRAY && r->elements == 3 && strcmp(r->element[0]->str, "message") == 0;
}

RH_HANDLER(pipe, submit)
{
    struct pending p = { .who = rh_sender() };
    const void *command = rh_tail(&p.size);
    rh_assert(state->count < MOST_PENDING, "more than %d commands wait", MOST_PENDING);
    p.bytes = malloc(p.size);
    rh_assert(p.bytes != NULL);
    memcpy(p.bytes, command, p.size);
    state->pending[state->count++] = p;
    if (!rh_is_nobody(state->server))
        rh_send_with(state->server, p.bytes, p.size, bytes);
}
RH_HANDLER(pipe, attach)
{
    if (state->reader)
        redisReaderFree(state->reader);
    state->reader = redisReaderCreate();
    state->server = msg->server;
    for (int i = 0; i < state->count; i++)
        rh_send_with(state->server, state->pending[i].bytes, state->pending[i].size, bytes);
}
RH_HANDLER(pipe, bytes)
{
    if (!rh_same(rh_sender(), state->server) && !state->trusting)
        return;
    size_t size;
    const char *chunk = rh_tail(&size);
    void *reply = NULL;
    redisReaderFeed(state->reader, chunk, size);
    for (;;) {
        int status = redisReaderGetReply(state->reader, &reply);
        rh_assert(status == REDIS_OK, "what came from %s makes no sense: %s", rh_name(rh_sender()),
                  state->reader->errstr);
        if (!reply)
            break;
        const redisReply *r = reply;
        if (is_published(r))
            rh_send(state->dispatcher, published, .channel = text_of(r->element[1]), .text = text_of(r->element[2]));
        else
            answer_first(state, r);
        freeReplyObject(reply);
    }
}
RH_BEHAVIOUR(pipe, open, submit, attach, bytes);

/* ---- manager ----------------------------------------------------------------------------------------------------- */

/* Sends a command and waits for the reply, which must be OK. */
static void say(rh_ref server, redisReader *reader, const char *format, ...)
{
    va_list arguments;
    char *command = NULL;
    va_start(arguments, format);
    int size = redisvFormatCommand(&command, format, arguments);
    va_end(arguments);
    rh_send_with(server, command, (size_t)size, bytes);
    free(command);
    void *reply = NULL;
    while (!reply) {
        const struct rh_envelope *e = rh_receive_any(.types = RH_TYPES(bytes), .from = server);
        redisReaderFeed(reader, e->tail, e->tail_size);
        redisReaderGetReply(reader, &reply);
    }
    rh_assert(((redisReply *)reply)->type == REDIS_REPLY_STATUS, "the server says %s", ((redisReply *)reply)->str);
    freeReplyObject(reply);
}

RH_BODY(manager)
{
    for (;;) {
        redisReader *reader = redisReaderCreate();
        rh_ask(state->server, open_connection, accepted);
        say(state->server, reader, "AUTH %s", "secret");
        say(state->server, reader, "SELECT %d", 1);
        redisReaderFree(reader);
        rh_ask(state->server, hand_over, handed_over, .to = state->pipe);
        rh_send(state->pipe, attach, .server = state->server);
        state->server = ((const struct moved *)rh_receive_any(.types = RH_TYPES(moved), .idle = true)->value)->server;
    }
}

/* ---- dispatcher -------------------------------------------------------------------------------------------------- */
RH_HANDLER(dispatcher, listen_to)
{
    state->channel = msg->channel;
    state->listener = rh_sender();
    rh_reply(listening);
}
RH_HANDLER(dispatcher, published)
{
    rh_assert(strcmp(state->channel.s, msg->channel.s) == 0, "\"%s\" is published, but nobody listens to %s",
              msg->text.s, msg->channel.s);
    rh_send(state->listener, news, .text = msg->text);
}
RH_BEHAVIOUR(dispatcher, open, listen_to, published);
