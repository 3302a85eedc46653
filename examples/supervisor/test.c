/* Children that break when they are told to, or at once, under each strategy. */
#include <string.h>

#include <rehearse/test.h>

#include "supervisor.h"

RH_BUG(too_soon, "the test looks a child up by its name right after it broke");

RH_MESSAGE(hello);
RH_MESSAGE(break_down);
RH_MESSAGE(leave);
RH_MESSAGE(began, int child;); /* announced */
RH_MESSAGE(stopped, int child;);

/* ---- children ---------------------------------------------------------------------------------------------------- */
RH_ACTOR(part, int number; bool breaks;);
RH_HANDLER(part, rh_start)
{
    rh_trap_exits(true);
    rh_announce(began, .child = state->number);
    if (state->breaks)
        rh_exit("broken");
}
RH_HANDLER(part, hello)
{
    rh_reply(hello);
}
RH_HANDLER(part, break_down)
{
    rh_announce(stopped, .child = state->number);
    rh_exit("broken");
}
RH_HANDLER(part, leave)
{
    rh_announce(stopped, .child = state->number);
    rh_stop();
}
RH_HANDLER(part, rh_exited)
{
    rh_announce(stopped, .child = state->number);
    rh_exit(msg->reason);
}
RH_BEHAVIOUR(part, working, rh_start, hello, break_down, leave, rh_exited);

static rh_ref start_part(const void *number)
{
    return rh_spawn_link(part, .number = *(const int *)number);
}
static rh_ref start_broken(const void *number)
{
    return rh_spawn_link(part, .number = *(const int *)number, .breaks = true);
}

static const int number[] = { 0, 1, 2 };
static const struct sup_child three[] = {
    { "first", start_part, &number[0], SUP_PERMANENT, 0 },
    { "second", start_part, &number[1], SUP_PERMANENT, 0 },
    { "third", start_part, &number[2], SUP_PERMANENT, 0 },
};

/* ---- what must hold in every run: a child has one life at a time; those before it run when it begins, and have not
 * ------ ---- stopped when it stops (strict: all but one for one)
 * ------------------------------------------------------------ */
RH_MONITOR(order, bool running[3]; bool strict;);
RH_HANDLER(order, began)
{
    rh_assert(!state->running[msg->child], "child %d has two lives", msg->child);
    state->running[msg->child] = true;
}
RH_HANDLER(order, stopped)
{
    for (int i = msg->child + 1; state->strict && i < 3; i++)
        rh_assert(!state->running[i], "child %d stops before child %d", msg->child, i);
    state->running[msg->child] = false;
}
RH_BEHAVIOUR(order, watching, began, stopped);

/* ---- tests ------------------------------------------------------------------------------------------------------- */
static rh_ref child(rh_ref s, int i)
{
    return rh_ask(s, sup_where, sup_is, .child = i)->who;
}

/* Breaks the second of three children, and returns which children have another life now, as bits. */
static int break_the_second(enum sup_strategy strategy)
{
    rh_ref s = rh_spawn(supervisor, .strategy = strategy, .children = three, .count = 3, .intensity = 1);
    rh_ref before[3];
    int changed = 0;
    for (int i = 0; i < 3; i++)
        before[i] = child(s, i);
    rh_monitor(before[1]);
    rh_send(before[1], break_down);
    rh_join(before[1]);
    if (rh_bug("too_soon"))
        rh_assert(!rh_is_nobody(rh_whereis("second")), "the second child has not been started again");
    else
        rh_assert(rh_ask(s, sup_where, sup_is, .child = 1, .gone = before[1])->restarts == 1, "not one restart");
    for (int i = 0; i < 3; i++) {
        rh_ref now = child(s, i);
        rh_ask(now, hello, hello);
        changed |= !rh_same(now, before[i]) << i;
    }
    rh_monitor(s);
    rh_send(s, sup_stop);
    rh_assert(!strcmp(rh_join(s)->reason, "normal"), "the supervisor does not end in order");
    return changed;
}

RH_TEST(one_for_one)
{
    rh_observe(order);
    int changed = break_the_second(SUP_ONE_FOR_ONE);
    rh_assert(changed == 2, "children %d", changed);
}

RH_TEST(one_for_all)
{
    rh_observe(order);
    int changed = break_the_second(SUP_ONE_FOR_ALL);
    rh_assert(changed == 7, "children %d", changed);
}

RH_TEST(rest_for_one)
{
    rh_observe(order);
    int changed = break_the_second(SUP_REST_FOR_ONE);
    rh_assert(changed == 6, "children %d", changed);
}

RH_TEST(children_stop_in_the_opposite_order)
{
    rh_observe(order, .strict = true);
    rh_ref s = rh_spawn_monitor(supervisor, .children = three, .count = 3);
    rh_kill(s, "shutdown");
    rh_assert(!strcmp(rh_join(s)->reason, "shutdown"), "another reason");
}

RH_TEST(too_many_restarts_end_the_supervisor)
{
    static const struct sup_child broken[] = { { "first", start_part, &number[0], SUP_PERMANENT, 0 },
                                               { "second", start_broken, &number[1], SUP_PERMANENT, 0 } };
    rh_ref s = rh_spawn_monitor(supervisor, .children = broken, .count = 2, .intensity = 2, .period_ms = 1000);
    rh_assert(!strcmp(rh_join(s)->reason, "shutdown"), "another reason");
    rh_assert(rh_is_nobody(rh_whereis("first")) && rh_is_nobody(rh_whereis("second")), "a child is left");
}

RH_TEST(who_leaves_in_order_is_not_started_again)
{
    static const struct sup_child two[] = { { "first", start_part, &number[0], SUP_TRANSIENT, 0 },
                                            { "second", start_part, &number[1], SUP_TEMPORARY, 0 } };
    rh_ref s = rh_spawn(supervisor, .children = two, .count = 2, .intensity = 1);
    for (int i = 0; i < 2; i++) {
        rh_ref who = child(s, i);
        rh_monitor(who);
        if (i)
            rh_send(who, break_down);
        else
            rh_send(who, leave);
        rh_join(who);
    }
    rh_monitor(s);
    rh_send(s, sup_stop);
    rh_join(s);
    rh_assert(rh_is_nobody(rh_whereis("first")) && rh_is_nobody(rh_whereis("second")), "a child is left");
}

RH_MAIN()
