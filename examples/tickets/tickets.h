/* A box office: several clerks sell the seats of one hall; a table that they share says which seats are taken. */
#ifndef TICKETS_H
#define TICKETS_H

#include <rehearse.h>

/* Customer to clerk: a ticket for any seat. */
RH_MESSAGE(buy);

/* Announced by clerks. */
RH_MESSAGE(sold, int seat;);

RH_TABLE(taken); /* "seat 1" and so on: the clerk who sold it */

RH_ACTOR(clerk, int seats; bool checks_first;);

#endif
