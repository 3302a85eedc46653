/* What the production program deploys: the driver, all who use it, and a simulated board.  A test does the same to
 * replay its recordings (tests/fixtures/production_osr.c). */
#include "osr.h"

static void deploy(void)
{
    rh_ref d = rh_spawn(device, .work_ms = 1);
    rh_ref driver = rh_spawn(driver, .device = d, .timeout_ms = 200);
    rh_spawn(power_manager, .driver = driver, .cycles = 20);
    rh_spawn(switch_reader, .driver = driver);
    for (int i = 0; i < 4; i++)
        rh_spawn(light_show, .driver = driver, .first = 1 + 10 * i, .values = 8, .tries = 100);
    for (int i = 1; i <= 20; i++)
        rh_send(d, flip, .switches = i);
}
