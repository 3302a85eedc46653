/* Scenarios: tests that read like prose. */
#include <rehearse/test.h>

#include "lease.h"

RH_BUG(late, "a client counts from the moment at which it hears that it has the lease");

static rh_ref new_client(rh_ref server)
{
    rh_ref c = rh_spawn(client, .server = server, .counts_from_grant = rh_bug("late"));
    rh_send(c, work);
    return c;
}

RH_SCENARIO(who_comes_second_is_denied, .time = RH_TIME_ORDERED)
{
    rh_ref s = rh_spawn(server), a = new_client(s), b = new_client(s);

    rh_expect(work, .to = a);
    rh_expect(work, .to = b);
    rh_expect(acquire, .from = b, .to = s);
    rh_expect(acquire, .from = a, .to = s);

    rh_disallow(granted, .to = a);
    rh_expect(denied, .from = s, .to = a);
    rh_expect(granted, .from = s, .to = b);
    rh_assert(rh_state_of(client, b)->holds && !rh_state_of(client, a)->holds);
}

RH_SCENARIO(a_lease_ends, .time = RH_TIME_ORDERED)
{
    rh_ref s = rh_spawn(server), a = new_client(s);

    rh_expect(work, .to = a);
    rh_expect(acquire, .to = s);
    rh_expect(granted, .to = a);

    rh_advance_time(LEASE_MS - 1);
    rh_assert(rh_state_of(client, a)->holds);
    rh_advance_time(1);
    rh_assert(!rh_state_of(client, a)->holds);
    rh_assert(rh_is_nobody(rh_state_of(server, s)->owner));
}

RH_SCENARIO(a_grant_that_comes_late_does_not_count, .time = RH_TIME_ORDERED)
{
    rh_ref s = rh_spawn(server), a = new_client(s);
    rh_expect(work, .to = a);
    rh_expect(acquire, .from = a, .to = s);

    rh_advance_time(LEASE_MS); /* the grant is under way, and the lease is over */
    rh_ref b = new_client(s);
    rh_expect(work, .to = b);
    rh_expect(acquire, .from = b, .to = s);
    rh_expect(granted, .from = s, .to = b);

    rh_expect(granted, .from = s, .to = a);
    rh_assert(!rh_state_of(client, a)->holds, "two clients hold the lease");
}

RH_MAIN()
