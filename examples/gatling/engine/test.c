/* A load test runs from its start to its end: everything that users saw is recorded, and no message comes too early or
 * too late. */
#include <rehearse/test.h>

#include "engine.h"

RH_PARAM(users, "4", "how many simulated users there are");
RH_PARAM(requests, "2", "how many requests each of them makes");
RH_PARAM(recorders, "2", "how many recorders share the work");
RH_BUG(ga1, "a user reports its end before its last response is recorded");
RH_BUG(ga2, "the controller starts users when the first recorder is initialised");
RH_BUG(ga3, "the injector, not the user, reports that the user has started");
RH_BUG(ga4, "the controller closes without having heard that all users have started");

static int within(const char *name, int otherwise, int most)
{
    int64_t value = rh_param(name, otherwise);
    rh_assert(value >= 1 && value <= most, "1 to %d %s, not %d", most, name, (int)value);
    return (int)value;
}

RH_TEST(a_load_test_comes_to_its_end)
{
    struct scenario scenario = { .users = within("users", 4, MOST_USERS),
                                 .requests = within("requests", 2, 1000),
                                 .recorders = { .count = within("recorders", 2, MOST_RECORDERS) },
                                 .server = rh_spawn(server),
                                 .hasty = rh_bug("ga1") };
    struct flaws flaws = { .starts_early = rh_bug("ga2"),
                           .speaks_for_users = rh_bug("ga3"),
                           .closes_early = rh_bug("ga4") };
    for (int i = 0; i < scenario.recorders.count; i++)
        scenario.recorders.at[i] = rh_spawn(recorder);
    rh_spawn(controller, .scenario = scenario, .flaws = flaws);
}

RH_MAIN()
