/* Programs made from a seed that use what makes choices: messages, timers, rh_choose, spawning, asks, processes with
 * timeouts, stores, ends; on request some of them crash in some orders.  Small enough that all runs can be made. */
#ifndef RH_TESTS_EXPLORE_SUPPORT_PROGRAM_H
#define RH_TESTS_EXPLORE_SUPPORT_PROGRAM_H

#include <rehearse/test.h>

/* Which program the test `program` is, whether it may crash, and whether it is open to the outside (a budget is needed,
 * then); written only between worlds. */
extern uint64_t program_seed;
extern bool program_crashes, program_is_open;

/* The body of the test `program`. */
void program_begin(void);
/* What program number `seed` takes for granted; between them the programs have every model and kind of fault. */
struct rh_semantics program_semantics(uint64_t seed);

/* The types stand here so that a test with a type of the same name does not compile: the linker would join them. */
RH_MESSAGE(work, int32_t ttl; uint32_t value;);
RH_MESSAGE(tick, uint32_t value;);
RH_MESSAGE(question, uint32_t value;);
RH_MESSAGE(answer, uint32_t value;);

RH_ACTOR(node, uint64_t number; rh_ref peer[3]; rh_ref server; uint32_t children; bool child;);
RH_ACTOR(server, uint32_t served;);
RH_PROCESS(reader, uint64_t number; rh_ref to;);

#endif
