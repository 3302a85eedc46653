/* What Raft promises [Ongaro 2014, figure 3.2], of Debian's libraft 0.15.  It does not hold; schedules/ has two runs.
 *
 * committed_entry_lost (C1).  Server 1 leads term 2 and writes entry 2.  Server 2 leads term 3, has another entry 2,
 * and its first append_entries, which has no entries, reaches server 1.  Server 1 answers with the index of its own
 * last entry, 2, although only what comes before was compared.  Server 2 takes that for a copy of its entry 2 and
 * commits it.  Server 1 is elected again, by server 3, and its entry 2 is the old one.
 *
 * two_leaders_in_a_term (C5).  Server 1 is asked to hand over to server 2, which is told to begin an election at once,
 * does not get the votes in time, and begins another one, of term 4.  So does server 3.  Server 1 votes for server 3
 * and then, in the same term, for server 2. */
#include <rehearse/test.h>

#include "libraft.h"

RH_PARAM(servers, "3", "how many servers there are");
RH_PARAM(elections, "4", "election timeouts of each server");
RH_PARAM(heartbeats, "20", "heartbeats of each server");
RH_PARAM(writes, "7", "client writes of each server, while it leads");
RH_PARAM(transfers, "", "leadership transfers asked of each server: 2 for elections, 0 for committed entries");
RH_PARAM(disk, "slow", "slow: writes are durable at any later moment; fast: at once");
RH_PARAM(prevote, "0", "1: with pre-vote");

/* ---- election safety: a term has at most one leader -------------------------------------------------------------- */

RH_MONITOR(election_safety, int leader_of[MOST_TERMS];);

RH_HANDLER(election_safety, now_leads)
{
    rh_assert(msg->term < MOST_TERMS, "%d terms", msg->term);
    int *leader = &state->leader_of[msg->term];
    rh_assert(!*leader || *leader == msg->server + 1, "term %d has two leaders, servers %d and %d", msg->term,
              *leader - 1, msg->server);
    *leader = msg->server + 1;
}
RH_BEHAVIOUR(election_safety, watching_leaders, now_leads, RH_IGNORE(has_committed));

/* ---- state machine safety and leader completeness ---------------------------------------------------------------- */

/* `newest` is the leader of the highest term so far, with the log that it began with. */
RH_MONITOR(committed_entries, int count; struct entry at[MOST_ENTRIES]; struct now_leads newest;);

static void leader_has(const struct committed_entries *state, int index)
{
    const struct now_leads *l = &state->newest;
    struct entry c = state->at[index];
    if (c.term >= l->term)
        return;
    rh_assert(index <= l->last, "the leader of term %d, server %d, misses entry %d, which was committed in term %d",
              l->term, l->server, index, c.term);
    rh_assert(l->log[index].term == c.term && l->log[index].id == c.id,
              "the leader of term %d, server %d, has another entry %d than that which was committed in term %d",
              l->term, l->server, index, c.term);
}
RH_HANDLER(committed_entries, now_leads)
{
    if (msg->term <= state->newest.term)
        return;
    state->newest = *msg;
    for (int i = 1; i <= state->count; i++)
        leader_has(state, i);
}
RH_HANDLER(committed_entries, has_committed)
{
    rh_assert(msg->index < MOST_ENTRIES && msg->index <= state->count + 1, "entry %d", msg->index);
    struct entry *c = &state->at[msg->index];
    if (msg->index > state->count) {
        state->count = msg->index;
        *c = msg->entry;
    }
    rh_assert(c->term == msg->entry.term && c->id == msg->entry.id,
              "server %d has committed another entry %d (term %d) than that which was committed in term %d",
              msg->server, msg->index, msg->entry.term, c->term);
    leader_has(state, msg->index);
}
RH_BEHAVIOUR(committed_entries, watching_entries, now_leads, has_committed);

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static int within(const char *name, int otherwise, int least, int most)
{
    int64_t value = rh_param(name, otherwise);
    rh_assert(value >= least && value <= most, "%s is %d to %d, not %d", name, least, most, (int)value);
    return (int)value;
}
static void start_cluster(int transfers)
{
    const char *disk = rh_param_text("disk", "slow");
    cluster.slow_disk = disk[0] == 's';
    cluster.count = within("servers", 3, 1, MOST_SERVERS);
    cluster.elections = within("elections", 4, 0, 1000);
    cluster.heartbeats = within("heartbeats", 20, 0, 1000);
    cluster.writes = within("writes", 7, 0, 16);
    cluster.transfers = cluster.count > 1 ? within("transfers", transfers, 0, 1000) : 0;
    cluster.pre_vote = within("prevote", 0, 0, 1);
    for (int i = 0; i < cluster.count; i++)
        cluster.at[i] = rh_spawn(server, .number = i);
}

/* The library has no order of messages in mind; 200 steps are enough for some elections and writes. */
RH_TEST(a_term_has_one_leader, .model = RH_BAG, .losses = 6, .max_steps = 200)
{
    rh_observe(election_safety);
    start_cluster(2);
}
RH_TEST(a_committed_entry_is_never_lost, .model = RH_BAG, .losses = 6, .max_steps = 200)
{
    rh_observe(committed_entries);
    start_cluster(0);
}

RH_MAIN()
