/* The same actors in production (deployment.h). */
#include <rehearse/runtime.h>
#include <stdio.h>

#include "../record.h"
#include "deployment.h"

static atomic_int finished;

int main(int argc, char **argv)
{
    struct rh_runtime_options options = { .record = take_record(&argc, argv) };
    if (argc != 1 || !rh_runtime_start(&options)) {
        fprintf(stderr, "usage: %s [--record FILE]\n", argv[0]);
        return 1;
    }
    deploy(&finished);
    rh_runtime_wait_quiet();
    rh_runtime_stop();
    printf("%d clients have all their answers, of %d requests each\n", finished, REQUESTS);
    return finished == CLIENTS ? 0 : 1;
}
