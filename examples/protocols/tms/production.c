/* The same actors in production: two shards, each a chain of three servers; a log of three replicas; two managers.  A
 * server of each chain is killed while clients make transfers.
 *
 *     protocols-tms-production FOLDER     the stores of the log are in FOLDER */
#include <rehearse/runtime.h>
#include <stdio.h>

#include "../record.h"
#include "deployment.h"

int main(int argc, char **argv)
{
    const char *record = take_record(&argc, argv);
    struct rh_runtime_options options = { .store_folder = argc == 2 ? argv[1] : NULL, .record = record };
    if (argc != 2 || !rh_runtime_start(&options)) {
        fprintf(stderr, "usage: %s FOLDER [--record FILE]\n", argv[0]);
        return 1;
    }
    deploy();
    pthread_mutex_lock(&lock);
    while (!done)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    rh_runtime_stop();
    printf("the shards hold %d after %d transfers\n", total, CLIENTS);
    return total == MOST_SHARDS * OPENING ? 0 : 1;
}
