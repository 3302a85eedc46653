/* n senders and one receiver: n! sequences of choices, as many behaviours.  The known number of this field. */
#ifndef RH_TESTS_EXPLORE_SUPPORT_SENDERS_H
#define RH_TESTS_EXPLORE_SUPPORT_SENDERS_H

#include <rehearse/test.h>

RH_MESSAGE(hello, int from;);
RH_ACTOR(receiver, int count; int order[16];);
RH_HANDLER(receiver, hello)
{
    state->order[state->count++] = msg->from;
}
RH_BEHAVIOUR(receiver, listening, hello);

RH_TEST(senders)
{
    static const char *const names[] = { "a", "b", "c", "d", "e", "f", "g", "h", "i", "j" };
    rh_ref r = rh_spawn(receiver);
    for (int i = 0; i < rh_param("n", 4); i++)
        rh_send_from(rh_external(names[i]), r, hello, .from = i);
}

static inline uint64_t factorial(uint32_t n)
{
    return n < 2 ? 1 : n * factorial(n - 1);
}

#endif
