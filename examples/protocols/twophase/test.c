/* A transaction is applied by all of its participants or by none, whatever crashes, is lost or comes twice. */
#include <rehearse/test.h>

#include "twophase.h"

RH_PARAM(participants, "2", "how many participants there are");
RH_PARAM(tellers, "2", "how many tellers begin transactions");
RH_PARAM(transfers, "1", "how many transactions each of them begins");
RH_PARAM(resends, "1", "how often a decision is sent again, and asked for");
RH_BUG(early_commit, "the commit is told before its record is durable");
RH_BUG(early_vote, "a participant votes yes before its operations are durable");
RH_BUG(counts_acks, "two acknowledgements of one participant count as those of two");
RH_BUG(reuses_names, "after a crash the coordinator gives names of transactions again");

/* ---- the specification ------------------------------------------------------------------------------------------- */
enum { MOST_SEEN = 16 };
struct seen_tx {
    bool used;
    struct tx tx;
    struct ops ops;
    uint32_t yes, committed, aborted; /* sets of participants */
    bool decided, commit;
};
RH_MONITOR(atomicity, struct seen_tx seen[MOST_SEEN];);

static struct seen_tx *see(struct atomicity *state, struct tx tx)
{
    for (int i = 0; i < MOST_SEEN; i++) {
        struct seen_tx *t = &state->seen[i];
        if (t->used && !same_tx(t->tx, tx))
            continue;
        t->used = true;
        t->tx = tx;
        return t;
    }
    rh_assert(false, "more than %d transactions", MOST_SEEN);
    return NULL;
}

RH_HANDLER(atomicity, tx_began)
{
    see(state, msg->tx)->ops = msg->ops;
}
RH_HANDLER(atomicity, tx_voted)
{
    if (msg->yes)
        see(state, msg->tx)->yes |= 1u << msg->participant;
}
RH_HANDLER(atomicity, tx_decided)
{
    struct seen_tx *t = see(state, msg->tx);
    rh_assert(!t->decided || t->commit == msg->commit, "transaction %u.%u is decided both ways", msg->tx.life,
              msg->tx.number);
    for (int i = 0; msg->commit && i < t->ops.count; i++)
        rh_assert(t->yes >> t->ops.at[i].participant & 1,
                  "transaction %u.%u commits without the vote of participant %d", msg->tx.life, msg->tx.number,
                  t->ops.at[i].participant);
    t->decided = true;
    t->commit = msg->commit;
}
RH_HANDLER(atomicity, tx_applied)
{
    struct seen_tx *t = see(state, msg->tx);
    *(msg->commit ? &t->committed : &t->aborted) |= 1u << msg->participant;
    rh_assert(!t->decided || t->commit == msg->commit, "transaction %u.%u is decided one way, participant %d %s",
              msg->tx.life, msg->tx.number, msg->participant, msg->commit ? "commits" : "aborts");
    rh_assert(!t->committed || !t->aborted, "transaction %u.%u: participants %#x have committed, %#x have aborted",
              msg->tx.life, msg->tx.number, t->committed, t->aborted);
    int wanted = 0, applied = 0;
    for (int i = 0; i < t->ops.count; i++)
        wanted += t->ops.at[i].participant == msg->participant ? t->ops.at[i].amount : 0;
    for (int i = 0; i < msg->ops.count; i++)
        applied += msg->ops.at[i].amount;
    rh_assert(!msg->commit || wanted == applied, "transaction %u.%u: participant %d applies %d instead of %d",
              msg->tx.life, msg->tx.number, msg->participant, applied, wanted);
}
RH_BEHAVIOUR(atomicity, watching, tx_began, tx_voted, tx_decided, tx_applied);

/* ---- tests ------------------------------------------------------------------------------------------------------- */
static int within(const char *name, int otherwise, int least, int most)
{
    int64_t value = rh_param(name, otherwise);
    rh_assert(value >= least && value <= most, "%d to %d %s, not %d", least, most, name, (int)value);
    return (int)value;
}

static void start_bank(void)
{
    struct tpc_flaws flaws = { .early_commit = rh_bug("early_commit"),
                               .early_vote = rh_bug("early_vote"),
                               .counts_acks = rh_bug("counts_acks"),
                               .reuses_names = rh_bug("reuses_names") };
    int resends = within("resends", 1, 0, 8), tellers = within("tellers", 2, 1, 4);
    struct peers peers = { .count = within("participants", 2, 2, MOST_PARTICIPANTS) };
    rh_observe(atomicity);
    for (int i = 0; i < peers.count; i++)
        peers.at[i] = rh_spawn(participant, .number = i, .opening_balance = 100, .timeout_ms = 50,
                               .most_inquiries = resends, .flaws = flaws);
    rh_ref c = rh_spawn(coordinator, .participants = peers, .timeout_ms = 50, .most_resends = resends, .flaws = flaws);
    for (int i = 0; i < tellers; i++)
        rh_spawn(teller, .coordinator = c, .from = i % peers.count, .to = (i + 1) % peers.count, .amount = 10 + i,
                 .transfers = within("transfers", 1, 1, 4), .timeout_ms = 500);
}

RH_TEST(the_coordinator_fails, .model = RH_BAG, .crashes = 1, .restarts = 1, .may_crash = RH_ACTORS(coordinator))
{
    start_bank();
}
RH_TEST(a_participant_fails, .model = RH_BAG, .crashes = 1, .restarts = 1, .may_crash = RH_ACTORS(participant))
{
    start_bank();
}
RH_TEST(the_network_fails, .model = RH_BAG, .losses = 1, .duplicates = 1,
        .may_lose = RH_ACTORS(coordinator, participant))
{
    start_bank();
}

RH_MAIN()
