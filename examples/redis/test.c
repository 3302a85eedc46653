/* Every reply goes to the caller that asked for it, even if the server changes, and published lines reach the
 * subscriber. */
#include <rehearse/test.h>

#include "redis.h"

RH_PARAM(callers, "4", "how many write and read");
RH_PARAM(rounds, "2", "how often each of them writes and reads");
RH_PARAM(sentinels, "7", "how many sentinels vote on a failover");
RH_PARAM(lines, "2", "how many lines are published");
RH_PARAM(chunk, "16", "how many bytes of a reply come at a time");
RH_BUG(fr1, "a reply of the old server is taken for one of the new (Bita, FR1)");
RH_BUG(fr2, "a subscriber subscribes before the dispatcher knows it (Bita, FR2)");

static int within(const char *name, int otherwise, int least, int most)
{
    int64_t value = rh_param(name, otherwise);
    rh_assert(value >= least && value <= most, "%d to %d %s, not %d", least, most, name, (int)value);
    return (int)value;
}

static rh_ref start_server(void)
{
    return rh_spawn(server, .chunk = within("chunk", 16, 1, 128));
}

RH_TEST(replies_belong_to_their_requests)
{
    int callers = within("callers", 4, 1, MOST_PENDING / 2), rounds = within("rounds", 2, 1, 1000);
    rh_ref p = rh_spawn(pipe, .trusting = rh_bug("fr1"));
    rh_ref m = rh_spawn(manager, .pipe = p, .server = start_server());
    struct sentinels others = { .count = within("sentinels", 7, 0, MOST_PEERS) };
    for (int i = 0; i < others.count; i++)
        others.at[i] = rh_spawn(sentinel);
    rh_ref s = rh_spawn(sentinel, .others = others, .manager = m, .next = start_server());
    rh_ref o = rh_spawn(operator, .sentinel = s, .callers = callers);
    for (int i = 1; i <= callers; i++)
        rh_spawn(caller, .pipe = p, .operator= o, .number = i, .rounds = rounds);
}

RH_TEST(what_is_published_is_read)
{
    rh_ref s = start_server(), d = rh_spawn(dispatcher);
    rh_ref in = rh_spawn(pipe, .dispatcher = d), out = rh_spawn(pipe);
    rh_spawn(manager, .pipe = in, .server = s);
    rh_spawn(manager, .pipe = out, .server = s);
    rh_ref p = rh_spawn(publisher, .pipe = out, .lines = within("lines", 2, 1, 1000));
    rh_spawn(subscriber, .pipe = in, .dispatcher = d, .publisher = p, .hasty = rh_bug("fr2"));
}

RH_MAIN()
