/* A key-value store: clients ask front-ends, and a front-end forwards the request to the back-end that has the key. */
#ifndef STORE_H
#define STORE_H

#include <rehearse.h>

enum { MOST_SERVERS = 8, MOST_KEYS = 32 };

/* The client recognises a reply by the number of its request. */
RH_MESSAGE(put, int request; int key; int value;);
RH_MESSAGE(get, int request; int key;);
RH_MESSAGE(reply, int request; int key; int value;); /* the value is 0 if the key has none */
RH_MESSAGE(done, int client;);

struct servers {
    int count;
    rh_ref at[MOST_SERVERS];
};

/* A forgetful front-end remembers only one client. */
RH_ACTOR(frontend, struct servers backends; bool forgetful; rh_ref client;);
RH_ACTOR(backend, int values[MOST_KEYS];);
/* A back-end whose values survive a crash.  A hasty keeper confirms a put before it is durable. */
RH_ACTOR(keeper, bool hasty;);
RH_PROCESS(client, int number; int requests; struct servers frontends; rh_ref parent;);

#endif
