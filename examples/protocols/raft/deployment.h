/* What production.c deploys.  A test whose body deploys the same replays its recordings. */
#ifndef RAFT_DEPLOYMENT_H
#define RAFT_DEPLOYMENT_H

#include <pthread.h>
#include <stdio.h>

#include "raft.h"

enum { MEMBERS = 3, CLIENTS = 3, REQUESTS = 20 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_done = PTHREAD_COND_INITIALIZER;
static int starts;

/* Asks one server after the other until one has done it. */
static uint32_t ask(bool get, uint32_t *request)
{
    for (uint32_t at = 1;; at = 1 + at % (MEMBERS + 1)) {
        ++*request;
        if (get)
            rh_send(raft_server_at(at), client_get, .request = *request, .key = 2);
        else
            rh_send(raft_server_at(at), client_put, .client = 0, .request = *request, .key = 2, .value = 42);
        const struct client_answer *a = rh_receive(client_answer, .timeout_ms = 100);
        if (a && a->done && a->request == *request)
            return a->value;
    }
}

/* Starts clients and operator, waits for their end, and puts a last value, which the second start reads.  The servers
 * never rest, so the program cannot wait for quiet. */
RH_PROCESS(desk, bool first;);
RH_BODY(desk)
{
    uint32_t request = 0;
    if (state->first) {
        for (uint32_t i = 1; i < CLIENTS; i++)
            rh_spawn_monitor(raft_client, .number = i, .servers = MEMBERS, .requests = REQUESTS, .timeout_ms = 100,
                             .tries = 1000);
        rh_spawn_monitor(raft_operator, .servers = MEMBERS + 1, .first = 1, .count = 2, .timeout_ms = 100,
                         .tries = 1000, .changes = { { MEMBERS + 1, true }, { 1, false } }, .transfer_to = 2);
        for (uint32_t i = 0; i < CLIENTS; i++)
            rh_receive(rh_down);
        ask(false, &request);
    }
    uint32_t value = ask(true, &request);
    rh_assert(value == 42, "42 was put, %u is read", value);
    printf("%s\n", state->first ? "42 was put, with other members than at first" : "a second start has read it");
    pthread_mutex_lock(&lock);
    starts++;
    pthread_cond_signal(&all_done);
    pthread_mutex_unlock(&lock);
}

static inline void deploy(bool first)
{
    struct raft_settings settings = { .timeout_ms = 150,
                                      .beat_ms = 40,
                                      .elections = 1000000,
                                      .beats = 1000000,
                                      .snapshot_every = 8,
                                      .batch = MOST_BATCH,
                                      .pre_vote = true };
    for (uint32_t i = 1; i <= MEMBERS + 1; i++)
        raft_introduce(i,
                       rh_spawn(raft_server, .number = i, .first_members = (2u << MEMBERS) - 2, .settings = settings));
    rh_spawn(desk, .first = first);
}

#endif
