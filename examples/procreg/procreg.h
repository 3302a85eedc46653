/* A process registry: who owns a name?  After ProcReg, which [Bita 2013, Table I] and [Concuerror 2013] test. */
#ifndef PROCREG_H
#define PROCREG_H

#include <rehearse.h>

enum { MOST_NAMES = 8 };

/* From client to registry; the answer is the owner, or nobody. */
RH_MESSAGE(lookup, int name;);
RH_MESSAGE(claim, int name;);  /* if it is free */
RH_MESSAGE(assign, int name;); /* even if somebody has it */
RH_MESSAGE(release, int name;);
RH_MESSAGE(owner, rh_ref who;);

/* Announced by clients. */
RH_MESSAGE(owns, int name;);
RH_MESSAGE(gives_up, int name;);

RH_PROCESS(registry, rh_ref owners[MOST_NAMES];);
RH_PROCESS(client, rh_ref registry; int name; bool checks_first; bool dies;);

/* The same problems with the names of rehearse.h (rh_register, rh_whereis). */
RH_MESSAGE(hello);
RH_MESSAGE(close_service);
RH_ACTOR(service);
RH_PROCESS(starter, bool checks_first;);
RH_MESSAGE(which_service, rh_ref gone;); /* a service other than `gone`; the answer is `owner` */
RH_PROCESS(supervisor);
RH_PROCESS(user, rh_ref supervisor; bool hasty;);
RH_PROCESS(child);
RH_PROCESS(parent, bool hasty;);

#endif
