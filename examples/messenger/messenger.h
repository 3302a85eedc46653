/* Instant messages: users log on to a server under a name, send each other lines, and log off. */
#ifndef MESSENGER_H
#define MESSENGER_H

#include <rehearse.h>

enum { NAME_SIZE = 16, MOST_SESSIONS = 16 };

/* A struct, because C copies structs in initialisers, but not arrays. */
struct name {
    char text[NAME_SIZE];
};

/* User to server; each is answered. */
RH_MESSAGE(logon, struct name name;);
RH_MESSAGE(logoff);
RH_MESSAGE(say, struct name to; int line;);
RH_MESSAGE(answer, bool yes;);
/* Server to user. */
RH_MESSAGE(said, int line;);

/* Announced: the server has promised a line, the user has read it. */
RH_MESSAGE(promised, int line;);
RH_MESSAGE(was_read, int line;);

RH_PROCESS(server, bool by_name;);
RH_PROCESS(listener, struct name name; bool hasty;);
RH_PROCESS(talker, struct name name; struct name to; int lines;);

#endif
