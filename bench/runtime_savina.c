/* Savina-like micro benchmarks of the production runtime, the same as in bench/peers/ for CAF and Erlang (after Imam
 * and Sarkar: Savina, an actor benchmark suite, AGERE 2014).
 *
 *   usage: runtime_savina BENCHMARK THREADS [SCALE [FILE [LIMIT]]]
 *
 * SCALE is in percent of the full size.  With FILE the run is recorded there, LIMIT records of it.  Prints one line of
 *   runtime,benchmark,threads,messages,wall_s,cpu_s,messages per wall second,messages per CPU second */
#define _GNU_SOURCE
#include <rehearse.h>
#include <rehearse/runtime.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

RH_MESSAGE(begin);
RH_MESSAGE(stop);

/* ---- ping-pong: two actors, one message under way -------------------------------------------------------------- */

RH_MESSAGE(ping, int32_t left;);
RH_MESSAGE(pong, int32_t left;);

RH_ACTOR(ponger);
RH_HANDLER(ponger, ping)
{
    rh_reply(pong, .left = msg->left);
}
RH_HANDLER(ponger, stop)
{
    rh_stop();
}
RH_BEHAVIOUR(ponger, open, ping, stop);

RH_ACTOR(pinger, rh_ref other; int32_t rounds;);
RH_HANDLER(pinger, begin)
{
    rh_send(state->other, ping, .left = state->rounds);
}
RH_HANDLER(pinger, pong)
{
    if (msg->left > 1) {
        rh_send(state->other, ping, .left = msg->left - 1);
    } else {
        rh_send(state->other, stop);
        rh_stop();
    }
}
RH_BEHAVIOUR(pinger, open, pong, begin);

static long run_pingpong(long scale)
{
    int32_t rounds = (int32_t)(1000000 * scale / 100);
    rh_send(rh_spawn(pinger, .other = rh_spawn(ponger), .rounds = rounds), begin);
    return 2L * rounds;
}

/* ---- counting: one sends, the other counts --------------------------------------------------------------------- */

RH_MESSAGE(increment);
RH_MESSAGE(get);
RH_MESSAGE(total, int64_t count;);

RH_ACTOR(counter, int64_t count;);
RH_HANDLER(counter, increment)
{
    state->count++;
}
RH_HANDLER(counter, get)
{
    rh_reply(total, .count = state->count);
}
RH_HANDLER(counter, stop)
{
    rh_stop();
}
RH_BEHAVIOUR(counter, open, increment, get, stop);

RH_ACTOR(producer, rh_ref counter; int64_t count;);
RH_HANDLER(producer, begin)
{
    for (int64_t i = 0; i < state->count; i++)
        rh_send(state->counter, increment);
    rh_send(state->counter, get);
}
RH_HANDLER(producer, total)
{
    rh_assert(msg->count == state->count, "%lld of %lld", (long long)msg->count, (long long)state->count);
    rh_send(state->counter, stop);
    rh_stop();
}
RH_BEHAVIOUR(producer, open, begin, total);

static long run_counting(long scale)
{
    long count = 5000000 * scale / 100;
    rh_send(rh_spawn(producer, .counter = rh_spawn(counter), .count = count), begin);
    return count;
}

/* ---- fork-join: one sends to sixty in turn --------------------------------------------------------------------- */

RH_ACTOR(labourer, int64_t left;);
RH_HANDLER(labourer, increment)
{
    volatile double x = 37.2;
    x = x * x;
    if (--state->left == 0)
        rh_stop();
}
RH_BEHAVIOUR(labourer, open, increment);

RH_ACTOR(foreman, rh_ref labourers[60]; int64_t rounds;);
RH_HANDLER(foreman, begin)
{
    for (int64_t round = 0; round < state->rounds; round++)
        for (int i = 0; i < 60; i++)
            rh_send(state->labourers[i], increment);
    rh_stop();
}
RH_BEHAVIOUR(foreman, open, begin);

static long run_forkjoin(long scale)
{
    struct foreman first = { .rounds = 10000 * scale / 100 };
    for (int i = 0; i < 60; i++)
        first.labourers[i] = rh_spawn(labourer, .left = first.rounds);
    rh_send(rh_spawn_(&rh_actor_foreman, &first, RH_HERE), begin);
    return 60L * first.rounds;
}

/* ---- ring: one token, a hundred nodes -------------------------------------------------------------------------- */

RH_MESSAGE(next_is, rh_ref next;);
RH_MESSAGE(token, int32_t left;);

RH_ACTOR(node, rh_ref next;);
RH_HANDLER(node, next_is)
{
    state->next = msg->next;
}
RH_HANDLER(node, token)
{
    if (msg->left > 0)
        rh_send(state->next, token, .left = msg->left - 1);
    else
        rh_send(state->next, stop);
}
RH_HANDLER(node, stop)
{
    if (rh_alive(state->next))
        rh_send(state->next, stop);
    rh_stop();
}
RH_BEHAVIOUR(node, open, token, next_is, stop);

static long run_ring(long scale)
{
    rh_ref nodes[100];
    int32_t hops = (int32_t)(1000000 * scale / 100);
    for (int i = 0; i < 100; i++)
        nodes[i] = rh_spawn(node);
    for (int i = 0; i < 100; i++)
        rh_send(nodes[i], next_is, .next = nodes[(i + 1) % 100]);
    rh_send(nodes[0], token, .left = hops);
    return hops;
}

