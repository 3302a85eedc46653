/* What several tests of misuses misuse: messages, a table, an actor, a reference that names nobody. */
#ifndef TESTS_MISUSE_THINGS_H
#define TESTS_MISUSE_THINGS_H

#include "sandbox/drive.h"

RH_MESSAGE(go);
RH_MESSAGE(note, int number;);
RH_MESSAGE(question);
RH_MESSAGE(answer);
RH_MESSAGE(other_answer);

RH_TABLE_ORDERED(some);

/* The line on which the misuse stands: written by the program, read by the test. */
static int line;
#define HERE(call) (line = __LINE__, call)

RH_ACTOR(stranger, int unused;);
RH_HANDLER(stranger, note)
{
}
RH_HANDLER(stranger, question)
{
    rh_reply(other_answer);
}
RH_HANDLER(stranger, go)
{
    rh_stop();
}
RH_BEHAVIOUR(stranger, strange, note, question, go);

static inline rh_ref made_up(void)
{
    rh_ref ref = { 12345 };
    return ref;
}

#define TEST(f) cmocka_unit_test_teardown(f, free_world_left)

#endif
