/* One seat is left.  Customers buy it; the first one gets it, and the others are told that it is gone. */
#ifndef TICKETS_H
#define TICKETS_H

#include <rehearse.h>

RH_MESSAGE(buy, int customer;);
RH_MESSAGE(ticket);
RH_MESSAGE(sold_out);
RH_MESSAGE(again); /* the customer's timer */

/* Announced to monitors; nobody hears it in production. */
RH_MESSAGE(comes);
RH_MESSAGE(leaves, bool seated;);

RH_ACTOR(office, int owner; bool forgets;); /* 0: nobody */
RH_ACTOR(customer, rh_ref office; int number; int tries;);

#endif
