/* Servers in a ring, each with a copy of a value.  When all have it, the keeper says that they have settled.  A server
 * that fails loses its copy and asks its neighbour for it.  A fault makes a server fail. */
#ifndef OWN_DELAYING_H
#define OWN_DELAYING_H

#include <rehearse.h>

enum { SERVERS = 4, VALUE = 7 };

RH_MESSAGE(begin, rh_ref server[SERVERS];); /* to the keeper: the servers in their order */
RH_MESSAGE(copy, int value; rh_ref neighbour;);
RH_MESSAGE(have); /* to the keeper: a server has its first copy */
RH_MESSAGE(lost); /* to a neighbour: I have no copy any more */
RH_MESSAGE(fail);
RH_MESSAGE(strike); /* to a fault */

RH_ACTOR(server, rh_ref keeper; rh_ref neighbour; int value; bool up; bool careful; rh_ref waiting;);
RH_ACTOR(keeper, int up;);
RH_ACTOR(fault, rh_ref victim;);

#endif
