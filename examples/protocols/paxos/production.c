/* The same actors in production: four clients want different values, and one is chosen; a second start still knows it.
 *
 *     protocols-paxos-production FOLDER     the stores are in FOLDER */
#include <rehearse/runtime.h>
#include <stdio.h>

#include "../record.h"
#include "deployment.h"

static bool vote(const char *folder, const char *record, int first_value)
{
    struct rh_runtime_options options = { .store_folder = folder, .record = record };
    if (!rh_runtime_start(&options))
        return false;
    deploy(first_value);
    rh_runtime_wait_quiet();
    rh_runtime_stop();
    return true;
}

int main(int argc, char **argv)
{
    const char *record = take_record(&argc, argv);
    if (argc != 2 || !vote(argv[1], record, 1) || !vote(argv[1], NULL, 101)) {
        fprintf(stderr, "usage: %s FOLDER [--record FILE]\n", argv[0]);
        return 1;
    }
    printf("%d voters have learnt one value\n", 2 * PROPOSERS);
    return 0;
}
