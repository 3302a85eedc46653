/* Stop and wait: a pinger sends pings one at a time, and the ponger acknowledges each. */
#ifndef PINGPONG_H
#define PINGPONG_H

#include <rehearse.h>

RH_MESSAGE(ping, int number;);
RH_MESSAGE(ack, int number;);
RH_MESSAGE(bye);
/* From the pinger to itself. */
RH_MESSAGE(sent); /* a ping, or bye, is on its way */
RH_MESSAGE(next); /* send the next ping */

RH_ACTOR(pinger, rh_ref ponger; int pings; int sent; int acknowledged; bool impatient;);
RH_ACTOR(ponger, int pings;);

#endif
