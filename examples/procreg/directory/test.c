/* The directory answers with what it was told last. */
#include <rehearse/test.h>

#include "directory.h"

RH_PARAM(hosts, "16", "how many hosts the visitor is passed through");
RH_PARAM(callers, "3", "how many others ask the directory for names");
RH_PARAM(calls, "8", "how often each of them asks");
RH_BUG(pr, "the directory remembers an entry that was withdrawn by the message before (Bita, PR)");

RH_MONITOR(truth, rh_ref owners[MOST_NAMES];);
RH_HANDLER(truth, is_at)
{
    state->owners[msg->name] = msg->who;
}
RH_HANDLER(truth, says)
{
    rh_assert(rh_same(state->owners[msg->name], msg->who), "name %d was given up, but the directory still says %s",
              msg->name, rh_name(msg->who));
}
RH_BEHAVIOUR(truth, watching, is_at, says);

static int within(const char *name, int otherwise, int most)
{
    int64_t value = rh_param(name, otherwise);
    rh_assert(value >= 1 && value <= most, "1 to %d %s, not %d", most, name, (int)value);
    return (int)value;
}

/* Name 0 is withdrawn, and the visitor asks for it; each caller asks for a name that stays. */
RH_TEST(the_directory_tells_the_truth)
{
    int callers = within("callers", 3, MOST_NAMES - 1);
    int calls = within("calls", 8, 1000);
    rh_ref d = rh_spawn(directory, .forgetful = rh_bug("pr"));
    rh_observe(truth);
    rh_send(rh_spawn(service, .directory = d, .name = 0), close_down);
    for (int i = 1; i <= callers; i++) {
        rh_spawn(service, .directory = d, .name = i);
        rh_spawn(caller, .directory = d, .name = i, .calls = calls);
    }
    rh_ref first = rh_nobody();
    for (int i = within("hosts", 16, 1000); i > 0; i--)
        first = rh_spawn(host, .next = first, .directory = d, .name = 0);
    rh_send(first, introduce);
}

RH_MAIN()
