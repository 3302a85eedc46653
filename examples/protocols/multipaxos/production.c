/* The same actors in production: clients append to a log of five replicas, whose leaders send heartbeats; a second
 * start finds what was appended.
 *
 *     protocols-multipaxos-production FOLDER     the stores are in FOLDER */
#include <rehearse/runtime.h>
#include <stdio.h>

#include "../record.h"
#include "deployment.h"

static bool append(const char *folder, const char *record, int value)
{
    struct rh_runtime_options options = { .store_folder = folder, .record = record };
    if (!rh_runtime_start(&options))
        return false;
    deploy(value);
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
