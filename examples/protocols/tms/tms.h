/* A fault-tolerant transaction manager that joins the other protocols.  Money is moved between shards by two-phase
 * commit.  What a shard must not forget is in a store replicated by chain replication; what a manager decides is in a
 * log replicated by multi-Paxos.  So shards and managers keep nothing of their own, and a second manager can finish
 * what the first one has begun. */
#ifndef TMS_H
#define TMS_H

#include <rehearse.h>

#include "../chain/chain.h"
#include "../multipaxos/multipaxos.h"

/* Transactions are numbered from 1 by their clients: the key in the log, and the key of the record at each shard. */
enum { MOST_SHARDS = 2, MOST_TX = MOST_KEYS };

struct leg {
    int shard, amount; /* added to the shard's balance; may be negative */
};
struct transfer {
    int tx;
    struct leg legs[2];
};

/* Client and manager. */
RH_MESSAGE(tms_begin, struct transfer transfer;);
RH_MESSAGE(tms_outcome, int tx; bool committed;);

/* Manager and shards. */
RH_MESSAGE(tms_prepare, int tx; int amount;);
RH_MESSAGE(tms_vote, int tx; int shard; bool yes;);
RH_MESSAGE(tms_decision, int tx; bool commit;);
RH_MESSAGE(tms_ack, int tx; int shard;);

/* Anybody and a shard. */
RH_MESSAGE(tms_audit);
RH_MESSAGE(tms_balance, int balance; int open;);

/* Timers of a manager. */
RH_MESSAGE(tms_votes_missing, int tx;);
RH_MESSAGE(tms_log_silent, int tx;);
RH_MESSAGE(tms_acks_missing, int tx;);

/* Announced, for the specification. */
RH_MESSAGE(tms_applied, int tx; int shard; bool commit; int amount;);
RH_MESSAGE(tms_told, int tx; bool committed;);

/* Flaws: the bugs of test.c; see tms.c. */
struct tms_flaws {
    bool tells_first, own_decision, votes_early, forgets_decision;
};

/* What a shard keeps for a transaction, as one value in the chain: 4 * amount + one of these. */
enum tms_record { RECORD_NONE, RECORD_PREPARED, RECORD_COMMITTED, RECORD_ABORTED };

/* A shard: a client of its chain.  `records` is a copy of what the chain has. */
RH_ACTOR(tms_shard, int number; rh_ref master; int opening_balance; struct tms_flaws flaws; struct ch_view view;
         uint32_t requests; int records[MOST_TX];);

enum tms_phase { TMS_FREE, TMS_VOTING, TMS_LOGGING, TMS_DECIDED };
enum { DECIDE_COMMIT = 1, DECIDE_ABORT = 2 }; /* values in the log */
struct managed_tx {
    enum tms_phase phase;
    struct transfer transfer;
    rh_ref client;
    uint32_t yes, acked; /* sets of legs */
    int decision, tries;
};
RH_ACTOR(manager, int replicas; rh_ref shards[MOST_SHARDS]; int timeout_ms; int most_tries; bool patient;
         struct tms_flaws flaws; int log_at; struct managed_tx open[MOST_TX];);

/* Makes one transfer; asks the managers in turn until one of them knows the outcome. */
RH_PROCESS(tms_client, rh_ref managers[2]; struct transfer transfer; int timeout_ms; int tries;);

#endif
