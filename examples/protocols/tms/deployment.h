/* What production.c deploys.  A test whose body deploys the same replays its recordings. */
#ifndef TMS_DEPLOYMENT_H
#define TMS_DEPLOYMENT_H

#include <pthread.h>

#include "tms.h"

enum { SERVERS = 3, REPLICAS = 3, CLIENTS = 6, OPENING = 100 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool done;
static int total;

RH_PROCESS(operator, rh_ref managers[2]; rh_ref shards[MOST_SHARDS]; rh_ref victims[MOST_SHARDS];);
RH_BODY(operator)
{
    for (int i = 0; i < CLIENTS; i++)
        rh_spawn_monitor(
            tms_client, .managers = { state->managers[0], state->managers[1] }, .timeout_ms = 3000, .tries = 100,
            .transfer = { .tx = 1 + i,
                          .legs = { { .shard = i % 2, .amount = -1 - i }, { .shard = 1 - i % 2, .amount = 1 + i } } });
    for (int i = 0; i < MOST_SHARDS; i++)
        rh_kill(state->victims[i], "kill");
    for (int i = 0; i < CLIENTS; i++)
        rh_receive(rh_down);
    int sum = 0;
    for (int i = 0; i < MOST_SHARDS; i++) {
        struct tms_balance b = *rh_ask(state->shards[i], tms_audit, tms_balance);
        for (; b.open; b = *rh_ask(state->shards[i], tms_audit, tms_balance))
            rh_sleep(10);
        sum += b.balance;
    }
    pthread_mutex_lock(&lock);
    done = true;
    total = sum;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static inline void deploy(void)
{
    struct operator o = { 0 };
    for (int i = 0; i < REPLICAS; i++)
        rh_spawn(replica, .number = i, .count = REPLICAS, .timeout_ms = 40, .most_elections = 1000000,
                 .most_beats = 1000000);
    struct manager m = { .replicas = REPLICAS, .timeout_ms = 200, .most_tries = 1000000, .patient = true };
    for (int i = 0; i < MOST_SHARDS; i++) {
        struct master chain = { .count = SERVERS };
        for (int k = 0; k < SERVERS; k++)
            chain.chain[k] = (struct member){ .number = k, .server = rh_spawn(server, .number = k) };
        o.victims[i] = chain.chain[1].server;
        o.shards[i] = m.shards[i] =
            rh_spawn(tms_shard, .number = i, .master = rh_spawn_value(master, &chain), .opening_balance = OPENING);
    }
    for (int i = 0; i < 2; i++)
        o.managers[i] = rh_spawn_value(manager, &m);
    rh_spawn_value(operator, & o);
}

#endif
