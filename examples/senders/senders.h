/* Several senders, one message each, one receiver: the smallest program in which the order of messages is free. */
#ifndef SENDERS_H
#define SENDERS_H

#include <rehearse.h>

enum { MOST_SENDERS = 32 };

RH_MESSAGE(item, int tag;); /* tags are 1, 2, ..., n */

/* Takes what comes.  An orderly one believes that items come in the order of their tags. */
RH_ACTOR(collector, int count; int tags[MOST_SENDERS]; bool orderly;);
/* Takes items by their tags, 1 first, whatever the order in which they come. */
RH_PROCESS(sorter, int count; bool orderly;);

#endif
