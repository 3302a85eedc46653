/* What production.c deploys.  A test whose body deploys the same replays its recordings. */
#ifndef MP_DEPLOYMENT_H
#define MP_DEPLOYMENT_H

#include <pthread.h>

#include "multipaxos.h"

enum { REPLICAS = 5, CLIENTS = 4, COMMANDS = 5 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_done = PTHREAD_COND_INITIALIZER;
static int done;

/* Starts the clients and waits for their end.  The replicas never rest, so the program cannot wait for quiet. */
RH_PROCESS(desk, int value;);
RH_BODY(desk)
{
    for (int i = 0; i < CLIENTS; i++)
        rh_spawn_monitor(mp_client, .first = 1 + i * COMMANDS, .commands = COMMANDS, .replicas = REPLICAS,
                         .value = state->value, .timeout_ms = 500, .rest_ms = 20, .tries = 1000);
    for (int i = 0; i < CLIENTS; i++)
        rh_receive(rh_down);
    /* Each key has the value of the first start. */
    int key = CLIENTS * COMMANDS, value = 0;
    for (int at = 0; !value; at = (at + 1) % REPLICAS) {
        rh_send_to_name(mp_name(at).s, mp_append, .command = { .key = key, .value = state->value });
        const struct mp_appended *a = rh_receive(mp_appended, .timeout_ms = 200);
        value = a ? a->command.value : 0;
    }
    rh_assert(value == 1, "key %d has value %d", key, value);
    pthread_mutex_lock(&lock);
    done++;
    pthread_cond_signal(&all_done);
    pthread_mutex_unlock(&lock);
}

static inline void deploy(int value)
{
    for (int i = 0; i < REPLICAS; i++)
        rh_spawn(replica, .number = i, .count = REPLICAS, .timeout_ms = 40, .most_elections = 1000000,
                 .most_beats = 1000000);
    rh_spawn(desk, .value = value);
}

#endif
