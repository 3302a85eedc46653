/* Lines that need several messages with certain values, between several actors; tests/target/search.sh wants each of
 * them reached by the search alone.  No value here is one that is likely to be drawn. */
#include <rehearse/test.h>

RH_MESSAGE(number, uint32_t value;);
RH_MESSAGE(first, uint32_t value;);
RH_MESSAGE(second, uint32_t value;);
RH_MESSAGE(pass, uint32_t value; uint32_t hops;);
RH_MESSAGE(sum, uint32_t value;);
RH_MESSAGE_IGNORED(echo, uint32_t value;);
RH_MESSAGE(unlock, uint32_t key;);
RH_MESSAGE(lock);
RH_MESSAGE(request, uint32_t value;);
RH_MESSAGE(reply, uint32_t value;);
RH_MESSAGE(tick, uint32_t value;);
RH_MESSAGE(end);
RH_MESSAGE(seen, uint32_t value;);

static uint32_t scrambled(uint32_t n)
{
    return (n ^ 0x5bd1e995u) * 2654435761u;
}

/* ---- one actor, several messages --------------------------------------------------------------------------------- */
RH_ACTOR(adder, uint32_t total; uint32_t last; uint32_t count; uint32_t slots[4];);
RH_HANDLER(adder, number)
{
    if (state->total == 123456u && scrambled(msg->value) == scrambled(777u))
        rh_log("reached: two numbers in a row");
    if (state->last == msg->value + 1000000u && state->last > 5000000u)
        rh_log("reached: a number that fits to the one before");
    state->total += msg->value;
    state->last = msg->value;
}
RH_HANDLER(adder, first)
{
    state->slots[msg->value % 4] = msg->value;
    state->count++;
}
RH_HANDLER(adder, second)
{
    if (state->slots[3] == 40003u && msg->value == state->slots[3] * 3u)
        rh_log("reached: an array with an index from a message");
    if (state->count == 3 && msg->value == 991u)
        rh_log("reached: the fourth message");
}
RH_BEHAVIOUR(adder, adding, number, first, second);

/* ---- behaviours -------------------------------------------------------------------------------------------------- */
RH_ACTOR(door, uint32_t opened; uint32_t key;);
RH_HANDLER(door, unlock)
{
    if (msg->key == state->key * 7u + 12345u)
        rh_become(door, open);
}
RH_HANDLER(door, lock)
{
    state->opened++;
    rh_become(door, closed);
}
RH_HANDLER_AS(door, number, closed_number)
{
    if (state->opened == 2 && msg->value == 31337u)
        rh_log("reached: closed again");
}
RH_HANDLER_AS(door, number, open_number)
{
    if (scrambled(msg->value) == 1u)
        rh_log("reached: an open door");
}
RH_BEHAVIOUR(door, closed, unlock, RH_ON(number, closed_number), RH_IGNORE(lock));
RH_BEHAVIOUR(door, open, lock, RH_ON(number, open_number), RH_IGNORE(unlock));

/* ---- several actors: send, reply, forward, spawn, announce, stop ------------------------------------------------- */
RH_ACTOR(relay, rh_ref next; uint32_t added; uint32_t sum; bool was_echoed;);
RH_HANDLER(relay, pass)
{
    if (msg->hops == 2 && scrambled(msg->value) == scrambled(1000u))
        rh_log("reached: three actors");
    if (msg->hops < 2 && !rh_is_nobody(state->next))
        rh_send(state->next, pass, .value = msg->value + state->added, .hops = msg->hops + 1);
    rh_reply(echo, .value = msg->value);
}
RH_HANDLER(relay, echo)
{
    if (msg->value == 424242u)
        rh_log("reached: a reply");
}
RH_BEHAVIOUR(relay, passing, pass, echo);

