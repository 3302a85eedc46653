/* registration: a server that limits how many processes use a resource, after the program that [Concuerror 2013,
 * VII] tests and that [Gotovos, Christakis and Sagonas 2011] develop.  Processes attach and detach; at most
 * REG_PLACES are attached at a time, and who ends is detached.  The server has the name "registration" while it
 * runs. */
#ifndef REGISTRATION_H
#define REGISTRATION_H

#include <rehearse.h>

enum { REG_PLACES = 2 };

/* What attach and ping return in place of a number (0 to REG_PLACES - 1). */
enum { REG_FULL = -1, REG_UNKNOWN = -2, REG_STOPPED = -3 };

/* These are for processes. */
bool reg_start(void);        /* false: it was running */
bool reg_stop(void);         /* false: it was not running.  When it returns, the name is free */
int reg_attach(void);        /* the number of the caller's place; REG_FULL, REG_STOPPED */
bool reg_detach(int number); /* false: the caller does not have this place */
int reg_ping(void);          /* the number of the caller's place; REG_UNKNOWN, REG_STOPPED */
bool reg_drain(void);        /* waits until nobody is attached; false: the server stopped before */
void reg_attach_async(void); /* attaches without waiting for the answer */

/* Mistakes that are easily made while such a server is developed; `-p bug=` of the tests sets them. */
struct reg_bugs {
    bool start_twice; /* a start that looks for the name, and then trusts what it saw */
    bool noproc;      /* a process that has ended before it is attached is not detached */
    bool no_monitor;  /* the server does not notice the end of a process */
    bool stranger;    /* anybody may detach */
    bool hasty_stop;  /* stop does not wait for the end of the server */
    bool unwatched;   /* a request does not notice the end of the server */
};
extern struct reg_bugs reg_bugs;

RH_MESSAGE(attach);
RH_MESSAGE(detach, int number;);
RH_MESSAGE(ping);
RH_MESSAGE(drain);
RH_MESSAGE(stop);
RH_MESSAGE(answer, int number;);

RH_PROCESS(server, rh_ref attached[REG_PLACES]; struct rh_request drains[4]; int waiting;);

#endif
