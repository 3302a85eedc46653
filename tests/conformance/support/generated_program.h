/* Small programs made from a seed, the same in both worlds, for comparing what production does with what was explored.
 *
 * A program has a palette of a few operations.  What an actor does with a message is drawn from it by a hash of all
 * that the actor has seen before: so two runs in which each actor sees the same are the same.  An actor says what it
 * sees (say), and what all have said is the outcome of a run.
 *
 * Nothing fails: ends are orderly, or by a kill; who waits for ever just waits. */
#ifndef RH_TESTS_CONFORMANCE_SUPPORT_GENERATED_PROGRAM_H
#define RH_TESTS_CONFORMANCE_SUPPORT_GENERATED_PROGRAM_H

#include <rehearse.h>
#include <rehearse/test.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KNOWN = 4 };

/* Written only between runs. */
extern uint64_t generated_seed;

struct mind {
    uint64_t seen;
    int32_t left; /* events in which it still does something */
    bool child, walks;
    rh_ref known[KNOWN];
};

RH_MESSAGE(job, int32_t ttl; uint32_t value; rh_ref about;);
RH_MESSAGE(beat, uint32_t value;);
RH_MESSAGE(asked, uint32_t value;);
RH_MESSAGE(told, uint32_t value;);
RH_MESSAGE(sum, uint32_t value;);

RH_ACTOR(member, struct mind mind;);
RH_PROCESS(walker, struct mind mind;);
RH_TABLE(shared);

uint64_t stirred(uint64_t a, uint64_t b);
/* Starts the program, from outside of all actors in production, as the test in the controlled world. */
void generated_start(void);

/* ---- outcomes ---------------------------------------------------------------------------------------------------- */

enum { MOST_SAID = 48, SAID_SIZE = 96, OUTCOME_SIZE = 4096 };

/* What each actor has said, in its own order. */
struct said {
    uint32_t count;
    char actor[MOST_SAID][SAID_SIZE], text[MOST_SAID][SAID_SIZE];
};

void said_add(struct said *s, const char *actor, const char *text);
/* "member#1: job1a alive1 | member#2: ...", sorted by actor. */
void said_outcome(const struct said *s, char *buffer);

#endif
