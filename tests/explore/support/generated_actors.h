/* The programs of support/generated.h as real actors, which write down what they take. */
#ifndef RH_TESTS_EXPLORE_SUPPORT_GENERATED_ACTORS_H
#define RH_TESTS_EXPLORE_SUPPORT_GENERATED_ACTORS_H

#include <rehearse/test.h>

#include "support/generated.h"

/* What the test `generated_program` is made of: read by the actors, written between worlds. */
extern struct generated_program generated;

RH_MESSAGE(parcel, struct generated_message m;);
RH_MESSAGE(go);
RH_ACTOR(source, uint8_t me;);
RH_ACTOR(taker, uint8_t me; uint64_t number; uint32_t took; struct generated_id order[GENERATED_MESSAGES];);

#endif
