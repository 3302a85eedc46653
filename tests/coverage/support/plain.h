/* Programs of the kind of [Bita 2013], made from a seed: handlers that always take everything, whose sends, spawns and
 * changes of behaviour depend on all that they received before.  Bita has it that whether a receive changes handlers is
 * a property of that receive (Definition 3), so that can be had, too. */
#ifndef RH_TESTS_COVERAGE_SUPPORT_PLAIN_H
#define RH_TESTS_COVERAGE_SUPPORT_PLAIN_H

#include <rehearse/test.h>

enum { PLAIN_WORKERS = 4, PLAIN_USERS = 4 };

struct plain_program {
    uint64_t seed;
    uint32_t workers, users, ttl, fan;
    bool by_state; /* whether a message changes its receiver's behaviour depends on what that received before */
};
/* Written between worlds. */
extern struct plain_program plain_program;

RH_MESSAGE(task, int32_t ttl; uint32_t value; rh_ref friend;);
RH_MESSAGE(memo, int32_t ttl; uint32_t value; rh_ref friend;);
RH_ACTOR(worker, uint64_t number; bool child, eager; rh_ref friend;);

/* Program number `seed`; `size` is how long messages live. */
void plain_make(uint64_t seed, uint32_t size);

#endif
