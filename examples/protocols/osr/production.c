/* The same driver in production, with a simulated board (deployment.h). */
#include <rehearse/runtime.h>
#include <stdio.h>

#include "../record.h"
#include "deployment.h"

int main(int argc, char **argv)
{
    struct rh_runtime_options options = { .record = take_record(&argc, argv) };
    if (argc != 1 || !rh_runtime_start(&options)) {
        fprintf(stderr, "usage: %s [--record FILE]\n", argv[0]);
        return 1;
    }
    deploy();
    rh_runtime_wait_quiet();
    rh_runtime_stop();
    printf("the board has shown everything\n");
    return 0;
}
