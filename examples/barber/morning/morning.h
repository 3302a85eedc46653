/* The barber's shop in the morning: the owner unlocks it, towels are on their way, and the first customers talk to the
 * receptionist. */
#ifndef MORNING_H
#define MORNING_H

#include <rehearse.h>

enum { MOST_CUSTOMERS = 64 };

RH_MESSAGE(unlock); /* owner to barber */
RH_MESSAGE(order);  /* owner to wholesaler */
RH_MESSAGE(load);   /* wholesaler to driver */
RH_MESSAGE(towels); /* driver to barber */

RH_MESSAGE(greet);                    /* customer to receptionist */
RH_MESSAGE(question, int left;);      /* receptionist to customer: so many will follow */
RH_MESSAGE(reply, int left;);         /* customer to receptionist */
RH_MESSAGE(arrive, rh_ref customer;); /* receptionist to room */
RH_MESSAGE(serve, rh_ref customer;);  /* room to barber */
RH_MESSAGE(who_is_next);              /* barber to room */
RH_MESSAGE(cut);                      /* the barber's timer */
RH_MESSAGE(shaved);                   /* barber to customer */

RH_ACTOR(barber, rh_ref room; rh_ref customer; bool has_towels; bool forgetful;);
RH_ACTOR(room, rh_ref barber; bool barber_works; int first; int last; rh_ref queue[MOST_CUSTOMERS];);
RH_ACTOR(receptionist, rh_ref room; int questions;);
RH_ACTOR(wholesaler, rh_ref driver;);
RH_ACTOR(driver, rh_ref barber;);
RH_PROCESS(customer, rh_ref receptionist;);

#endif
