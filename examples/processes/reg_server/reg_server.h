/* reg_server: the registration server of [Gotovos, Christakis and Sagonas 2011] as it was published, operation by
 * operation, so that figures can be put beside those of [Concuerror 2013, VII].  ../registration is a server of our
 * own, with more in it. */
#ifndef REG_SERVER_H
#define REG_SERVER_H

#include <rehearse.h>

enum { MOST_ATTACHED = 2 };
/* What a request returns in place of a number from 0 on. */
enum { SERVER_FULL = -1, SERVER_DOWN = -2, DONE = -3, NOT_ATTACHED = -4 };

RH_MESSAGE(request, enum { ATTACH, PING, STOP } what;);
RH_MESSAGE(reply, int number;);
RH_MESSAGE(never_mind); /* another server has the name */
RH_PROCESS(reg_server, rh_ref attached[MOST_ATTACHED];);

/* These are for processes. */
bool start_server(void); /* false: it was running */
int ask_server(int what);

#endif
