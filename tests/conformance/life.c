/* Birth and death: names, stop, exit, processes that return. */
#include "conformance/support/harness.h"

RH_MESSAGE(go);
RH_MESSAGE(number, int value;);

/* ---- names ------------------------------------------------------------------------------------------------------- */
RH_ACTOR(worker);
RH_HANDLER(worker, go)
{
    say("%s", rh_name(self));
}
RH_BEHAVIOUR(worker, open, go);
RH_ACTOR(clerk);
RH_HANDLER(clerk, go)
{
    rh_send(rh_spawn(worker), go);
}
RH_BEHAVIOUR(clerk, open, go);
RH_ACTOR(boss);
RH_HANDLER(boss, go)
{
    rh_send(rh_spawn(worker), go);
    rh_send(rh_spawn(clerk), go);
    rh_send(rh_spawn(worker), go);
}
RH_BEHAVIOUR(boss, open, go);
PROGRAM(names_count_by_type_and_creator,
        .allowed = { "boss#1/clerk#1/worker#1: boss#1/clerk#1/worker#1 | boss#1/worker#1: boss#1/worker#1 | "
                     "boss#1/worker#2: boss#1/worker#2 | worker#1: worker#1 | worker#2: worker#2" })
{
    rh_ref first = rh_spawn(worker);
    rh_ref b = rh_spawn(boss);
    rh_send(rh_spawn(worker), go);
    rh_send(b, go);
    rh_send(first, go);
}

RH_PROCESS(foreman);
RH_BODY(foreman)
{
    rh_ref one = rh_spawn(worker), two = rh_spawn(worker);
    say("%s", rh_name(self));
    say("%s", rh_name(two));
    say("%s", rh_name(rh_nobody()));
    rh_send(one, go);
}
PROGRAM(a_process_spawns_too,
        .allowed = { "foreman#1: foreman#1 foreman#1/worker#2 nobody | foreman#1/worker#1: foreman#1/worker#1" })
{
    rh_spawn(foreman);
}

/* ---- stop and exit ----------------------------------------------------------------------------------------------- */
RH_ACTOR(quitter, bool at_once;);
RH_HANDLER(quitter, number)
{
    say("%d", msg->value);
}
RH_HANDLER(quitter, go)
{
    if (state->at_once)
        rh_exit("normal");
    rh_stop();
    say("last words");
}
RH_BEHAVIOUR(quitter, open, number, go);
PROGRAM(messages_behind_a_stop_are_not_handled, .allowed = { "quitter#1: 1 last words" })
{
    rh_ref q = rh_spawn(quitter);
    rh_send(q, number, .value = 1);
    rh_send(q, go);
    rh_send(q, number, .value = 2);
    rh_send(q, go);
}
PROGRAM(exit_ends_at_once, .allowed = { "quitter#1: 1" })
{
    rh_ref q = rh_spawn(quitter, .at_once = true);
    rh_send(q, number, .value = 1);
    rh_send(q, go);
    rh_send(q, number, .value = 2);
}

RH_ACTOR(breaker);
enum { BREAKING_LINE = __LINE__ + 3 };
RH_HANDLER(breaker, go)
{
    rh_exit("broken");
}
RH_BEHAVIOUR(breaker, open, go);
PROGRAM(an_abnormal_exit_that_nobody_is_told_is_a_failure, .failure_text = { "broken" }, .failure_line = BREAKING_LINE,
        .allowed = { "! exit breaker#1" })
{
    rh_send(rh_spawn(breaker), go);
}

RH_PROCESS(brief);
RH_BODY(brief)
{
    say("begins");
    if (rh_receive(go))
        return;
    say("goes on");
}
RH_PROCESS(abrupt);
RH_BODY(abrupt)
{
    rh_receive(go);
    rh_exit("enough");
}
RH_PROCESS(onlooker);
RH_BODY(onlooker)
{
    rh_ref b = rh_spawn(brief), a = rh_spawn(abrupt);
    rh_monitor(b);
    say(rh_alive(b) ? "lives" : "dead");
    rh_send(b, go);
    say("%s", rh_receive(rh_down)->reason);
    rh_send(b, go);     /* is lost */
    while (rh_alive(b)) /* in production: a moment more */
        rh_sleep(1);
    rh_monitor(a);
    rh_send(a, go);
    say("%s", rh_receive(rh_down)->reason);
    while (rh_alive(a))
        rh_sleep(1);
    say(rh_alive(self) && !rh_alive(rh_nobody()) ? "right" : "wrong");
}
PROGRAM(a_process_ends_by_returning_or_by_exit,
        .allowed = { "onlooker#1: lives normal enough right | onlooker#1/brief#1: begins" })
{
    rh_spawn(onlooker);
}

/* A long life of many short ones. */
RH_ACTOR(mayfly, int day; int last;);
RH_HANDLER(mayfly, go)
{
    if (state->day == state->last)
        say("day %d", state->day);
    else
        rh_send(rh_spawn(mayfly, .day = state->day + 1, .last = state->last), go);
    rh_stop();
}
RH_BEHAVIOUR(mayfly, open, go);
PROGRAM(generations_of_actors,
        .allowed = {
            "mayfly#1/mayfly#1/mayfly#1/mayfly#1/mayfly#1/mayfly#1/mayfly#1/mayfly#1/mayfly#1/mayfly#1: day 9" })
{
    rh_send(rh_spawn(mayfly, .last = 9), go);
}

/* A process has the 256 KiB of stack that it is promised, for itself and for what it calls between waits. */
static int use_stack(int depth)
{
    volatile char room[16 * 1024];
    for (size_t i = 0; i < sizeof room; i += 512)
        room[i] = (char)depth;
    return depth ? use_stack(depth - 1) + room[512] : 1;
}
RH_PROCESS(roomy);
RH_BODY(roomy)
{
    int before = use_stack(9);
    rh_sleep(1);
    say("%d %d", before, use_stack(9));
    rh_receive(go);
    rh_exit("normal");
}
PROGRAM(a_process_has_room_on_its_stack, .production_runs = 5, .allowed = { "roomy#1: 46 46" })
{
    rh_send(rh_spawn(roomy), go);
}

/* What a handler did before it exits stands. */
RH_ACTOR(parting, rh_ref to;);
RH_HANDLER(parting, go)
{
    rh_send(state->to, number, .value = 1);
    rh_exit("normal");
}
RH_BEHAVIOUR(parting, open, go);
PROGRAM(what_was_sent_before_an_exit_arrives, .allowed = { "quitter#1: 1" })
{
    rh_send(rh_spawn(parting, .to = rh_spawn(quitter)), go);
}

MAIN()
