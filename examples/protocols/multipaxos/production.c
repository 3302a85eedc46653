/* The same actors in production: clients append to a log of five replicas, whose leaders send heartbeats; a second
 * start finds what was appended.
 *
 *     protocols-multipaxos-production FOLDER     the stores are in FOLDER */
#include <pthread.h>
#include <rehearse/runtime.h>
#include <stdio.h>

#include "../record.h"
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
                         .value = state->value, .timeout_ms = 500, .tries = 1000);
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

static bool append(const char *folder, const char *record, int value)
{
    struct rh_runtime_options options = { .store_folder = folder, .record = record };
    if (!rh_runtime_start(&options))
        return false;
    for (int i = 0; i < REPLICAS; i++)
        rh_spawn(replica, .number = i, .count = REPLICAS, .timeout_ms = 40, .most_elections = 1000000,
                 .most_beats = 1000000);
    rh_spawn(desk, .value = value);
    pthread_mutex_lock(&lock);
    while (done < value)
        pthread_cond_wait(&all_done, &lock);
    pthread_mutex_unlock(&lock);
    rh_runtime_stop();
    return true;
}

int main(int argc, char **argv)
{
    const char *record = take_record(&argc, argv);
    if (argc != 2 || !append(argv[1], record, 1) || !append(argv[1], NULL, 2)) {
        fprintf(stderr, "usage: %s FOLDER [--record FILE]\n", argv[0]);
        return 1;
    }
    printf("%d commands are in the log, and a second start has found them\n", CLIENTS * COMMANDS);
    return 0;
}
