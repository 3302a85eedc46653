/* As much of a Redis server as the example needs.  Commands are arrays in the same protocol as replies, so hiredis
 * reads them, too.  The server sends its replies in chunks; each chunk is a message. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "redis.h"

static struct peer *peer_of(struct server *state, rh_ref who)
{
    for (int i = 0; i < state->peers; i++)
        if (rh_same(state->peer[i].who, who))
            return &state->peer[i];
    return NULL;
}

static void write_to(const struct server *state, rh_ref who, const char *text)
{
    size_t size = strlen(text), chunk = (size_t)state->chunk;
    for (size_t at = 0; at < size; at += chunk)
        rh_send_with(who, text + at, size - at < chunk ? size - at : chunk, bytes);
}

static struct pair *pair_of(struct server *state, const char *key)
{
    int i = 0;
    while (i < state->keys && strcmp(state->pair[i].key.s, key) != 0)
        i++;
    rh_assert(i < MOST_KEYS, "more than %d keys", MOST_KEYS);
    return &state->pair[i];
}

static void publish(const struct server *state, const char *channel, const char *text)
{
    char out[128];
    snprintf(out, sizeof out, "*3\r\n$7\r\nmessage\r\n$%zu\r\n%s\r\n$%zu\r\n%s\r\n", strlen(channel), channel,
             strlen(text), text);
    for (int i = 0; i < state->peers; i++)
        if (strcmp(state->peer[i].channel.s, channel) == 0)
            write_to(state, state->peer[i].who, out);
}

static void execute(struct server *state, struct peer *p, const redisReply *command)
{
    char out[128] = "+OK\r\n"; /* AUTH, SELECT */
    const char *name = command->element[0]->str;
    const char *first = command->elements > 1 ? command->element[1]->str : "";
    const char *second = command->elements > 2 ? command->element[2]->str : "";
    if (strcasecmp(name, "PING") == 0) {
        snprintf(out, sizeof out, "+PONG\r\n");
    } else if (strcasecmp(name, "SET") == 0) {
        struct pair *at = pair_of(state, first);
        state->keys += at == &state->pair[state->keys];
        snprintf(at->key.s, TEXT_SIZE, "%s", first);
        snprintf(at->value.s, TEXT_SIZE, "%s", second);
    } else if (strcasecmp(name, "GET") == 0) {
        const struct pair *at = pair_of(state, first);
        if (at == &state->pair[state->keys])
            snprintf(out, sizeof out, "$-1\r\n");
        else
            snprintf(out, sizeof out, "$%zu\r\n%s\r\n", strlen(at->value.s), at->value.s);
    } else if (strcasecmp(name, "SUBSCRIBE") == 0) {
        snprintf(p->channel.s, TEXT_SIZE, "%s", first);
        snprintf(out, sizeof out, "*3\r\n$9\r\nsubscribe\r\n$%zu\r\n%s\r\n:1\r\n", strlen(first), first);
    } else if (strcasecmp(name, "PUBLISH") == 0) {
        publish(state, first, second);
        snprintf(out, sizeof out, ":1\r\n");
    }
    write_to(state, p->who, out);
}

RH_HANDLER(server, open_connection)
{
    rh_assert(state->peers < MOST_PEERS, "more than %d connections", MOST_PEERS);
    state->peer[state->peers++] = (struct peer){ .who = rh_sender(), .reader = redisReaderCreate() };
    rh_reply(accepted);
}
RH_HANDLER(server, hand_over)
{
    peer_of(state, rh_sender())->who = msg->to;
    rh_reply(handed_over);
}
RH_HANDLER(server, bytes)
{
    struct peer *p = peer_of(state, rh_sender());
    size_t size;
    const char *chunk = rh_tail(&size);
    void *command = NULL;
    redisReaderFeed(p->reader, chunk, size);
    while (redisReaderGetReply(p->reader, &command) == REDIS_OK && command) {
        execute(state, p, command);
        freeReplyObject(command);
    }
}
RH_BEHAVIOUR(server, serving, open_connection, hand_over, bytes);
