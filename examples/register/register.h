/* A register that several replicas keep, each with a stamp; it survives the loss of a minority [Attiya, Bar-Noy and
 * Dolev 1995].  One writer: it gives each value the next stamp, and has written when a majority has stored it.  A
 * reader asks a majority and takes the value with the highest stamp; before it returns the value, it stores it at a
 * majority, so that no later read finds an older one. */
#ifndef EXAMPLE_REGISTER_H
#define EXAMPLE_REGISTER_H

#include <rehearse.h>

enum { MOST_REPLICAS = 5 };

struct group {
    rh_ref at[MOST_REPLICAS];
    int count;
};

/* Between clients and replicas; `request` tells the answers to different requests apart. */
RH_MESSAGE(query, int request;);
RH_MESSAGE(version, int request; int stamp; int value;);
RH_MESSAGE(store, int request; int stamp; int value;);
RH_MESSAGE(stored, int request;);

/* What clients of the register ask and are told: the history. */
RH_MESSAGE(write, int value;);
RH_MESSAGE(written);
RH_MESSAGE(read);
RH_MESSAGE(value, int value;);
extern const struct rh_history rh_history_of_registers;

RH_ACTOR(replica, int stamp; int value;);
RH_PROCESS(writer, struct group group; int writes; bool hasty;);
RH_PROCESS(reader, struct group group; int reads; bool lazy;);

#endif
