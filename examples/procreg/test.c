/* A name has one owner, a service is started once and started again when it breaks, and a child gets its name. */
#include <rehearse/test.h>

#include "procreg.h"

RH_PARAM(clients, "2", "how many want the same name");
RH_BUG(check_then_act, "a client takes a name that was free when it looked (Bita, ProcReg)");
RH_BUG(start_twice, "a service is started if it was not there a moment ago");
RH_BUG(too_soon, "a service that is being started again is looked for by its name");
RH_BUG(regrace, "a child is given a name after it may have ended (Concuerror, register race)");

RH_MONITOR(one_owner, int owners[MOST_NAMES];);
RH_HANDLER(one_owner, owns)
{
    rh_assert(++state->owners[msg->name] == 1, "name %d has %d owners", msg->name, state->owners[msg->name]);
}
RH_HANDLER(one_owner, gives_up)
{
    state->owners[msg->name]--;
}
RH_BEHAVIOUR(one_owner, watching, owns, gives_up);

RH_TEST(a_name_has_one_owner)
{
    rh_ref r = rh_spawn(registry);
    rh_observe(one_owner);
    for (int64_t i = 0; i < rh_param("clients", 2); i++)
        rh_spawn(client, .registry = r, .name = 1, .checks_first = rh_bug("check_then_act"), .dies = i % 2);
}

/* With this granularity each operation on the world's names is a step. */
RH_TEST(a_service_is_started_once, .granularity = RH_GRAIN_OBJECT)
{
    for (int64_t i = 0; i < rh_param("clients", 2); i++)
        rh_spawn(starter, .checks_first = rh_bug("start_twice"));
}

RH_TEST(a_service_is_started_again)
{
    rh_spawn(user, .supervisor = rh_spawn(supervisor), .hasty = rh_bug("too_soon"));
}

RH_TEST(a_child_gets_its_name, .granularity = RH_GRAIN_OBJECT)
{
    rh_spawn(parent, .hasty = rh_bug("regrace"));
}

RH_MAIN()
