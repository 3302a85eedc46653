/* The same actors in production: four clients make updates while two servers are killed and a spare joins. */
#include <rehearse/runtime.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "../record.h"
#include "chain.h"

enum { SERVERS = 4, SPARES = 1, CLIENTS = 4, REQUESTS = 200 };

static atomic_int finished;

/* Starts the clients, kills two neighbours in the middle of the chain, and waits for the clients. */
RH_PROCESS(operator, rh_ref master; rh_ref victims[2];);
RH_BODY(operator)
{
    for (int i = 0; i < CLIENTS; i++)
        rh_spawn_monitor(ch_client, .number = i, .master = state->master, .requests = REQUESTS, .reads = i % 2);
    rh_sleep(2);
    rh_kill(state->victims[0], "kill");
    rh_kill(state->victims[1], "kill");
    for (int i = 0; i < CLIENTS; i++) {
        const struct rh_down *down = rh_receive(rh_down);
        finished += down && strcmp(down->reason, "normal") == 0;
    }
}

int main(int argc, char **argv)
{
    struct rh_runtime_options options = { .record = take_record(&argc, argv) };
    if (argc != 1 || !rh_runtime_start(&options)) {
        fprintf(stderr, "usage: %s [--record FILE]\n", argv[0]);
        return 1;
    }
    struct master m = { .count = SERVERS, .spare_count = SPARES };
    for (int i = 0; i < SERVERS; i++)
        m.chain[i] = (struct member){ .number = i, .server = rh_spawn(server, .number = i) };
    for (int i = 0; i < SPARES; i++)
        m.spares[i] = (struct member){ .number = SERVERS + i, .server = rh_spawn(server, .number = SERVERS + i) };
    struct operator o = { .master = rh_spawn_value(master, &m), .victims = { m.chain[1].server, m.chain[2].server } };
    rh_spawn_value(operator, & o);
    rh_runtime_wait_quiet();
    rh_runtime_stop();
    printf("%d clients have all their answers, of %d requests each\n", finished, REQUESTS);
    return finished == CLIENTS ? 0 : 1;
}
