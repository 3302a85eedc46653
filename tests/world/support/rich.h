/* A program that uses all there is: heap (also blocks of several MB), globals, choices, timers, spawn, stop and exit,
 * links and monitors, names, asks, processes with selective receive, stores, shared tables, deferral, announcements.
 *
 * What an actor does with a message depends, by a hash, on its state and the message, so one seed is one program. */
#ifndef RH_TESTS_WORLD_SUPPORT_RICH_H
#define RH_TESTS_WORLD_SUPPORT_RICH_H

#include <rehearse/test.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/generated.h"

enum { RICH_BLOCKS = 4, RICH_BOARD = 2048, RICH_TTL = 4 };

/* Read by the actors; written only between worlds. */
extern uint64_t rich_seed;
extern bool rich_megabytes;
/* Written by the actors. */
extern uint64_t rich_board[RICH_BOARD];

RH_MESSAGE(op, uint32_t value; int32_t ttl;);
RH_MESSAGE_DEFERRED(later, uint32_t value;);
RH_MESSAGE_IGNORED(noise, uint32_t value;);
RH_MESSAGE(tick, uint32_t value;);
RH_MESSAGE(query, uint32_t value;);
RH_MESSAGE(answer, uint32_t value;);

RH_ACTOR(rich, uint64_t number; void *block[RICH_BLOCKS]; uint32_t size[RICH_BLOCKS]; uint32_t children; bool child;);
RH_ACTOR(server, uint64_t number; rh_ref other;);
RH_PROCESS(walker, uint64_t number; char *text;);
RH_MONITOR(seen, uint64_t number; char *text;);

RH_TABLE(shared);
RH_TABLE(counted);
RH_TABLE_ORDERED(listed);

#endif
