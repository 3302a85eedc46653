/* The same actors in production, on a pool of threads. */
#include <rehearse/runtime.h>

#include "tickets.h"

int main(void)
{
    struct rh_runtime_options options = { .store_folder = "tickets-store" };
    if (!rh_runtime_start(&options))
        return 1;
    rh_ref o = rh_spawn(office);
    for (int i = 1; i <= 2; i++)
        rh_spawn(customer, .office = o, .number = i);
    rh_runtime_wait_quiet();
    rh_runtime_stop();
    return 0;
}
