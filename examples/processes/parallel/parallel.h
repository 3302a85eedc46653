/* parallel: an analysis by eleven workers at once, with a server that limits how many of them compute, in the manner
 * of the parallel Dialyzer of [Concuerror 2013, VII]: 14 processes with the server, the coordinator and the body of
 * the test.
 *
 * A component of the analysed program needs the results of the components that it uses: two of them, as in a heap
 * (component i uses 2i + 1 and 2i + 2).  There is a worker for each component, which goes through all phases.
 * Results are in a table. */
#ifndef PARALLEL_H
#define PARALLEL_H

#include <rehearse.h>

enum { MOST_COMPONENTS = 64 };

RH_MESSAGE(ask_turn);              /* to the server, from a worker that wants to compute */
RH_MESSAGE(turn);                  /* its answer */
RH_MESSAGE(turn_over);             /* to the server, from a worker that has computed */
RH_MESSAGE(leave);                 /* to the server, from a worker that is done with all phases */
RH_MESSAGE(close_down);            /* to the server: nobody is left */
RH_MESSAGE(ready, int component;); /* to a worker that waits for this component's result */
RH_MESSAGE(done);                  /* to the coordinator */
RH_MESSAGE(analysed, int64_t result;);

RH_PROCESS(server, int free; int waiting; rh_ref queue[MOST_COMPONENTS];);
/* hasty: the bug.  A worker that has just waited for one result looks whether the other one is there, and says that
 * it waits if it is not, in two steps. */
RH_PROCESS(worker, int number; int components; int phases; bool hasty; rh_ref server; rh_ref coordinator;);
RH_PROCESS(coordinator, int components; int phases; int at_once; bool hasty; rh_ref asker;);

#endif
