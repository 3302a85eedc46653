/* Every client gets the answers to its own requests, and a confirmed put survives a crash. */
#include <rehearse/test.h>

#include "store.h"

RH_PARAM(frontends, "1", "how many front-ends there are");
RH_PARAM(backends, "1", "how many back-ends there are");
RH_PARAM(clients, "2", "how many clients there are");
RH_PARAM(requests, "2", "how many requests each of them makes");
RH_BUG(crossed, "a front-end gives a reply to the client that asked last");
RH_BUG(early, "a put is confirmed before it is durable");

static bool is_from(const struct rh_envelope *m, const void *client)
{
    return rh_as(m, done)->client == *(const int *)client;
}

RH_TEST(replies_are_not_mixed_up)
{
    struct servers fronts = { .count = (int)rh_param("frontends", 1) };
    struct servers backs = { .count = (int)rh_param("backends", 1) };
    int clients = (int)rh_param("clients", 2), requests = (int)rh_param("requests", 2);
    rh_assert(fronts.count >= 1 && fronts.count <= MOST_SERVERS && backs.count >= 1 && backs.count <= MOST_SERVERS &&
                  clients >= 0 && requests >= 0 && clients + requests < MOST_KEYS,
              "1 to %d front-ends and back-ends, and fewer than %d keys", MOST_SERVERS, MOST_KEYS);
    for (int i = 0; i < backs.count; i++)
        backs.at[i] = rh_spawn(backend);
    for (int i = 0; i < fronts.count; i++)
        fronts.at[i] = rh_spawn(frontend, .backends = backs, .forgetful = rh_bug("crossed"));
    for (int i = 1; i <= clients; i++)
        rh_spawn(client, .number = i, .requests = requests, .frontends = fronts, .parent = self);
    for (int i = 1; i <= clients; i++)
        rh_receive(done, .match = is_from, .arg = &i);
}

/* Under bag, messages to a crashed keeper wait until it has restarted.  A crash inside a handler takes its message with
 * it, so that nobody answers. */
RH_TEST(what_was_confirmed_is_kept, .model = RH_BAG, .crashes = 1, .restarts = 1)
{
    rh_ref k = rh_spawn(keeper, .hasty = rh_bug("early"));
    bool confirmed = rh_ask_within(100, k, put, reply, .request = 1, .key = 1, .value = 7) != NULL;
    const struct reply *answer = rh_ask_within(100, k, get, reply, .request = 2, .key = 1);
    int value = answer ? answer->value : 7;
    rh_assert(value == 7 || !confirmed, "the put was confirmed, and yet the value is %d", value);
    rh_sometimes("a put is confirmed, and its value asked for", confirmed && answer);
}

RH_MAIN()
