/* The same driver in production, with a simulated board. */
#include <rehearse/runtime.h>
#include <stdio.h>

#include "../record.h"
#include "osr.h"

int main(int argc, char **argv)
{
    struct rh_runtime_options options = { .record = take_record(&argc, argv) };
    if (argc != 1 || !rh_runtime_start(&options)) {
        fprintf(stderr, "usage: %s [--record FILE]\n", argv[0]);
        return 1;
    }
    rh_ref d = rh_spawn(device, .work_ms = 1);
    rh_ref driver = rh_spawn(driver, .device = d, .timeout_ms = 200);
    rh_spawn(power_manager, .driver = driver, .cycles = 20);
    rh_spawn(switch_reader, .driver = driver);
    for (int i = 0; i < 4; i++)
        rh_spawn(light_show, .driver = driver, .first = 1 + 10 * i, .values = 8, .tries = 100);
    for (int i = 1; i <= 20; i++)
        rh_send(d, flip, .switches = i);
    rh_runtime_wait_quiet();
    rh_runtime_stop();
    printf("the board has shown everything\n");
    return 0;
}
