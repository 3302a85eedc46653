/* The same actors in production: on a pool of threads, with nothing of the explorer linked. */
#include <rehearse/runtime.h>

#include "gatling.h"

int main(void)
{
    if (!rh_runtime_start(NULL))
        return 1;
    rh_ref w = rh_spawn(writer);
    rh_ref t = rh_spawn(terminator, .writer = w, .actions = 4);
    for (int i = 0; i < 4; i++)
        rh_send(rh_spawn(action, .writer = w, .terminator = t), execute);
    rh_runtime_wait_quiet();
    rh_runtime_stop();
    return 0;
}
