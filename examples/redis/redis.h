/* A Redis client built from actors: pipelined commands over connections that are replaced when the server changes, and
 * subscriptions.  The bytes on the wire are the Redis protocol; hiredis reads them. */
#ifndef REDIS_H
#define REDIS_H

#include <hiredis/hiredis.h>
#include <rehearse.h>

enum { MOST_PENDING = 64, MOST_PEERS = 8, MOST_KEYS = 64, TEXT_SIZE = 32 };

/* A struct, because C copies structs in initialisers, but not arrays. */
struct text {
    char s[TEXT_SIZE];
};

/* The wire, both ways: the bytes are the message's tail.  A server sends its replies in chunks of a few bytes. */
RH_MESSAGE(bytes);
RH_MESSAGE(open_connection);
RH_MESSAGE(accepted);
RH_MESSAGE(hand_over, rh_ref to;); /* replies go there from now on */
RH_MESSAGE(handed_over);

/* To a pipe: the tail is the command, in bytes of the protocol.  `answer` is the reply, with hiredis's `type`. */
RH_MESSAGE(submit);
RH_MESSAGE(answer, int type; struct text text;);
RH_MESSAGE(attach, rh_ref server;);

/* Failover: callers and operator, operator and sentinels, sentinels and manager. */
RH_MESSAGE(written); /* this caller has written everything */
RH_MESSAGE(fail_over);
RH_MESSAGE(vote);
RH_MESSAGE(voted);
RH_MESSAGE(moved, rh_ref server;);

/* Subscriptions: subscriber and dispatcher, pipe and dispatcher, subscriber and publisher. */
RH_MESSAGE(listen_to, struct text channel;);
RH_MESSAGE(listening);
RH_MESSAGE(published, struct text channel; struct text text;);
RH_MESSAGE(news, struct text text;);
RH_MESSAGE(subscribed);

/* ---- the client (client.c) --------------------------------------------------------------------------------------- */
struct pending {
    rh_ref who;
    char *bytes;
    size_t size;
};

/* Sends commands to the server that it is attached to, and gives each reply to the caller that has waited longest. */
RH_ACTOR(pipe, rh_ref server; rh_ref dispatcher; redisReader * reader; int count; struct pending pending[MOST_PENDING];
         bool trusting;);
/* Dials the server, and after a failover the next one, and attaches the pipe to it. */
RH_PROCESS(manager, rh_ref pipe; rh_ref server;);
/* Knows who listens to which channel. */
RH_ACTOR(dispatcher, struct text channel; rh_ref listener;);

/* redisCommand for actors: formats a command and sends it to the pipe (submit). */
void submit_command(rh_ref pipe, const char *format, ...);

/* ---- the server (server.c) --------------------------------------------------------------------------------------- */
struct peer {
    rh_ref who;
    redisReader *reader;
    struct text channel; /* its subscription */
};
struct pair {
    struct text key, value;
};
RH_ACTOR(server, int chunk; int peers; struct peer peer[MOST_PEERS]; int keys; struct pair pair[MOST_KEYS];);

/* ---- the users (users.c) ----------------------------------------------------------------------------------------- */
RH_PROCESS(caller, rh_ref pipe; rh_ref operator; int number; int rounds;);
RH_PROCESS(operator, rh_ref sentinel; int callers;);
struct sentinels {
    int count;
    rh_ref at[MOST_PEERS];
};
RH_ACTOR(sentinel, struct sentinels others; int asked; rh_ref manager; rh_ref next;);
RH_PROCESS(subscriber, rh_ref pipe; rh_ref dispatcher; rh_ref publisher; bool hasty;);
RH_PROCESS(publisher, rh_ref pipe; int lines;);

#endif
