/* Several senders, one message each, one receiver: the smallest program in which the order of messages is open. */
#ifndef SENDERS_H
#define SENDERS_H

#include <rehearse.h>

enum { MOST_SENDERS = 32 };

RH_MESSAGE(item, int tag;); /* tags are 1, 2, ..., n */

/* Takes items in any order.  An orderly collector assumes that items come in the order of their tags. */
RH_ACTOR(collector, int count; int tags[MOST_SENDERS]; bool orderly;);
/* Takes items in the order of their tags, whatever the order of arrival. */
RH_PROCESS(sorter, int count; bool orderly;);

#endif
