/* ping_pong: two processes after Figure 1 of [Concuerror 2013].  The error is in the program as it stands. */
#ifndef PING_PONG_H
#define PING_PONG_H

#include <rehearse.h>

RH_MESSAGE(ping);
RH_PROCESS(child, rh_ref parent;);

void pong(void); /* starts a child under the name "ping_pong", and waits until it pings */

#endif