/* ---- big: all to all, each with one ping under way ------------------------------------------------------------- */

RH_MESSAGE(everybody, rh_ref sink; rh_ref all[120];);
RH_MESSAGE(done);
RH_MESSAGE(big_ping);
RH_MESSAGE(big_pong);

RH_ACTOR(peer, rh_ref sink; int64_t left; uint32_t chance; rh_ref all[120];);
static void peer_ping(struct peer *state)
{
    state->chance = state->chance * 1664525u + 1013904223u;
    rh_send(state->all[(state->chance >> 8) % 120], big_ping);
}
RH_HANDLER(peer, everybody)
{
    state->sink = msg->sink;
    memcpy(state->all, msg->all, sizeof state->all);
    peer_ping(state);
}
RH_HANDLER(peer, big_ping)
{
    rh_reply(big_pong);
}
RH_HANDLER(peer, big_pong)
{
    if (--state->left > 0)
        peer_ping(state);
    else
        rh_send(state->sink, done);
}
RH_HANDLER(peer, stop)
{
    rh_stop();
}
RH_BEHAVIOUR(peer, waiting, everybody, big_ping, big_pong, stop);

RH_ACTOR(sink, int finished; rh_ref all[120];);
RH_HANDLER(sink, everybody)
{
    memcpy(state->all, msg->all, sizeof state->all);
}
RH_HANDLER(sink, done)
{
    if (++state->finished < 120)
        return;
    for (int i = 0; i < 120; i++)
        rh_send(state->all[i], stop);
    rh_stop();
}
RH_BEHAVIOUR(sink, open, everybody, done);

static long run_big(long scale)
{
    long pings = 5000 * scale / 100;
    struct everybody value = { .sink = rh_spawn(sink) };
    for (uint32_t i = 0; i < 120; i++)
        value.all[i] = rh_spawn(peer, .left = pings, .chance = i * 7919u + 1);
    rh_send_(value.sink, &rh_message_everybody, &value, NULL, 0, RH_HERE);
    for (int i = 0; i < 120; i++)
        rh_send_(value.all[i], &rh_message_everybody, &value, NULL, 0, RH_HERE);
    return 2L * 120 * pings;
}

/* ---- chameneos: a hundred creatures meet in pairs at one mall -------------------------------------------------- */

RH_MESSAGE(meet);
RH_MESSAGE(mate, rh_ref other;);
RH_MESSAGE(back);

RH_ACTOR(mall, int64_t left; rh_ref waiting; int faded;);
RH_HANDLER(mall, meet)
{
    if (state->left == 0) {
        rh_reply(stop);
        if (++state->faded == 100)
            rh_stop();
    } else if (rh_is_nobody(state->waiting)) {
        state->waiting = rh_sender();
    } else {
        state->left--;
        rh_send(state->waiting, mate, .other = rh_sender());
        state->waiting = rh_nobody();
    }
}
RH_BEHAVIOUR(mall, open, meet);

RH_ACTOR(creature, rh_ref mall;);
RH_HANDLER(creature, rh_start)
{
    rh_send(state->mall, meet);
}
RH_HANDLER(creature, mate)
{
    rh_send(msg->other, back);
    rh_send(state->mall, meet);
}
RH_HANDLER(creature, back)
{
    rh_send(state->mall, meet);
}
RH_HANDLER(creature, stop)
{
    rh_stop();
}
RH_BEHAVIOUR(creature, open, mate, back, stop, rh_start);

static long run_chameneos(long scale)
{
    long meetings = 400000 * scale / 100;
    rh_ref m = rh_spawn(mall, .left = meetings);
    for (int i = 0; i < 100; i++)
        rh_spawn(creature, .mall = m);
    return 4 * meetings;
}

/* ---- all of them ----------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    long (*run)(long scale);
} benchmarks[] = {
    { "pingpong", run_pingpong }, { "counting", run_counting }, { "forkjoin", run_forkjoin },
    { "ring", run_ring },         { "big", run_big },           { "chameneos", run_chameneos },
};

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 2 && i < sizeof benchmarks / sizeof benchmarks[0]; i++) {
        if (strcmp(argv[1], benchmarks[i].name) != 0)
            continue;
        struct rh_runtime_options options = { .threads = (uint32_t)atoi(argv[2]) };
        options.record = argc > 4 ? argv[4] : NULL;
        options.record_limit = argc > 5 ? (uint32_t)atol(argv[5]) : 0;
        if (!rh_runtime_start(&options))
            return 1;
        double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
        long messages = benchmarks[i].run(argc > 3 ? atol(argv[3]) : 100);
        rh_runtime_wait();
        wall = seconds(CLOCK_MONOTONIC) - wall;
        cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
        printf("rehearse,%s,%s,%ld,%.3f,%.3f,%.0f,%.0f\n", argv[1], argv[2], messages, wall, cpu,
               (double)messages / wall, (double)messages / cpu);
        rh_runtime_stop();
        return 0;
    }
    fprintf(stderr, "usage: %s pingpong|counting|forkjoin|ring|big|chameneos THREADS [SCALE [FILE [LIMIT]]]\n",
            argv[0]);
    return 2;
}
