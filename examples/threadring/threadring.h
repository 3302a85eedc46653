/* A token goes round a ring of passers, after the bug of Figure 12 of the TAP paper (ThreadRing, from Savina). */
#ifndef THREADRING_H
#define THREADRING_H

#include <rehearse.h>

RH_MESSAGE(neighbour, rh_ref next;);       /* coordinator to passer: who gets the token next */
RH_MESSAGE(token, int hops; rh_ref home;); /* `hops` are left */
RH_MESSAGE(came_home);

RH_ACTOR(passer, rh_ref next;);
RH_ACTOR(careless_passer, rh_ref next; bool checks;);
RH_PROCESS(coordinator, int passers; int hops; bool careless; bool checks;);

enum { MOST_PASSERS = 16 };

#endif
