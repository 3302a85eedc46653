/* The same actors in production: transfers, a stop, and a second start that finds the books of the first.
 *
 *     protocols-twophase-production FOLDER     the stores are in FOLDER */
#include <rehearse/runtime.h>
#include <stdio.h>

#include "../record.h"
#include "deployment.h"

static rh_ref start_bank(const char *folder, const char *record, struct peers *peers)
{
    struct rh_runtime_options options = { .store_folder = folder, .record = record };
    return rh_runtime_start(&options) ? deploy_bank(peers) : rh_nobody();
}

int main(int argc, char **argv)
{
    struct peers peers = { 0 };
    const char *record = take_record(&argc, argv);
    rh_ref c = argc == 2 ? start_bank(argv[1], record, &peers) : rh_nobody();
    if (rh_is_nobody(c)) {
        fprintf(stderr, "usage: %s FOLDER [--record FILE]\n", argv[0]);
        return 1;
    }
    deploy_tellers(c);
    rh_runtime_wait_quiet();
    rh_spawn(auditor, .participants = peers);
    rh_runtime_wait_quiet();
    rh_runtime_stop();

    if (rh_is_nobody(start_bank(argv[1], NULL, &peers)))
        return 1;
    rh_spawn(auditor, .participants = peers);
    rh_runtime_wait_quiet();
    rh_runtime_stop();
    return 0;
}
