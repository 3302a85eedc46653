/* A log writer shared by concurrent actions, after the bug in Gatling that opens [Bita 2013, Listing 1]. */
#ifndef GATLING_H
#define GATLING_H

#include <rehearse.h>

RH_MESSAGE(execute);
RH_MESSAGE(write_line, char line[32];);
RH_MESSAGE(written);
RH_MESSAGE(action_done);
RH_MESSAGE(flush);

RH_ACTOR(writer, int lines; bool flushed;);
RH_ACTOR(terminator, rh_ref writer; int actions; int done;);
RH_ACTOR(action, rh_ref writer; rh_ref terminator; bool hasty;);

#endif
