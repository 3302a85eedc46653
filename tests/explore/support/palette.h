/* Small programs made from a seed that between them use every feature of the world, in every model: for comparing a
 * reduction with all runs.
 *
 * A program has a palette of a few operations; what an actor does with a message is drawn from it by a hash of what the
 * actor has seen before.  So each program is small, and there are many kinds. */
#ifndef RH_TESTS_EXPLORE_SUPPORT_PALETTE_H
#define RH_TESTS_EXPLORE_SUPPORT_PALETTE_H

#include <rehearse/test.h>

/* Which program the test `palette` is; written only between worlds. */
extern uint64_t palette_seed;

/* Programs with logical time, which look at the clock, have the numbers from here on; those with ordered time and
 * granularity object; and those that are open to the outside. */
#define PALETTE_LOGICAL ((uint64_t)1 << 40)
#define PALETTE_CLOCK   ((uint64_t)1 << 41)
#define PALETTE_OUTSIDE ((uint64_t)1 << 42)

/* What program number `seed` takes for granted. */
struct rh_semantics palette_semantics(uint64_t seed);

/* The types stand here so that a test with a type of the same name does not compile: the linker would join them. */
RH_MESSAGE(job, int32_t ttl; uint32_t value;);
RH_MESSAGE_DEFERRED(later, uint32_t value;);
RH_MESSAGE_IGNORED(noise, uint32_t value;);
RH_MESSAGE(beat, uint32_t value;);
RH_MESSAGE(asked, uint32_t value;);
RH_MESSAGE(told, uint32_t value;);
RH_MESSAGE(news, uint32_t value;);

enum { MEMBERS = 3 };

RH_ACTOR(member, uint64_t number; int32_t left; uint32_t children; bool child; rh_ref peer[MEMBERS]; rh_ref helper;);
RH_ACTOR(helper, uint64_t number; rh_ref other;);
RH_PROCESS(stroller, uint64_t number; rh_ref to; rh_ref helper;);
RH_MONITOR(gazette, uint64_t number; uint32_t seen;);

#endif
