/* A box office: several clerks sell the seats of one hall, which they share in a table. */
#ifndef TICKETS_H
#define TICKETS_H

#include <rehearse.h>

/* Customer to clerk: any seat will do. */
RH_MESSAGE(buy);

/* Announced by clerks. */
RH_MESSAGE(sold, int seat;);

RH_TABLE(taken); /* "seat 1" and so on: the clerk who sold it */

RH_ACTOR(clerk, int seats; bool checks_first;);

#endif
