/* What the production program deploys, beside how it starts and ends: four clients make updates while two servers are
 * killed and a spare joins.  A test does the same to replay its recordings (tests/fixtures/production_chain.c). */
#include <stdatomic.h>
#include <string.h>

#include "chain.h"

enum { SERVERS = 4, SPARES = 1, CLIENTS = 4, REQUESTS = 200 };

/* Starts the clients, kills two neighbours in the middle of the chain, and waits for the clients. */
RH_PROCESS(operator, rh_ref master; rh_ref victims[2]; atomic_int * finished;); /* NULL: nobody asks */
RH_BODY(operator)
{
    for (int i = 0; i < CLIENTS; i++)
        rh_spawn_monitor(ch_client, .number = i, .master = state->master, .requests = REQUESTS, .reads = i % 2);
    rh_sleep(2);
    rh_kill(state->victims[0], "kill");
    rh_kill(state->victims[1], "kill");
    for (int i = 0; i < CLIENTS; i++) {
        const struct rh_down *down = rh_receive(rh_down);
        if (state->finished && down && strcmp(down->reason, "normal") == 0)
            ++*state->finished;
    }
}

static void deploy(atomic_int *finished)
{
    struct master m = { .count = SERVERS, .spare_count = SPARES };
    for (int i = 0; i < SERVERS; i++)
        m.chain[i] = (struct member){ .number = i, .server = rh_spawn(server, .number = i) };
    for (int i = 0; i < SPARES; i++)
        m.spares[i] = (struct member){ .number = SERVERS + i, .server = rh_spawn(server, .number = SERVERS + i) };
    struct operator o = { .master = rh_spawn_value(master, &m),
                          .victims = { m.chain[1].server, m.chain[2].server },
                          .finished = finished };
    rh_spawn_value(operator, & o);
}
