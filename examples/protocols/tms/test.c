/* A transfer is applied by both shards or by none, once, and the client is told the truth: with two managers that
 * compete, shards that crash, and servers of their chains that fail. */
#include <rehearse/test.h>

#include "tms.h"

RH_PARAM(clients, "1", "how many clients make a transfer");
RH_PARAM(servers, "by test", "how many servers each shard's chain has");
RH_PARAM(replicas, "1", "how many replicas the log has");
RH_PARAM(tries, "2", "how often anything is tried again");
RH_BUG(tells_first, "a manager tells the shards before its decision is in the log");
RH_BUG(own_decision, "a manager follows what it has appended, not what the log has");
RH_BUG(votes_early, "a shard votes before its chain has the record");
RH_BUG(forgets_decision, "a shard forgets a transaction when it is decided");

/* ---- the specification ------------------------------------------------------------------------------------------- */
struct seen_tx {
    uint32_t committed, aborted; /* sets of shards */
    bool told, truth;
};
RH_MONITOR(atomic, struct seen_tx seen[MOST_TX];);

static void judge(const struct seen_tx *t, int tx)
{
    rh_assert(!t->committed || !t->aborted, "transaction %d: shards %#x have committed, %#x have aborted", tx,
              t->committed, t->aborted);
    rh_assert(!t->told || (t->truth ? !t->aborted : !t->committed), "transaction %d: the client hears that it is %s",
              tx, t->truth ? "committed" : "aborted");
}
RH_HANDLER(atomic, tms_applied)
{
    struct seen_tx *t = &state->seen[msg->tx];
    uint32_t *set = msg->commit ? &t->committed : &t->aborted;
    rh_assert(!msg->commit || !(*set >> msg->shard & 1), "transaction %d: shard %d adds %d twice", msg->tx, msg->shard,
              msg->amount);
    *set |= 1u << msg->shard;
    judge(t, msg->tx);
}
RH_HANDLER(atomic, tms_told)
{
    struct seen_tx *t = &state->seen[msg->tx];
    rh_assert(!t->told || t->truth == msg->committed, "transaction %d: the client hears both", msg->tx);
    t->told = true;
    t->truth = msg->committed;
    judge(t, msg->tx);
}
RH_BEHAVIOUR(atomic, watching, tms_applied, tms_told);

/* ---- tests ------------------------------------------------------------------------------------------------------- */
static int within(const char *name, int otherwise, int least, int most)
{
    int64_t value = rh_param(name, otherwise);
    rh_assert(value >= least && value <= most, "%d to %d %s, not %d", least, most, name, (int)value);
    return (int)value;
}

static rh_ref start_shard(int number, int servers, struct tms_flaws flaws)
{
    struct master m = { .count = servers };
    for (int i = 0; i < servers; i++)
        m.chain[i] = (struct member){ .number = i, .server = rh_spawn(server, .number = i) };
    return rh_spawn(tms_shard, .number = number, .master = rh_spawn_value(master, &m), .opening_balance = 100,
                    .flaws = flaws);
}

static void start_manager(int servers)
{
    struct tms_flaws flaws = { .tells_first = rh_bug("tells_first"),
                               .own_decision = rh_bug("own_decision"),
                               .votes_early = rh_bug("votes_early"),
                               .forgets_decision = rh_bug("forgets_decision") };
    int replicas = within("replicas", 1, 1, MOST_REPLICAS), tries = within("tries", 2, 1, 8);
    int clients = within("clients", 1, 1, 3);
    rh_observe(atomic);
    for (int i = 0; i < replicas; i++)
        rh_spawn(replica, .number = i, .count = replicas, .timeout_ms = 50, .most_elections = 1);
    struct manager m = { .replicas = replicas, .timeout_ms = 100, .most_tries = tries, .flaws = flaws };
    for (int i = 0; i < MOST_SHARDS; i++)
        m.shards[i] = start_shard(i, within("servers", servers, 1, MOST_SERVERS), flaws);
    rh_ref managers[2] = { rh_spawn_value(manager, &m), rh_spawn_value(manager, &m) };
    for (int i = 0; i < clients; i++)
        rh_spawn(tms_client, .managers = { managers[0], managers[1] }, .timeout_ms = 1000, .tries = tries,
                 .transfer = { .tx = 1 + i,
                               .legs = { { .shard = i % 2, .amount = -10 }, { .shard = 1 - i % 2, .amount = 10 } } });
}

RH_TEST(managers_compete)
{
    start_manager(1);
}
RH_TEST(a_shard_fails, .crashes = 1, .restarts = 1, .may_crash = RH_ACTORS(tms_shard))
{
    start_manager(1);
}
RH_TEST(servers_fail, .crashes = 1, .may_crash = RH_ACTORS(server))
{
    start_manager(2);
}

RH_MAIN()
