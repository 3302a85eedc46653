/* The dining philosophers, with forks that are actors and philosophers that are processes. */
#ifndef PHILOSOPHERS_H
#define PHILOSOPHERS_H

#include <rehearse.h>

enum { MOST_PHILOSOPHERS = 16 };

RH_MESSAGE(take);
RH_MESSAGE(taken);
RH_MESSAGE(put_back);
RH_MESSAGE(done, int who;);

RH_ACTOR(fork, rh_ref holder;);
RH_PROCESS(philosopher, int number; rh_ref first; rh_ref second; rh_ref table;);

#endif
