/* A program with something of everything that is counted: findings of several kinds, some of which kill the process,
 * runs that are stuck, properties of each kind, choices and timers.  With n clients it has many runs: 3 is a few
 * thousand. */
#ifndef RH_TESTS_CLUSTER_MIXED_H
#define RH_TESTS_CLUSTER_MIXED_H

#include <rehearse/test.h>

#include <unistd.h>

RH_MESSAGE(put, uint32_t value;);
RH_MESSAGE(beat);
RH_ACTOR(desk, uint32_t order; uint32_t count; uint32_t ticks;);
RH_HANDLER(desk, put)
{
    state->order = state->order * 4 + msg->value;
    state->count++;
    rh_cover("something is put");
    rh_sometimes("the last comes first", state->count == 1 && msg->value == 3);
    rh_sometimes("nobody ticks", state->count == 3 && !state->ticks);
    rh_always("few are put", state->count < 100);
    if (rh_param("fails", 0)) {
        rh_assert(state->order % 64 != 27, "1, 2, 3");
        rh_assert(state->order % 64 != 57 || !state->ticks, "a tick before 3, 2, 1");
    }
    if (rh_param("crashes", 0) && state->order == 6) /* 1, 2 */
        __builtin_trap();
    rh_eventually("all are put", state->count >= 3);
}
RH_HANDLER(desk, beat)
{
    state->ticks++;
}
RH_BEHAVIOUR(desk, open, put, beat);

RH_ACTOR(client, rh_ref table; uint32_t value;);
RH_HANDLER(client, put)
{
    rh_send(state->table, put, .value = state->value);
    if (msg->value > 1)
        rh_send(self, put, .value = msg->value - 1);
    else if (rh_choose(2))
        rh_timer("late", 5, beat);
}
RH_HANDLER(client, beat)
{
    rh_send(state->table, beat);
}
RH_BEHAVIOUR(client, working, put, beat);

RH_TEST(mixed)
{
    rh_ref t = rh_spawn(desk);
    rh_cover("it begins");
    for (uint32_t i = 1; i <= rh_param("n", 2); i++)
        rh_send(rh_spawn(client, .table = t, .value = i), put, .value = (uint32_t)rh_param("rounds", 1));
}

/* What it does depends on the process it runs in: a program that cannot be explored by several. */
RH_TEST(by_process)
{
    rh_ref t = rh_spawn(desk);
    for (int i = 0; i < 4 + getpid() % 3; i++)
        rh_send(rh_spawn(client, .table = t, .value = 1), put, .value = 1);
}

/* It dies before there is a choice. */
RH_TEST(dies_in_body)
{
    __builtin_trap();
}

#endif
