/* The same actors in production, a cluster in one process: clients put and get while a server joins, the first one
 * leaves, and leadership moves; a second start finds what was put.
 *
 *     protocols-raft-production FOLDER     the stores are in FOLDER */
#include <rehearse/runtime.h>
#include <stdio.h>

#include "../record.h"
#include "deployment.h"

static bool start(const char *folder, const char *record, bool first)
{
    struct rh_runtime_options options = { .store_folder = folder, .record = record };
    if (!rh_runtime_start(&options))
        return false;
    deploy(first);
    pthread_mutex_lock(&lock);
    while (starts < 1 + !first)
        pthread_cond_wait(&all_done, &lock);
    pthread_mutex_unlock(&lock);
    rh_runtime_stop();
    return true;
}

int main(int argc, char **argv)
{
    const char *record = take_record(&argc, argv);
    if (argc != 2 || !start(argv[1], record, true) || !start(argv[1], NULL, false)) {
        fprintf(stderr, "usage: %s FOLDER [--record FILE]\n", argv[0]);
        return 1;
    }
    return 0;
}
