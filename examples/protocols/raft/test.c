/* Raft is safe, whatever the network, the disks and the operators do.  test_spec.c has what that means. */
#include <string.h>

#include "test_spec.h"

RH_PARAM(servers, "3", "how many servers there are at first");
RH_PARAM(clients, "1", "how many clients there are");
RH_PARAM(requests, "2", "how many puts and gets, in turn, each of them makes");
RH_PARAM(tries, "8", "how often a client or operator tries");
RH_PARAM(elections, "3", "election timeouts of each server");
RH_PARAM(beats, "1", "heartbeats of each server");
RH_PARAM(batch, "1", "entries in one message");
RH_PARAM(snapshot, "", "entries from one snapshot to the next; 0: none, as in most tests");
RH_PARAM(prevote, "0", "1: with pre-vote");
RH_BUG(counts_votes, "a vote that comes twice counts twice");
RH_BUG(old_term_commit, "entries of older terms are committed by counting");
RH_BUG(stale_reply, "a leader takes replies that were sent in an older term");
RH_BUG(stale_append, "a late request removes entries that came after it");
RH_BUG(forgets_vote, "a vote is sent before it is durable");
RH_BUG(snapshot_state, "a snapshot that is installed replaces the term and forgets the vote");
RH_BUG(single_server, "a new leader changes members before it has committed an entry of its term");
RH_BUG(transfer_votes, "in an election that a transfer began, a server votes although it has voted");
RH_BUG(late_write, "when a write ends, a follower says that it has all that it wrote, whoever leads now");
RH_BUG(names_pending, "a candidate asks for votes before its log and its own vote are durable");
RH_BUG(local_read, "a leader answers a read without asking whether it still leads");

static int within(const char *name, int otherwise, int least, int most)
{
    int64_t value = rh_param(name, otherwise);
    rh_assert(value >= least && value <= most, "%s is %d to %d, not %d", name, least, most, (int)value);
    return (int)value;
}

static struct raft_settings settings(int snapshot_every)
{
    return (struct raft_settings){ .timeout_ms = 100,
                                   .beat_ms = 20,
                                   .elections = within("elections", 3, 0, 100),
                                   .beats = within("beats", 1, 0, 100),
                                   .snapshot_every = (uint32_t)within("snapshot", snapshot_every, 0, MOST_LOG / 2),
                                   .batch = (uint32_t)within("batch", 1, 1, MOST_BATCH),
                                   .pre_vote = within("prevote", 0, 0, 1),
                                   .flaws = { .counts_votes = rh_bug("counts_votes"),
                                              .old_term_commit = rh_bug("old_term_commit"),
                                              .stale_reply = rh_bug("stale_reply"),
                                              .stale_append = rh_bug("stale_append"),
                                              .forgets_vote = rh_bug("forgets_vote"),
                                              .snapshot_state = rh_bug("snapshot_state"),
                                              .single_server = rh_bug("single_server"),
                                              .transfer_votes = rh_bug("transfer_votes"),
                                              .late_write = rh_bug("late_write"),
                                              .names_pending = rh_bug("names_pending"),
                                              .local_read = rh_bug("local_read") } };
}

/* Servers 1 to `all`, of which the first ones are members, and clients. */
static void start_raft(uint32_t members, uint32_t all, int snapshot_every)
{
    struct raft_settings s = settings(snapshot_every);
    uint32_t clients = (uint32_t)within("clients", 1, 0, MOST_CLIENTS);
    observe_raft();
    for (uint32_t i = 1; i <= all; i++)
        raft_introduce(i, rh_spawn(raft_server, .number = i, .first_members = (2u << members) - 2, .settings = s));
    for (uint32_t i = 0; i < clients; i++)
        rh_spawn(raft_client, .number = i, .servers = members, .requests = (uint32_t)within("requests", 2, 0, 12),
                 .timeout_ms = 0, .tries = within("tries", 8, 1, 100));
}
static uint32_t servers(int otherwise)
{
    return (uint32_t)within("servers", otherwise, 1, MOST_SERVERS);
}

RH_TEST(the_network_fails, .model = RH_BAG, .losses = 1, .duplicates = 1, .may_lose = RH_ACTORS(raft_server))
{
    start_raft(servers(3), servers(3), 0);
}
RH_TEST(servers_fail, .model = RH_BAG, .crashes = 2, .restarts = 2, .may_crash = RH_ACTORS(raft_server))
{
    start_raft(servers(3), servers(3), 0);
}
/* Messages are only late. */
RH_TEST(messages_are_late, .model = RH_BAG)
{
    start_raft(servers(3), servers(3), 0);
}
RH_TEST(snapshots_are_sent, .model = RH_BAG)
{
    start_raft(servers(3), servers(3), 1);
}
RH_TEST(leadership_moves, .model = RH_BAG)
{
    start_raft(servers(3), servers(3), 0);
    rh_spawn(raft_operator, .servers = servers(3), .first = 1, .transfer_to = 2, .timeout_ms = 0,
             .tries = within("tries", 8, 1, 100));
}
/* One operator adds a server; another one removes server 1. */
RH_TEST(members_change, .model = RH_BAG)
{
    uint32_t count = servers(4);
    rh_assert(count < MOST_SERVERS, "servers is 1 to %d in this test, not %u", MOST_SERVERS - 1, count);
    start_raft(count, count + 1, 0);
    rh_spawn(raft_operator, .servers = count, .first = 1, .count = 1, .changes = { { count + 1, true } },
             .timeout_ms = 0, .tries = within("tries", 8, 1, 100));
    rh_spawn(raft_operator, .servers = count, .first = count < 2 ? 1 : 2, .count = 1, .changes = { { 1, false } },
             .timeout_ms = 0, .tries = within("tries", 8, 1, 100));
}

RH_MAIN()
