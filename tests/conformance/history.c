/* Histories: what has an order and what has none is the same in both worlds. */
#include "conformance/support/harness.h"

RH_MESSAGE(go);
RH_MESSAGE(add, int value;);
RH_MESSAGE(get);
RH_MESSAGE(sum, int value;);

static bool apply(void *state, const struct rh_operation *o)
{
    int *total = state;
    const struct add *a = rh_as(&o->call, add);
    const struct sum *s = rh_as(&o->result, sum);
    *total += a ? a->value : 0;
    return !s || s->value == *total;
}
static void print(const struct rh_operation *o, char *text, size_t size)
{
    const struct sum *s = rh_as(&o->result, sum);
    snprintf(text, size, "%s %d", o->call.type->name, s ? s->value : -1);
}
RH_HISTORY(counters, .state_size = sizeof(int), .apply = apply, .print = print);
RH_HISTORY(weak_counters, .state_size = sizeof(int), .consistency = RH_SEQUENTIAL, .apply = apply);

/* A server that may answer a get with what it had before the last add. */
RH_ACTOR(server, int total; int before;);
RH_HANDLER(server, add)
{
    state->before = state->total;
    state->total += msg->value;
    rh_reply(sum, .value = state->total);
}
RH_HANDLER(server, get)
{
    rh_reply(sum, .value = state->total);
}
RH_BEHAVIOUR(server, serving, add, get);

RH_PROCESS(client, rh_ref server; int value; const char *key;);
RH_BODY(client)
{
    for (int i = 0; i < 2; i++) {
        struct rh_call c = rh_history_call(counters, "k", add, .value = state->value);
        const struct sum *s = rh_ask(state->server, add, sum, .value = state->value);
        rh_history_return(counters, c, sum, .value = s->value);
    }
    say("added");
}
PROGRAM(a_server_that_answers_in_turn_is_linearizable, .allowed = { "client#1: added | client#2: added" })
{
    rh_ref s = rh_spawn(server);
    rh_spawn(client, .server = s, .value = 1);
    rh_spawn(client, .server = s, .value = 2);
}

RH_ACTOR(liar);
RH_HANDLER(liar, go)
{
    struct rh_call a = rh_history_call(counters, "k", add, .value = 3);
    rh_history_return(counters, a, sum, .value = 3);
    struct rh_call other = rh_history_call(counters, "l", get);
    rh_history_return(counters, other, sum, .value = 0); /* another key, another state */
    struct rh_call b = rh_history_call(counters, "k", get);
    rh_history_return(counters, b, sum, .value = 0);
    say("lied");
}
RH_BEHAVIOUR(liar, lying, go);
PROGRAM(a_stale_answer_has_no_order, .allowed = { "liar#1: lied ! history " },
        .failure_text = { "counters is not linearizable", "on \"k\"", "get 0" })
{
    rh_send(rh_spawn(liar), go);
}

/* An operation that has not returned may have happened, or not. */
RH_ACTOR(quitter);
RH_HANDLER(quitter, go)
{
    (void)rh_history_call(counters, NULL, add, .value = 5);
    struct rh_call b = rh_history_call(counters, NULL, get);
    rh_history_return(counters, b, sum, .value = 0);
    struct rh_call c = rh_history_call(counters, NULL, get);
    rh_history_return(counters, c, sum, .value = 5);
    say("left");
}
RH_BEHAVIOUR(quitter, quitting, go);
PROGRAM(an_open_operation_may_happen_late, .allowed = { "quitter#1: left" })
{
    rh_send(rh_spawn(quitter), go);
}

/* One client writes, another reads an old value afterwards: sequentially consistent, since neither knows of the other.
 * The second one's own operations keep their order. */
RH_ACTOR(reader, int found[2]; rh_ref next;);
RH_HANDLER(reader, go)
{
    for (int i = 0; i < 2; i++) {
        struct rh_call c = rh_history_call(weak_counters, "k", get);
        rh_history_return(weak_counters, c, sum, .value = state->found[i]);
    }
    say("read");
}
RH_BEHAVIOUR(reader, reading, go);
RH_ACTOR(adder, rh_ref next;);
RH_HANDLER(adder, go)
{
    struct rh_call c = rh_history_call(weak_counters, "k", add, .value = 1);
    rh_history_return(weak_counters, c, sum, .value = 1);
    say("added");
    rh_send(state->next, go);
}
RH_BEHAVIOUR(adder, adding, go);
PROGRAM(an_old_value_is_sequentially_consistent, .allowed = { "adder#1: added | reader#1: read" })
{
    rh_send(rh_spawn(adder, .next = rh_spawn(reader, .found = { 0, 1 })), go);
}
PROGRAM(an_old_value_after_a_new_one_is_not, .allowed = { "adder#1: added | reader#1: read ! history " },
        .failure_text = { "weak_counters is not sequentially consistent" })
{
    rh_send(rh_spawn(adder, .next = rh_spawn(reader, .found = { 1, 0 })), go);
}

MAIN()
