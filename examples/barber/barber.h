/* The sleeping barber: a barber, a waiting room with few chairs, and customers. */
#ifndef BARBER_H
#define BARBER_H

#include <rehearse.h>

enum { MOST_CHAIRS = 8 };

RH_MESSAGE(arrive);                  /* customer to room */
RH_MESSAGE(full);                    /* room to customer: no chair is free */
RH_MESSAGE(shaved);                  /* barber to customer */
RH_MESSAGE(serve, rh_ref customer;); /* room to barber */
RH_MESSAGE(nobody_waits);            /* room to barber */
RH_MESSAGE(who_is_next);             /* barber to room */
RH_MESSAGE(fell_asleep);             /* barber to room, if the barber says so (bug lost_wakeup) */
RH_MESSAGE(cut);                     /* the barber's timer */

RH_ACTOR(barber, rh_ref room; rh_ref customer; bool says_so;);
RH_ACTOR(room, rh_ref barber; bool barber_sleeps; int chairs; int waiting; rh_ref queue[MOST_CHAIRS];
         bool waits_to_hear; bool eager;);
RH_PROCESS(customer, rh_ref room;);

RH_MESSAGE(open_shop, rh_ref barber;); /* to the room, before all others */

#endif
