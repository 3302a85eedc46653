/* A lease: the server lends one thing, for 100 ms at a time.  See README.md. */
#ifndef LEASE_H
#define LEASE_H

#include <rehearse.h>

enum { LEASE_MS = 100 };

RH_MESSAGE(work);    /* to a client: try to get the lease */
RH_MESSAGE(acquire); /* to the server */
RH_MESSAGE(granted); /* to the client: it is yours until 100 ms after you asked */
RH_MESSAGE(denied);
RH_MESSAGE(expired); /* timers of both sides */

RH_ACTOR(server, rh_ref owner;);
RH_ACTOR(client, rh_ref server; int64_t asked_ms; bool holds; bool counts_from_grant;);

#endif
