/* A directory of services.  Services enrol under a name and withdraw, callers look names up, and a visitor who is
 * passed on from host to host looks up a name at the end. */
#ifndef DIRECTORY_H
#define DIRECTORY_H

#include <rehearse.h>

enum { MOST_NAMES = 64 };

/* To the directory; a lookup is answered. */
RH_MESSAGE(enrol, int name;);
RH_MESSAGE(withdraw, int name;);
RH_MESSAGE(lookup, int name;);
RH_MESSAGE(entry, rh_ref who;);

RH_MESSAGE(close_down); /* to a service */
RH_MESSAGE(introduce);  /* to a host: the visitor has arrived */

/* Announcements of the directory: what it was told, and what it answers. */
RH_MESSAGE(is_at, int name; rh_ref who;);
RH_MESSAGE(says, int name; rh_ref who;);

struct remembered {
    int name;
    rh_ref who;
};

RH_ACTOR(directory, rh_ref owners[MOST_NAMES]; struct remembered last; bool forgetful;);
RH_ACTOR(service, rh_ref directory; int name;);
RH_PROCESS(caller, rh_ref directory; int name; int calls;);
RH_ACTOR(host, rh_ref next; rh_ref directory; int name;);

#endif
