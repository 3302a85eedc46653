/* A messenger with rooms: users log on, enter rooms, talk there, and log off; the server archives what was said. */
#ifndef ROOMS_H
#define ROOMS_H

#include <rehearse.h>

enum { MOST_USERS = 32, MOST_ROOMS = 8 };

/* User and server. */
RH_MESSAGE(logon);
RH_MESSAGE(welcome);
RH_MESSAGE(logoff);
RH_MESSAGE(logged_off);

/* User and room. */
RH_MESSAGE(enter);
RH_MESSAGE(entered);
RH_MESSAGE(say, int line;);
RH_MESSAGE(said, int line;);
RH_MESSAGE(left);

/* Server and room, server and archive. */
RH_MESSAGE(leave, rh_ref user;);
RH_MESSAGE(has_left, rh_ref user;);
RH_MESSAGE(store, rh_ref user; int blocks;); /* number of blocks left, with this one */
RH_MESSAGE(stored, rh_ref user; int blocks;);

struct rooms {
    int count;
    rh_ref at[MOST_ROOMS];
};

struct session {
    rh_ref user;
    int rooms; /* number of rooms that the user is in */
};

RH_ACTOR(server, struct rooms rooms; rh_ref archive; int blocks; int count; struct session sessions[MOST_USERS];);
RH_ACTOR(room, int count; rh_ref members[MOST_USERS]; bool silent;);
RH_ACTOR(archive, int blocks;);
RH_ACTOR(user, rh_ref server; struct rooms rooms; int lines; bool hasty; int entered; int left; bool logged_off;
         int read;);

#endif
