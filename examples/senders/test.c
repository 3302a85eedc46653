/* Each item is taken once, in any order; and a receiver that takes items by tag never sees the order of arrival. */
#include <rehearse/test.h>
#include <stdio.h>

#include "senders.h"

RH_PARAM(senders, "5", "how many senders there are");
RH_BUG(orderly, "the receiver believes that items come in the order in which they were sent");

static int senders(void)
{
    int n = (int)rh_param("senders", 5);
    rh_assert(n >= 0 && n <= MOST_SENDERS, "0 to %d senders, not %d", MOST_SENDERS, n);
    return n;
}

static void send_all(rh_ref to)
{
    for (int i = 1; i <= senders(); i++) {
        char name[32];
        snprintf(name, sizeof name, "sender %d", i);
        rh_send_from(rh_external(name), to, item, .tag = i);
    }
}

RH_TEST(any_order)
{
    send_all(rh_spawn(collector, .orderly = rh_bug("orderly")));
}

RH_TEST(by_tag)
{
    send_all(rh_spawn(sorter, .count = senders(), .orderly = rh_bug("orderly")));
}

RH_MAIN()
