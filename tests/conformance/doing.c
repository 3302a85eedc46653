/* rh_yield, rh_info, and exit signals between two operations of a process, in both worlds. */
#include "conformance/support/harness.h"

RH_MESSAGE(go);
RH_MESSAGE(other);
RH_TABLE(numbers);

/* ---- rh_yield: others run in between, whatever the granularity --------------------------------------------------- */

RH_PROCESS(yielding, bool yields;);
RH_BODY(yielding)
{
    say("%d", (int)rh_table_add(numbers, "n", 1));
    if (state->yields)
        rh_yield();
    say("%d", (int)rh_table_add(numbers, "n", 1));
}
RH_PROCESS(once);
RH_BODY(once)
{
    say("%d", (int)rh_table_add(numbers, "n", 1));
}
PROGRAM(a_yield_lets_others_run, .semantics.granularity = RH_GRAIN_HANDLER,
        .allowed = { "once#1: 1 | yielding#1: 2 3", "once#1: 2 | yielding#1: 1 3", "once#1: 3 | yielding#1: 1 2" })
{
    rh_spawn(yielding, .yields = true);
    rh_spawn(once);
}

/* Handlers of actors may yield, too. */
RH_ACTOR(worker);
RH_HANDLER(worker, go)
{
    say("%d", (int)rh_table_add(numbers, "n", 1));
    rh_yield();
    say("%d", (int)rh_table_add(numbers, "n", 1));
    rh_stop();
}
RH_BEHAVIOUR(worker, ready, go);
PROGRAM(a_handler_may_yield, .semantics.granularity = RH_GRAIN_HANDLER,
        .allowed = { "once#1: 1 | worker#1: 2 3", "once#1: 2 | worker#1: 1 3", "once#1: 3 | worker#1: 1 2" })
{
    rh_send(rh_spawn(worker), go);
    rh_spawn(once);
}

/* ---- rh_info ----------------------------------------------------------------------------------------------------- */

RH_PROCESS(patient);
RH_BODY(patient)
{
    rh_receive(go);
}

static void say_info(struct rh_actor_info i)
{
    static const char *const names[] = { "ended", "idle", "running", "receiving", "asking", "sleeping", "syncing" };
    if (i.doing == RH_DOING_RUNNING || i.doing == RH_DOING_ENDED)
        say("%s", names[i.doing]);
    else
        say("%s %s %d", names[i.doing], i.type ? i.type->name : "anything", (int)i.mailbox);
}

/* Two messages that it does not take are in its mailbox, or it has not come to its receive yet. */
RH_PROCESS(looker);
RH_BODY(looker)
{
    rh_ref p = rh_spawn_monitor(patient);
    rh_send(p, other);
    rh_send(p, other);
    say_info(rh_info(p));
    rh_send(p, go);
    rh_join(p);
    say_info(rh_info(p));
    say_info(rh_info(rh_self()));
}
PROGRAM(one_that_waits_says_for_what, .semantics.granularity = RH_GRAIN_OBJECT,
        .allowed = { "looker#1: receiving go 2 ended running", "looker#1: running ended running" })
{
    rh_spawn(looker);
}

RH_ACTOR(shy);
RH_HANDLER(shy, go)
{
    rh_stop();
}
RH_BEHAVIOUR(shy, open, go, RH_DEFER(other));
RH_PROCESS(looks_at_actor);
RH_BODY(looks_at_actor)
{
    rh_ref s = rh_spawn_monitor(shy);
    rh_send(s, other);
    while (rh_info(s).doing == RH_DOING_RUNNING) /* in production it looks at the message first */
        rh_yield();
    say_info(rh_info(s));
    rh_send(s, go);
    rh_join(s);
}
PROGRAM(an_idle_actor_has_what_it_defers, .allowed = { "looks_at_actor#1: idle anything 1" },
        .semantics = { .dead_letters = RH_DEAD_LETTER_IGNORE, .granularity = RH_GRAIN_OBJECT })
{
    rh_spawn(looks_at_actor);
}