RH_ACTOR(worker, uint32_t secret; rh_ref boss;);
RH_HANDLER(worker, number)
{
    if (state->secret == 65537u && msg->value == 257u)
        rh_log("reached: an actor that was spawned with a value");
    rh_send(state->boss, sum, .value = msg->value * state->secret);
    rh_stop();
}
RH_BEHAVIOUR(worker, working, number);
RH_ACTOR(boss, rh_ref worker;);
RH_HANDLER(boss, request)
{
    state->worker = rh_spawn(worker, .secret = msg->value + 1, .boss = self);
}
RH_HANDLER(boss, number)
{
    if (!rh_is_nobody(state->worker))
        rh_send(state->worker, number, .value = msg->value);
}
RH_HANDLER(boss, sum)
{
    if (msg->value == 1000003u)
        rh_log("reached: what a spawned actor sent");
    rh_announce(seen, .value = msg->value);
}
RH_HANDLER(boss, first)
{
    rh_announce(seen, .value = msg->value);
}
RH_BEHAVIOUR(boss, leading, request, number, sum, first);

RH_MONITOR(watcher, uint32_t before;);
RH_HANDLER(watcher, seen)
{
    if (state->before == 11u && msg->value == 22u)
        rh_log("reached: a monitor that sees two announcements");
    state->before = msg->value;
}
RH_BEHAVIOUR(watcher, watching, seen);

/* ---- asking, timers, choices, processes ------------------------------------------------------------------------- */
RH_ACTOR(oracle, uint32_t salt;);
RH_HANDLER(oracle, request)
{
    rh_reply(reply, .value = msg->value ^ state->salt);
}
RH_HANDLER(oracle, number)
{
    state->salt = msg->value;
}
RH_BEHAVIOUR(oracle, answering, request, number);

RH_ACTOR(asker, rh_ref oracle; uint32_t limit;);
RH_HANDLER(asker, number)
{
    const struct reply *r = rh_ask(state->oracle, request, reply, .value = msg->value);
    if (r->value == 0xabcdef01u && msg->value == 0x1000u)
        rh_log("reached: a handler that asks");
    state->limit = r->value;
}
RH_HANDLER(asker, tick)
{
    if (msg->value == 5u && state->limit == 98765u)
        rh_log("reached: a timer");
}
RH_HANDLER(asker, second)
{
    rh_timer("wake", 10, tick, .value = msg->value + 1);
    if (msg->value == 777000u && rh_choose(5) == 3)
        rh_log("reached: a choice");
}
RH_BEHAVIOUR(asker, asking, number, tick, second);

static bool is_large(const struct rh_envelope *m, const void *least)
{
    return rh_as(m, number)->value > *(const uint32_t *)least;
}
RH_PROCESS(teller, uint32_t least;);
RH_BODY(teller)
{
    uint32_t least = state->least, count = 0;
    for (;;) {
        const struct number *n = rh_receive(number, .match = is_large, .arg = &least, .idle = true);
        if (n->value == 70001u && count == 2)
            rh_log("reached: the third message of a process");
        least = n->value;
        count++;
        const struct rh_envelope *e = rh_receive_any(.types = RH_TYPES(first, end), .idle = true);
        if (rh_as(e, end))
            break;
        if (rh_as(e, first)->value == least + 1)
            rh_log("reached: a process that receives two types");
    }
    if (least == 60003u)
        rh_log("reached: the end of a process");
}

RH_TEST(chains, .outside = 8)
{
    rh_ref a = rh_spawn(adder), d = rh_spawn(door, .key = 4711u);
    rh_open(a, number);
    rh_open(a, first);
    rh_open(a, second);
    rh_open(d, unlock);
    rh_open(d, lock);
    rh_open(d, number);
    rh_ref r = rh_spawn(relay, .next = rh_spawn(relay, .next = rh_spawn(relay), .added = 17u), .added = 3u);
    rh_open(r, pass);
    rh_ref b = rh_spawn(boss);
    rh_open(b, request);
    rh_open(b, number);
    rh_open(b, first);
    rh_observe(watcher);
    rh_ref o = rh_spawn(oracle, .salt = 1u), k = rh_spawn(asker, .oracle = o);
    rh_open(o, number);
    rh_open(k, number);
    rh_open(k, second);
    rh_ref t = rh_spawn(teller, .least = 40000u);
    rh_open(t, number);
    rh_open(t, first);
    rh_open(t, end);
}
RH_MAIN()