/* ---- exit signals between two operations ------------------------------------------------------------------------- */

RH_PROCESS(sender, rh_ref to;);
RH_BODY(sender)
{
    for (int i = 0; i < 3; i++)
        rh_send(state->to, go);
}

/* The news of the end comes behind all that the sender has sent.  Between the last send and the end there is no
 * operation, and no place for a signal. */
static void kill_and_count(void)
{
    rh_ref s = rh_spawn_monitor(sender, .to = rh_self());
    rh_kill(s, "kill");
    const struct rh_down *d = rh_receive(rh_down);
    char reason[RH_REASON_SIZE];
    snprintf(reason, sizeof reason, "%s", d->reason);
    int n = 0;
    while (rh_receive(go, .timeout_ms = RH_POLL))
        n++;
    say("%d %s", n, reason);
}
RH_PROCESS(killer);
RH_BODY(killer)
{
    kill_and_count();
}
PROGRAM(a_kill_comes_between_two_sends, .semantics = { .kills = RH_KILL_ANYWHERE, .granularity = RH_GRAIN_OBJECT },
        .allowed = { "killer#1: 0 killed", "killer#1: 1 killed", "killer#1: 2 killed", "killer#1: 3 normal" })
{
    rh_spawn(killer);
}
/* At waits only, a process without waits is killed before it begins, or not at all. */
PROGRAM(a_kill_at_waits_does_not, .semantics.granularity = RH_GRAIN_OBJECT,
        .allowed = { "killer#1: 0 killed", "killer#1: 3 normal" })
{
    rh_spawn(killer);
}

/* One that traps is not ended by other reasons. */
RH_PROCESS(trapping, rh_ref to;);
RH_BODY(trapping)
{
    rh_trap_exits(true);
    rh_send(state->to, other); /* it traps now */
    rh_table_put(numbers, "a", "x", 1);
    rh_table_put(numbers, "b", "x", 1);
    say("%s", rh_receive(rh_exited)->reason);
}
RH_PROCESS(annoyer);
RH_BODY(annoyer)
{
    rh_ref t = rh_spawn_monitor(trapping, .to = rh_self());
    rh_receive(other);
    rh_kill(t, "boom");
    say("%s", rh_receive(rh_down)->reason);
}
PROGRAM(one_that_traps_goes_on_between_operations,
        .semantics = { .kills = RH_KILL_ANYWHERE, .granularity = RH_GRAIN_OBJECT },
        .allowed = { "annoyer#1: normal | annoyer#1/trapping#1: boom" })
{
    rh_spawn(annoyer);
}

/* The end of a linked one is such a signal. */
RH_PROCESS(weak, rh_ref to;);
RH_BODY(weak)
{
    rh_exit("shutdown");
}
RH_PROCESS(writer);
RH_BODY(writer)
{
    rh_spawn_link(weak);
    rh_table_put(numbers, "1", "x", 1);
    rh_table_put(numbers, "2", "x", 1);
}
RH_PROCESS(judge);
RH_BODY(judge)
{
    char c;
    rh_ref w = rh_spawn_monitor(writer);
    const struct rh_down *d = rh_join(w);
    char reason[RH_REASON_SIZE];
    snprintf(reason, sizeof reason, "%s", d->reason);
    say("%d%d %s", rh_table_get(numbers, "1", &c, 1) == 1, rh_table_get(numbers, "2", &c, 1) == 1, reason);
}
PROGRAM(a_link_ends_between_two_puts, .semantics = { .kills = RH_KILL_ANYWHERE, .granularity = RH_GRAIN_OBJECT },
        .allowed = { "judge#1: 00 shutdown", "judge#1: 10 shutdown", "judge#1: 11 normal" })
{
    rh_spawn(judge);
}

MAIN()
